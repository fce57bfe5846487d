/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of parts of a trace: their rows together are those of a scan of everything. */
#include <stele/fxt.h>
#include <stele/stele.h>

#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct sums {
    uint64_t count, sum, mixed;
} sums;

/* The trace to scan, which is opened anew for each part, as another thread would do. */
typedef struct source {
    const char *path; /* path of a sample; NULL: the trace is in `bytes` */
    const uint8_t *bytes;
    size_t size;
} source;

static stele_trace *open_source(const source *from, stele_context **context)
{
    stele_trace *trace = NULL;
    char path[512];
    CHECK(stele_context_new(NULL, context) == STELE_OK);
    if (from->path == NULL) {
        CHECK(stele_trace_open_memory(*context, "made.fxt", from->bytes, from->size, NULL,
                                      &trace) == STELE_OK);
        return trace;
    }
    snprintf(path, sizeof path, "%s/src/formats/%s", STELE_SOURCE_DIR, from->path);
    CHECK(stele_trace_open(*context, path, NULL, &trace) == STELE_OK);
    return trace;
}

static void add_rows(stele_scan *scan, sums *s)
{
    static int64_t values[2048];
    static uint64_t valid[32];
    const stele_cells cells = {values, valid};
    stele_chunk chunk;
    stele_status status;
    while ((status = stele_scan_next(scan, &cells, 2048, &chunk)) == STELE_OK) {
        for (size_t i = 0; i < chunk.count; i++) {
            const uint64_t value =
                stele_cell_is_there(&cells, i) ? (uint64_t)values[i] : UINT64_C(0x5bd1e995);
            s->count++;
            s->sum += value;
            s->mixed += (value ^ value >> 29) * UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    CHECK(status == STELE_END);
}

/* Gives a trace the index of another one of the same source, which is closed. */
static void take_index(const source *from, stele_trace *trace)
{
    stele_context *context;
    stele_trace *indexed = open_source(from, &context);
    CHECK(stele_trace_take_index(trace, indexed) == STELE_OK); /* it has none yet */
    CHECK(stele_trace_index(indexed) == STELE_OK);
    CHECK(stele_trace_take_index(trace, indexed) == STELE_OK);
    CHECK(stele_trace_take_index(trace, indexed) == STELE_OK); /* it has one already */
    stele_trace_close(indexed);
    stele_context_free(context);
}

/* Scans a part; those with odd numbers take the index of another trace. */
static sums scan_part(const source *from, const char *table, const char *column, uint32_t part,
                      uint32_t part_count)
{
    const stele_request request = {
        .struct_size = sizeof request, .part = part, .part_count = part_count};
    const stele_scan_column columns[] = {{.name = column}};
    const stele_scan_options options = {.struct_size = sizeof options,
                                        .table = table,
                                        .columns = columns,
                                        .column_count = 1,
                                        .request = &request};
    stele_context *context;
    stele_trace *trace = open_source(from, &context);
    stele_scan *scan = NULL;
    sums s = {0};
    if (part % 2 != 0)
        take_index(from, trace);
    CHECK(stele_scan_open(context, &trace, 1, &options, &scan) == STELE_OK);
    add_rows(scan, &s);
    stele_scan_close(scan);
    stele_trace_close(trace);
    stele_context_free(context);
    return s;
}

static uint32_t count_parts(const source *from, const char *table, const char *column,
                            uint32_t most)
{
    const stele_scan_column columns[] = {{.name = column}};
    const stele_scan_options options = {
        .struct_size = sizeof options, .table = table, .columns = columns, .column_count = 1};
    stele_context *context;
    stele_trace *trace = open_source(from, &context);
    uint32_t count = 0;
    CHECK(stele_scan_parts(context, &trace, 1, &options, most, &count) == STELE_OK);
    stele_trace_close(trace);
    stele_context_free(context);
    return count;
}

/* Scans parts and compares them with the whole. Returns how many parts there were. */
static uint32_t check_parts(const source *from, const char *table, const char *column,
                            uint32_t most)
{
    const uint32_t count = count_parts(from, table, column, most);
    const sums whole = scan_part(from, table, column, 0, 0);
    sums all = {0};
    CHECK(count >= 1 && count <= most);
    for (uint32_t i = 0; i < count; i++) {
        const sums part = scan_part(from, table, column, i, count);
        all.count += part.count;
        all.sum += part.sum;
        all.mixed += part.mixed;
    }
    CHECK_EQ_U64(all.count, whole.count);
    CHECK_EQ_U64(all.sum, whole.sum);
    CHECK_EQ_U64(all.mixed, whole.mixed);
    return count;
}

TEST(streams_are_parts)
{
    const source ctf = {.path = "ctf/good/lttng_216_2"};
    const source xray = {.path = "xray/good/tail.14.fdr5.tsc.xray"};
    for (uint32_t most = 1; most < 9; most++) {
        check_parts(&ctf, "event", "ts", most);
        check_parts(&ctf, "event", "byte_offset", most);
        check_parts(&ctf, "arg", "ts", most);
        check_parts(&xray, "slice", "dur", most);
    }
    CHECK(count_parts(&ctf, "event", "ts", 2) == 2);
}

TEST(calls_of_threads_are_parts)
{
    const source many = {.path = "xray/good/wrap.14.fdr5.tiny4x512.xray"};
    const source two = {.path = "xray/good/forker.14.fdr5.tsc.xray"};
    for (uint32_t most = 1; most < 6; most++) {
        check_parts(&many, "slice", "dur", most);
        check_parts(&two, "slice", "ts", most);
        check_parts(&two, "event", "ts", most);
    }
}

TEST(what_is_numbered_while_reading_is_no_part)
{
    const source ctf = {.path = "ctf/good/lttng_216_2"};
    const source xray = {.path = "xray/good/forker.14.fdr5.tsc.xray"};
    CHECK(count_parts(&ctf, "event", "track", 4) == 1);
    CHECK(count_parts(&ctf, "event", "tid", 4) == 1);
    CHECK(count_parts(&ctf, "slice", "dur", 4) == 1);
    CHECK(count_parts(&xray, "slice", "id", 4) == 1);
    CHECK(count_parts(&xray, "finding", "byte_offset", 4) == 1);
}

TEST(a_part_that_is_none_is_refused)
{
    const stele_request request = {.struct_size = sizeof request, .part = 3, .part_count = 3};
    const stele_scan_options options = {
        .struct_size = sizeof options, .table = "event", .request = &request};
    const source ctf = {.path = "ctf/good/lttng_216_2"};
    stele_context *context;
    stele_trace *trace = open_source(&ctf, &context);
    stele_scan *scan;
    CHECK(stele_scan_open(context, &trace, 1, &options, &scan) == STELE_ERR_ARGUMENT);
    stele_trace_close(trace);
    stele_context_free(context);
}

/* ---- Parts of FXT traces ---- */

static size_t put(uint8_t *to, const stele_fxt_record *record, const stele_fxt_argument *arguments)
{
    return stele_fxt_encode(record, arguments, to, 4096);
}

static size_t put_string(uint8_t *to, uint32_t number, const char *text)
{
    const stele_fxt_string name = {.ref = (uint16_t)(STELE_FXT_INLINE | strlen(text)),
                                   .bytes = (const uint8_t *)text};
    return put(to, &(stele_fxt_record){.type = STELE_FXT_STRING, .number = number, .name = name},
               NULL);
}

static size_t put_thread(uint8_t *to, uint32_t number, uint64_t thread)
{
    return put(
        to,
        &(stele_fxt_record){
            .type = STELE_FXT_THREAD,
            .number = number,
            .thread = {.has_process = true, .has_thread = true, .process = 7, .thread = thread}},
        NULL);
}

/*
 * Makes events of four threads. Names and threads come before the events that use them, and change.
 */
static size_t make_trace(uint8_t *to, size_t size, uint32_t count)
{
    static const char *const names[] = {"frame", "layout", "tick"};
    const uint64_t magic = STELE_FXT_MAGIC;
    size_t at = 0;
    for (unsigned i = 0; i < 8; i++)
        to[at++] = (uint8_t)(magic >> 8 * i);
    at += put(to + at,
              &(stele_fxt_record){
                  .type = STELE_FXT_INITIALIZATION, .word_count = 1, .words = {1000000000}},
              NULL);
    for (uint32_t i = 0; i < count && size - at > 8192; i++) {
        const uint16_t name = (uint16_t)(1 + i % 3);
        if (i % 5000 < 3)
            at += put_string(to + at, name, names[(i + i / 5000) % 3]);
        if (i % 7000 < 4)
            at += put_thread(to + at, 1 + i % 4, 100 + i % 4 + i / 7000);
        at += put(to + at,
                  &(stele_fxt_record){.type = STELE_FXT_EVENT,
                                      .subtype = STELE_FXT_DURATION_COMPLETE,
                                      .has_ticks = true,
                                      .ticks = 1000 + i * 7,
                                      .thread = {.ref = (uint8_t)(1 + i % 4)},
                                      .category = {.ref = name},
                                      .name = {.ref = name},
                                      .words = {1000 + i * 7 + i % 5},
                                      .word_count = 1},
                  NULL);
    }
    return at;
}

TEST(blocks_are_parts)
{
    const size_t size = (size_t)4 << 20;
    uint8_t *bytes = malloc(size);
    source made = {.bytes = bytes};
    REQUIRE(bytes != NULL);
    made.size = make_trace(bytes, size, 90000);
    CHECK(scan_part(&made, "event", "ts", 0, 0).count >= 90000);
    for (uint32_t most = 1; most < 40; most += 3) {
        CHECK((check_parts(&made, "event", "ts", most) > 1) == (most > 1));
        check_parts(&made, "event", "byte_offset", most);
        check_parts(&made, "event", "tid", most);
        check_parts(&made, "event", "dur", most);
    }
    /* Damage is counted and reported once, as the trace is read as a whole. */
    memset(bytes + made.size / 2 / 8 * 8, 0xff, 64);
    CHECK(count_parts(&made, "event", "ts", 4) == 1);
    free(bytes);
}
