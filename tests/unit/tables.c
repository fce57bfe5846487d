/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: the same rows in chunks of any size, and the same data as the reader gives. */
#include <stele/stele.h>

#include <stdlib.h>

#include "allocations.h"
#include "table_rows.h"
#include "test.h"

TEST(rows_are_the_same_in_chunks_of_any_size)
{
    static const size_t capacities[] = {1, 3, 65, CAPACITY_MAX};
    stele_table_info table = STELE_INIT(stele_table_info);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t t = 0; stele_table_get(t, &table); t++) {
            stele_output *first = NULL, *out;
            for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
                size_t size, first_size;
                const uint8_t *bytes, *first_bytes;
                REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
                rows_of(samples[i], table.name, capacities[c], out);
                bytes = stele_output_memory(out, &size);
                if (first == NULL) {
                    first = out;
                    continue;
                }
                first_bytes = stele_output_memory(first, &first_size);
                CHECK_EQ_U64(size, first_size);
                if (size == first_size && memcmp(bytes, first_bytes, size) != 0)
                    printf("%s, %s, chunks of %zu\n", samples[i], table.name, capacities[c]);
                CHECK(size != first_size || memcmp(bytes, first_bytes, size) == 0);
                stele_output_close(out);
            }
            stele_output_close(first);
        }
    }
}

/* ---- Comparing with a reader ---- */

static uint64_t count_events(const char *sample, uint64_t kinds, uint64_t *field_count)
{
    const stele_request request = {.kinds = kinds};
    stele_segment segment;
    stele_reader *reader;
    opened o;
    uint64_t count = 0;
    *field_count = 0;
    CHECK(open_sample(sample, &o));
    CHECK(stele_reader_open(o.context, &o.trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        count += segment.count;
        for (uint32_t i = 0; i < segment.count; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            uint32_t first;
            const uint32_t fields = stele_event_fields(segment.batch, event, &first);
            for (uint32_t at = 0; at < fields;) {
                const stele_field *field = &segment.batch->fields[first + at];
                *field_count += (field->hint & STELE_HINT_RAW) == 0;
                at += stele_field_length(field);
            }
        }
    }
    stele_reader_close(reader);
    close_sample(&o);
    return count;
}

TEST(tables_have_the_rows_that_a_reader_gives)
{
    static const struct {
        const char *table;
        uint64_t kinds;
    } tables[] = {{"event", 0},
                  {"instant", STELE_KIND_BIT(STELE_KIND_INSTANT)},
                  {"log", STELE_KIND_BIT(STELE_KIND_LOG)},
                  {"lost", STELE_KIND_BIT(STELE_KIND_LOST)}};
    uint64_t fields;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        stele_output *out;
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
            CHECK_EQ_U64(rows_of(samples[i], tables[t].table, 100, out),
                         count_events(samples[i], tables[t].kinds, &fields));
            stele_output_close(out);
        }
        REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
        count_events(samples[i], 0, &fields);
        CHECK_EQ_U64(rows_of(samples[i], "arg", 100, out), fields);
        stele_output_close(out);
    }
}

TEST(findings_are_rows)
{
    stele_output *out;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    CHECK(rows_of("fxt/bad/cut_in_record.fxt", "finding", 10, out) != 0);
    CHECK_EQ_U64(rows_of("fxt/good/events.fxt", "finding", 10, out), 0);
    stele_output_close(out);
}

/* ---- Columns of fields ---- */

