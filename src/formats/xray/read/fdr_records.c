/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records of FDR buffers into events. */
#include <stdio.h>

#include "formats/xray/read/fdr.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/records/decode.h"
#include "model/batch.h"

/* The number of doubtful records up to which their functions are not remembered. A record is
   doubtful if its function is not left soon, as it may be read at a wrong place. */
#define DOUBTS_MAX 4096u

static const char *const state_texts[] = {"a NewBuffer record", "a WallTime record", "a Pid record",
                                          "a NewCPUId record", "a record of the body"};

void fdr_report(fdr_producer *self, xray_code code, const uint8_t *at, uint64_t size,
                const char *expected, const char *found)
{
    diag_report(&self->trace->base.context->diag, &xray_codes[code], self->w.in->name,
                window_offset_of(&self->w, at), size, expected, "%s", found);
}

/* ---- Events of records ---- */

static bool add_field(stele_batch *batch, stele_name name, uint8_t type, uint8_t width,
                      uint64_t value)
{
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) =
        (stele_field){.name = name, .type = type, .width = width, .u.u = value};
    return true;
}

/* Returns STELE_FLAG_REPEATED if the record of `size` bytes repeats another, otherwise 0. */
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

/* Makes an instant of a custom or typed event, with its payload. */
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

stele_status fdr_push_argument(fdr_producer *self, stele_batch *batch, const uint8_t *at,
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

/* ---- Records of a buffer ---- */

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
    fdr_report(self, XRY003, at, kind == STELE_XRAY_ENTER ? XRAY_FUNCTION_SIZE : XRAY_METADATA_SIZE,
               state_texts[self->state], "another record");
    self->state = FDR_BODY;
}

/* Checks what stands before a function record. That there is no time is a finding of its own only
   where the records that begin the buffer are as they have to be. */
static void check_begin(fdr_producer *self, const uint8_t *at)
{
    if (self->state != FDR_BODY)
        check_grammar(self, at, STELE_XRAY_ENTER);
    if (self->cpu_flag != 0 || self->is_timeless_reported)
        return;
    self->is_timeless_reported = true;
    if (!diag_is_explained(&self->trace->base.context->diag, STELE_WARNING, self->w.in->name,
                           window_offset_of(&self->w, at), XRAY_FUNCTION_SIZE))
        fdr_report(self, XRY013, at, XRAY_FUNCTION_SIZE, "a NewCPUId record", "a function");
}

/* Checks the order of metadata records, also in the body, where another buffer may only begin with
   its first record. */
static void check_metadata(fdr_producer *self, const uint8_t *at, unsigned kind)
{
    if (self->state == FDR_BODY && kind == STELE_XRAY_NEW_BUFFER)
        self->state = FDR_NEW_BUFFER;
    if (self->state != FDR_BODY)
        check_grammar(self, at, kind);
    else if (kind == STELE_XRAY_PID || kind == STELE_XRAY_WALL_TIME)
        fdr_report(self, XRY003, at, XRAY_METADATA_SIZE, state_texts[FDR_BODY],
                   "a record that begins buffers");
}

/* Handles the end of the buffer inside of a record. */
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
    fdr_leave_range(self);
    return status;
}

size_t fdr_size_to_judge(const fdr_producer *self, const uint8_t *at,
                         const stele_xray_record *record)
{
    const bool is_event =
        record->kind == STELE_XRAY_CUSTOM_EVENT || record->kind == STELE_XRAY_TYPED_EVENT;
    const uint64_t left = self->range.end - window_offset_of(&self->w, at);
    const uint64_t want = record->size + (is_event ? (uint64_t)XRAY_JUDGE_SIZE : 0);
    return (size_t)(want < left ? want : left);
}

/* Takes a custom or typed event with those bytes of its payload that are there; `*at` moves after
   that. */
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
    if (self->check && record->value == 0)
        fdr_report(self, XRY022, start, XRAY_METADATA_SIZE, "a payload", "0 bytes");
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

/* Whether the bytes up to `end` are all that can be held in memory at a time, while the buffer has
   more. */
static bool is_too_long(const fdr_producer *self, const uint8_t *end)
{
    return self->w.buffer != NULL && window_offset_of(&self->w, end) < self->range.end &&
           (size_t)(self->w.end - self->w.at) >= self->w.capacity_max;
}

/* Reports an EndOfBuffer record that damage may have made of other bytes. Early runtimes leave
   bytes of their stack in it, and stale bytes after it may be records, too, so nobody can tell. */
static void check_end(fdr_producer *self, const uint8_t *at)
{
    const uint64_t offset = window_offset_of(&self->w, at);
    uint8_t any = 0;
    for (unsigned i = 1; i < XRAY_METADATA_SIZE; i++)
        any |= at[i];
    if (any != 0)
        fdr_report(self, XRY021, at,
                   self->range.end != UINT64_MAX ? self->range.end - offset : XRAY_METADATA_SIZE,
                   "15 bytes of 0", "others");
}

