/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips blocks of a stream. A producer only goes forward: it reads on while the next block is
 * wanted, too, and after blocks that are not wanted it takes over the state of the next one that
 * is:
 *
 *     blocks   |  0  |  1  |  2  |  3  |  4  |  5  |  6  |
 *     wanted      x                 x     x           x
 *     read     >-----|            >-----------|     >-----
 *
 * If a state is refused, the producer reads on, which is always right.
 *
 * If it is asked which calls are open at a time, everything is read from the first block on that
 * has an event at or after that time. Of the blocks before, those are visited in which calls began
 * that are open where that block begins; only the events that begin them are delivered.
 */
#include "flow/seek.h"

#include <stdlib.h>

#include "core/array.h"

/* An earlier block of which only some events are delivered. */
typedef struct visit {
    uint32_t block;
    uint32_t count; /* number of events to be delivered */
    uint32_t next;  /* how many of them were delivered */
    const uint64_t *places;
} visit;

typedef struct seeking {
    producer base;
    producer *from;
    diag_sink *diag;
    const char *source;
    const seek_index *index;
    const seek_stream *stream;
    int64_t begin_ns, end_ns;
    uint32_t end; /* number of the first block after those that are read without a gap */
    bool is_refused;

    visit *visits; /* blocks still to be visited; the last element comes first */
    uint32_t visit_count, visit_capacity;
    uint32_t first; /* all blocks from here to the end of the range are wanted */
    bool is_visiting;
} seeking;

static bool is_wanted(const seeking *s, uint32_t block)
{
    return seek_block_is_wanted(&s->stream->blocks[block], s->begin_ns, s->end_ns);
}

static void refuse(seeking *s)
{
    s->is_refused = true;
    s->from->stop = UINT64_MAX;
    diag_report(s->diag, &core_codes[STE017], s->source, STELE_NO_OFFSET, 0,
                "an index of this trace as it is now", "%s",
                "a place to go on at that is none; all is read");
}

/* Moves the producer to the start of a block, unless it is already there. Returns false if the
   state was refused. */
static bool go_to(seeking *s, uint32_t block)
{
    const seek_block *to = &s->stream->blocks[block];
    cursor state = cursor_make(s->index->states + to->state, to->state_size);
    return s->from->position == to->position ||
           (s->from->ops->seek(s->from, to->position, &state) && cursor_left(&state) == 0);
}

/* Sets the block before which the producer is to stop. */
static void read_until(seeking *s, uint32_t end)
{
    s->end = end;
    s->from->stop = end < s->stream->count ? s->stream->blocks[end].position : UINT64_MAX;
}

/* Moves the producer to the next wanted block, unless it is in one. Returns false if there is
   none. */
static bool enter_wanted(seeking *s)
{
    const uint32_t count = s->stream->count, here = seek_stream_find(s->stream, s->from->position);
    uint32_t next;
    if (here < s->end)
        return true;
    for (next = here; next < count && !is_wanted(s, next);)
        next++;
    if (next == count)
        return false;
    if (next > here && !go_to(s, next)) {
        refuse(s);
        return true;
    }
    while (++next < count && is_wanted(s, next))
        continue;
    read_until(s, next);
    return true;
}

/* ---- Visits of blocks with open calls ---- */

static bool visits_add(seeking *s, const visit *add)
{
    if (s->visit_count == s->visit_capacity) {
        visit *grown = array_grow(s->visits, sizeof *grown, &s->visit_capacity, 16);
        if (grown == NULL)
            return false;
        s->visits = grown;
    }
    s->visits[s->visit_count++] = *add;
    return true;
}

/* Collects the visits: the blocks before `first` in which open calls began, and those that are
   never skipped. Returns false if out of memory. */
static bool visits_find(seeking *s)
{
    const seek_block *blocks = s->stream->blocks;
    uint32_t at = s->first, depth = SEEK_DEPTH_MAX, block = s->first;
    for (;;) {
        visit opened = {0};
        const bool is_opened =
            seek_stream_opened(s->stream, &at, &depth, &opened.places, &opened.count);
        opened.block = is_opened ? at : 0;
        while (block > opened.block + is_opened) {
            if (blocks[--block].is_whole && !visits_add(s, &(visit){.block = block}))
                return false;
        }
        if (!is_opened)
            return true;
        block = opened.block;
        if (!visits_add(s, &opened))
            return false;
    }
}

