/* SPDX-License-Identifier: Apache-2.0 */
/* FDR buffers as events. Basic-mode logs are in basic.c, profiling files in profile.c. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/xray/read/producers.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/records/decode.h"
#include "model/await.h"
#include "model/batch.h"
#include "model/saved_index.h"

/* What function records become. */
#define FUNCTION_KINDS                                                   \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) | \
     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT))

/* Which record may come next (seed "Format Grammar and Invariants"). */
typedef enum fdr_state {
    FDR_NEW_BUFFER, /* NewBuffer */
    FDR_WALL_TIME,  /* WallTime */
    FDR_PID,        /* Pid (version 3 to 5) */
    FDR_NEW_CPU,    /* NewCPUId */
    FDR_BODY
} fdr_state;

typedef struct fdr_producer {
    producer base;
    xray_trace *trace;
    window w;
    uint32_t columns;
    bool wants_instants;
    bool check;
    xray_locator locator;                    /* in file order */
    size_t range_first, range_at, range_end; /* of one thread: its ranges, from `range_at` on to be
                                                read */
    bool is_file_order;
    xray_habits habits;

    /* The buffer that is being read. */
    bool has_range;
    xray_range range;
    fdr_state state;
    bool is_timeless_reported;
    bool is_argument_due; /* the last record was an entry that logs arguments */
    stele_batch *aside;   /* such an entry, while its arguments are waited for; NULL: never so */
    bool is_end_checked;  /* of the buffer, on sequential inputs */
    bool is_starved;      /* no more bytes of the buffer can be loaded */
    bool takes_what_came; /* of an input that may give more: nothing waits to be compared */
    bool needs_row;       /* to go on, a row of records has to be loaded */
    const uint8_t *ahead; /* where what is loaded of it ends, to look at */
    bool is_ahead_all;    /* as it does itself */
    bool is_lost;         /* nothing is read until records go on: they are looked for */
    uint64_t lost_begin;  /* offset of the record that could not be read */
    uint8_t lost_byte;    /* its first one */
    stele_xray_result lost_result;
    const char *lost_expected; /* instead of it */
    uint64_t padding_begin;    /* after the last record of a version 1 buffer; 0: was counted */
    uint64_t done_size;        /* of the ranges before, of one thread */
    uint64_t tsc;
    uint16_t cpu;
    uint8_t cpu_flag; /* STELE_FLAG_HAS_CPU once known */
} fdr_producer;

static const char *const state_texts[] = {"a NewBuffer record", "a WallTime record", "a Pid record",
                                          "a NewCPUId record", "a record of the body"};

static void fdr_report(fdr_producer *self, xray_code code, const uint8_t *at, uint64_t size,
                       const char *expected, const char *found)
{
    diag_report(&self->trace->base.context->diag, &xray_codes[code], self->w.in->name,
                window_offset_of(&self->w, at), size, expected, "%s", found);
}

/* ---- Events ---- */

static bool add_field(stele_batch *batch, stele_name name, uint8_t type, uint8_t width,
                      uint64_t value)
{
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) =
        (stele_field){.name = name, .type = type, .width = width, .u.u = value};
    return true;
}

/* The flag of a record of `size` bytes that repeats another. */
static uint8_t repeated_flag(const fdr_producer *self, const uint8_t *at, uint32_t size)
{
    return window_offset_of(&self->w, at) + size <= self->range.repeat_end ? STELE_FLAG_REPEATED
                                                                           : 0;
}

static stele_event *start_event(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                                uint64_t tsc, stele_kind kind)
{
    const uint32_t size = kind == STELE_KIND_INSTANT ? XRAY_METADATA_SIZE : XRAY_FUNCTION_SIZE;
    stele_event *event = batch_push_event(batch);
    bool is_clamped = false;
    *event =
        (stele_event){.time_ns = tick_rate_ns(&self->trace->rate, tsc, &is_clamped),
                      .ticks = tsc,
                      .offset = window_offset_of(&self->w, at),
                      .track = self->trace->threads[self->range.thread].track,
                      .field_first = batch->field_count,
                      .cpu = self->cpu,
                      .kind = (uint8_t)kind,
                      .flags = (uint8_t)(self->cpu_flag | (is_clamped ? STELE_FLAG_CLAMPED : 0) |
                                         repeated_flag(self, at, size)),
                      .size = size};
    return event;
}

/* Custom and typed events: an instant with the payload as it is. */
static stele_status push_payload(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                                 const stele_xray_record *record, uint32_t payload_size)
{
    xray_trace *trace = self->trace;
    const bool is_typed = record->kind == STELE_XRAY_TYPED_EVENT;
    const uint32_t first = batch->field_count;
    stele_event *event;
    if (!self->wants_instants)
        return STELE_OK;
    event = start_event(self, batch, at, record->tsc, STELE_KIND_INSTANT);
    event->size = XRAY_METADATA_SIZE + payload_size;
    event->name = is_typed ? trace->name_typed : trace->name_custom;
    if (payload_size != record->value)
        event->flags |= STELE_FLAG_DAMAGED;
    if ((self->columns & STELE_COLUMN_FIELDS) == 0)
        return STELE_OK;
    if (is_typed && !add_field(batch, trace->name_type, STELE_TYPE_UINT, 16, record->function))
        return STELE_ERR_MEMORY;
    if (!batch_reserve_fields(batch, 1) || !batch_reserve_bytes(batch, payload_size))
        return STELE_ERR_MEMORY;
    *batch_push_field(batch) = (stele_field){
        .name = trace->name_data,
        .type = STELE_TYPE_BYTES,
        .u.bytes = {batch_push_bytes(batch, at + XRAY_METADATA_SIZE, payload_size), payload_size}};
    return batch_set_fields(batch, event, first) ? STELE_OK : STELE_ERR_MEMORY;
}

