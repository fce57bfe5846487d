/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, checks and uses the saved index of a trace; docs/index.md describes the file. Invariants:
 *
 * - An index only saves time. Whatever is wrong with it is reported once (STE017), and the trace is
 *   read as if there were none: no status comes from a bad index, only from memory and reading.
 * - Nothing of the file is used before its owner, identity, size and checksum fit, in this order,
 *   so that no other user and no damaged number leads anywhere. Memory for it is bounded by the
 * size of the trace (PAYLOAD_MAX).
 * - The file may be replaced at any time. It is opened once, and all checks are about that file.
 */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include "model/saved_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <stele/writer.h>

#include "core/hash.h"
#include "core/load.h"
#include "core/path.h"
#include "model/seek.h"

static const char magic[8] = {'S', 'T', 'E', 'L', 'E', 'I', 'D', 'X'};

/* ---- Identity of a trace ---- */

/* Adds samples of the first `size` bytes of an input. Returns false if they cannot be read. */
static bool identity_sample(saved_identity *id, input *in, uint64_t size, unsigned sample_count)
{
    uint8_t bytes[SAMPLE_SIZE];
    /* Samples lie at equal distances, the last one at the end. */
    const size_t wanted = size < SAMPLE_SIZE ? (size_t)size : SAMPLE_SIZE;
    for (unsigned i = 0; i < sample_count; i++) {
        size_t got;
        if (input_read(in, (size - wanted) / (SAMPLE_COUNT - 1) * i, bytes, wanted, &got) !=
            STELE_OK)
            return false;
        id->sample = (uint32_t)crc32(id->sample, bytes, (uInt)got);
    }
    return true;
}

/* Adds a regular file, which is read directly, to an identity. Returns false if it is not one. */
static bool identity_add(saved_identity *id, const char *path, input *in, unsigned sample_count)
{
    struct stat about;
    int64_t changed_ns;
    if (!in->is_seekable || !in->has_size || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        (uint64_t)about.st_size != in->size)
        return false;
    changed_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    id->size += in->size;
    id->changed_ns = changed_ns > id->changed_ns ? changed_ns : id->changed_ns;
    return identity_sample(id, in, in->size, sample_count);
}

/* Adds one of several files to an identity, with its name, size and time of change. */
static bool identity_add_file(saved_identity *id, const char *path, unsigned sample_count)
{
    const char *base = path_base(path);
    diag_sink quiet = {0};
    uint8_t about[16];
    saved_identity own = {.sample = id->sample};
    input *in;
    bool is_added;
    if (input_open_file(&quiet, path, &in) != STELE_OK)
        return false;
    is_added = identity_add(&own, path, in, sample_count);
    input_close(in);
    /* Sizes and times of all files enter the checksum: their sum and maximum alone would not tell
       two files apart that changed places. */
    store_le64(about, own.size);
    store_le64(about + 8, (uint64_t)own.changed_ns);
    id->sample = (uint32_t)crc32(own.sample, about, sizeof about);
    id->sample = (uint32_t)crc32(id->sample, (const uint8_t *)base, (uInt)strlen(base));
    id->size += own.size;
    id->changed_ns = own.changed_ns > id->changed_ns ? own.changed_ns : id->changed_ns;
    return is_added;
}

/* Adds the files of a folder. Members of an archive, or of another root, are not files that can be
   looked at by themselves. */
static bool identity_add_members(saved_identity *id, const stele_trace *trace)
{
    const size_t count = source_member_count(trace->source);
    bool is_added = count != 0;
    for (size_t i = 0; i < count && is_added; i++) {
        const source_member *member = source_member_at(trace->source, i);
        char *path = members_join(trace->info.path, member->name);
        is_added = member->archive == NULL && source_member_root(trace->source, i) == 0 &&
                   path != NULL && identity_add_file(id, path, 1);
        free(path);
    }
    return is_added;
}

/* Whether the trace is a file that is read directly, neither compressed nor in memory. */
bool saved_is_plain_file(const stele_trace *trace)
{
    const input *in = source_input(trace->source);
    return in != NULL && in->memory == NULL && in->is_seekable && in->has_size &&
           trace->info.packing[0] == '\0';
}

/* Whether a later trace can be recognised as the same one. A compressed file is judged as it is
   stored. */
static bool can_be_known(const stele_trace *trace)
{
    struct stat about;
    if (source_input(trace->source) == NULL)
        return strcmp(trace->info.packing, "directory") == 0;
    return saved_is_plain_file(trace) ||
           (trace->info.packing[0] != '\0' && stat(trace->info.path, &about) == 0 &&
            S_ISREG(about.st_mode));
}

