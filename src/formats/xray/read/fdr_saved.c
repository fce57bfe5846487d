/* SPDX-License-Identifier: Apache-2.0 */
/* Saves the state of a reader of FDR buffers between two records, and restores it. */
#include "formats/xray/read/fdr.h"
#include "formats/xray/trace.h"
#include "model/saved_index.h"

#define FLAG_CPU        1u
#define FLAG_TIMELESS   2u
#define FLAG_OVERWRITES 4u
#define FLAG_BITS       3u

/* Saves, in file order, where the next buffer is expected, and the current one unless it is
   NULL. */
static void put_buffer(uint64_t next, const xray_range *range, output *out)
{
    saved_put_u64(out, next);
    saved_put_u64(out, range != NULL);
    if (range == NULL)
        return;
    saved_put_u64(out, range->begin);
    saved_put_u64(out, range->end);
    saved_put_u64(out, range->thread);
    saved_put_u64(out, range->is_cut);
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

bool fdr_mark(const producer *base, output *out)
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
    saved_put_u64(out, self->likely_end);
    if (self->is_file_order)
        put_buffer(self->locator.next, self->has_range ? &self->range : NULL, out);
    return true;
}

bool fdr_put_in_file(const xray_range *range, cursor of_thread, output *out)
{
    const uint8_t *const bytes = of_thread.at;
    const size_t size = cursor_left(&of_thread);
    uint64_t flags;
    /* Whether buffers are overwritten shows in those that were read before, which are others in
       file order. */
    if (!saved_take_u64(&of_thread, &flags) || (flags & FLAG_OVERWRITES) != 0)
        return false;
    output_write(out, bytes, size);
    put_buffer(range->end, range, out);
    return true;
}

void fdr_put_between(uint64_t next, output *out)
{
    for (unsigned i = 0; i < 5; i++)
        saved_put_u64(out, 0); /* no state: the next buffer begins with all that it needs */
    put_buffer(next, NULL, out);
}

/* Moves to a position in file order. */
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

/* Moves to a position in the ranges of the thread. */
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
        fdr_next_range(self);
        window_move(&self->w, self->range.begin + rest, self->range.end);
    }
    return true;
}

bool fdr_seek(producer *base, uint64_t position, cursor *state)
{
    fdr_producer *self = (fdr_producer *)base;
    uint64_t flags, tsc, cpu, likely_end;
    uint32_t entered;
    if (!saved_take_u64(state, &flags) || !saved_take_u64(state, &tsc) ||
        !saved_take_u64(state, &cpu) || !saved_take_u32(state, &entered) ||
        !saved_take_u64(state, &likely_end) || flags >> FLAG_BITS > FDR_BODY || cpu > UINT16_MAX ||
        !(self->is_file_order ? seek_in_file(self, position, state)
                              : seek_in_ranges(self, position)))
        return false;
    self->is_lost = false;
    self->habits.overwrites = (flags & FLAG_OVERWRITES) != 0;
    self->state = (fdr_state)(flags >> FLAG_BITS);
    self->tsc = tsc;
    self->cpu = (uint16_t)cpu;
    self->habits.entered = entered;
    self->likely_end = likely_end;
    self->cpu_flag = (flags & FLAG_CPU) != 0 ? STELE_FLAG_HAS_CPU : 0;
    self->is_timeless_reported = (flags & FLAG_TIMELESS) != 0;
    base->position = position;
    return true;
}
