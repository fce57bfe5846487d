/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading only goes forward. A producer goes on where it is as long as blocks that are wanted
 * follow each other, and takes over the state of the next such block after those that are not:
 *
 *     blocks   |  0  |  1  |  2  |  3  |  4  |  5  |  6  |
 *     wanted      x                 x     x           x
 *     read     >-----|            >-----------|     >-----
 *
 * Where a state is refused, it reads on, which is always right.
 */
#include "flow/seek.h"

#include <stdlib.h>

typedef struct seeking {
    producer base;
    producer *from;
    diag_sink *diag;
    const char *source;
    const seek_index *index;
    const seek_stream *stream;
    int64_t begin_ns, end_ns;
    uint32_t end; /* blocks up to here are read without a gap */
    bool is_refused;
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

/* Brings the producer to the next block that is wanted, if it is not in one; false: there is none.
 */
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
    if (next > here) {
        const seek_block *to = &s->stream->blocks[next];
        cursor state = cursor_make(s->index->states + to->state, to->state_size);
        if (!s->from->ops->seek(s->from, to->position, &state) || cursor_left(&state) != 0) {
            refuse(s);
            return true;
        }
    }
    for (s->end = next + 1; s->end < count && is_wanted(s, s->end);)
        s->end++;
    s->from->stop = s->end < count ? s->stream->blocks[s->end].position : UINT64_MAX;
    return true;
}

static stele_status seeking_fill(producer *self, stele_batch *batch)
{
    seeking *s = (seeking *)self;
    stele_status status;
    if (!s->is_refused && !enter_wanted(s)) {
        stele_batch_clear(batch);
        return STELE_END;
    }
    status = s->from->ops->fill(s->from, batch);
    s->base.lost_count = s->from->lost_count;
    s->base.missing_count = s->from->missing_count;
    s->base.balance = s->from->balance;
    return status;
}

static void seeking_close(producer *self)
{
    seeking *s = (seeking *)self;
    s->from->ops->close(s->from);
    free(s);
}

stele_status producer_seek(const stele_trace *trace, const produce_request *request, producer *from,
                           producer **out)
{
    static const producer_ops ops = {.fill = seeking_fill, .close = seeking_close};
    const seek_stream *stream = seek_index_of(trace, request->stream);
    seeking *s;
    *out = from;
    if (stream == NULL || request->check || from->ops->seek == NULL ||
        (request->begin_ns == INT64_MIN && request->end_ns == INT64_MAX))
        return STELE_OK;
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        from->ops->close(from);
        *out = NULL;
        return STELE_ERR_MEMORY;
    }
    *s = (seeking){.base = {.ops = &ops, .kinds = from->kinds},
                   .from = from,
                   .diag = &trace->context->diag,
                   .source = trace->info.path,
                   .index = trace->seek,
                   .stream = stream,
                   .begin_ns = request->begin_ns,
                   .end_ns = request->end_ns};
    *out = &s->base;
    return STELE_OK;
}
