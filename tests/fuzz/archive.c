/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes archives and compressed files: every member is read to its end, and is where it says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Limit of what one input decompresses to: it may be a thousand times as long. */
#define UNPACKED_MAX ((uint64_t)16 << 20)

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void read_to_end(input *in)
{
    static uint8_t bytes[64 << 10];
    uint64_t offset = 0;
    size_t got;
    do {
        if (input_read(in, offset, bytes, sizeof bytes, &got) != STELE_OK)
            return;
        offset += got;
        require(!in->has_size || offset <= in->size, "no more bytes than the size says");
    } while (got != 0 && offset < UNPACKED_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_sink silent = {.fn = NULL};
    source *s;
    if (source_open_memory(&silent, "fuzz", data, size, "/tmp", &s) != STELE_OK)
        return 0;
    if (source_input(s) != NULL)
        read_to_end(source_input(s));
    require(source_packing(s) != NULL, "a source says how it is packed");
    for (size_t i = 0; i < source_member_count(s); i++) {
        const source_member *member = source_member_at(s, i);
        input *in;
        require(member->name[0] != '\0', "a member has a name");
        require(i == 0 || strcmp(source_member_at(s, i - 1)->name, member->name) < 0,
                "members stand in the order of their names, each once");
        if (source_open_member(s, i, &in) == STELE_OK) {
            read_to_end(in);
            input_close(in);
        }
    }
    source_close(s);
    return 0;
}
