/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as many files: what callers get, what is refused, and running out of memory. */
#include "allocations.h"
#include "table_rows.h"

typedef struct kept {
    stele_output *out; /* output of the part at hand */
    bool skips;
    uint64_t part_count, row_count, size;
    unsigned null_count; /* parts of rows without a value */
    bool fails;
} kept;

static stele_status open_part(void *user, const stele_table_part *part, stele_output **out)
{
    kept *k = user;
    stele_status status = k->fails ? STELE_ERR_WRITE : STELE_OK;
    CHECK_EQ_U64(part->size, 0);
    if (!k->skips && !k->fails)
        status = stele_output_open_memory(NULL, &k->out);
    *out = k->out;
    return status;
}

static stele_status end_part(void *user, const stele_table_part *part, stele_output *out)
{
    kept *k = user;
    CHECK((out == NULL) == k->skips);
    k->part_count++;
    k->row_count += part->row_count;
    k->null_count += part->key != NULL && part->value == NULL;
    k->size += part->size;
    CHECK(!part->has_ts || part->ts_min <= part->ts_max);
    stele_output_close(out);
    k->out = NULL;
    return STELE_OK;
}

/* Writes a table with the nth allocation failing, counted from the opening of the scan. */
static stele_status write_all(const char *table, stele_partition partition, bool sorts, kept *k,
                              uint64_t nth, bool *failed)
{
    stele_table_parts_options how = {.struct_size = sizeof how,
                                     .partition = partition,
                                     .sorts_by_track = sorts,
                                     .has_plain_types = sorts,
                                     .open = open_part,
                                     .done = end_part,
                                     .user = k};
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan *scan = NULL;
    stele_status status;
    buffers b;
    opened o;
    buffers_make(&b, table);
    CHECK(open_sample("fxt/good/events.fxt", &o));
    options.table = table;
    options.columns = b.columns;
    options.column_count = b.count;
    allocations_fail_at(nth);
    status = stele_scan_open(o.context, &o.trace, 1, &options, &scan);
    if (status == STELE_OK)
        status = stele_scan_write_parts(scan, &how);
    *failed = allocations_stop();
    stele_output_close(k->out);
    stele_scan_close(scan);
    close_sample(&o);
    buffers_free(&b);
    return status;
}

TEST(every_row_is_in_one_part)
{
    stele_output *out;
    uint64_t count;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    count = rows_of("fxt/good/events.fxt", "event", 100, out);
    for (int by = STELE_PARTITION_NONE; by < STELE_PARTITION_COUNT; by++) {
        kept k = {.out = NULL}, skipped = {.skips = true};
        bool failed;
        CHECK(write_all("event", (stele_partition)by, by % 2 == 0, &k, UINT64_MAX, &failed) ==
              STELE_OK);
        CHECK_EQ_U64(k.row_count, count);
        CHECK((k.part_count > 1) == (by == STELE_PARTITION_CLASS || by == STELE_PARTITION_TRACK));
        CHECK_EQ_U64(k.null_count, by == STELE_PARTITION_CLASS);
        CHECK(k.size > k.part_count * 100);
        /* A caller who has some parts from before is given the same parts. */
        CHECK(write_all("event", (stele_partition)by, by % 2 == 0, &skipped, UINT64_MAX, &failed) ==
              STELE_OK);
        CHECK_EQ_U64(skipped.part_count, k.part_count);
        CHECK_EQ_U64(skipped.row_count, k.row_count);
        CHECK_EQ_U64(skipped.size, 0);
    }
    stele_output_close(out);
}

TEST(what_cannot_be_is_refused)
{
    kept k = {.fails = true};
    bool failed;
    CHECK(write_all("stream", STELE_PARTITION_MINUTE, false, &k, UINT64_MAX, &failed) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_all("process", STELE_PARTITION_COUNT, false, &k, UINT64_MAX, &failed) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_all("trace", STELE_PARTITION_NONE, true, &k, UINT64_MAX, &failed) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_all("event", STELE_PARTITION_TRACK, false, &k, UINT64_MAX, &failed) ==
          STELE_ERR_WRITE);
}

TEST(memory_can_end_at_any_time)
{
    for (int sorts = 0; sorts < 2; sorts++) {
        const uint64_t live = allocations_live;
        bool failed = true;
        for (uint64_t nth = 0; failed; nth++) {
            kept k = {.out = NULL};
            const stele_status status =
                write_all("event", sorts != 0 ? STELE_PARTITION_CLASS : STELE_PARTITION_TRACK,
                          sorts != 0, &k, nth, &failed);
            CHECK(status == STELE_ERR_MEMORY || status == STELE_OK);
            CHECK(failed || status == STELE_OK);
            CHECK_EQ_U64(allocations_live, live);
        }
    }
}
