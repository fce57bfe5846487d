/* SPDX-License-Identifier: Apache-2.0 */
/* Turns packets into batches of events. */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/ctf/read/producer.h"
#include "model/batch.h"

/* ---- Opening and closing of streams ---- */

static const ctf_stream *current_stream(const ctf_producer *self)
{
    return &self->trace->streams[self->stream];
}

static stele_status open_stream(ctf_producer *self)
{
    const ctf_stream *stream = current_stream(self);
    ctf_subtrace *subtrace = &self->trace->subtraces[stream->subtrace];
    const stele_status status = spans_of(self->trace, subtrace, &self->spans);
    /* Spans that are open at the requested begin began before it. */
    const int64_t begin_ns = self->spans != NULL ? INT64_MIN : self->request.begin_ns;
    const walk_options options = {.window_size = self->request.window_size,
                                  .begin_ns = begin_ns,
                                  .end_ns = self->request.end_ns,
                                  .is_copied = self->trace->copier != NULL,
                                  .check = self->request.check};
    ctf_programs *programs =
        status == STELE_OK ? program_set_of(self->trace, self->programs, subtrace) : NULL;
    if (self->decoder == NULL || self->decoder_programs != programs) {
        decoder_free(self->decoder);
        self->decoder = programs != NULL ? decoder_new(programs) : NULL;
        self->decoder_programs = programs;
    }
    if (self->decoder == NULL)
        return STELE_ERR_MEMORY;
    decoder_set_track(self->decoder, stream->track);
    self->losses = (ctf_losses){0};
    self->is_mend_reported = false;
    self->has_walk = true;
    return ctf_walk_open(&self->walk, self->trace, stream, programs, self->decoder, &options);
}

/* The balance of the stream that is open. */
static stele_balance own_balance(const ctf_producer *self)
{
    return self->request.part_count > 1 ? ctf_part_balance(self) : self->walk.balance;
}

static void close_stream(ctf_producer *self)
{
    if (self->has_walk) {
        const stele_balance own = own_balance(self);
        balance_add(&self->passed, &own);
        ctf_walk_close(&self->walk);
    }
    self->has_walk = false;
    self->packet = NULL;
}

/* ---- Lost events and packets ---- */

static int64_t ticks_ns(const ctf_packet *packet, uint64_t ticks)
{
    bool is_clamped = false;
    return packet->head.clock != NULL ? clock_ns(packet->head.clock, ticks, &is_clamped) : 0;
}

