/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether data streams have another byte order than TSDL metadata say, by the magic
   number at the begin of each packet. */
#include <string.h>

#include "core/load.h"
#include "core/path.h"
#include "formats/ctf/read/subtrace.h"

#define PACKET_MAGIC UINT32_C(0xc1fc1fc1)
#define FILES_TRIED  16u

/* Whether packets begin with the magic number in the native byte order. */
static bool begins_with_magic(const ctf_schema *schema)
{
    const ctf_class *header = schema->packet_header, *first;
    if (schema->generation != CTF_1 || header == NULL || header->u.structure.count == 0)
        return false;
    first = header->u.structure.members[0].type;
    return (first->roles & CTF_ROLE_PACKET_MAGIC) != 0 && first->size == 32 &&
           first->is_big_endian == schema->is_big_endian;
}

/* Whether a member is a file beside the metadata, whose name has `folder` characters before it. */
static bool is_beside(const char *name, const char *metadata_name, size_t folder)
{
    return strncmp(name, metadata_name, folder) == 0 && strchr(name + folder, '/') == NULL &&
           name[folder] != '.' && strcmp(name + folder, "metadata") != 0;
}

/* Returns the first 4 bytes of a member as a number, or 0 if they cannot be read. */
static uint32_t first_word(const ctf_trace *trace, size_t member, bool is_big_endian)
{
    const uint8_t *bytes;
    uint32_t word = 0;
    size_t size;
    input *in;
    if (source_open_member(trace->base.source, member, &in) != STELE_OK)
        return 0;
    if (input_peek(in, &bytes, &size) == STELE_OK && size >= sizeof word)
        word = is_big_endian ? load_be32(bytes) : load_le32(bytes);
    input_close(in);
    return word;
}

bool ctf_subtrace_is_swapped(const ctf_trace *trace, const ctf_subtrace *subtrace)
{
    const source *from = trace->base.source;
    const size_t count = subtrace->metadata_member != CTF_WHOLE ? source_member_count(from) : 0;
    bool is_swapped = false;
    const char *metadata_name;
    size_t folder;
    uint32_t tried = 0;
    if (count == 0 || !begins_with_magic(&subtrace->schema))
        return false;
    metadata_name = source_member_at(from, subtrace->metadata_member)->name;
    folder = (size_t)(path_base(metadata_name) - metadata_name);
    for (size_t i = 0; i < count && tried < FILES_TRIED; i++) {
        uint32_t word;
        if (!is_beside(source_member_at(from, i)->name, metadata_name, folder))
            continue;
        tried++;
        word = first_word(trace, i, subtrace->schema.is_big_endian);
        if (word == PACKET_MAGIC)
            return false;
        is_swapped |= word == __builtin_bswap32(PACKET_MAGIC);
    }
    return is_swapped;
}
