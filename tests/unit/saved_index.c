/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index files of real traces with every byte changed, and cut to every length: reading gives the
 * same as without the index, and it is reported that the index cannot be used. Files with correct
 * checksums do no harm either.
 */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <stele/stele.h>

#include "core/load.h"
#include "test.h"

#define HEADER_SIZE 72u
#define PATH_SIZE   256u

static unsigned stale_count;

static void on_diag(void *user, const stele_diag *diag)
{
    (void)user;
    stale_count += strcmp(diag->code->code, "STE017") == 0;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc((size_t)1 << 20);
    REQUIRE(file != NULL && bytes != NULL);
    *size = fread(bytes, 1, (size_t)1 << 20, file);
    fclose(file);
    return bytes;
}

/* Returns one number for all events later than a time after the first event, UINT64_MAX if
   reading fails. Unless its size is 0, writes an index of `size` bytes while the trace is open. */
static uint64_t read_late(const char *path, int64_t begin_ns, const char *index,
                          const uint8_t *bytes, size_t size)
{
    const stele_context_options options = {.diag = on_diag};
    const stele_request request = {.order = STELE_ORDER_TIME,
                                   .begin = {.kind = STELE_BOUND_START, .value = begin_ns}};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    uint64_t sum = 0;
    REQUIRE(stele_context_new(&options, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    if (size != 0) {
        REQUIRE(stele_trace_index(trace) == STELE_OK);
        write_file(index, bytes, size);
        REQUIRE(stele_trace_find_index(trace) == STELE_OK);
    }
    status = stele_reader_open(context, &trace, 1, &request, &reader);
    while (status == STELE_OK && (status = stele_reader_next(reader, &segment)) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            sum = sum * 31 + event->offset + (uint64_t)event->time_ns + event->kind;
        }
    }
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return status == STELE_END ? sum : UINT64_MAX;
}

static uint64_t read_range(const char *path, int64_t begin_ns)
{
    return read_late(path, begin_ns, NULL, NULL, 0);
}

/* Makes an index, with an overview for which the trace is read or without. */
static uint8_t *make_index_of(const char *path, bool has_overview, size_t *size)
{
    const stele_overview_options options = {.struct_size = sizeof options, .is_fresh = true};
    stele_context *context;
    stele_trace *trace;
    stele_overview *overview = NULL;
    stele_output *out;
    uint8_t *copy;
    const void *bytes;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    if (has_overview) {
        REQUIRE(stele_overview_open(context, &trace, 1, &options, &overview) == STELE_OK);
        REQUIRE(stele_overview_build(overview) == STELE_OK);
        REQUIRE(stele_overview_save_index(overview, out) == STELE_OK);
    } else {
        REQUIRE(stele_trace_save_index(trace, out) == STELE_OK);
    }
    stele_overview_close(overview);
    bytes = stele_output_memory(out, size);
    copy = malloc(*size);
    REQUIRE(copy != NULL);
    memcpy(copy, bytes, *size);
    stele_output_close(out);
    stele_trace_close(trace);
    stele_context_free(context);
    return copy;
}

static uint8_t *make_index(const char *path, size_t *size)
{
    return make_index_of(path, false, size);
}

/* Whether an index has the same sections if the trace is read for an overview, which notes what is
   found out then. */
static bool is_same_after_reading(const char *path, const uint8_t *bytes, size_t size)
{
    size_t read_size;
    uint8_t *read = make_index_of(path, true, &read_size);
    const bool is_same = read_size > size && memcmp(read, bytes, HEADER_SIZE) == 0 &&
                         memcmp(read + HEADER_SIZE, bytes + HEADER_SIZE, size - HEADER_SIZE) == 0;
    free(read);
    return is_same;
}

/* Tries files that were changed: each change is noticed, and the trace is read all the same. */
static void try_damaged(const char *path, const char *index, const uint8_t *bytes, size_t size,
                        int64_t begin_ns, uint64_t wanted)
{
    uint8_t *copy = malloc(size);
    REQUIRE(copy != NULL);
    memcpy(copy, bytes, size);
    stale_count = 0;
    for (size_t i = 0; i < size; i++) {
        copy[i] ^= 0xff;
        write_file(index, copy, size);
        CHECK_EQ_U64(read_range(path, begin_ns), wanted);
        copy[i] ^= 0xff;
    }
    for (size_t i = 0; i < size; i++) {
        write_file(index, copy, i);
        CHECK_EQ_U64(read_range(path, begin_ns), wanted);
    }
    CHECK_EQ_U64(stale_count, 2 * size);
    free(copy);
}

/* Tries files that were changed and have correct checksums. */
static void try_false(const char *path, const char *index, uint8_t *bytes, size_t size,
                      int64_t begin_ns)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    for (size_t i = HEADER_SIZE; i < size; i++) {
        for (size_t k = 0; k < sizeof masks; k++) {
            bytes[i] ^= masks[k];
            store_le32(bytes + 44, (uint32_t)crc32(crc32(0, NULL, 0), bytes + HEADER_SIZE,
                                                   (uInt)(size - HEADER_SIZE)));
            write_file(index, bytes, size);
            read_range(path, begin_ns);
            bytes[i] ^= masks[k];
        }
    }
}

