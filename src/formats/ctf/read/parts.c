/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a trace: packets whose places are in a range. A producer of a part walks over the heads
 * of the packets before it in the same stream, from which it knows the counters of lost events.
 */
#include "formats/ctf/read/producer.h"

bool ctf_has_parts(const stele_trace *base)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    return trace->known == NULL && trace->file_count != 0;
}

static uint64_t stream_size(const ctf_trace *trace, uint32_t number)
{
    const ctf_stream *stream = &trace->streams[number];
    uint64_t size = 0;
    for (uint32_t i = 0; i < stream->file_count; i++)
        size += source_member_at(trace->base.source, trace->files[stream->files[i]].member)->size;
    return size;
}

void ctf_part_begin(ctf_producer *self)
{
    const uint32_t part = self->request.part, count = self->request.part_count;
    uint64_t size = 0;
    self->part_end = UINT64_MAX;
    self->base.part.begin = self->base.part.end = PART_NOWHERE;
    if (count < 2)
        return;
    for (uint32_t i = self->stream; i < self->stream_end; i++)
        size += stream_size(self->trace, i);
    self->part_begin = part_place(size, part, count);
    if (part + 1 < count)
        self->part_end = part_place(size, part + 1, count);
}

bool ctf_part_stream(ctf_producer *self)
{
    while (self->stream < self->stream_end) {
        const uint64_t size = stream_size(self->trace, self->stream);
        self->next_place = self->stream_place + size;
        if (size != 0 && self->next_place > self->part_begin)
            break;
        self->stream_place = self->next_place;
        self->stream++;
    }
    self->packet_place = self->stream_place;
    self->before = (stele_balance){0};
    if (self->stream == self->stream_end || self->stream_place < self->part_end)
        return true;
    self->base.part.end = self->stream_place;
    return false;
}

/* Sizes of members may be those of packed files. The last place of a stream then stands for all
   packets from there on. */
ctf_part_place ctf_part_packet(ctf_producer *self, const ctf_packet *packet)
{
    const uint64_t last = self->next_place - 1;
    const uint64_t place = self->packet_place < last ? self->packet_place : last;
    self->packet_place += packet->size;
    if (place < self->part_begin) {
        self->base.part.is_stray |= packet->head.counts_on;
        return CTF_PART_BEFORE;
    }
    if (place >= self->part_end) {
        self->base.part.end = place;
        return CTF_PART_AFTER;
    }
    if (!self->is_in_part) {
        self->is_in_part = true;
        self->base.part.begin = place;
        self->before = self->walk.balance;
        self->base.part.is_stray |= packet->head.counts_on && self->part_begin != 0;
    }
    return CTF_PART_IN;
}

stele_balance ctf_part_balance(const ctf_producer *self)
{
    const stele_balance *all = &self->walk.balance, *before = &self->before;
    if (!self->is_in_part)
        return (stele_balance){0};
    return (stele_balance){.record_size = all->record_size - before->record_size,
                           .padding_size = all->padding_size - before->padding_size,
                           .skipped_size = all->skipped_size - before->skipped_size};
}