/* Finds the identity of a trace from all of its files. Returns false if some are not files that can
   be read again. */
bool saved_identity_of(const stele_trace *trace, saved_identity *id)
{
    input *in = source_input(trace->source);
    const char *path;
    *id = (saved_identity){.changed_ns = INT64_MIN, .sample = (uint32_t)crc32(0, NULL, 0)};
    if (!can_be_known(trace))
        return false;
    if (!(in == NULL                   ? identity_add_members(id, trace)
          : saved_is_plain_file(trace) ? identity_add(id, trace->info.path, in, SAMPLE_COUNT)
                                       : identity_add_file(id, trace->info.path, SAMPLE_COUNT)))
        return false;
    for (size_t i = 0;
         trace->ops->file_at != NULL && (path = trace->ops->file_at(trace, i)) != NULL; i++) {
        if (!identity_add_file(id, path, SAMPLE_COUNT))
            return false;
    }
    return true;
}

/* Fills in a header. Its first 44 bytes say what trace the index is of, the others what follows. */
void saved_header_put(uint8_t *to, const stele_trace *trace, const saved_identity *id,
                      const uint8_t *payload, size_t size, const saved_extra *extra)
{
    memset(to, 0, HEADER_SIZE);
    memcpy(to, magic, sizeof magic);
    store_le32(to + 8, VERSION);
    strncpy((char *)to + 16, trace->info.format, 8);
    store_le64(to + 24, id->size);
    store_le64(to + 32, (uint64_t)id->changed_ns);
    store_le32(to + 40, id->sample);
    store_le32(to + 44, (uint32_t)crc32_z(crc32(0, NULL, 0), payload, size));
    store_le64(to + 48, size);
    if (extra == NULL)
        return;
    store_le64(to + 56, extra->size);
    store_le32(to + 64, (uint32_t)crc32_z(crc32(0, NULL, 0), extra->bytes, extra->size));
}

/* ---- Reading of a saved index ---- */

void saved_index_refuse(const stele_trace *trace, const char *path, const char *found)
{
    diag_report(&trace->context->diag, &core_codes[STE017], path, STELE_NO_OFFSET, 0,
                "an index of this trace as it is now", "%s", found);
}

/* Whether the index belongs to the owner of the trace, the reading user, or root. An index that
   others put there is not trusted. */
static bool is_of_owner(const stele_trace *trace, const struct stat *index)
{
    struct stat about;
    return index->st_uid == geteuid() || index->st_uid == 0 ||
           (stat(trace->info.path, &about) == 0 && about.st_uid == index->st_uid);
}

/* Opens the file of an index if it exists and is trusted. `*found` becomes a text that says what is
   wrong with it, else NULL. */