static bool push_loss(ctf_producer *self, stele_batch *batch, stele_name name, uint64_t count)
{
    const uint32_t first = batch->field_count;
    stele_event *event = batch_push_event(batch);
    *event = (stele_event){.time_ns = ticks_ns(self->packet, self->loss.begin_ticks),
                           .ticks = self->loss.begin_ticks,
                           .value = name == self->trace->name_lost_events ? count : 0,
                           .id = (uint64_t)ticks_ns(self->packet, self->loss.end_ticks),
                           .offset = self->packet->offset,
                           .name = name,
                           .track = current_stream(self)->track,
                           .field_first = first,
                           .kind = STELE_KIND_LOST,
                           .flags = self->packet->head.clock == NULL ? STELE_FLAG_NO_TIME : 0};
    if (name == self->trace->name_lost_events || (batch->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = (stele_field){
        .name = self->trace->name_packets, .type = STELE_TYPE_UINT, .width = 64, .u.u = count};
    return batch_set_fields(batch, event, first);
}

static stele_status push_losses(ctf_producer *self, stele_batch *batch)
{
    const ctf_loss loss = self->loss;
    if (loss.events != 0) {
        if (!push_loss(self, batch, self->trace->name_lost_events, loss.events))
            return STELE_ERR_MEMORY;
        self->base.lost_count += loss.events;
    }
    if (loss.packets != 0) {
        if (!push_loss(self, batch, self->trace->name_lost_packets, loss.packets))
            return STELE_ERR_MEMORY;
        self->base.missing_count += loss.packets;
    }
    self->loss = (ctf_loss){0};
    return STELE_OK;
}

/* ---- Opening and closing of packets ---- */

static stele_status open_packet(ctf_producer *self)
{
    ctf_part_place place = CTF_PART_IN;
    stele_status status = ctf_walk_next(&self->walk, &self->packet);
    if (status == STELE_OK && self->request.part_count > 1)
        place = ctf_part_packet(self, self->packet);
    if (place == CTF_PART_AFTER) {
        self->stream_end = self->stream + 1; /* the part ends here */
        status = STELE_END;
    }
    if (status != STELE_OK) {
        self->packet = NULL;
        return status;
    }
    self->walk.is_outside |= place == CTF_PART_BEFORE;
    self->has_event = false;
    if (self->walk.is_after_gap)
        self->losses = (ctf_losses){.is_part = true, .discarded_highest = self->walk.lost_before};
    self->losses.is_quiet = self->walk.is_outside;
    self->loss = losses_take(&self->losses, &self->walk.current->packets, self->packet);
    if (self->walk.is_outside) {
        self->loss = (ctf_loss){0};
        self->packet = NULL;
        return STELE_OK;
    }
    status = content_enter(&self->content, &self->walk.current->packets, &self->walk.current->w,
                           self->packet, self->decoder);
    if (status != STELE_ERR_FORMAT)
        return status;
    self->walk.left_out = ctf_packet_content_size(self->packet);
    self->packet = NULL;
    return STELE_OK;
}

/* Reports events outside of their packet's times: only once a stream if the tracer is known for
   it. */
static void judge_range(ctf_producer *self, const char *what, uint64_t ticks, uint64_t bound,
                        unsigned mend)
{
    const bool is_known = (self->walk.current->packets.subtrace->mends & mend) != 0;
    if ((is_known && self->is_mend_reported) ||
        diag_is_explained(&self->trace->base.context->diag, STELE_WARNING,
                          self->walk.current->file->path, self->packet->offset, 0))
        return; /* CTF406 says that the packet's times are wrong */
    self->is_mend_reported |= is_known;
    ctf_report(self->trace, is_known ? CTF414 : CTF413, self->walk.current->file->path,
               self->packet->offset * 8, 0, 0,
               "events between the begin and the end of their packet",
               "an event at %" PRIu64 " cycles, %s at %" PRIu64, ticks, what, bound);
}

static void judge_first(ctf_producer *self, const stele_event *event)
{
    const packet_head *head = &self->packet->head;
    if (self->request.check && (head->has & CTF_ROLE_PACKET_BEGIN) != 0 &&
        (event->flags & STELE_FLAG_NO_TIME) == 0 && event->ticks < head->begin_ticks)
        judge_range(self, "before the begin", event->ticks, head->begin_ticks,
                    CTF_MEND_BEFORE_PACKET);
}

static void close_packet(ctf_producer *self, bool is_whole)
{
    const packet_head *head = &self->packet->head;
    if (self->has_event && decoder_ticks(self->decoder) > self->losses.end_ticks)
        self->losses.end_ticks = decoder_ticks(self->decoder);
    if (self->request.check && is_whole && self->has_event && head->clock != NULL &&
        (head->has & CTF_ROLE_PACKET_END) != 0 && decoder_ticks(self->decoder) > head->end_ticks)
        judge_range(self, "after the end", decoder_ticks(self->decoder), head->end_ticks,
                    head->end_ticks == 0 ? CTF_MEND_CRASH : CTF_MEND_AFTER_PACKET);
    packets_leave(&self->walk.current->packets, self->packet, decoder_ticks(self->decoder));
    self->walk.left_out = self->content.left_out;
    self->packet = NULL;
}

/* Reports times that do not fit, once a trace. Times rise, so if any of the batch does not fit,
   then the last one does not. */
static void judge_times(ctf_producer *self, const stele_event *event, const stele_event *end)
{
    if ((end[-1].flags & STELE_FLAG_CLAMPED) == 0 || self->trace->is_clamped_told)
        return;
    while ((event->flags & STELE_FLAG_CLAMPED) == 0)
        event++;
    self->trace->is_clamped_told = true;
    diag_report(&self->trace->base.context->diag, &core_codes[STE010],
                self->walk.current->file->path, event->offset, event->size, NULL,
                "events at %" PRIu64 " cycles and later", event->ticks);
}

/* Fills the batch with events of the current packet, and closes the packet at its end. */
static stele_status fill_events(ctf_producer *self, stele_batch *batch)
{
    const uint32_t before = batch->event_count;
    const decode_outcome outcome = content_events(&self->content, batch);
    const stele_status reading = self->walk.current->w.status;
    if (batch->event_count > before && !self->has_event) {
        self->has_event = true;
        judge_first(self, &batch->events[before]);
    }
    if (self->spans != NULL && !spans_restore(self->spans, batch, before))
        return STELE_ERR_MEMORY;
    if (batch->event_count > before)
        judge_times(self, &batch->events[before], &batch->events[batch->event_count]);
    if (outcome == DECODE_MEMORY)
        return STELE_ERR_MEMORY;
    if (outcome != DECODE_OK)
        close_packet(self, outcome == DECODE_END);
    return outcome == DECODE_BAD ? reading : STELE_OK;
}

/* ---- The producer of events ---- */

static void set_place(const ctf_producer *self, stele_batch *batch)
{
    batch->file = (uint32_t)(self->walk.current->file - self->trace->files);
    batch->packet = self->packet->offset;
}

static stele_status fill_stream(ctf_producer *self, stele_batch *batch)
{
    const bool is_shared = (batch->columns & STELE_COLUMN_CONTEXT) == 0;
    stele_status status = STELE_OK;
    while (status == STELE_OK && !batch_is_full(batch)) {
        if (self->packet == NULL) {
            if ((batch->event_count != 0 && !is_shared) || self->is_by_packet)
                return STELE_OK;
            status = open_packet(self);
        } else if (self->loss.events != 0 || self->loss.packets != 0) {
            /* A loss gets a batch of its own, as it does not belong to the packet whose context the
               batch has. */
            if (batch->event_count != 0)
                return STELE_OK;
            set_place(self, batch);
            return push_losses(self, batch);
        } else {
            set_place(self, batch);
            status = fill_events(self, batch);
        }
    }
    return status;
}

/* Returns STELE_END if no stream has more events. */
static stele_status fill_streams(ctf_producer *self, stele_batch *batch)
{
    stele_status status = STELE_END;
    while (self->stream < self->stream_end) {
        if (self->request.part_count > 1 && !self->has_walk && !ctf_part_stream(self))
            self->stream_end = self->stream;
        if (self->stream == self->stream_end)
            break;
        status = self->has_walk ? STELE_OK : open_stream(self);
        batch->stream = current_stream(self)->number;
        if (status == STELE_OK)
            status = fill_stream(self, batch);
        if (status != STELE_END)
            return status;
        close_stream(self);
        self->stream++;
        self->stream_place = self->next_place;
        if (batch->event_count != 0)
            return STELE_OK;
    }
    return STELE_END;
}

static void take_balance(ctf_producer *self)
{
    self->base.balance = self->passed;
    if (self->has_walk) {
        const stele_balance own = own_balance(self);
        balance_add(&self->base.balance, &own);
    }
}

static stele_status ctf_fill(producer *base, stele_batch *batch)
{
    ctf_producer *self = (ctf_producer *)base;
    stele_status status;
    stele_batch_clear(batch);
    batch->columns = self->request.columns & (STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW);
    status = fill_streams(self, batch);
    take_balance(self);
    return status;
}

static void ctf_close(producer *base)
{
    ctf_producer *self = (ctf_producer *)base;
    close_stream(self);
    content_free(&self->content);
    decoder_free(self->decoder);
    program_set_give_back(self->trace, self->programs);
    free(self);
}

/* The kinds that events of a trace can have: where Stele's writer did not keep kinds in fields, all
   but losses are instants. */
static uint64_t kinds_of(const ctf_trace *trace)
{
    for (uint32_t i = 0; i < trace->subtrace_count && !trace->shows_as_written; i++)
        if (spans_are_marked(&trace->subtraces[i].schema))
            return 0;
    return STELE_KIND_BIT(STELE_KIND_INSTANT) | STELE_KIND_BIT(STELE_KIND_LOST);
}

stele_status ctf_producer_new(ctf_trace *trace, const produce_request *request, uint32_t first,
                              uint32_t end, ctf_producer **out)
{
    static const producer_ops ops = {.fill = ctf_fill, .close = ctf_close};
    ctf_producer *self = calloc(1, sizeof *self);
    *out = NULL;
    if (self == NULL)
        return STELE_ERR_MEMORY;
    self->base.ops = &ops;
    self->base.kinds = kinds_of(trace);
    self->trace = trace;
    self->request = *request;
    self->stream = first;
    self->stream_end = end;
    ctf_part_begin(self);
    self->programs = program_set_take(trace, request);
    if (self->programs == NULL) {
        ctf_close(&self->base);
        return STELE_ERR_MEMORY;
    }
    *out = self;
    return STELE_OK;
}

stele_status ctf_producer_begin(ctf_producer *self, const ctf_losses *losses, uint64_t clock)
{
    const stele_status status = open_stream(self);
    self->is_by_packet = true;
    self->losses = *losses;
    self->walk.clock = clock;
    return status;
}

stele_status ctf_producer_packet(ctf_producer *self)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && self->packet == NULL)
        status = open_packet(self);
    take_balance(self);
    return status;
}