/* Keeps the events that a visit is made for, and those that are shown regardless of the range. */
static void visit_select(visit *v, stele_batch *batch)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event event = batch->events[i];
        const bool is_opened = v->next < v->count && event.offset == v->places[v->next];
        v->next += is_opened;
        if (is_opened || seek_event_is_always(&event))
            batch->events[kept++] = event;
    }
    batch->event_count = kept;
}

/* Moves the producer to the block of the next visit, or to `first` after the last one. */
static bool enter_visit(seeking *s)
{
    const uint32_t block = s->visit_count != 0 ? s->visits[s->visit_count - 1].block : s->first;
    uint32_t end = s->stream->count;
    if (!go_to(s, block))
        return false;
    if (s->visit_count != 0) {
        read_until(s, block + 1);
        return true;
    }
    s->is_visiting = false;
    while (end > block + 1 && !is_wanted(s, end - 1))
        end--;
    read_until(s, end);
    return true;
}

/* Fills a batch from the visited block, and moves on after its end. */
static stele_status visit_fill(seeking *s, stele_batch *batch)
{
    visit *v = &s->visits[s->visit_count - 1];
    stele_status status = s->from->ops->fill(s->from, batch);
    if (status != STELE_OK)
        return status;
    visit_select(v, batch);
    if (s->from->position < s->from->stop)
        return STELE_OK;
    s->visit_count--;
    if (s->from->position == s->from->stop && v->next == v->count && enter_visit(s))
        return STELE_OK;
    diag_report(s->diag, &core_codes[STE017], s->source, STELE_NO_OFFSET, 0,
                "an index of this trace as it is now", "%s",
                "a place to go on at that is none; reading ends");
    return STELE_ERR_FORMAT;
}

/* Begins the visits, if it is known which calls are open. Errors: STELE_ERR_MEMORY. */
static stele_status visits_begin(seeking *s, int64_t open_ns)
{
    const seek_stream *stream = s->stream;
    if (open_ns == INT64_MIN || !stream->knows_open)
        return STELE_OK;
    while (s->first + 1 < stream->count &&
           !(stream->blocks[s->first].begin_ns <= stream->blocks[s->first].end_ns &&
             stream->blocks[s->first].end_ns >= open_ns))
        s->first++;
    s->is_visiting = s->first != 0;
    if (!s->is_visiting)
        return STELE_OK;
    if (!visits_find(s))
        return STELE_ERR_MEMORY;
    if (!enter_visit(s)) { /* all blocks are then read, as if nothing was known */
        s->is_visiting = false;
        refuse(s);
    }
    return STELE_OK;
}

/* ---- The seeking producer ---- */

static stele_status seeking_fill(producer *self, stele_batch *batch)
{
    seeking *s = (seeking *)self;
    stele_status status;
    if (s->is_visiting) {
        status = visit_fill(s, batch);
    } else if (s->is_refused || enter_wanted(s)) {
        status = s->from->ops->fill(s->from, batch);
    } else {
        stele_batch_clear(batch);
        return STELE_END;
    }
    s->base.lost_count = s->from->lost_count;
    s->base.missing_count = s->from->missing_count;
    s->base.balance = s->from->balance;
    producer_take_bounds(&s->base, s->from);
    return status;
}

static void seeking_close(producer *self)
{
    seeking *s = (seeking *)self;
    s->from->ops->close(s->from);
    free(s->visits);
    free(s);
}

stele_status producer_seek(const stele_trace *trace, const produce_request *request,
                           int64_t open_ns, producer *from, producer **out)
{
    static const producer_ops ops = {.fill = seeking_fill, .close = seeking_close};
    const seek_stream *stream = seek_index_of(trace, request->stream);
    seeking *s;
    stele_status status = STELE_ERR_MEMORY;
    *out = from;
    if (stream == NULL || request->check || from->ops->seek == NULL ||
        (request->begin_ns == INT64_MIN && request->end_ns == INT64_MAX && open_ns == INT64_MIN))
        return STELE_OK;
    s = calloc(1, sizeof *s);
    if (s != NULL) {
        *s = (seeking){.base = {.ops = &ops, .kinds = from->kinds},
                       .from = from,
                       .diag = &trace->context->diag,
                       .source = trace->info.path,
                       .index = trace->seek,
                       .stream = stream,
                       .begin_ns = request->begin_ns,
                       .end_ns = request->end_ns};
        status = visits_begin(s, open_ns);
    }
    if (status == STELE_OK) {
        *out = &s->base;
        return STELE_OK;
    }
    if (s != NULL)
        free(s->visits);
    free(s);
    from->ops->close(from);
    *out = NULL;
    return status;
}
