/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of spans, which the spans engine gives as they end. */
#include "tables/stage.h"

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    const rows r = {.batch = segment->batch,
                    .events = segment->batch->events + segment->first,
                    .spans = spans,
                    .count = segment->count};
    return stage_put(user, &r);
}

static stele_status spans_add(void *user, const stele_segment *segment)
{
    return stele_spans_add(user, segment);
}

static stele_status spans_finish(void *user)
{
    return stele_spans_finish(user);
}

static uint64_t spans_left_out(void *user)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    stele_spans_get_counts(user, &counts);
    return counts.cut_count + counts.refused_count;
}

static stele_status spans_bound(void *user, int64_t begin_ns, int64_t end_ns)
{
    return stele_spans_set_window(user, begin_ns, end_ns);
}

static void spans_close(void *user)
{
    stele_spans_free(user);
}

stele_status stage_open_spans(stele_scan *s, uint32_t needs, stage_engine *engine)
{
    const stele_span_options options = {.struct_size = sizeof options,
                                        .no_fields = (needs & STELE_COLUMN_FIELDS) == 0};
    stele_spans *spans;
    const stele_status status = stele_spans_new(s->context, &options, take, s, &spans);
    if (status != STELE_OK)
        return status;
    *engine = (stage_engine){.user = spans,
                             .add = spans_add,
                             .finish = spans_finish,
                             .bound = spans_bound,
                             .close = spans_close,
                             .left_out = spans_left_out,
                             .columns = stele_spans_columns(spans)};
    return STELE_OK;
}
