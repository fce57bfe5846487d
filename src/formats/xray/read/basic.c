/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic-mode logs as events. After the file header stand records of 32 bytes, those of a thread
 * in blocks (FORMAT.md "Basic mode"):
 *
 *        entry or exit (u16 type 0)                   argument (u16 type 1)
 *    2   u8 cpu, u8 kind: 0 enter, 1 exit,            2 bytes of padding
 *        2 tail exit, 3 enter with argument
 *    4   i32 function                                 i32 function
 *    8   u64 tsc                                      u32 tid, u32 pid (version 3)
 *   16   u32 tid, u32 pid (version 3)                 u64 argument
 *   24   8 bytes of padding                           8 bytes of padding
 */
#include <stdlib.h>

#include "formats/xray/read/grid.h"
#include "formats/xray/read/producers.h"
#include "formats/xray/records/decode.h"
#include "model/await.h"
#include "model/batch.h"
#include "model/saved_index.h"

typedef struct basic_producer {
    producer base;
    xray_trace *trace;
    window w;
    uint32_t columns;
    /* Indexes of the trace's ranges; those from `range_at` on are still to be read. */
    size_t range_first, range_at, range_end;
    uint64_t repeat_end;  /* offset up to which records repeat others */
    uint64_t passed_size; /* bytes read so far */
    bool is_file_order;
    bool is_quiet; /* bytes that are not records were reported by the index, and are not again */
    /* In file order: the last records before the one at the window, and including it. */
    xray_basic_past past, judged;
    int64_t last_ns;
} basic_producer;

static void basic_report(basic_producer *self, xray_code code, uint64_t size, const char *expected,
                         const char *found)
{
    diag_report(&self->trace->base.context->diag, &xray_codes[code], self->w.in->name,
                window_offset(&self->w), size, expected, "%s", found);
}