/* The argument of the function entry that was the last event of the batch. */
static stele_status push_argument(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                                  uint64_t value)
{
    stele_event *event = batch->event_count == 0 ? NULL : &batch->events[batch->event_count - 1];
    const uint64_t offset = window_offset_of(&self->w, at);
    if (event == NULL || event->kind != STELE_KIND_BEGIN || event->offset + event->size != offset) {
        const uint32_t first = batch->field_count;
        fdr_report(self, XRY003, at, XRAY_METADATA_SIZE,
                   "the entry of a function that logs arguments",
                   "an argument after something else");
        if (!self->wants_instants)
            return STELE_OK;
        event = start_event(self, batch, at, self->tsc, STELE_KIND_INSTANT);
        event->name = self->trace->name_arg[0];
        if (!add_field(batch, self->trace->name_arg[0], STELE_TYPE_UINT, 64, value))
            return STELE_ERR_MEMORY;
        return batch_set_fields(batch, event, first) ? STELE_OK : STELE_ERR_MEMORY;
    }
    event->size += XRAY_METADATA_SIZE;
    if ((self->columns & STELE_COLUMN_FIELDS) == 0)
        return STELE_OK;
    if (!add_field(batch, self->trace->name_arg[event->field_count & 7], STELE_TYPE_UINT, 64,
                   value))
        return STELE_ERR_MEMORY;
    batch->fields[batch->field_count - 1].hint = STELE_HINT_HEX;
    return batch_set_fields(batch, event, event->field_first) ? STELE_OK : STELE_ERR_MEMORY;
}

/* ---- Records ---- */

static void check_grammar(fdr_producer *self, const uint8_t *at, unsigned kind)
{
    static const uint8_t wanted[] = {STELE_XRAY_NEW_BUFFER, STELE_XRAY_WALL_TIME, STELE_XRAY_PID,
                                     STELE_XRAY_NEW_CPU};
    if (kind == wanted[self->state]) {
        self->state++;
        if (self->state == FDR_PID && self->trace->header.version < 3)
            self->state = FDR_NEW_CPU;
        return;
    }
    if (kind == STELE_XRAY_END_OF_BUFFER)
        return;
    fdr_report(self, XRY003, at, XRAY_METADATA_SIZE, state_texts[self->state], "another record");
    self->state = FDR_BODY;
}

/* ---- What became of the bytes ---- */

/* Where the input is known to end, as far as that is known. */
static uint64_t input_end(const fdr_producer *self)
{
    const input *in = self->w.in;
    return in->has_size ? in->size : in->is_ended ? in->position : UINT64_MAX;
}

/* The rest of a version 1 buffer that was left, up to `offset`. */
static void count_padding(fdr_producer *self, uint64_t offset)
{
    const uint64_t end = self->range.end < offset ? self->range.end : offset;
    if (self->padding_begin != 0 && end > self->padding_begin)
        self->base.balance.padding_size += end - self->padding_begin;
    self->padding_begin = 0;
}

/* Records are what is neither skipped nor padding: of what was passed over in file order, with what
   stands between buffers, or of the buffers of the thread. */
static void count_records(fdr_producer *self)
{
    const uint64_t offset = window_offset(&self->w), end = input_end(self);
    stele_balance *balance = &self->base.balance;
    uint64_t passed = offset < end ? offset : end;
    if (!self->is_file_order)
        passed = self->done_size + (self->has_range ? passed - self->range.begin : 0);
    if (passed > self->base.position)
        self->base.position = passed;
    balance->record_size = passed - balance->skipped_size - balance->padding_size;
}

static void leave_range(fdr_producer *self)
{
    const uint64_t end = input_end(self);
    self->has_range = false;
    self->is_lost = false;
    if (self->is_file_order)
        return;
    self->done_size += (self->range.end < end ? self->range.end : end) - self->range.begin;
    count_padding(self, end);
}

/*
 * A record that cannot be read: goes on where the next eight look sound, by bytes, because payloads
 * are not aligned. Times from there on lack the deltas that were skipped, until a record sets the
 * counter anew.
 */
static void skip_damage(fdr_producer *self, const uint8_t *at, stele_xray_result result)
{
    static const char *const expected[] = {
        [STELE_XRAY_SHORT] = "a record that is no longer than can be",
        [STELE_XRAY_BAD_ACTION] = "an action from 0 to 3",
        [STELE_XRAY_BAD_KIND] = "a kind of metadata record that this version has here",
        [STELE_XRAY_BAD_SIZE] = "a payload of positive size"};
    self->is_lost = true;
    self->habits.entered = 0;
    self->lost_begin = window_offset_of(&self->w, at);
    self->lost_byte = *at;
    self->lost_result = result;
    self->lost_expected = expected[result];
}

/*
 * Records stand at `found`, which may be the end of the buffer. Where they are not in line with
 * those before the damage, they were read askew for a while, and the first of them may stand before
 * it: events of such records, from the bytes from `from` on, are taken back. Returns where to go
 * on.
 */