/* Tries files that are written while the trace is open, unchanged ones and changed ones. */
static void try_late(const char *path, const char *index, uint8_t *bytes, size_t size,
                     int64_t begin_ns, uint64_t wanted)
{
    unlink(index);
    stale_count = 0;
    CHECK_EQ_U64(read_late(path, begin_ns, index, bytes, size), wanted);
    CHECK_EQ_U64(stale_count, 0);
    for (size_t i = 0; i < size; i++) {
        unlink(index);
        bytes[i] ^= 0xff;
        CHECK_EQ_U64(read_late(path, begin_ns, index, bytes, size), wanted);
        bytes[i] ^= 0xff;
    }
    /* A trace that has found its blocks by itself does not look for the file. */
    CHECK(stale_count == size || stale_count == 0);
    for (size_t i = HEADER_SIZE; i < size; i++) {
        unlink(index);
        bytes[i] ^= 0x01;
        store_le32(bytes + 44, (uint32_t)crc32(crc32(0, NULL, 0), bytes + HEADER_SIZE,
                                               (uInt)(size - HEADER_SIZE)));
        read_late(path, begin_ns, index, bytes, size);
        bytes[i] ^= 0x01;
    }
    store_le32(bytes + 44,
               (uint32_t)crc32(crc32(0, NULL, 0), bytes + HEADER_SIZE, (uInt)(size - HEADER_SIZE)));
}

static void try_sample(const char *sample, const char *suffix, int64_t begin_ns)
{
    char folder[] = "/tmp/stele-index-XXXXXX", source[PATH_SIZE], path[PATH_SIZE],
         index[PATH_SIZE + 16];
    size_t size, trace_size;
    uint8_t *trace, *bytes;
    uint64_t wanted;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/src/formats/%s", STELE_SOURCE_DIR, sample);
    snprintf(path, sizeof path, "%s/t%s", folder, suffix);
    snprintf(index, sizeof index, "%s.stele-index", path);
    trace = read_file(source, &trace_size);
    write_file(path, trace, trace_size);
    stale_count = 0;
    wanted = read_range(path, begin_ns);
    REQUIRE(wanted != UINT64_MAX && wanted != 0);
    bytes = make_index(path, &size);
    CHECK(is_same_after_reading(path, bytes, size));
    write_file(index, bytes, size);
    CHECK_EQ_U64(read_range(path, begin_ns), wanted);
    CHECK_EQ_U64(stale_count, 0);
    try_damaged(path, index, bytes, size, begin_ns, wanted);
    try_false(path, index, bytes, size, begin_ns);
    store_le32(bytes + 44,
               (uint32_t)crc32(crc32(0, NULL, 0), bytes + HEADER_SIZE, (uInt)(size - HEADER_SIZE)));
    try_late(path, index, bytes, size, begin_ns, wanted);
    write_file(index, bytes, size);
    trace[trace_size - 1] ^= 1; /* changes the trace */
    write_file(path, trace, trace_size);
    stale_count = 0;
    read_range(path, begin_ns);
    CHECK_EQ_U64(stale_count, 1);
    unlink(index);
    unlink(path);
    rmdir(folder);
    free(bytes);
    free(trace);
}

