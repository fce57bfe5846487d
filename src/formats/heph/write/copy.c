/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies packets as they are, but for their counters if those of events that are left out would
 * count as lost. Options hold for the whole trace, so all of them are kept, each at its place
 * between the events.
 */
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "formats/heph/trace.h"
#include "formats/heph/write/renumber.h"

#define COPY_PART_SIZE ((size_t)64 << 10)

typedef struct heph_copier {
    copier base;
    output *out;
    heph_scan scan;
    /* The next packet that is still to be decided on. */
    heph_packet packet;
    stele_status status;
    /* Used when base.renumbers is set. */
    renumbering counters;
} heph_copier;

/* The offset of the counter in an event packet. */
#define COUNTER_AT 12u

/* Copies a packet in parts that is too large to be held in memory. `counter` is that of the copy;
   NULL for one without. */
static void copy_large(heph_copier *c, const heph_packet *packet, const uint32_t *counter)
{
    for (uint64_t done = 0; done < packet->size;) {
        const uint64_t left = packet->size - done;
        uint8_t *to = output_reserve(c->out, COPY_PART_SIZE);
        size_t got = 0;
        if (to == NULL) {
            c->status = STELE_ERR_MEMORY;
            return;
        }
        c->status = input_read(c->scan.win.in, packet->offset + done, to,
                               left < COPY_PART_SIZE ? (size_t)left : COPY_PART_SIZE, &got);
        if (counter != NULL && done == 0 && got >= COUNTER_AT + 4)
            store_be32(to + COUNTER_AT, *counter);
        output_advance(c->out, got);
        done += got;
        if (c->status != STELE_OK || got == 0)
            return;
    }
}

static void copy_packet(heph_copier *c, const uint32_t *counter)
{
    const heph_packet *packet = &c->packet;
    uint8_t head[COUNTER_AT + 4];
    if (packet->bytes_size != packet->size) {
        copy_large(c, packet, counter);
    } else if (counter == NULL || packet->size < sizeof head) {
        output_write(c->out, packet->bytes, packet->bytes_size);
    } else {
        memcpy(head, packet->bytes, COUNTER_AT);
        store_be32(head + COUNTER_AT, *counter);
        output_write(c->out, head, sizeof head);
        output_write(c->out, packet->bytes + sizeof head, packet->bytes_size - sizeof head);
    }
}

/* Takes the counter of the packet that is decided on, if that is an event. */
static void renumber(heph_copier *c, bool is_kept, uint32_t *counter)
{
    const heph_packet *packet = &c->packet;
    if (packet->kind == STELE_HEPH_EVENT &&
        !renumber_next(&c->counters, packet->event.stream, packet->event.counter, is_kept, counter))
        c->status = STELE_ERR_MEMORY;
}

/* Moves on to the packet at an offset, and copies the options on the way. */
static void copy_options_until(heph_copier *c, uint64_t offset)
{
    uint32_t counter;
    while (c->status == STELE_OK && c->packet.offset < offset) {
        if (c->packet.kind == STELE_HEPH_METADATA)
            copy_packet(c, NULL);
        else if (c->base.renumbers)
            renumber(c, false, &counter);
        if (c->status == STELE_OK)
            c->status = heph_scan_next(&c->scan, &c->packet);
    }
}

static stele_status heph_keep(copier *self, const stele_batch *batch, const stele_event *event)
{
    heph_copier *c = (heph_copier *)self;
    uint32_t counter = 0;
    (void)batch;
    /* A lost event stands for something that is not in the input, and an option is copied
       anyway. */
    if (event->kind != STELE_KIND_COMPLETE)
        return c->status == STELE_END ? STELE_OK : c->status;
    copy_options_until(c, event->offset);
    if (c->status == STELE_OK && c->packet.offset == event->offset) {
        if (c->base.renumbers)
            renumber(c, true, &counter);
        if (c->status == STELE_OK)
            copy_packet(c, c->base.renumbers ? &counter : NULL);
        if (c->status == STELE_OK)
            c->status = heph_scan_next(&c->scan, &c->packet);
    }
    return c->status == STELE_END ? STELE_OK : c->status;
}

static stele_status heph_copier_finish(copier *self)
{
    heph_copier *c = (heph_copier *)self;
    copy_options_until(c, UINT64_MAX);
    if (c->counters.changed_count != 0)
        losses_add(&self->losses, STELE_KIND_COMPLETE,
                   "counter, written anew as if what is left out had not been", LOSS_FORM,
                   c->counters.changed_count);
    return c->status == STELE_END ? STELE_OK : c->status;
}

static void heph_copier_close(copier *self)
{
    heph_copier *c = (heph_copier *)self;
    heph_scan_close(&c->scan);
    renumber_free(&c->counters);
    free(c);
}

stele_status heph_copier_open(stele_trace *trace, output *out, copier **result)
{
    static const copier_ops ops = {heph_keep, heph_copier_finish, heph_copier_close, NULL, NULL};
    const stele_limits *limits = &trace->context->limits;
    input *in = source_input(trace->source);
    heph_copier *c;
    stele_status status;
    *result = NULL;
    if (!in->is_seekable)
        return STELE_ERR_UNSUPPORTED;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    *c = (heph_copier){.base.ops = &ops, .out = out, .counters.streams_max = limits->providers_max};
    /* The reader of the events reports what is wrong, so this scan reports nothing. */
    status = heph_scan_open(&c->scan, in, ((heph_trace *)trace)->layout, NULL, limits->window_size,
                            limits->record_size_max);
    if (status == STELE_OK)
        status = heph_scan_next(&c->scan, &c->packet);
    if (status != STELE_OK && status != STELE_END) {
        heph_copier_close(&c->base);
        return status;
    }
    c->status = status;
    *result = &c->base;
    return STELE_OK;
}
