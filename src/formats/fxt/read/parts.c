/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a trace: records that begin in a range of bytes. A producer of a part walks from header
 * to header over all records before it, which is a small part of reading them, and takes from them
 * what they define for later ones: strings, threads, providers, clocks, objects.
 */
#include "formats/fxt/read/producer.h"

/* Times of the records that were passed over. */
typedef struct fxt_passed {
    uint64_t ticks; /* of the last one that has a time */
    bool has_ticks;
} fxt_passed;

#define PASSED_TYPES                                                            \
    (1u << STELE_FXT_EVENT | 1u << STELE_FXT_SCHEDULING | 1u << STELE_FXT_LOG | \
     1u << STELE_FXT_PROFILER)

/* Whether later records depend on nothing in a record of this type but its time. */
static bool is_passed(unsigned type)
{
    return (PASSED_TYPES >> type & 1) != 0;
}

/* Each step waits for the header before it, and needs nothing else but the word after it. It is
   compiled twice, once for each byte order. */
static inline __attribute__((always_inline)) bool pass(record_walk *k, uint64_t stop,
                                                       fxt_passed *passed, bool is_big_endian)
{
    const uint8_t *const first = k->window.at + k->step, *const end = k->window.end;
    const uint64_t room = stop - window_offset_of(&k->window, first);
    const uint8_t *at = first, *last = NULL;
    uint64_t header = fxt_word(at, is_big_endian);
    while ((uint64_t)(at - first) < room) {
        const uint64_t size = fxt_bits(header, 4, 15) * FXT_WORD, left = (uint64_t)(end - at);
        uint64_t next;
        if (!is_passed(fxt_type(header)) || size < 2 * FXT_WORD || size + FXT_WORD > left)
            break;
        next = fxt_word(at + size, is_big_endian);
        if (fxt_bits(next, 4, 15) == 0 || size + fxt_bits(next, 4, 15) * FXT_WORD > left)
            break;
        last = at;
        header = next;
        at += size;
    }
    if (last == NULL)
        return false;
    passed->ticks = fxt_word(last + FXT_WORD, is_big_endian);
    passed->has_ticks = true;
    k->window.at = at;
    k->step = 0;
    k->record_size += (uint64_t)(at - first);
    return true;
}

/* Passes over loaded records of such types that begin before `stop`, as walk_next() would give
   them. Returns false if there was none. */
static bool pass_loaded(record_walk *k, uint64_t stop, fxt_passed *passed)
{
    const uint64_t left = (uint64_t)(k->window.end - k->window.at);
    if (k->is_lost || k->step + FXT_WORD > left || window_offset(&k->window) + k->step >= stop)
        return false;
    return k->is_big_endian ? pass(k, stop, passed, true) : pass(k, stop, passed, false);
}

/* Sets the time that records without one take over from those passed over. */
static void pass_time(fxt_producer *p, fxt_passed *passed)
{
    bool is_clamped = false;
    if (passed->has_ticks)
        p->state.current->last_ns =
            fxt_clock_ns(&p->state.current->clock, passed->ticks, &is_clamped);
    passed->has_ticks = false;
}

/* Takes from a record before the part what later ones depend on. The first event of a provider
   makes its stream. Returns false if out of memory. */
static bool pass_record(fxt_producer *p, stele_batch *batch, walk_record *at, fxt_passed *passed)
{
    const unsigned type = fxt_type(at->header);
    const fxt_provider *before = p->state.current;
    const bool has_time = is_passed(type) && at->loaded >= 2 * FXT_WORD;
    stele_fxt_record r;
    if (type == STELE_FXT_LARGE || type == STELE_FXT_BLOB) {
        fxt_producer_decode(p, at, &r);
        if (r.has_ticks)
            *passed = (fxt_passed){r.ticks, true};
        return true;
    }
    if (!has_time || before->stream == UINT32_MAX) {
        pass_time(p, passed);
        if (!fxt_producer_record(p, batch, at))
            return false;
        p->has_parts = false;
        stele_batch_clear(batch);
        batch->columns = p->events.columns;
        if ((p->state.current != before || type >= STELE_FXT_EVENT) &&
            fxt_producer_stream(p, p->state.current) == UINT32_MAX)
            return false;
    }
    if (has_time)
        *passed = (fxt_passed){fxt_word(at->bytes + FXT_WORD, p->walk.is_big_endian), true};
    return true;
}

stele_status fxt_part_pass(fxt_producer *p, stele_batch *batch)
{
    fxt_passed passed = {.has_ticks = false};
    walk_record at;
    p->is_before = false;
    p->walk.diag = p->state.diag = NULL;
    while (fxt_part_offset(p) < p->part_begin) {
        if (pass_loaded(&p->walk, p->part_begin, &passed))
            continue;
        if (!walk_next(&p->walk, &at)) {
            p->is_ended = true;
            break;
        }
        p->base.part.is_stray |= at.is_damaged;
        if (!pass_record(p, batch, &at, &passed))
            return STELE_ERR_MEMORY;
    }
    pass_time(p, &passed);
    p->base.part.is_stray |= p->walk.skipped_size != 0 || p->walk.is_lost;
    p->base.part.begin = p->is_ended ? PART_NOWHERE : fxt_part_offset(p);
    p->walk.record_size = p->walk.skipped_size = 0;
    p->walk.diag = p->state.diag = p->diag;
    p->events.lost_count = 0;
    return p->walk.window.status;
}

/* ---- Bounds ---- */

bool fxt_trace_has_parts(const stele_trace *self)
{
    const input *in = source_input(self->source);
    return in != NULL && in->is_seekable && in->has_size;
}

/* To pass over a byte costs so much of reading it, for which later parts are shorter. */
#define PASS_COST 0.17

static uint64_t place_of_part(uint64_t size, uint32_t part, uint32_t part_count)
{
    double weight = 1, before = 0, all = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        before += i < part ? weight : 0;
        all += weight;
        weight *= 1 - PASS_COST;
    }
    return (uint64_t)((double)size * (before / all));
}

void fxt_part_begin(fxt_producer *p, const produce_request *request)
{
    const uint64_t size = p->walk.window.in->size;
    p->part_end = UINT64_MAX;
    p->base.part.end = PART_NOWHERE;
    if (request->part_count < 2)
        return;
    p->part_begin = place_of_part(size, request->part, request->part_count);
    p->is_before = request->part != 0;
    if (request->part + 1 < request->part_count)
        p->part_end = place_of_part(size, request->part + 1, request->part_count);
}