static const uint8_t *go_back(fdr_producer *self, stele_batch *batch, const uint8_t *from,
                              const uint8_t *found)
{
    const uint64_t found_offset = window_offset_of(&self->w, found);
    const uint8_t *first;
    uint64_t offset, begin = self->lost_begin;
    uint32_t kept = batch->event_count;
    if ((found_offset - begin) % XRAY_FUNCTION_SIZE == 0)
        return found;
    first = xray_walk_back(self->trace, found, from, self->ahead);
    offset = window_offset_of(&self->w, first);
    if (offset >= begin)
        return found;
    while (kept > 0 && batch->events[kept - 1].offset < begin &&
           batch->events[kept - 1].offset + batch->events[kept - 1].size > offset)
        begin = batch->events[--kept].offset;
    if (begin >= offset)
        return found;
    if (begin >= window_offset_of(&self->w, from))
        self->lost_byte = *(found - (found_offset - begin));
    if (kept < batch->event_count) {
        self->tsc = batch->events[kept].ticks;
        batch->event_count = kept;
    }
    self->lost_begin = begin;
    return first;
}

/* What was skipped ends at `at`. */
static void end_damage(fdr_producer *self, const uint8_t *at)
{
    const uint64_t size = window_offset_of(&self->w, at) - self->lost_begin;
    char text[80];
    self->is_lost = false;
    snprintf(text, sizeof text, "byte 0x%02x; %llu bytes are skipped", self->lost_byte,
             (unsigned long long)size);
    diag_report(&self->trace->base.context->diag, &xray_codes[XRY002], self->w.in->name,
                self->lost_begin, size, self->lost_expected, "%s", text);
    self->base.balance.skipped_size += size;
}

/* Looks for where records go on, and tells what was skipped once that is found. */
static void seek_records(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                         const uint8_t *end, bool is_all)
{
    const uint8_t *found = is_all || end - *at > (ptrdiff_t)XRAY_JUDGE_SIZE
                               ? xray_find_records(self->trace, *at, end, is_all,
                                                   self->lost_result == STELE_XRAY_BAD_SIZE)
                               : NULL;
    if (found == NULL && !is_all) {
        if (end - *at > (ptrdiff_t)XRAY_JUDGE_SIZE)
            *at = end - XRAY_SOUND_SIZE - 1;
        return;
    }
    if (found != NULL) {
        const uint8_t *const better = xray_find_askew(self->trace, found, self->ahead);
        found = go_back(self, batch, self->w.at, better != NULL ? better : found);
    }
    *at = found != NULL ? found : end;
    end_damage(self, *at);
}

/* The buffer ends inside of the record at `at`: that was read askew if sound ones lead to the end.
 */
static bool is_askew_at_end(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                            const uint8_t *end)
{
    const uint8_t *again;
    if (self->range.is_cut)
        return false;
    skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
    self->lost_expected = "records that lead to the end of the buffer";
    again = go_back(self, batch, self->w.at, end);
    self->is_lost = false;
    if (again == end)
        return false;
    end_damage(self, again);
    *at = again;
    return true;
}

/* The bytes of the buffer end inside of a record. */
static stele_status end_short(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                              size_t left, const stele_xray_record *record)
{
    stele_status status = STELE_OK;
    char found[64];
    const bool has_payload = left >= XRAY_METADATA_SIZE;
    const uint32_t want = has_payload ? record->size
                          : xray_is_metadata(self->trace->header.is_big_endian, at)
                              ? XRAY_METADATA_SIZE
                              : XRAY_FUNCTION_SIZE;
    snprintf(found, sizeof found, "%zu of %u bytes", left, (unsigned)want);
    fdr_report(self, self->range.is_cut ? XRY005 : XRY004, at, left, "a whole record", found);
    if (has_payload)
        status = push_payload(self, batch, at, record, (uint32_t)left - XRAY_METADATA_SIZE);
    else
        self->base.balance.skipped_size += left;
    self->base.lost_count += !has_payload;
    leave_range(self);
    return status;
}

/* How many bytes of a record have to be loaded, with those after it that tell whether its payload
   is there, as far as the buffer has them. */
static size_t size_to_judge(const fdr_producer *self, const uint8_t *at,
                            const stele_xray_record *record)
{
    const bool is_event =
        record->kind == STELE_XRAY_CUSTOM_EVENT || record->kind == STELE_XRAY_TYPED_EVENT;
    const uint64_t left = self->range.end - window_offset_of(&self->w, at);
    const uint64_t want = record->size + (is_event ? (uint64_t)XRAY_JUDGE_SIZE : 0);
    return (size_t)(want < left ? want : left);
}

/* A custom or typed event with what is there of its payload; `*at` goes after that. */
static stele_status take_event(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                               const uint8_t *end, const stele_xray_record *record)
{
    const uint8_t *const start = *at;
    char found[80];
    uint32_t size;
    const xray_payload judged =
        xray_judge_payload(self->trace, start, (uint32_t)record->value, end, &self->habits, &size);
    if (judged == XRAY_PAYLOAD_SHORT) {
        *at = end;
        return end_short(self, batch, start, (size_t)(end - start), record);
    }
    if (self->trace->header.version >= 5)
        self->tsc = record->tsc;
    if (judged == XRAY_PAYLOAD_OVERWRITTEN) {
        fdr_report(self, XRY007, start, record->value, "the payload", "the next record");
    } else if (judged == XRAY_PAYLOAD_DAMAGED) {
        snprintf(found, sizeof found, "%u bytes; records go on after %u", (unsigned)record->value,
                 (unsigned)size);
        fdr_report(self, XRY019, start, (uint64_t)XRAY_METADATA_SIZE + size,
                   "a payload before the next record", found);
        self->base.balance.skipped_size += size;
    }
    *at = start + XRAY_METADATA_SIZE + size;
    return push_payload(self, batch, start, record, size);
}

