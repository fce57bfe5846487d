/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/opened_find.h"

#include <stele/analysis.h>

#include <string.h>

#include "core/clock.h"
#include "model/context.h"

#define KINDS_OPENED                                                                \
    (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) |                   \
     STELE_KIND_BIT(STELE_KIND_ASYNC_STEP) | STELE_KIND_BIT(STELE_KIND_ASYNC_END) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | STELE_KIND_BIT(STELE_KIND_FLOW_STEP) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_END) | STELE_KIND_BIT(STELE_KIND_SWITCH))

#define KINDS_MADE                                                               \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | STELE_KIND_BIT(STELE_KIND_SWITCH))

typedef struct finding {
    const stele_context *context;
    stele_picture *picture;
    int64_t begin_ns;
    stele_name before; /* of the picture's mark */
    bool is_over;      /* what is open then was given */
    opened_fn *fn;
    void *user;
} finding;

/* The first tick at or after a time, as the stream converts them: in two parts, each rounded down.
 */
static uint64_t ticks_at(const stele_clock *clock, int64_t time_ns)
{
    const tick_rate rate = tick_rate_make(clock->frequency_hz);
    bool is_clamped = false;
    const int64_t base_ns = tick_rate_ns(&rate, clock->base_ticks, &is_clamped);
    uint64_t ticks;
    if (clock->base_ticks == 0 || time_ns >= base_ns)
        return clock->base_ticks + tick_rate_ticks(&rate, time_ns - base_ns);
    ticks = tick_rate_ticks(&rate, base_ns - time_ns);
    return ticks < clock->base_ticks ? clock->base_ticks - ticks : 0;
}

/* Takes the mark of the picture off an event that it made, and gives what it says. */
static uint64_t take_mark(const finding *f, const stele_batch *batch, stele_event *event)
{
    const stele_field *last = &batch->fields[event->field_first + event->field_count - 1u];
    if (event->field_count == 0 || event->field_count >= STELE_FIELDS_MANY ||
        last->name != f->before)
        return 0;
    event->field_count--;
    return last->u.u;
}

static stele_status take(void *user, const stele_segment *segment)
{
    finding *f = user;
    const stele_batch *batch = segment->batch;
    const stele_stream *stream = stele_stream_get(f->context, batch->stream);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < segment->count && status == STELE_OK && !f->is_over; i++) {
        stele_event event = batch->events[segment->first + i];
        if (event.kind == STELE_KIND_END) { /* the picture ends what it began: that is all */
            f->is_over = true;
        } else if ((KINDS_MADE & STELE_KIND_BIT(event.kind)) != 0 && stream != NULL) {
            const uint64_t before_ns = take_mark(f, batch, &event);
            event.ticks = ticks_at(&stream->clock, f->begin_ns - batch->shift_ns);
            status = f->fn(f->user, batch, &event, before_ns);
        }
    }
    return status;
}

/* Where the request begins on the scale of times. */
static stele_status find_begin(stele_context *context, stele_trace *const *traces, size_t count,
                               const stele_request *request, int64_t *begin_ns)
{
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_reader *reader;
    stele_status status = stele_reader_open(context, traces, count, request, &reader);
    if (status == STELE_OK) {
        stele_reader_get_stats(reader, &stats);
        *begin_ns = stats.range_begin_ns;
    }
    stele_reader_close(reader);
    return status;
}

static stele_status read_all(finding *f, stele_context *context, stele_trace *const *traces,
                             size_t count, const stele_request *request)
{
    const stele_segment *segments;
    stele_reader *reader;
    size_t segment_count;
    stele_status status = stele_reader_open(context, traces, count, request, &reader);
    while (status == STELE_OK &&
           (status = stele_reader_next_segments(reader, &segments, &segment_count)) == STELE_OK) {
        for (size_t i = 0; i < segment_count && status == STELE_OK; i++)
            status = stele_picture_add(f->picture, &segments[i]);
    }
    stele_reader_close(reader);
    return status == STELE_END ? stele_picture_finish(f->picture) : status;
}

stele_status opened_find(stele_context *context, stele_trace *const *traces, size_t count,
                         const stele_request *request, opened_fn *fn, void *user)
{
    finding f = {.context = context,
                 .before = stele_name_intern(context, "stele.before_ns", strlen("stele.before_ns")),
                 .fn = fn,
                 .user = user};
    stele_request wanted = *request;
    diag_sink told;
    stele_status status;
    wanted.from_start = true;
    wanted.order = STELE_ORDER_TIME;
    wanted.columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW;
    wanted.kinds = request->kinds != 0 ? request->kinds & KINDS_OPENED : KINDS_OPENED;
    status = find_begin(context, traces, count, &wanted, &f.begin_ns);
    if (status != STELE_OK || f.begin_ns == INT64_MIN || wanted.kinds == 0)
        return status;
    wanted.begin = (stele_bound){.kind = STELE_BOUND_NONE};
    wanted.end = (stele_bound){STELE_BOUND_CLOCK, f.begin_ns};
    status = stele_picture_new(context, take, &f, &f.picture);
    if (status != STELE_OK)
        return status;
    status = stele_picture_set_window(f.picture, f.begin_ns, INT64_MAX);
    told = context->diag; /* whoever reads what is kept reports what is wrong */
    context->diag.fn = NULL;
    if (status == STELE_OK)
        status = read_all(&f, context, traces, count, &wanted);
    context->diag = told;
    stele_picture_free(f.picture);
    return status;
}
