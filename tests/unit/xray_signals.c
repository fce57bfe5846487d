/* SPDX-License-Identifier: Apache-2.0 */
/* XRay: what a signal interrupts between its time and its record is written after all that the
   handler does, wherever the reader's batches end. */
#include <stdlib.h>

#include <stele/stele.h>

#include "core/load.h"
#include "test.h"

#define ROUNDS 700u

typedef struct log {
    uint8_t bytes[1 << 20];
    size_t size;
    uint64_t tsc;
    uint32_t count;
} log;

static uint8_t *add(log *l, uint8_t first, size_t size)
{
    uint8_t *record = l->bytes + l->size;
    REQUIRE(l->size + size <= sizeof l->bytes);
    memset(record, 0, size);
    record[0] = first;
    l->size += size;
    return record;
}

/* `type` is 0 for an entry, 1 for an exit. */
static void add_call(log *l, uint32_t function, uint32_t type, uint32_t delta)
{
    uint8_t *record = add(l, 0, 8);
    store_le32(record, function << 4 | type << 1);
    store_le32(record + 4, delta);
    l->tsc += delta;
    l->count++;
}

static void add_wrap(log *l, uint64_t tsc)
{
    store_le64(add(l, 7, 16) + 1, tsc);
    l->tsc = tsc;
}

/* A buffer of version 5 with its extents, of thread 7 in process 7. */
static void begin_log(log *l)
{
    static const uint8_t header[32] = {5, 0, 1, 0, 3, 0, 0, 0, 0, 0xca, 0x9a, 0x3b};
    memcpy(l->bytes, header, sizeof header);
    l->size = sizeof header;
    add(l, 0x0f, 16);
    add(l, 1, 16)[1] = 7;
    add(l, 9, 16)[1] = 1;
    add(l, 0x13, 16)[1] = 7;
    l->tsc = 1000000;
    store_le64(add(l, 5, 16) + 3, l->tsc);
}

/* A call with some calls in it. Its exit is interrupted by a handler that makes a call, too. */
static void add_round(log *l, uint32_t inner_count)
{
    uint64_t interrupted;
    add_call(l, 3, 0, 2000);
    for (uint32_t i = 0; i < inner_count; i++) {
        add_call(l, 4, 0, 10);
        add_call(l, 4, 1, 10);
    }
    interrupted = l->tsc + 10;
    add_call(l, 1, 0, 1000);
    add_call(l, 2, 0, 10);
    add_call(l, 2, 1, 10);
    add_call(l, 1, 1, 10);
    add_wrap(l, interrupted);
    add_call(l, 3, 1, 0);
}

static void count_late(void *user, const stele_diag *diag)
{
    *(uint32_t *)user += strcmp(diag->code->code, "STE007") == 0;
}

/* Reads all events in the order of time. Returns how many there are. */
static uint32_t read_all(stele_context *context, stele_trace *trace)
{
    stele_request request = STELE_INIT(stele_request);
    stele_reader *reader;
    stele_segment segment;
    int64_t last_ns = INT64_MIN;
    uint32_t count = 0;
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++, count++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            CHECK(event->time_ns >= last_ns && (event->flags & STELE_FLAG_LATE) == 0);
            last_ns = event->time_ns;
        }
    }
    stele_reader_close(reader);
    return count;
}

TEST(what_a_signal_interrupts_is_not_late)
{
    log *l = calloc(1, sizeof *l);
    stele_context *context;
    stele_trace *trace;
    uint32_t late_count = 0;
    REQUIRE(l != NULL);
    begin_log(l);
    for (uint32_t i = 0; i < ROUNDS; i++)
        add_round(l, i % 37);
    store_le64(l->bytes + 33, l->size - 48);
    REQUIRE(
        stele_context_new(&(stele_context_options){.diag = count_late, .diag_user = &late_count},
                          &context) == STELE_OK);
    REQUIRE(stele_trace_open_memory(context, "made.xray", l->bytes, l->size, NULL, &trace) ==
            STELE_OK);
    CHECK_EQ_U64(read_all(context, trace), l->count);
    CHECK_EQ_U64(late_count, 0);
    stele_trace_close(trace);
    stele_context_free(context);
    free(l);
}