/* Whether the bytes up to `end` are all that can be held at once, and the buffer has more. */
static bool is_too_long(const fdr_producer *self, const uint8_t *end)
{
    return self->w.buffer != NULL && window_offset_of(&self->w, end) < self->range.end &&
           (size_t)(self->w.end - self->w.at) >= self->w.capacity_max;
}

/* A metadata record of the buffer; `*at` goes after it, and stays where more has to be loaded. */
static stele_status take_metadata(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                                  const uint8_t *end, bool is_all)
{
    const stele_xray_header *header = &self->trace->header;
    const uint8_t *const start = *at;
    const uint64_t before = self->tsc;
    const size_t left = (size_t)(end - start);
    stele_xray_record record = {0};
    const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                        &self->tsc, start, left, &record);
    if (result > STELE_XRAY_SHORT ||
        (result == STELE_XRAY_SHORT && is_all && is_too_long(self, end))) {
        skip_damage(self, start, result);
        return STELE_OK;
    }
    if (!is_all && (left < XRAY_METADATA_SIZE || left < size_to_judge(self, start, &record))) {
        self->tsc = before;
        return STELE_OK;
    }
    if (left < XRAY_METADATA_SIZE) {
        if (is_askew_at_end(self, batch, at, end))
            return STELE_OK;
        *at = end;
        return end_short(self, batch, start, left, &record);
    }
    if (self->state != FDR_BODY || record.kind == STELE_XRAY_NEW_BUFFER ||
        record.kind == STELE_XRAY_PID || record.kind == STELE_XRAY_WALL_TIME) {
        if (self->state == FDR_BODY && record.kind == STELE_XRAY_NEW_BUFFER)
            self->state = FDR_NEW_BUFFER;
        if (self->state == FDR_BODY)
            fdr_report(self, XRY003, start, record.size, state_texts[FDR_BODY],
                       "a record that begins buffers");
        else
            check_grammar(self, start, record.kind);
    }
    if (result == STELE_XRAY_OK)
        *at = start + record.size;
    switch (record.kind) {
    case STELE_XRAY_EXTENTS:
        *at = start;
        skip_damage(self, start, STELE_XRAY_BAD_KIND);
        break;
    case STELE_XRAY_END_OF_BUFFER:
        if (xray_is_false_end(self->trace, start, end)) {
            *at = start;
            skip_damage(self, start, STELE_XRAY_BAD_KIND);
            break;
        }
        self->padding_begin = window_offset_of(&self->w, *at);
        leave_range(self);
        break;
    case STELE_XRAY_NEW_CPU:
    case STELE_XRAY_TSC_WRAP:
        if (self->tsc < before && self->check)
            fdr_report(self, XRY012, start, record.size, "a later time", "an earlier one");
        if (record.kind == STELE_XRAY_NEW_CPU) {
            self->cpu = (uint16_t)record.function;
            self->cpu_flag = STELE_FLAG_HAS_CPU;
        }
        break;
    case STELE_XRAY_CALL_ARGUMENT: return push_argument(self, batch, start, record.value);
    case STELE_XRAY_CUSTOM_EVENT:
    case STELE_XRAY_TYPED_EVENT: *at = start; return take_event(self, batch, at, end, &record);
    default: break;
    }
    return STELE_OK;
}

static const uint8_t function_kinds[XRAY_ACTION_COUNT] = {STELE_KIND_BEGIN, STELE_KIND_END,
                                                          STELE_KIND_TAIL_EXIT, STELE_KIND_BEGIN};

/*
 * Function records, the bulk of every trace: decoded and made into events in one loop without
 * calls. All that the loop reads is in locals, because stores to events could alias the rest.
 * Stops at a metadata record, a bad action, a function without known name or of another object
 * than the first, a time that does not fit, or when the batch is full.
 */
XRAY_INLINE const uint8_t *take_functions(fdr_producer *self, stele_batch *batch, bool big,
                                          const uint8_t *at, const uint8_t *end)
{
    const xray_trace *const trace = self->trace;
    const tick_rate rate = trace->rate;
    const uint32_t first = xray_function(big, xray_load32(big, at)) & ~STELE_XRAY_FUNCTION_MASK;
    const xray_object known = trace->objects[first >> STELE_XRAY_OBJECT_SHIFT];
    const uint32_t track = trace->threads[self->range.thread].track;
    const uint32_t field_first = batch->field_count;
    const uint64_t shift = window_offset_of(&self->w, at) - (uint64_t)(uintptr_t)at;
    const uint8_t flags = self->cpu_flag | repeated_flag(self, at, XRAY_FUNCTION_SIZE);
    const uint64_t left = self->range.repeat_end - window_offset_of(&self->w, at);
    const size_t size = (flags & STELE_FLAG_REPEATED) != 0 && left < (size_t)(end - at)
                            ? (size_t)left
                            : (size_t)(end - at);
    const size_t count = size / XRAY_FUNCTION_SIZE;
    const size_t room = batch->event_capacity - batch->event_count;
    const uint8_t *const last = at + (count < room ? count : room) * XRAY_FUNCTION_SIZE;
    stele_event *event = batch->events + batch->event_count;
    uint64_t rests[XRAY_ACTION_COUNT], tsc = self->tsc;
    for (unsigned i = 0; i < XRAY_ACTION_COUNT; i++)
        rests[i] = event_rest(0, 0, self->cpu, function_kinds[i], flags);
    for (; at != last; at += XRAY_FUNCTION_SIZE, event++) {
        const uint32_t word = xray_load32(big, at);
        const uint32_t function = xray_function(big, word);
        const uint64_t next = tsc + xray_load32(big, at + 4);
        bool is_clamped = false;
        if (!xray_is_call(big, word) || function - first >= known.count ||
            known.names[function - first] == 0 || next > rate.ticks_max)
            break;
        tsc = next;
        event_set(event, tick_rate_ns(&rate, tsc, &is_clamped), tsc, 0, function,
                  (uint64_t)(uintptr_t)at + shift, XRAY_FUNCTION_SIZE,
                  known.names[function - first], track, field_first, rests[xray_action(big, word)]);
    }
    batch->event_count = (uint32_t)(event - batch->events);
    self->tsc = tsc;
    return at;
}

