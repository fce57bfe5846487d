/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every sink while one allocation after the other fails: all is written, or an error is returned.
 */
#include "allocations.h"
#include "sinks.h"

static char expected[64 << 10];
static size_t expected_size;

/* Runs a sink over the batch. If that succeeds, the output is compared or remembered. */
static stele_status try_sink(world *w, const sink_entry *made_by, bool remember)
{
    const stele_segment segment = {w->batch, 0, w->batch->event_count};
    stele_writer *writer = NULL;
    output *out = NULL;
    stele_status status = output_open_memory(&w->context->diag, &out);
    if (status != STELE_OK)
        return status;
    status = made_by->open(w->context, out, NULL, &writer);
    if (status != STELE_OK) {
        output_close(out);
        return status;
    }
    status = stele_writer_write(writer, &segment);
    if (status == STELE_OK)
        status = stele_writer_finish(writer);
    if (status == STELE_OK) {
        size_t size;
        const uint8_t *bytes = output_memory(out, &size);
        if (remember) {
            REQUIRE(size <= sizeof expected);
            memcpy(expected, bytes, size);
            expected_size = size;
        }
        CHECK_EQ_U64(size, expected_size);
        CHECK_EQ_MEM(bytes, expected, size < expected_size ? size : expected_size);
    }
    stele_writer_close(writer);
    return status;
}

TEST(sinks_without_memory)
{
    world w;
    world_open(&w);
    add_every_kind(&w);
    add_every_type(&w);
    name_of(&w, "scope");
    for (size_t i = 0; i < sink_count(); i++) {
        unsigned refusals = 0;
        REQUIRE(try_sink(&w, sink_at(i), true) == STELE_OK);
        for (uint64_t n = 0;; n++) {
            const uint64_t live = allocations_live;
            stele_status status;
            allocations_fail_at(n);
            status = try_sink(&w, sink_at(i), false);
            if (!allocations_stop())
                break;
            refusals += status == STELE_ERR_MEMORY;
            CHECK(status == STELE_OK || status == STELE_ERR_MEMORY);
            CHECK_EQ_U64(allocations_live, live);
        }
        CHECK(refusals > 0);
    }
    world_close(&w);
}
