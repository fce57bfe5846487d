/* SPDX-License-Identifier: Apache-2.0 */
/* Reads FDR buffers one after the other. Their records are in fdr_records.c, basic-mode logs in
   basic.c, profiling files in profile.c. */
#include <stdlib.h>

#include "formats/xray/read/fdr.h"
#include "formats/xray/read/producers.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/records/decode.h"
#include "model/await.h"
#include "model/batch.h"

/* Kinds of events of function records. */
#define FUNCTION_KINDS                                                   \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) | \
     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT))

/* ---- Loading and reading buffers ---- */

/* Returns the end of the loaded bytes of the buffer; `*is_all` says that it is the end of the
   buffer. */
static const uint8_t *loaded_end(fdr_producer *self, bool *is_all)
{
    const uint64_t left = self->range.end - window_offset(&self->w);
    const size_t there = (size_t)(self->w.end - self->w.at);
    *is_all = there >= left;
    return *is_all ? self->w.at + left : self->w.end;
}

/* Loads the next record as a whole. If that fails because the input ends or the record is too long,
   sets `is_starved`: the bytes that are there are all. */
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
            want = fdr_size_to_judge(self, self->w.at, &record);
            left = window_need(&self->w, want);
        }
    }
    self->is_starved = left < want;
    self->needs_row = false;
    return self->w.status;
}

/*
 * Checks the end of the buffer, as extents can be damaged. The locator does that if the input can
 * be read at any position; on a sequential input it is only possible once the end is loaded. If
 * nothing begins there, the buffer continues until its records lead to the next one.
 */
#define END_WAIT_MS 1000