/*
 * Whether the function record at `at` is none, because there is no such function, or because it is
 * read askew. `at` stays, or goes to where records stand.
 */
static bool is_no_function(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                           uint32_t function)
{
    const uint8_t *found;
    if ((function & STELE_XRAY_FUNCTION_MASK) == 0) {
        skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
        self->lost_expected = "a function from 1 on";
        return true;
    }
    if (!self->is_ahead_all && !self->takes_what_came &&
        self->ahead - *at < (ptrdiff_t)XRAY_SOUND_SIZE) {
        self->needs_row = true;
        return true;
    }
    found = xray_find_askew(self->trace, *at, self->ahead);
    if (found == NULL)
        return false;
    skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
    self->lost_expected = "records of functions that are called elsewhere, too";
    *at = go_back(self, batch, self->w.at, found);
    end_damage(self, *at);
    return true;
}

/* The function record at `at`, which the loop above stopped at. It stays if it is none. */
static stele_status take_function(fdr_producer *self, stele_batch *batch, const uint8_t **at)
{
    const bool big = self->trace->header.is_big_endian;
    const uint32_t word = xray_load32(big, *at);
    const uint32_t function = xray_function(big, word);
    stele_name name = xray_trace_known(self->trace, function);
    stele_event *event;
    if (name == 0 && is_no_function(self, batch, at, function))
        return STELE_OK;
    name = xray_trace_function(self->trace, batch, function);
    if (name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    self->tsc += xray_load32(big, *at + 4);
    event = start_event(self, batch, *at, self->tsc, function_kinds[xray_action(big, word)]);
    event->id = function;
    event->name = name;
    self->habits.entered = xray_entered(xray_action(big, word), function);
    self->is_argument_due = xray_action(big, word) == XRAY_ACTION_ENTER_ARGS;
    *at += XRAY_FUNCTION_SIZE;
    return STELE_OK;
}

/*
 * Takes records up to `stop`, or until the batch is full. A record that is not whole is left to be
 * loaded, unless what is ahead is all of the buffer.
 */
static stele_status take_records(fdr_producer *self, stele_batch *batch, const uint8_t *stop)
{
    const bool big = self->trace->header.is_big_endian, is_all = self->is_ahead_all;
    const uint8_t *const end = self->ahead;
    const uint8_t *at = self->w.at;
    stele_status status = STELE_OK;
    while (status == STELE_OK && self->has_range && at < stop && !batch_is_full(batch)) {
        if (self->is_lost) {
            seek_records(self, batch, &at, end, is_all);
            if (self->is_lost)
                break;
        } else if (!xray_is_metadata(big, at)) {
            const uint8_t *const before = at;
            if (self->state != FDR_BODY)
                check_grammar(self, at, STELE_XRAY_ENTER);
            if (self->cpu_flag == 0 && !self->is_timeless_reported) {
                self->is_timeless_reported = true;
                fdr_report(self, XRY013, at, XRAY_FUNCTION_SIZE, "a NewCPUId record", "a function");
            }
            if ((size_t)(end - at) < XRAY_FUNCTION_SIZE) {
                if (is_all && is_askew_at_end(self, batch, &at, end))
                    continue;
                if (is_all) {
                    status = end_short(self, batch, at, (size_t)(end - at), NULL);
                    at = end;
                }
                break;
            }
            at = big ? take_functions(self, batch, true, at, stop)
                     : take_functions(self, batch, false, at, stop);
            if (at != before) {
                const uint32_t last = xray_load32(big, at - XRAY_FUNCTION_SIZE);
                self->habits.entered =
                    xray_entered(xray_action(big, last), xray_function(big, last));
                self->is_argument_due = xray_action(big, last) == XRAY_ACTION_ENTER_ARGS;
                continue;
            }
            if (xray_action(big, xray_load32(big, at)) < XRAY_ACTION_COUNT) {
                status = take_function(self, batch, &at);
                if (self->needs_row)
                    break;
                continue;
            }
            skip_damage(self, at, STELE_XRAY_BAD_ACTION);
        } else {
            const uint8_t *const before = at;
            self->is_argument_due &= (size_t)(end - at) < XRAY_METADATA_SIZE;
            status = take_metadata(self, batch, &at, end, is_all);
            if (at == before && !self->is_lost)
                break;
        }
    }
    self->w.at = at;
    return status;
}

/* ---- Buffers ---- */

static void enter_range(fdr_producer *self)
{
    self->has_range = true;
    self->is_end_checked = false;
    self->state = FDR_NEW_BUFFER;
    self->tsc = 0;
    self->cpu = 0;
    self->cpu_flag = 0;
    self->habits.entered = 0;
    self->is_timeless_reported = false;
}

static stele_status next_range(fdr_producer *self)
{
    if (self->is_file_order) {
        const xray_range before = self->range;
        const stele_status status = xray_locate(&self->locator, &self->w, &self->range);
        const xray_range next = self->range;
        uint64_t end = input_end(self);
        self->base.balance.skipped_size += self->locator.skipped;
        self->locator.skipped = 0;
        end = window_offset(&self->w) < end ? window_offset(&self->w) : end;
        self->range = before;
        count_padding(self, end);
        self->range = next;
        if (status != STELE_OK)
            return status;
    } else {
        if (self->range_at == self->range_end)
            return STELE_END;
        self->range = self->trace->ranges[self->range_at++];
        window_move(&self->w, self->range.begin, self->range.end);
    }
    enter_range(self);
    return STELE_OK;
}

/* Bytes of the buffer from `at`, as far as they are loaded; `*is_all`: to its end. */
static const uint8_t *loaded_end(fdr_producer *self, bool *is_all)
{
    const uint64_t left = self->range.end - window_offset(&self->w);
    const size_t there = (size_t)(self->w.end - self->w.at);
    *is_all = there >= left;
    return *is_all ? self->w.at + left : self->w.end;
}

/* Loads enough for the next record to be whole. Where that cannot be had, because the input ends
   or the record is too long, the bytes that are there are all: `is_starved`. */
static stele_status load_more(fdr_producer *self)
{
    const stele_xray_header *header = &self->trace->header;
    size_t want = self->is_lost || self->needs_row ? 2u * XRAY_SOUND_SIZE : 4u * XRAY_METADATA_SIZE;
    size_t left = window_need(&self->w, want);
    if (!self->is_lost && left >= XRAY_METADATA_SIZE &&
        xray_is_metadata(header->is_big_endian, self->w.at)) {
        stele_xray_record record = {0};
        uint64_t tsc = 0;
        const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                            &tsc, self->w.at, left, &record);
        if (result == STELE_XRAY_OK || result == STELE_XRAY_SHORT) {
            want = size_to_judge(self, self->w.at, &record);
            left = window_need(&self->w, want);
        }
    }
    self->is_starved = left < want;
    self->needs_row = false;
    return self->w.status;
}