static uint64_t sum_of(const char *name, stele_cell_type type, uint64_t *there, uint64_t *misfits)
{
    stele_scan_column column = {name, type};
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_scan *scan;
    stele_chunk chunk;
    static uint64_t values[64 * 2], valid[1];
    const stele_cells cells = {values, valid};
    uint64_t sum = 0;
    opened o;
    *there = 0;
    CHECK(open_sample("ctf/good/lttng_216_2", &o));
    options.table = "event";
    options.columns = &column;
    options.column_count = 1;
    CHECK(stele_scan_open(o.context, &o.trace, 1, &options, &scan) == STELE_OK);
    while (stele_scan_next(scan, &cells, 64, &chunk) == STELE_OK) {
        for (size_t i = 0; i < chunk.count; i++) {
            *there += stele_cell_is_there(&cells, i);
            sum += type == STELE_CELL_TEXT ? 0 : values[i];
        }
    }
    stele_scan_get_stats(scan, &stats, NULL);
    *misfits = stats.misfit_count;
    stele_scan_close(scan);
    close_sample(&o);
    return sum;
}

TEST(fields_are_columns_of_the_type_that_is_asked_for)
{
    uint64_t there, text_there, misfits;
    sum_of("arg.vtid", STELE_CELL_I64, &there, &misfits);
    CHECK(there != 0);
    CHECK_EQ_U64(misfits, 0);
    sum_of("arg.vtid", STELE_CELL_TEXT, &text_there, &misfits);
    CHECK_EQ_U64(text_there, there);
    sum_of("arg.nobody has this", STELE_CELL_U64, &there, &misfits);
    CHECK_EQ_U64(there, 0);
    CHECK_EQ_U64(misfits, 0);
}

TEST(what_does_not_exist_is_refused)
{
    stele_scan_column column = {.name = "nothing"};
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_table_info info = STELE_INIT(stele_table_info);
    stele_scan *scan;
    opened o;
    CHECK(open_sample("fxt/good/events.fxt", &o));
    options.table = "nothing";
    CHECK_EQ_U64(stele_scan_open(o.context, &o.trace, 1, &options, &scan), STELE_ERR_ARGUMENT);
    options.table = "event";
    options.columns = &column;
    options.column_count = 1;
    CHECK_EQ_U64(stele_scan_open(o.context, &o.trace, 1, &options, &scan), STELE_ERR_ARGUMENT);
    column = (stele_scan_column){"arg.x", STELE_CELL_ENUM};
    CHECK_EQ_U64(stele_scan_open(o.context, &o.trace, 1, &options, &scan), STELE_ERR_ARGUMENT);
    CHECK(scan == NULL);
    CHECK_EQ_U64(stele_context_diag_count(o.context, STELE_ERROR), 3);
    CHECK(!stele_table_find("nothing", &info));
    close_sample(&o);
}

/* ---- Failing allocations ---- */

/* Scans a table with the nth allocation failing, counted from the opening of the scan. */
static stele_status scan_all(const char *sample, const char *table, uint64_t nth, bool *failed)
{
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan *scan = NULL;
    stele_chunk chunk;
    stele_status status;
    buffers b;
    opened o;
    buffers_make(&b, table);
    CHECK(open_sample(sample, &o));
    options.table = table;
    options.columns = b.columns;
    options.column_count = b.count;
    allocations_fail_at(nth);
    status = stele_scan_open(o.context, &o.trace, 1, &options, &scan);
    while (status == STELE_OK)
        status = stele_scan_next(scan, b.cells, 100, &chunk);
    *failed = allocations_stop();
    stele_scan_close(scan);
    close_sample(&o);
    buffers_free(&b);
    return status;
}

TEST(memory_can_end_at_any_time)
{
    static const char *const few[] = {"fxt/good/events.fxt", "ctf/good/bit_events"};
    stele_table_info table = STELE_INIT(stele_table_info);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        for (size_t t = 0; stele_table_get(t, &table); t++) {
            const uint64_t live = allocations_live;
            bool failed = true;
            for (uint64_t nth = 0; failed; nth++) {
                const stele_status status = scan_all(few[i], table.name, nth, &failed);
                CHECK(status == STELE_ERR_MEMORY || status == STELE_END);
                CHECK(failed || status == STELE_END);
                CHECK_EQ_U64(allocations_live, live);
            }
        }
    }
}