static input *file_open(const stele_trace *trace, const char *path, const char **found)
{
    /* A symbolic link is not followed, and a pipe not waited for. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    struct stat about;
    input *in = NULL;
    *found = NULL;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && is_of_owner(trace, &about)) {
        if (input_open_fd(&trace->context->diag, path, fd, &in) == STELE_OK)
            return in;
        return NULL;
    }
    *found = "no regular file of its owner";
    close(fd);
    return NULL;
}

/* Returns what is wrong with a header; NULL if nothing is. */
static const char *header_judge(const stele_trace *trace, const input *in, const uint8_t *header)
{
    uint8_t wanted[HEADER_SIZE];
    saved_identity id;
    uint64_t size, extra;
    if (memcmp(header, magic, sizeof magic) != 0)
        return "a file that is not an index";
    if (load_le32(header + 8) != VERSION)
        return "an index of another version";
    size = load_le64(header + 48);
    extra = load_le64(header + 56);
    if (!in->has_size || size > in->size - HEADER_SIZE || extra > in->size - HEADER_SIZE - size ||
        (extra == 0 && load_le32(header + 64) != 0) || load_le32(header + 68) != 0)
        return "an index that is damaged";
    /* The trace is looked at only now, as that reads its files. */
    if (!saved_identity_of(trace, &id))
        return "files of the trace that cannot be looked at";
    if (size > PAYLOAD_MAX(id.size) || extra > PAYLOAD_MAX(id.size))
        return "an index that is too large";
    saved_header_put(wanted, trace, &id, NULL, 0, NULL);
    return memcmp(wanted, header, 44) == 0 ? NULL
                                           : "an index of another trace, or an "
                                             "earlier state of this one";
}

/* Reads and checks the header. Returns false if it cannot be used, and `*found` says why, or if it
   could not be read, and `*found` is NULL. */
static bool header_read(const stele_trace *trace, input *in, uint8_t *header, const char **found)
{
    size_t got;
    if (input_read(in, 0, header, HEADER_SIZE, &got) != STELE_OK)
        return false;
    *found = got == HEADER_SIZE ? header_judge(trace, in, header) : "a file that is not an index";
    return *found == NULL;
}

/* Returns the sections, to be freed. Returns NULL if they cannot be used, and `*found` says why. */
static uint8_t *sections_read(input *in, const uint8_t *header, size_t *size, const char **found)
{
    const uint64_t wanted = load_le64(header + 48);
    uint8_t *bytes = malloc((size_t)wanted + 1);
    *found = "an index that is too large";
    if (bytes == NULL)
        return NULL;
    if (input_read(in, HEADER_SIZE, bytes, (size_t)wanted, size) == STELE_OK && *size == wanted &&
        load_le32(header + 44) == (uint32_t)crc32_z(crc32(0, NULL, 0), bytes, *size))
        *found = NULL;
    else
        *found = "an index that is damaged";
    if (*found == NULL)
        return bytes;
    free(bytes);
    return NULL;
}

/* Finds the bytes of each known section, of which there is at most one. Returns false if the bytes
   are not valid sections. */
static bool find_sections(const uint8_t *bytes, size_t size, cursor sections[SECTION_COUNT])
{
    cursor from = cursor_make(bytes, size);
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        sections[i].at = NULL;
    while (cursor_left(&from) != 0) {
        uint64_t number, section_size;
        const uint8_t *at;
        if (!saved_take_u64(&from, &number) || !saved_take_u64(&from, &section_size) ||
            section_size > cursor_left(&from))
            return false;
        at = cursor_take(&from, (size_t)section_size);
        if (number - 1 >= SECTION_COUNT)
            continue; /* a later version may write sections that this one does not know */
        if (sections[number - 1].at != NULL)
            return false;
        sections[number - 1] = cursor_make(at, (size_t)section_size);
    }
    return sections[SECTION_FORMAT - 1].at != NULL;
}

/* Uses the sections instead of calling index(). STELE_ERR_FORMAT: they are not valid for this
   trace. */
static stele_status use_sections(stele_trace *trace, const uint8_t *bytes, size_t size)
{
    cursor sections[SECTION_COUNT];
    cursor *format = &sections[SECTION_FORMAT - 1], *blocks = &sections[SECTION_BLOCKS - 1],
           *opened = &sections[SECTION_OPENED - 1];
    stele_status status;
    if (!find_sections(bytes, size, sections))
        return STELE_ERR_FORMAT;
    status = trace->ops->load_index(trace, format->at, cursor_left(format));
    if (status != STELE_OK || blocks->at == NULL)
        return status;
    /* The format has added its streams just now, so they are those of the blocks. An index without
       blocks returned before: it saves only the search for streams. */
    trace->seek =
        seek_index_take(blocks, trace->context->stream_count - trace->stream_first, &status);
    if (trace->seek != NULL && opened->at != NULL && !seek_opened_take(trace->seek, opened))
        seek_opened_forget(trace->seek);
    if (trace->seek == NULL && status == STELE_OK)
        saved_index_refuse(trace, trace->info.path, "an index whose blocks cannot be; all is read");
    return status;
}

/* Uses the sections about blocks, of a trace whose streams are already known. */
static stele_status use_blocks(stele_trace *trace, const uint8_t *bytes, size_t size)
{
    cursor sections[SECTION_COUNT];
    cursor *blocks = &sections[SECTION_BLOCKS - 1], *opened = &sections[SECTION_OPENED - 1];
    stele_status status = STELE_OK;
    if (!find_sections(bytes, size, sections))
        return STELE_ERR_FORMAT;
    if (blocks->at == NULL)
        return STELE_OK;
    trace->seek = seek_index_take(blocks, trace->stream_count, &status);
    if (trace->seek != NULL && opened->at != NULL && !seek_opened_take(trace->seek, opened))
        seek_opened_forget(trace->seek);
    return status;
}

/* Whether the header is that of an index of the trace as it was when it had fewer bytes. */
static bool is_of_beginning(const stele_trace *trace, const input *in, const uint8_t *header)
{
    input *of = source_input(trace->source);
    const uint64_t old_size = load_le64(header + 24), size = load_le64(header + 48);
    saved_identity id = {.size = old_size,
                         .changed_ns = (int64_t)load_le64(header + 32),
                         .sample = (uint32_t)crc32(0, NULL, 0)};
    uint8_t wanted[HEADER_SIZE];
    /* The samples are of the first `old_size` bytes as they are now: a trace that was written anew
       instead of continued has others there. */
    if (trace->ops->extend_index == NULL || trace->ops->file_at != NULL ||
        !saved_is_plain_file(trace) || old_size >= of->size || !in->has_size || size == 0 ||
        in->size < HEADER_SIZE || size > in->size - HEADER_SIZE || size > PAYLOAD_MAX(old_size) ||
        !identity_sample(&id, of, old_size, SAMPLE_COUNT))
        return false;
    saved_header_put(wanted, trace, &id, NULL, 0, NULL);
    return memcmp(wanted, header, 44) == 0;
}

/* Continues an index that is of the beginning of the trace. */
static stele_status extend_sections(stele_trace *trace, const uint8_t *bytes, size_t size,
                                    uint64_t old_size)
{
    cursor sections[SECTION_COUNT];
    saved_sections saved;
    if (!find_sections(bytes, size, sections))
        return STELE_ERR_FORMAT;
    saved = (saved_sections){.old_size = old_size,
                             .format = sections[SECTION_FORMAT - 1],
                             .blocks = sections[SECTION_BLOCKS - 1],
                             .opened = sections[SECTION_OPENED - 1]};
    return trace->ops->extend_index(trace, &saved);
}

typedef stele_status use_fn(stele_trace *trace, const uint8_t *bytes, size_t size);

/* Uses the index at `path`, if there is one that fits. Returns whether it was used; `*status` is an
   error only if out of memory or if the trace cannot be read. */
static bool use_file(stele_trace *trace, const char *path, use_fn *use, stele_status *status)
{
    const char *found = NULL;
    uint8_t header[HEADER_SIZE] = {0}, *bytes = NULL;
    size_t size = 0;
    bool is_used = false;
    input *in = file_open(trace, path, &found);
    const bool is_whole = in != NULL && header_read(trace, in, header, &found);
    const bool is_extended =
        found != NULL && in != NULL && use == use_sections && is_of_beginning(trace, in, header);
    if (is_whole || is_extended)
        bytes = sections_read(in, header, &size, &found);
    input_close(in);
    if (bytes != NULL && size != 0) {
        *status = is_extended ? extend_sections(trace, bytes, size, load_le64(header + 24))
                              : use(trace, bytes, size);
        is_used = *status == STELE_OK;
        if (*status == STELE_ERR_UNSUPPORTED) {
            *status = STELE_OK;
            found = is_extended ? "an index of an earlier state of this trace" : NULL;
        } else if (*status == STELE_ERR_FORMAT) {
            *status = STELE_OK;
            found = "an index that says what cannot be";
        }
    }
    free(bytes);
    if (found != NULL)
        saved_index_refuse(trace, path, found);
    return is_used;
}

/* Returns the path of an index next to the trace: its path without a final '/', and the extension.
   To be freed. Returns NULL if out of memory. */
static char *path_beside(const stele_trace *trace)
{
    size_t size = strlen(trace->info.path);
    char *path = malloc(size + sizeof SAVED_INDEX_EXTENSION);
    if (path == NULL)
        return NULL;
    memcpy(path, trace->info.path, size);
    while (size > 1 && path[size - 1] == '/')
        size--;
    memcpy(path + size, SAVED_INDEX_EXTENSION, sizeof SAVED_INDEX_EXTENSION);
    return path;
}

/* Returns the path of an index in the context's cache_dir. Its name is made of the trace's real
   path, so that it does not depend on the path by which the trace was opened. To be freed. Returns
   NULL if there is no cache_dir, or if out of memory. */
static char *path_in_cache(const stele_trace *trace)
{
    const char *folder = trace->context->cache_dir;
    char *real = folder != NULL ? realpath(trace->info.path, NULL) : NULL;
    const size_t size = real != NULL ? strlen(folder) + 1 + 16 + sizeof SAVED_INDEX_EXTENSION : 0;
    char *path = real != NULL ? malloc(size) : NULL;
    if (path != NULL)
        snprintf(path, size, "%s/%016" PRIx64 SAVED_INDEX_EXTENSION, folder,
                 hash_bytes(real, strlen(real)));
    free(real);
    return path;
}

size_t stele_trace_index_path(const stele_trace *trace, bool in_cache, char *path, size_t size)
{
    char *made = !can_be_known(trace) ? NULL : in_cache ? path_in_cache(trace) : path_beside(trace);
    const size_t length = made != NULL ? strlen(made) : 0;
    if (size != 0)
        snprintf(path, size, "%s", made != NULL ? made : "");
    free(made);
    return length;
}

bool saved_index_use(stele_trace *trace, stele_status *status)
{
    bool is_used = false;
    *status = STELE_OK;
    if (trace->ops->load_index == NULL || !can_be_known(trace))
        return false;
    /* An index beside the trace goes before one in the cache. */
    for (int in_cache = 0; in_cache < 2 && !is_used && *status == STELE_OK; in_cache++) {
        char *path = in_cache ? path_in_cache(trace) : path_beside(trace);
        is_used = path != NULL && use_file(trace, path, use_sections, status);
        free(path);
    }
    return is_used;
}

stele_status trace_load_index(stele_trace *trace)
{
    stele_status status = STELE_OK;
    if (trace->is_indexed || trace->ops->index == NULL || !trace->info.is_seekable)
        return STELE_OK;
    /* Streams that an index adds are those of the trace, from stream_first on. */
    trace->stream_first = trace->context->stream_count;
    trace->is_indexed = saved_index_use(trace, &status);
    trace->stream_count = trace->context->stream_count - trace->stream_first;
    return status;
}

stele_status stele_trace_find_index(stele_trace *trace)
{
    stele_status status = STELE_OK;
    if (!trace->is_indexed)
        return trace_load_index(trace);
    for (int in_cache = 0; in_cache < 2 && trace->seek == NULL && status == STELE_OK &&
                           trace->ops->load_index != NULL && can_be_known(trace);
         in_cache++) {
        char *path = in_cache ? path_in_cache(trace) : path_beside(trace);
        if (path != NULL)
            use_file(trace, path, use_blocks, &status);
        free(path);
    }
    return status;
}

bool saved_index_open(const stele_trace *trace, input **in, uint64_t *offset, uint64_t *size)
{
    uint8_t header[HEADER_SIZE];
    *in = NULL;
    for (int in_cache = 0; in_cache < 2 && *in == NULL && can_be_known(trace); in_cache++) {
        char *path = in_cache ? path_in_cache(trace) : path_beside(trace);
        const char *found = NULL;
        *in = path != NULL ? file_open(trace, path, &found) : NULL;
        if (*in != NULL && !header_read(trace, *in, header, &found)) {
            input_close(*in);
            *in = NULL;
        }
        if (found != NULL && trace->ops->load_index == NULL) /* otherwise loading reports it */
            saved_index_refuse(trace, path, found);
        free(path);
    }
    if (*in == NULL)
        return false;
    /* What follows the sections is the caller's: an overview, which is read page by page. */
    *offset = HEADER_SIZE + load_le64(header + 48) + load_le64(header + 56);
    *size = (*in)->size - *offset;
    return true;
}

/* Reads the bytes of a program from an index. `*found` says what is wrong with them. Returns false
   if there are none that can be used. */
static bool extra_read(const stele_trace *trace, input *in, void **bytes, size_t *size,
                       const char **found)
{
    uint8_t header[HEADER_SIZE];
    uint64_t wanted;
    if (!header_read(trace, in, header, found) || (wanted = load_le64(header + 56)) == 0)
        return false;
    *bytes = malloc((size_t)wanted);
    if (*bytes == NULL)
        return false;
    if (input_read(in, HEADER_SIZE + load_le64(header + 48), *bytes, (size_t)wanted, size) ==
            STELE_OK &&
        *size == wanted &&
        load_le32(header + 64) == (uint32_t)crc32_z(crc32(0, NULL, 0), *bytes, *size))
        return true;
    *found = "an index whose bytes of a program are damaged";
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool stele_trace_index_bytes(stele_trace *trace, void **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    for (int in_cache = 0; in_cache < 2 && *bytes == NULL && can_be_known(trace); in_cache++) {
        char *path = in_cache ? path_in_cache(trace) : path_beside(trace);
        const char *found = NULL;
        input *in = path != NULL ? file_open(trace, path, &found) : NULL;
        if (in != NULL && !extra_read(trace, in, bytes, size, &found) && found != NULL)
            saved_index_refuse(trace, path, found);
        input_close(in);
        free(path);
    }
    return *bytes != NULL;
}