/*
 * Extents can be damaged. The locator looks at what stands after the buffer where it can; on a
 * sequential input that is possible only once the end is loaded. If nothing begins there, the
 * buffer goes on until its records lead to the next.
 */
#define END_WAIT_MS 1000

static void check_end(fdr_producer *self)
{
    const uint64_t left = self->range.end - window_offset(&self->w);
    size_t there;
    self->is_end_checked = true;
    if (self->w.in->is_seekable || self->trace->header.version == 1)
        return;
    /* What may come much later cannot be looked at. */
    if (!window_await(&self->w, (size_t)left + XRAY_HEAD_SIZE,
                      self->w.in->is_followed ? 0 : END_WAIT_MS))
        return;
    there = window_need(&self->w, (size_t)left + XRAY_HEAD_SIZE);
    if (there <= left || xray_ends_well(self->trace, self->w.at + left, there - (size_t)left))
        return;
    diag_report(&self->trace->base.context->diag, &xray_codes[XRY006], self->w.in->name,
                self->range.begin - XRAY_METADATA_SIZE, XRAY_METADATA_SIZE,
                "extents that lead to a buffer", "%llu bytes, which lead to none",
                (unsigned long long)(self->range.end - self->range.begin));
    self->range.end = UINT64_MAX;
}

/* Has the last event of the batch, whose arguments may come much later, wait for the next batch. */
static stele_status put_aside(fdr_producer *self, stele_batch *batch)
{
    const stele_event *last = &batch->events[batch->event_count - 1];
    stele_status status =
        self->aside != NULL ? STELE_OK : stele_batch_new(BATCH_EVENTS, &self->aside);
    if (status != STELE_OK)
        return status;
    stele_batch_clear(self->aside);
    self->aside->columns = batch->columns;
    if (!batch_copy_event(self->aside, batch, last))
        return STELE_ERR_MEMORY;
    batch->event_count--;
    self->base.is_dry = true;
    return STELE_OK;
}

/* What put_aside() put there is the first event of this batch. */
static stele_status take_from_aside(fdr_producer *self, stele_batch *batch)
{
    if (self->aside == NULL || self->aside->event_count == 0)
        return STELE_OK;
    if (!batch_copy_event(batch, self->aside, self->aside->events))
        return STELE_ERR_MEMORY;
    stele_batch_clear(self->aside);
    return STELE_OK;
}

/* Waits for what follows an entry that logs arguments, as producer_await() does: only the entry
   itself is worth waiting with. */
static stele_status await_argument(fdr_producer *self, stele_batch *batch, size_t want)
{
    const int64_t patience_ms = self->w.in->diag->patience_ms;
    const int64_t wait_ms = batch->event_count > 1 ? 0 : patience_ms > 0 ? patience_ms : -1;
    if (batch->event_count == 0 || window_await(&self->w, want, wait_ms))
        return STELE_OK;
    return put_aside(self, batch);
}

