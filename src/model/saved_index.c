/* SPDX-License-Identifier: Apache-2.0 */
#include "model/saved_index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <stele/writer.h>

#include "core/load.h"

/*
 *  0  8  "STELEIDX"               32  8  time of the trace's last change, ns since 1970
 *  8  4  version                  40  4  CRC-32 of samples of the trace
 * 12  4  0                        44  4  CRC-32 of what follows the header
 * 16  8  name of the format       48  8  size of what follows
 * 24  8  size of the trace
 */
#define HEADER_SIZE 56u
#define VERSION     1u

/* Samples of the trace, which tell whether it is still the same. */
#define SAMPLE_COUNT 16u
#define SAMPLE_SIZE  ((size_t)4 << 10)

/* An index is about a thousandth of its trace. */
#define PAYLOAD_MAX(trace_size) ((trace_size) / 64 + ((uint64_t)1 << 20))

static const char magic[8] = {'S', 'T', 'E', 'L', 'E', 'I', 'D', 'X'};

/* ---- Numbers ---- */

void saved_put_u64(output *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        output_byte(out, (uint8_t)(value | 0x80));
    output_byte(out, (uint8_t)value);
}

void saved_put_i64(output *out, int64_t value)
{
    saved_put_u64(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

bool saved_take_u64(cursor *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *at = cursor_take(from, 1);
        if (at == NULL || (shift == 63 && *at > 1))
            return false;
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if (*at < 0x80)
            return true;
    }
    return false;
}

bool saved_take_i64(cursor *from, int64_t *value)
{
    uint64_t bits;
    if (!saved_take_u64(from, &bits))
        return false;
    *value = (int64_t)(bits >> 1 ^ ((bits & 1) != 0 ? UINT64_MAX : 0));
    return true;
}

bool saved_take_u32(cursor *from, uint32_t *value)
{
    uint64_t wide;
    if (!saved_take_u64(from, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* ---- Of which trace ---- */

typedef struct identity {
    uint64_t size;
    int64_t changed_ns;
    uint32_t sample;
} identity;

/* A regular file as it stands; false for all else. Nothing is reported here. */
static bool identity_of(const stele_trace *trace, identity *id)
{
    input *in = source_input(trace->source);
    struct stat about;
    uint8_t bytes[SAMPLE_SIZE];
    if (in == NULL || in->memory != NULL || !in->is_seekable || !in->has_size ||
        trace->info.packing[0] != '\0' || stat(trace->info.path, &about) != 0 ||
        !S_ISREG(about.st_mode) || (uint64_t)about.st_size != in->size)
        return false;
    *id = (identity){in->size, (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec,
                     (uint32_t)crc32(0, NULL, 0)};
    for (unsigned i = 0; i < SAMPLE_COUNT; i++) {
        const uint64_t last = in->size > SAMPLE_SIZE ? in->size - SAMPLE_SIZE : 0;
        size_t got;
        if (input_read(in, last / (SAMPLE_COUNT - 1) * i, bytes, sizeof bytes, &got) != STELE_OK)
            return false;
        id->sample = (uint32_t)crc32(id->sample, bytes, (uInt)got);
    }
    return true;
}

static void header_put(uint8_t *to, const stele_trace *trace, const identity *id,
                       const uint8_t *payload, size_t size)
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
}

/* ---- Writing ---- */

stele_status stele_trace_save_index(stele_trace *trace, stele_output *out)
{
    uint8_t header[HEADER_SIZE];
    const uint8_t *payload;
    output *made;
    identity id;
    size_t size;
    stele_status status = stele_trace_index(trace);
    if (status != STELE_OK)
        return status;
    if (trace->ops->save_index == NULL || !identity_of(trace, &id))
        return STELE_ERR_UNSUPPORTED;
    status = output_open_memory(&trace->context->diag, &made);
    if (status != STELE_OK)
        return status;
    status = trace->ops->save_index(trace, made);
    payload = output_memory(made, &size);
    if (status == STELE_OK)
        status = made->status;
    if (status == STELE_OK) {
        header_put(header, trace, &id, payload, size);
        output_write(out, header, sizeof header);
        output_write(out, payload, size);
        status = output_flush(out);
    }
    output_close(made);
    return status;
}

/* ---- Reading ---- */

static void report(const stele_trace *trace, const char *path, const char *found)
{
    diag_report(&trace->context->diag, &core_codes[STE017], path, STELE_NO_OFFSET, 0,
                "an index of this trace as it is now", "%s", found);
}

/* The whole file, NULL if there is none. `*found` says what is wrong with it. */
static uint8_t *file_read(const char *path, uint64_t size_max, size_t *size, const char **found)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    uint8_t *bytes = NULL;
    size_t done = 0;
    ssize_t got = 1;
    if (fd < 0)
        return NULL;
    *found = "no regular file";
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        *found = "an index that is too large";
        if ((uint64_t)about.st_size <= size_max)
            bytes = malloc((size_t)about.st_size + 1);
    }
    while (bytes != NULL && got > 0 && done < (size_t)about.st_size) {
        got = read(fd, bytes + done, (size_t)about.st_size - done);
        done += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    *size = done;
    return bytes;
}

/* What is wrong with it; NULL: nothing. */
static const char *file_check(const stele_trace *trace, const identity *id, const uint8_t *bytes,
                              size_t size)
{
    uint8_t header[HEADER_SIZE];
    if (size < HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return "a file that is no index";
    if (load_le32(bytes + 8) != VERSION)
        return "an index of another version";
    header_put(header, trace, id, bytes + HEADER_SIZE, size - HEADER_SIZE);
    if (memcmp(header + 44, bytes + 44, HEADER_SIZE - 44) != 0)
        return "an index that is damaged";
    return memcmp(header, bytes, HEADER_SIZE) == 0 ? NULL
                                                   : "an index of another trace, or an "
                                                     "earlier state of this one";
}

static bool use_file(stele_trace *trace, const char *path, stele_status *status)
{
    const input *in = source_input(trace->source);
    const char *found = NULL;
    identity id;
    size_t size;
    uint8_t *bytes = file_read(path, PAYLOAD_MAX(in->size), &size, &found);
    if (bytes != NULL && identity_of(trace, &id))
        found = file_check(trace, &id, bytes, size);
    if (bytes != NULL && found == NULL) {
        *status = trace->ops->load_index(trace, bytes + HEADER_SIZE, size - HEADER_SIZE);
        if (*status == STELE_ERR_FORMAT) {
            *status = STELE_OK;
            found = "an index that says what cannot be";
        } else {
            free(bytes);
            return *status == STELE_OK;
        }
    }
    free(bytes);
    if (found != NULL)
        report(trace, path, found);
    return false;
}

bool saved_index_use(stele_trace *trace, stele_status *status)
{
    const input *in = source_input(trace->source);
    size_t size;
    char *path;
    bool is_used;
    *status = STELE_OK;
    if (trace->ops->load_index == NULL || in == NULL || in->memory != NULL || !in->is_seekable ||
        !in->has_size || trace->info.packing[0] != '\0')
        return false;
    size = strlen(trace->info.path) + sizeof SAVED_INDEX_EXTENSION;
    path = malloc(size);
    if (path == NULL)
        return false;
    snprintf(path, size, "%s" SAVED_INDEX_EXTENSION, trace->info.path);
    is_used = use_file(trace, path, status);
    free(path);
    return is_used;
}
