/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the tracks and counters of a trace, and whether anybody still waits for an
   answer. */
#include <stdlib.h>
#include <string.h>

#include "view/list.h"
#include "view/viewer.h"

bool viewer_goes_on(const viewer *v)
{
    return v->go_on == NULL || v->go_on(v->go_on_user);
}

/* ---- Activity over time -----------------------------------------------------------------------
 */

static void activity_widen(view_activity *a)
{
    for (size_t i = 0; i < VIEW_BINS; i++) {
        const size_t from = i * 2;
        a->bins[i] = from < VIEW_BINS ? a->bins[from] + a->bins[from + 1] : 0;
        a->is_lossy[i] = from < VIEW_BINS && (a->is_lossy[from] || a->is_lossy[from + 1]);
    }
    a->width_ns *= 2;
}

void view_activity_add(view_activity *a, int64_t time_ns, bool is_lossy)
{
    uint64_t far;
    if (a->width_ns == 0) {
        a->width_ns = 1;
        a->begin_ns = time_ns;
    }
    far = time_ns > a->begin_ns ? (uint64_t)time_ns - (uint64_t)a->begin_ns : 0;
    while (far / a->width_ns >= VIEW_BINS)
        activity_widen(a);
    a->bins[far / a->width_ns]++;
    a->is_lossy[far / a->width_ns] |= is_lossy;
}

/* ---- Tracks and counters --------------------------------------------------------------------- */

view_track *view_known_track(view_known *k, uint32_t track)
{
    if (track >= k->track_capacity) {
        view_track *grown = list_reach(k->tracks, sizeof *grown, &k->track_capacity, track);
        if (grown == NULL)
            return NULL;
        k->tracks = grown;
    }
    return &k->tracks[track];
}

uint32_t viewer_first_stream(const viewer *v)
{
    const uint32_t count = stele_stream_count(v->context);
    uint32_t first = 0;
    while (first < count &&
           stele_stream_get(v->context, first)->trace != stele_trace_get_info(v->traces[0])->number)
        first++;
    return first;
}

bool viewer_can_have_open(const viewer *v)
{
    for (size_t i = 0; i < v->trace_count; i++) {
        if (!stele_trace_has_insns(v->traces[i]))
            return true;
    }
    return false;
}

/* Gives the time of the last event that a span on its track can end with. Returns false if it is
   not known. */
static bool last_of(const viewer *v, const stele_span *span, int64_t *last_ns)
{
    const view_track *track =
        span->track < v->known.track_capacity ? &v->known.tracks[span->track] : NULL;
    const bool is_nested = span->source != STELE_SPAN_ASYNC && span->source != STELE_SPAN_PAIR &&
                           span->source != STELE_SPAN_FLOW;
    if (!v->is_scanned || !v->known.has_range)
        return false;
    *last_ns = is_nested && track != NULL ? track->last_ns : v->known.end_ns;
    return !is_nested || (track != NULL && (track->has & VIEW_HAS_NESTED) != 0);
}

bool viewer_is_open(const viewer *v, const stele_span *span)
{
    int64_t last_ns;
    return span->end == STELE_SPAN_OPEN && (!last_of(v, span, &last_ns) || span->end_ns >= last_ns);
}

bool viewer_end_open(const viewer *v, stele_span *span, int64_t begin_ns)
{
    int64_t last_ns;
    if (span->end != STELE_SPAN_OPEN || !last_of(v, span, &last_ns) || span->end_ns <= last_ns)
        return true;
    if (last_ns <= begin_ns && span->begin_ns <= begin_ns)
        return false;
    span->end_ns = last_ns > span->begin_ns ? last_ns : span->begin_ns;
    return true;
}

uint32_t viewer_counter(viewer *v, uint32_t track, stele_name name, stele_name field)
{
    view_counter *grown;
    for (size_t i = 0; i < v->counter_count; i++) {
        const view_counter *c = &v->counters[i];
        if (c->track == track && c->name == name && c->field == field)
            return (uint32_t)i;
    }
    if (v->counter_count == VIEW_COUNTERS_MAX) {
        v->has_more_counters = true;
        return UINT32_MAX;
    }
    if ((v->counter_count & (v->counter_count - 1)) == 0) {
        grown = list_fit(v->counters, sizeof *grown, v->counter_count * 2 + 1);
        if (grown == NULL)
            return UINT32_MAX;
        v->counters = grown;
    }
    v->counters[v->counter_count] = (view_counter){track, name, field};
    return (uint32_t)v->counter_count++;
}