/* A full batch still takes the arguments of its last event. */
static stele_status take_arguments(fdr_producer *self, stele_batch *batch)
{
    const bool big = self->trace->header.is_big_endian;
    stele_status status = STELE_OK;
    if (self->base.is_dry)
        return STELE_OK; /* nothing more is there */
    if (self->is_argument_due && self->has_range && self->w.in->waits &&
        window_offset(&self->w) + XRAY_METADATA_SIZE <= self->range.end)
        status = await_argument(self, batch, XRAY_METADATA_SIZE);
    while (status == STELE_OK && self->has_range && !self->is_lost && batch->event_count != 0 &&
           batch->events[batch->event_count - 1].kind == STELE_KIND_BEGIN &&
           window_offset(&self->w) + XRAY_METADATA_SIZE <= self->range.end &&
           window_need(&self->w, XRAY_METADATA_SIZE) >= XRAY_METADATA_SIZE &&
           xray_is_metadata(big, self->w.at) &&
           xray_metadata_kind(big, self->w.at) == XRAY_META_CALL_ARGUMENT) {
        status = push_argument(self, batch, self->w.at, xray_load64(big, self->w.at + 1));
        self->w.at += XRAY_METADATA_SIZE;
    }
    return status;
}

/* Takes records up to `end`, or to where filling is to stop: a place between two records. */
static stele_status take_until(fdr_producer *self, stele_batch *batch, const uint8_t *end,
                               bool is_all)
{
    const uint8_t *const at = self->w.at;
    uint64_t room;
    count_records(self);
    self->ahead = end;
    self->is_ahead_all = is_all;
    self->needs_row = false;
    room = self->base.stop > self->base.position ? self->base.stop - self->base.position : 0;
    return take_records(self, batch, room < (uint64_t)(end - at) ? at + room : end);
}

/*
 * Of an input that may give more: takes what is loaded of a buffer. Where that holds no whole
 * record, waits for more as producer_await() does.
 */
static stele_status take_what_came(fdr_producer *self, stele_batch *batch, const uint8_t *end)
{
    const uint8_t *const at = self->w.at;
    stele_status status = STELE_OK;
    self->takes_what_came = true;
    if (at != end)
        status = take_until(self, batch, end, false);
    self->takes_what_came = false;
    count_records(self);
    if (status != STELE_OK || self->w.at != at || self->is_lost)
        return status;
    if (self->is_argument_due)
        return await_argument(self, batch, (size_t)(end - at) + 1);
    producer_await(&self->base, &self->w, batch, (size_t)(end - at) + 1);
    return STELE_OK;
}

/* What next_range() needs to see. */
static size_t head_want(const fdr_producer *self)
{
    const uint64_t offset = window_offset(&self->w);
    const uint64_t gap = self->locator.next > offset ? self->locator.next - offset : 0;
    return gap < SIZE_MAX - XRAY_HEAD_SIZE ? (size_t)gap + XRAY_HEAD_SIZE : SIZE_MAX;
}

static stele_status fdr_fill(producer *base, stele_batch *batch)
{
    fdr_producer *self = (fdr_producer *)base;
    stele_status status = STELE_OK;
    uint32_t thread = UINT32_MAX;
    stele_batch_clear(batch);
    base->is_dry = false;
    batch->columns = self->columns;
    status = take_from_aside(self, batch);
    while (status == STELE_OK && !batch_is_full(batch) && base->position < base->stop) {
        bool is_all;
        const uint8_t *end;
        if (!self->has_range) {
            if (!producer_await(base, &self->w, batch, head_want(self)))
                break;
            status = next_range(self);
            if (status != STELE_OK)
                break;
        }
        if (thread != UINT32_MAX && self->range.thread != thread && batch->event_count != 0) {
            count_records(self);
            return STELE_OK;
        }
        thread = self->range.thread;
        batch->stream = self->trace->threads[thread].stream;
        end = loaded_end(self, &is_all);
        if (is_all && !self->is_end_checked) {
            check_end(self);
            continue;
        }
        if (!is_all && self->w.in->waits && !self->is_lost) {
            const uint64_t there = window_offset_of(&self->w, self->w.end);
            const uint8_t *const at = self->w.at;
            status = take_what_came(self, batch, end);
            if (base->is_dry || status != STELE_OK)
                break;
            if (self->w.at != at || window_offset_of(&self->w, self->w.end) != there)
                continue;
        }
        if (!is_all) {
            status = load_more(self);
            if (status != STELE_OK)
                break;
            end = loaded_end(self, &is_all);
            self->range.is_cut = self->range.is_cut || (!is_all && self->is_starved);
            is_all = is_all || self->is_starved;
        }
        if (self->w.at == end)
            leave_range(self);
        else
            status = take_until(self, batch, end, is_all);
        count_records(self);
    }
    if (status == STELE_OK)
        status = take_arguments(self, batch);
    count_records(self);
    return status == STELE_END && batch->event_count != 0 ? STELE_OK : status;
}

/* ---- Going on in the middle ---- */

#define FLAG_CPU        1u
#define FLAG_TIMELESS   2u
#define FLAG_OVERWRITES 4u
#define FLAG_BITS       3u

