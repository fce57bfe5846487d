/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding after damage: what the problem was, and whether events can begin at another position. */
#include "formats/ctf/records/decoder.h"

void decoder_defer(ctf_decoder *r)
{
    r->defers = true;
}

const decoder_problem *decoder_last_problem(const ctf_decoder *r)
{
    return &r->problem;
}

void decoder_unloadable(ctf_decoder *r, size_t loaded)
{
    decoder_bad(r, CTF470, r->position - r->data_at, "an event record that can be held in memory",
                "more than %zu bytes", loaded);
}

uint64_t decoder_event_alignment(const ctf_decoder *r)
{
    const ctf_class *header = r->stream_class->event_header;
    return header != NULL ? header->alignment : 0;
}

bool decoder_has_event_id(const ctf_decoder *r)
{
    return r->own->event_header_has_id;
}

decode_outcome decoder_try(ctf_decoder *r, const packet_view *view, uint64_t position,
                           stele_batch *batch)
{
    const uint64_t was = r->position, last_ticks = r->last_ticks;
    const bit_order order = r->order;
    decode_outcome outcome;
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->marks[i] = r->clocks[i].now;
    stele_batch_clear(batch);
    r->position = position;
    r->order = ORDER_UNKNOWN;
    r->last_ticks = *r->clock;
    outcome = decoder_events(r, view, batch);
    for (uint32_t i = 0; i < r->clock_count; i++)
        r->clocks[i].now = r->marks[i];
    r->position = was;
    r->order = order;
    r->last_ticks = last_ticks;
    return outcome;
}

void decoder_move(ctf_decoder *r, uint64_t position)
{
    r->position = position;
    r->order = ORDER_UNKNOWN;
}

void decoder_set_ticks(ctf_decoder *r, uint64_t ticks)
{
    for (uint32_t i = 0; i < r->clock_count; i++)
        if (r->clock == &r->clocks[i].now)
            r->clocks[i].now = r->last_ticks = ticks;
}
