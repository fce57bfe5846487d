/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that fill columns of spans; other columns come from the event of each span. */
#include "tables/stage.h"

/* Defines the function for a column of the span `p`, null if `is_there` is false. */
#define FILL_SPAN(name, type, is_there, value) \
    STAGE_FILL(span, stele_span, spans, name, type, is_there, value)

/* Whether it is known when a span began. */
static bool has_begin(const stele_span *p)
{
    return p->end != STELE_SPAN_ENTRY_LOST;
}

FILL_SPAN(ts, int64_t, has_begin(p), p->begin_ns)
FILL_SPAN(dur, int64_t, has_begin(p), (int64_t)stele_span_duration_ns(p))
FILL_SPAN(end_ts, int64_t, p->end != STELE_SPAN_OPEN, p->end_ns)
FILL_SPAN(id, uint64_t, true, p->id)
FILL_SPAN(parent, uint64_t, p->parent != 0, p->parent)
FILL_SPAN(self, int64_t, has_begin(p), (int64_t)p->self_ns)
FILL_SPAN(depth, uint32_t, true, p->depth)
FILL_SPAN(children, uint64_t, true, p->child_count)
FILL_SPAN(delta, int64_t, p->delta_ns != STELE_SPAN_NO_DELTA, p->delta_ns)
FILL_SPAN(ending, uint8_t, true, p->end)
FILL_SPAN(source, uint8_t, true, p->source)
FILL_SPAN(caller, stele_cell_text, p->caller != 0, cell_of_name(s, NULL, p->caller))
FILL_SPAN(root, stele_cell_text, p->root != 0, cell_of_name(s, NULL, p->root))
FILL_SPAN(end_track, uint32_t, p->end_track != 0, p->end_track)