/* In file order, which buffer is being read, and where the next one is expected. */
static void put_buffer(const fdr_producer *self, output *out)
{
    saved_put_u64(out, self->locator.next);
    saved_put_u64(out, self->has_range);
    if (!self->has_range)
        return;
    saved_put_u64(out, self->range.begin);
    saved_put_u64(out, self->range.end);
    saved_put_u64(out, self->range.thread);
    saved_put_u64(out, self->range.is_cut);
}

static bool take_buffer(const fdr_producer *self, uint64_t position, cursor *state, uint64_t *next,
                        xray_range *range)
{
    uint64_t has_range, is_cut = 0;
    *range = (xray_range){.begin = position};
    if (!saved_take_u64(state, next) || !saved_take_u64(state, &has_range))
        return false;
    if (has_range == 0)
        return true;
    if (!saved_take_u64(state, &range->begin) || !saved_take_u64(state, &range->end) ||
        !saved_take_u32(state, &range->thread) || !saved_take_u64(state, &is_cut))
        return false;
    range->is_cut = is_cut != 0;
    return range->begin <= position && position <= range->end &&
           range->thread < self->trace->thread_count;
}

/* Where no buffer is being read, the next one begins with all of that known. */
static bool fdr_mark(const producer *base, output *out)
{
    const fdr_producer *self = (const fdr_producer *)base;
    if ((self->has_range && self->is_lost) || self->padding_begin != 0)
        return false;
    saved_put_u64(out, (uint64_t)self->state << FLAG_BITS | (self->cpu_flag != 0 ? FLAG_CPU : 0) |
                           (self->is_timeless_reported ? FLAG_TIMELESS : 0) |
                           (self->habits.overwrites ? FLAG_OVERWRITES : 0));
    saved_put_u64(out, self->tsc);
    saved_put_u64(out, self->cpu);
    saved_put_u64(out, self->habits.entered);
    if (self->is_file_order)
        put_buffer(self, out);
    return true;
}

/* Goes to a position in file order. */
static bool seek_in_file(fdr_producer *self, uint64_t position, cursor *state)
{
    xray_range range;
    uint64_t next;
    if (!self->w.in->is_seekable || position > self->w.in->size ||
        !take_buffer(self, position, state, &next, &range))
        return false;
    self->range = range;
    self->has_range = range.end != 0;
    self->is_end_checked = true;
    self->locator.next = next;
    window_move(&self->w, position, UINT64_MAX);
    return true;
}

/* Goes to a position in the ranges of the thread. */
static bool seek_in_ranges(fdr_producer *self, uint64_t position)
{
    size_t range = self->range_first;
    uint64_t rest;
    if (!xray_ranges_find(self->trace, &range, self->range_end, position, &rest))
        return false;
    self->range_at = range;
    self->done_size = position - rest;
    self->has_range = false;
    if (rest != 0) {
        next_range(self);
        window_move(&self->w, self->range.begin + rest, self->range.end);
    }
    return true;
}

static bool fdr_seek(producer *base, uint64_t position, cursor *state)
{
    fdr_producer *self = (fdr_producer *)base;
    uint64_t flags, tsc, cpu;
    uint32_t entered;
    if (!saved_take_u64(state, &flags) || !saved_take_u64(state, &tsc) ||
        !saved_take_u64(state, &cpu) || !saved_take_u32(state, &entered) ||
        flags >> FLAG_BITS > FDR_BODY || cpu > UINT16_MAX ||
        !(self->is_file_order ? seek_in_file(self, position, state)
                              : seek_in_ranges(self, position)))
        return false;
    self->is_lost = false;
    self->habits.overwrites = (flags & FLAG_OVERWRITES) != 0;
    self->state = (fdr_state)(flags >> FLAG_BITS);
    self->tsc = tsc;
    self->cpu = (uint16_t)cpu;
    self->habits.entered = entered;
    self->cpu_flag = (flags & FLAG_CPU) != 0 ? STELE_FLAG_HAS_CPU : 0;
    self->is_timeless_reported = (flags & FLAG_TIMELESS) != 0;
    base->position = position;
    return true;
}

static void fdr_close(producer *base)
{
    fdr_producer *self = (fdr_producer *)base;
    window_close(&self->w);
    stele_batch_free(self->aside);
    free(self);
}

stele_status xray_produce_fdr(xray_trace *trace, const produce_request *request, producer **out)
{
    static const producer_ops ops = {
        .fill = fdr_fill, .close = fdr_close, .mark = fdr_mark, .seek = fdr_seek};
    fdr_producer *self = calloc(1, sizeof *self);
    if (self == NULL)
        return STELE_ERR_MEMORY;
    self->base.ops = &ops;
    self->trace = trace;
    self->wants_instants = (request->kinds & STELE_KIND_BIT(STELE_KIND_INSTANT)) != 0;
    self->base.kinds = FUNCTION_KINDS | (request->kinds & STELE_KIND_BIT(STELE_KIND_INSTANT));
    self->columns = request->columns;
    self->check = request->check;
    self->is_file_order = request->stream == PRODUCE_ALL;
    self->locator = (xray_locator){.trace = trace, .next = XRAY_HEADER_SIZE};
    /* In file order the producer passes over all bytes. */
    trace->base.balance = self->is_file_order ? (stele_balance){0} : trace->outside;
    self->base.stop = UINT64_MAX;
    xray_ranges_of(trace, request->stream, &self->range_first, &self->range_end);
    self->range_at = self->range_first;
    return xray_producer_start(&self->base, &self->w, trace, request, 0, UINT64_MAX, out);
}