static bool add_argument(basic_producer *self, stele_batch *batch, stele_event *event,
                         uint64_t value)
{
    const uint32_t first = event->field_count == 0 ? batch->field_count : event->field_first;
    if ((self->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = (stele_field){.name = self->trace->name_arg[event->field_count & 7],
                                             .type = STELE_TYPE_UINT,
                                             .width = 64,
                                             .hint = STELE_HINT_HEX,
                                             .u.u = value};
    return batch_set_fields(batch, event, first);
}

static uint8_t repeated_flag(const basic_producer *self)
{
    return window_offset(&self->w) < self->repeat_end ? STELE_FLAG_REPEATED : 0;
}

/* Kinds of events, by the kinds of calls in records: 3 is an entry with arguments. */
#define CALL_KIND_COUNT 4u
static const uint8_t kinds[CALL_KIND_COUNT] = {STELE_KIND_BEGIN, STELE_KIND_END,
                                               STELE_KIND_TAIL_EXIT, STELE_KIND_BEGIN};

static bool take_call(basic_producer *self, stele_batch *batch, const uint8_t *at, uint32_t track)
{
    const bool big = self->trace->header.is_big_endian;
    const uint32_t function = xray_load32(big, at + 4);
    bool is_clamped = false;
    stele_name name;
    stele_event *event;
    name = xray_trace_function(self->trace, batch, function);
    if (name == UINT32_MAX)
        return false;
    event = batch_push_event(batch);
    *event = (stele_event){.ticks = xray_load64(big, at + 8),
                           .id = function,
                           .offset = window_offset(&self->w),
                           .size = XRAY_BASIC_SIZE,
                           .name = name,
                           .track = track,
                           .field_first = batch->field_count,
                           .cpu = at[2],
                           .kind = kinds[at[3]],
                           .flags = STELE_FLAG_HAS_CPU | repeated_flag(self)};
    event->time_ns = self->last_ns = tick_rate_ns(&self->trace->rate, event->ticks, &is_clamped);
    if (is_clamped)
        event->flags |= STELE_FLAG_CLAMPED;
    return true;
}

/* Whether the argument record at the window belongs to the last event, which is the entry before
   it. */
static bool continues_entry(const basic_producer *self, const stele_batch *batch)
{
    const stele_event *event;
    if (batch->event_count == 0)
        return false;
    event = &batch->events[batch->event_count - 1];
    return event->kind == STELE_KIND_BEGIN &&
           event->id == xray_load32(self->trace->header.is_big_endian, self->w.at + 4) &&
           event->offset + event->size == window_offset(&self->w);
}

/* Takes an argument record. It belongs to the entry directly before it, which the runtime may have
   dropped. */
static bool take_argument(basic_producer *self, stele_batch *batch, const uint8_t *at,
                          uint32_t track)
{
    const bool big = self->trace->header.is_big_endian;
    const uint32_t function = xray_load32(big, at + 4);
    const uint64_t value = xray_load64(big, at + 16);
    stele_name name;
    stele_event *event;
    if (continues_entry(self, batch)) {
        event = &batch->events[batch->event_count - 1];
        event->size += XRAY_BASIC_SIZE;
        return add_argument(self, batch, event, value);
    }
    name = xray_trace_function(self->trace, batch, function);
    if (name == UINT32_MAX)
        return false;
    basic_report(self, XRY015, XRAY_BASIC_SIZE, "the entry of the function before it",
                 "another record");
    event = batch_push_event(batch);
    *event = (stele_event){.time_ns = self->last_ns,
                           .id = function,
                           .offset = window_offset(&self->w),
                           .size = XRAY_BASIC_SIZE,
                           .name = name,
                           .track = track,
                           .field_first = batch->field_count,
                           .kind = STELE_KIND_INSTANT,
                           .flags = STELE_FLAG_NO_TIME | repeated_flag(self)};
    return add_argument(self, batch, event, value);
}

/* Whether the type at the window is one of a record. */
static bool has_type(const basic_producer *self)
{
    const unsigned type = xray_load16(self->trace->header.is_big_endian, self->w.at);
    return type == 1 || (type == 0 && self->w.at[3] < CALL_KIND_COUNT);
}

/* Skips bytes at the window that are not a record. Ranges of a thread only have records, unless a
   saved index says otherwise. */
static bool skip_damage(basic_producer *self)
{
    unsigned size = 0;
    self->judged = self->past;
    if (self->is_file_order)
        size = xray_basic_skip(self->trace, &self->w, &self->judged);
    else if (!has_type(self))
        size = XRAY_BASIC_SIZE;
    if (size == 0)
        return false;
    self->past = self->judged;
    if (!self->is_quiet)
        basic_report(self, XRY014, size, XRAY_BASIC_EXPECTED, "other bytes");
    self->base.balance.skipped_size += size;
    self->passed_size += size;
    self->w.at += size;
    return true;
}

/* Moves to the next record of the ranges and gives its thread, UINT32_MAX if bytes were skipped. */
static stele_status next_record(basic_producer *self, uint32_t *thread)
{
    const bool big = self->trace->header.is_big_endian;
    size_t left;
    bool is_argument;
    while ((left = window_need(&self->w, XRAY_BASIC_SIZE)) < XRAY_BASIC_SIZE) {
        if (left != 0 && self->w.status == STELE_OK) {
            if (!self->is_quiet)
                basic_report(self, XRY017, left, "a record of 32 bytes", "the end of the file");
            self->base.balance.skipped_size += left;
            self->passed_size += left;
            self->w.at = self->w.end;
        }
        if (self->range_at == self->range_end || self->w.status != STELE_OK)
            return self->w.status != STELE_OK ? self->w.status : STELE_END;
        window_move(&self->w, self->trace->ranges[self->range_at].begin,
                    self->trace->ranges[self->range_at].end);
        self->repeat_end = self->trace->ranges[self->range_at].repeat_end;
        self->range_at++;
    }
    *thread = UINT32_MAX;
    if (skip_damage(self))
        return STELE_OK;
    is_argument = xray_load16(big, self->w.at) == 1;
    *thread = xray_trace_thread(self->trace,
                                self->trace->header.version < 3
                                    ? 0
                                    : xray_load32(big, self->w.at + (is_argument ? 12 : 20)),
                                xray_load32(big, self->w.at + (is_argument ? 8 : 16)));
    return *thread == UINT32_MAX ? STELE_ERR_MEMORY : STELE_OK;
}

static stele_status take_batch(basic_producer *self, stele_batch *batch)
{
    const bool big = self->trace->header.is_big_endian;
    uint32_t stream_thread = UINT32_MAX, thread;
    stele_status status = STELE_OK;
    stele_batch_clear(batch);
    self->base.is_dry = false;
    batch->columns = self->columns;
    while (self->passed_size < self->base.stop &&
           producer_await(&self->base, &self->w, batch, XRAY_BASIC_SIZE) &&
           (status = next_record(self, &thread)) == STELE_OK) {
        unsigned type;
        uint32_t track;
        bool is_done;
        if (thread == UINT32_MAX)
            continue;
        type = xray_load16(big, self->w.at);
        track = self->trace->threads[thread].track;
        if (stream_thread != UINT32_MAX && thread != stream_thread)
            return STELE_OK;
        /* A full batch still takes the arguments of its last event. */
        if (batch_is_full(batch) && !(type == 1 && continues_entry(self, batch)))
            return STELE_OK;
        stream_thread = thread;
        self->passed_size += XRAY_BASIC_SIZE;
        batch->stream = self->trace->threads[thread].stream;
        is_done = type == 0 ? take_call(self, batch, self->w.at, track)
                            : take_argument(self, batch, self->w.at, track);
        if (!is_done)
            return STELE_ERR_MEMORY;
        self->past = self->judged;
        self->w.at += XRAY_BASIC_SIZE;
    }
    return status == STELE_END && batch->event_count != 0 ? STELE_OK : status;
}

static stele_status basic_fill(producer *base, stele_batch *batch)
{
    basic_producer *self = (basic_producer *)base;
    const stele_status status = take_batch(self, batch);
    base->position = self->passed_size;
    base->balance.record_size = self->passed_size - base->balance.skipped_size;
    return status;
}

/* ---- Saving and restoring the position ---- */

static void put_mark(output *out, const xray_basic_mark *mark)
{
    saved_put_u64(out, mark->ticks);
    saved_put_u64(out, mark->pid);
    saved_put_u64(out, mark->tid);
}

static bool basic_mark(const producer *base, output *out)
{
    const basic_producer *self = (const basic_producer *)base;
    const xray_basic_past *past = &self->past;
    saved_put_i64(out, self->last_ns);
    saved_put_u64(out, past->count);
    for (unsigned i = 0; i < past->count; i++)
        put_mark(out, &past->marks[i]);
    saved_put_u64(out, past->has_other);
    if (past->has_other)
        put_mark(out, &past->other);
    return true;
}

static bool take_mark(cursor *state, xray_basic_mark *mark)
{
    return saved_take_u64(state, &mark->ticks) && saved_take_u32(state, &mark->pid) &&
           saved_take_u32(state, &mark->tid);
}

static bool take_past(cursor *state, xray_basic_past *past)
{
    uint32_t has_other;
    *past = (xray_basic_past){.count = 0};
    if (!saved_take_u32(state, &past->count) || past->count > XRAY_BASIC_MARKS)
        return false;
    for (unsigned i = 0; i < past->count; i++) {
        if (!take_mark(state, &past->marks[i]))
            return false;
    }
    if (!saved_take_u32(state, &has_other))
        return false;
    past->has_other = has_other != 0;
    return !past->has_other || take_mark(state, &past->other);
}

static bool basic_seek(producer *base, uint64_t position, cursor *state)
{
    basic_producer *self = (basic_producer *)base;
    xray_basic_past past;
    size_t at = self->range_first;
    uint64_t rest;
    int64_t last_ns;
    if (!saved_take_i64(state, &last_ns) || !take_past(state, &past) ||
        (!self->is_file_order &&
         !xray_ranges_find(self->trace, &at, self->range_end, position, &rest)))
        return false;
    if (self->is_file_order) {
        window_move(&self->w, position, UINT64_MAX);
    } else {
        const xray_range *range = &self->trace->ranges[at];
        window_move(&self->w, range->begin + rest, range->end);
        self->repeat_end = range->repeat_end;
        self->range_at = at + 1;
    }
    self->passed_size = base->position = position;
    self->last_ns = last_ns;
    self->past = past;
    return true;
}

static void basic_close(producer *base)
{
    basic_producer *self = (basic_producer *)base;
    window_close(&self->w);
    free(self);
}

stele_status xray_produce_basic(xray_trace *trace, const produce_request *request, producer **out)
{
    static const producer_ops ops = {
        .fill = basic_fill, .close = basic_close, .mark = basic_mark, .seek = basic_seek};
    basic_producer *self = calloc(1, sizeof *self);
    if (self == NULL)
        return STELE_ERR_MEMORY;
    self->base.ops = &ops;
    self->trace = trace;
    self->columns = request->columns;
    self->is_file_order = request->stream == PRODUCE_ALL;
    self->is_quiet = trace->has_findings;
    trace->base.balance = self->is_file_order ? (stele_balance){0} : trace->outside;
    if (self->is_file_order)
        self->passed_size = XRAY_HEADER_SIZE;
    self->base.stop = UINT64_MAX;
    xray_ranges_of(trace, request->stream, &self->range_first, &self->range_end);
    self->range_at = self->range_first;
    return xray_producer_start(&self->base, &self->w, trace, request, XRAY_HEADER_SIZE,
                               self->is_file_order ? UINT64_MAX : XRAY_HEADER_SIZE, out);
}