TEST(indexes_of_heph_traces)
{
    try_sample("heph/good/heph_tracing_example.bin.log", ".bin.log", 1000);
}

TEST(indexes_of_xray_traces)
{
    try_sample("xray/good/tail.14.fdr5.tsc.xray", ".xray", 1000);
}

TEST(indexes_of_instruction_traces)
{
    try_sample("xtrace/good/levels.xinsndata.bin", ".xinsndata.bin", 5);
}

static void copy_file(const char *folder, const char *sample, const char *name)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    size_t size;
    uint8_t *bytes;
    snprintf(from, sizeof from, "%s/src/formats/ctf/good/%s/%s", STELE_SOURCE_DIR, sample, name);
    snprintf(to, sizeof to, "%s/%s", folder, name);
    bytes = read_file(from, &size);
    write_file(to, bytes, size);
    free(bytes);
}

/* Tries an index of a folder, whose packets it knows. */
static void try_folder(const char *sample, const char *stream, int64_t begin_ns)
{
    char folder[] = "/tmp/stele-index-XXXXXX", index[PATH_SIZE], path[PATH_SIZE];
    size_t size;
    uint8_t *bytes;
    uint64_t wanted;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(index, sizeof index, "%s.stele-index", folder);
    copy_file(folder, sample, "metadata");
    copy_file(folder, sample, stream);
    stale_count = 0;
    wanted = read_range(folder, begin_ns);
    REQUIRE(wanted != UINT64_MAX && wanted != 0);
    bytes = make_index(folder, &size);
    CHECK(is_same_after_reading(folder, bytes, size));
    write_file(index, bytes, size);
    CHECK_EQ_U64(read_range(folder, begin_ns), wanted);
    CHECK_EQ_U64(stale_count, 0);
    try_damaged(folder, index, bytes, size, begin_ns, wanted);
    try_false(folder, index, bytes, size, begin_ns);
    unlink(index);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? "metadata" : stream);
        unlink(path);
    }
    rmdir(folder);
    free(bytes);
}

TEST(indexes_of_ctf_traces)
{
    try_folder("clock_packets", "s_0", 1);
    try_folder("short_times", "stream", 1);
    try_folder("lttng_216_18", "all_0", 1000);
}

/* A link next to a trace is not used as an index, whatever it leads to. */
TEST(links_are_not_followed)
{
    char folder[] = "/tmp/stele-index-XXXXXX", path[PATH_SIZE], index[PATH_SIZE + 16],
         other[PATH_SIZE];
    size_t size, trace_size;
    uint8_t *bytes,
        *trace = read_file(STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log",
                           &trace_size);
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/t.bin.log", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(index, sizeof index, "%s.stele-index", path);
    write_file(path, trace, trace_size);
    bytes = make_index(path, &size);
    bytes[HEADER_SIZE] ^= 1; /* would be reported if the index were read */
    write_file(other, bytes, size);
    REQUIRE(symlink(other, index) == 0);
    stale_count = 0;
    CHECK(read_range(path, 1000) != UINT64_MAX);
    CHECK_EQ_U64(stale_count, 0);
    unlink(index);
    unlink(other);
    unlink(path);
    rmdir(folder);
    free(bytes);
    free(trace);
}