/* Takes a metadata record; `*at` moves after it, or stays if more has to be loaded. */
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
        fdr_skip_damage(self, start, result);
        return STELE_OK;
    }
    if (!is_all && (left < XRAY_METADATA_SIZE || left < fdr_size_to_judge(self, start, &record))) {
        self->tsc = before;
        return STELE_OK;
    }
    if (left < XRAY_METADATA_SIZE) {
        if (fdr_is_askew_at_end(self, batch, at, end))
            return STELE_OK;
        *at = end;
        return end_short(self, batch, start, left, &record);
    }
    check_metadata(self, start, record.kind);
    if (result == STELE_XRAY_OK)
        *at = start + record.size;
    switch (record.kind) {
    case STELE_XRAY_EXTENTS:
        *at = start;
        fdr_skip_damage(self, start, STELE_XRAY_BAD_KIND);
        break;
    case STELE_XRAY_END_OF_BUFFER:
        if (xray_is_false_end(self->trace, start, end)) {
            *at = start;
            fdr_skip_damage(self, start, STELE_XRAY_BAD_KIND);
            break;
        }
        check_end(self, start);
        self->padding_begin = window_offset_of(&self->w, *at);
        fdr_leave_range(self);
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
    case STELE_XRAY_CALL_ARGUMENT: return fdr_push_argument(self, batch, start, record.value);
    case STELE_XRAY_CUSTOM_EVENT:
    case STELE_XRAY_TYPED_EVENT: *at = start; return take_event(self, batch, at, end, &record);
    default: break;
    }
    return STELE_OK;
}

static const uint8_t function_kinds[XRAY_ACTION_COUNT] = {STELE_KIND_BEGIN, STELE_KIND_END,
                                                          STELE_KIND_TAIL_EXIT, STELE_KIND_BEGIN};

/*
 * Takes function records, the bulk of every trace, in one loop without calls. All that the loop
 * reads is in local variables, because stores to events could alias other memory. It stops at a
 * metadata record, a bad action, a function without known name or of another object than the first,
 * a time that does not fit, or when the batch is full.
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

/* Takes the function record at `*at`, at which take_functions() stopped. `*at` stays if it is not
   one. */
static stele_status take_function(fdr_producer *self, stele_batch *batch, const uint8_t **at)
{
    const bool big = self->trace->header.is_big_endian;
    const uint32_t word = xray_load32(big, *at);
    const uint32_t function = xray_function(big, word);
    stele_name name = xray_trace_known(self->trace, function);
    stele_event *event;
    if (name == 0) {
        bool is_sure = false;
        if (fdr_is_no_function(self, batch, at, function, &is_sure))
            return STELE_OK;
        self->doubts += !is_sure;
        name = xray_trace_learn(self->trace, batch, function, is_sure || self->doubts > DOUBTS_MAX);
    }
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

/* Returns up to where functions are taken before positions are compared again. */
static const uint8_t *likely_end(const fdr_producer *self, const uint8_t *at, const uint8_t *stop)
{
    const uint64_t left = self->likely_end - window_offset_of(&self->w, at);
    const size_t whole =
        (size_t)(left + XRAY_FUNCTION_SIZE - 1) & ~(size_t)(XRAY_FUNCTION_SIZE - 1);
    return whole < (size_t)(stop - at) ? at + whole : stop;
}

stele_status fdr_take_records(fdr_producer *self, stele_batch *batch, const uint8_t *stop)
{
    const bool big = self->trace->header.is_big_endian, is_all = self->is_ahead_all;
    const uint8_t *const end = self->ahead;
    const uint8_t *at = self->w.at;
    stele_status status = STELE_OK;
    while (status == STELE_OK && self->has_range && at < stop && !batch_is_full(batch)) {
        if (self->is_lost) {
            fdr_seek_records(self, batch, &at, end, is_all);
            if (self->is_lost)
                break;
        } else if (!xray_is_metadata(big, at)) {
            const uint8_t *const before = at, *likely;
            if ((size_t)(end - at) < XRAY_FUNCTION_SIZE) {
                if (is_all && fdr_is_askew_at_end(self, batch, &at, end))
                    continue;
                if (is_all) {
                    status = end_short(self, batch, at, (size_t)(end - at), NULL);
                    at = end;
                }
                break;
            }
            if (fdr_has_drifted(self, batch, &at)) {
                if (self->needs_row)
                    break;
                continue;
            }
            if (xray_action(big, xray_load32(big, at)) < XRAY_ACTION_COUNT)
                check_begin(self, at);
            likely = likely_end(self, at, stop);
            at = big ? take_functions(self, batch, true, at, likely)
                     : take_functions(self, batch, false, at, likely);
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
            fdr_skip_damage(self, at, STELE_XRAY_BAD_ACTION);
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