static void check_end(fdr_producer *self)
{
    const uint64_t left = self->range.end - window_offset(&self->w);
    size_t there;
    self->is_end_checked = true;
    if (self->w.in->is_seekable || self->trace->header.version == 1)
        return;
    /* Bytes that may arrive much later cannot be checked. */
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

/* Moves the last event of the batch, whose arguments may arrive much later, to the next batch. */
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

/* Begins the batch with the event that put_aside() has moved to it. */
static stele_status take_from_aside(fdr_producer *self, stele_batch *batch)
{
    if (self->aside == NULL || self->aside->event_count == 0)
        return STELE_OK;
    if (!batch_copy_event(batch, self->aside, self->aside->events))
        return STELE_ERR_MEMORY;
    stele_batch_clear(self->aside);
    return STELE_OK;
}

/* Waits for what follows an entry that logs arguments, as producer_await() does. Other events of
   the batch do not wait for it. */
static stele_status await_argument(fdr_producer *self, stele_batch *batch, size_t want)
{
    const int64_t patience_ms = self->w.in->diag->patience_ms;
    const int64_t wait_ms = batch->event_count > 1 ? 0 : patience_ms > 0 ? patience_ms : -1;
    if (batch->event_count == 0 || window_await(&self->w, want, wait_ms))
        return STELE_OK;
    return put_aside(self, batch);
}

/* Takes the arguments of the last event even if the batch is full. */
static stele_status take_arguments(fdr_producer *self, stele_batch *batch)
{
    const bool big = self->trace->header.is_big_endian;
    stele_status status = STELE_OK;
    if (self->base.is_dry)
        return STELE_OK; /* the input has no more bytes now */
    if (self->is_argument_due && self->has_range && self->w.in->waits &&
        window_offset(&self->w) + XRAY_METADATA_SIZE <= self->range.end)
        status = await_argument(self, batch, XRAY_METADATA_SIZE);
    while (status == STELE_OK && self->has_range && !self->is_lost && batch->event_count != 0 &&
           batch->events[batch->event_count - 1].kind == STELE_KIND_BEGIN &&
           window_offset(&self->w) + XRAY_METADATA_SIZE <= self->range.end &&
           window_need(&self->w, XRAY_METADATA_SIZE) >= XRAY_METADATA_SIZE &&
           xray_is_metadata(big, self->w.at) &&
           xray_metadata_kind(big, self->w.at) == XRAY_META_CALL_ARGUMENT) {
        status = fdr_push_argument(self, batch, self->w.at, xray_load64(big, self->w.at + 1));
        self->w.at += XRAY_METADATA_SIZE;
    }
    return status;
}

/* Takes records up to `end` or to the position at which filling stops, which is between two
   records. */
static stele_status take_until(fdr_producer *self, stele_batch *batch, const uint8_t *end,
                               bool is_all)
{
    const uint8_t *const at = self->w.at;
    uint64_t room;
    fdr_count_records(self);
    self->ahead = end;
    self->is_ahead_all = is_all;
    self->needs_row = false;
    room = self->base.stop > self->base.position ? self->base.stop - self->base.position : 0;
    return fdr_take_records(self, batch, room < (uint64_t)(end - at) ? at + room : end);
}

/* Takes what is loaded of a buffer, from an input that may give more. If that is not a whole
   record, waits for more as producer_await() does. */
static stele_status take_what_came(fdr_producer *self, stele_batch *batch, const uint8_t *end)
{
    const uint8_t *const at = self->w.at;
    stele_status status = STELE_OK;
    self->takes_what_came = true;
    if (at != end)
        status = take_until(self, batch, end, false);
    self->takes_what_came = false;
    fdr_count_records(self);
    if (status != STELE_OK || self->w.at != at || self->is_lost)
        return status;
    if (self->is_argument_due)
        return await_argument(self, batch, (size_t)(end - at) + 1);
    producer_await(&self->base, &self->w, batch, (size_t)(end - at) + 1);
    return STELE_OK;
}

/* Returns how many bytes fdr_next_range() needs. */
static size_t head_want(const fdr_producer *self)
{
    const uint64_t offset = window_offset(&self->w);
    const uint64_t gap = self->locator.next > offset ? self->locator.next - offset : 0;
    return gap < SIZE_MAX - XRAY_HEAD_SIZE ? (size_t)gap + XRAY_HEAD_SIZE : SIZE_MAX;
}

/* Handles the end of the buffer between two records, which can be the end of the file, too. */
static void end_whole(fdr_producer *self)
{
    /* Buffers whose extents are not known end with the file as they should. */
    if (self->range.is_cut && self->range.end != UINT64_MAX) {
        fdr_report(self, XRY005, self->w.at, 0, "the rest of the buffer", "the end of the file");
        self->base.missing_count++;
    }
    fdr_leave_range(self);
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
            status = fdr_next_range(self);
            if (status != STELE_OK)
                break;
        }
        if (thread != UINT32_MAX && self->range.thread != thread && batch->event_count != 0) {
            fdr_count_records(self);
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
            end_whole(self);
        else
            status = take_until(self, batch, end, is_all);
        fdr_count_records(self);
    }
    if (status == STELE_OK)
        status = take_arguments(self, batch);
    fdr_count_records(self);
    return status == STELE_END && batch->event_count != 0 ? STELE_OK : status;
}

static void fdr_close(producer *base)
{
    fdr_producer *self = (fdr_producer *)base;
    window_close(&self->w);
    stele_batch_free(self->aside);
    free(self);
}

bool xray_has_parts(const stele_trace *base)
{
    const xray_trace *trace = (const xray_trace *)base;
    const input *in = source_input(base->source);
    return trace->mode == XRAY_MODE_FDR && in != NULL && in->is_seekable && in->has_size;
}

/* Takes the bounds of the part of a request. */
static void set_part(fdr_producer *self, const produce_request *request)
{
    const uint64_t size = source_input(self->trace->base.source)->size;
    self->part_end = UINT64_MAX;
    self->base.part.end = PART_NOWHERE;
    if (request->part_count < 2)
        return;
    self->part_begin = part_place(size, request->part, request->part_count);
    if (request->part + 1 < request->part_count)
        self->part_end = part_place(size, request->part + 1, request->part_count);
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
    self->locator =
        (xray_locator){.trace = trace, .next = XRAY_HEADER_SIZE, .is_quiet = trace->has_findings};
    /* In file order the producer walks over all bytes. */
    trace->base.balance = self->is_file_order ? (stele_balance){0} : trace->outside;
    self->base.stop = UINT64_MAX;
    xray_ranges_of(trace, request->stream, &self->range_first, &self->range_end);
    self->range_at = self->range_first;
    set_part(self, request);
    return xray_producer_start(&self->base, &self->w, trace, request, 0, UINT64_MAX, out);
}
