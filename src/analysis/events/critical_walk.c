/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks back in time from the end of a span. At each moment the walk is on one line, and follows it
 * down to the next moment at which something changes. There it may change to another line:
 *
 * - to the sender of a flow that ends here, if the receiver waited for the flow;
 * - to the thread that woke this one, until the moment at which the wait began: before that, this
 *   thread's own work counts again;
 * - back to the line that it came from, if nothing is known of this one.
 */
#include <stdlib.h>

#include "analysis/events/critical.h"
#include "core/array.h"

/* How many lines are kept to return to. The oldest ones are dropped; the line of the span itself
   is always known. */
#define RETURNS_MAX 64u
/* How many times the walk may change lines at one moment, which bounds the loop. */
#define HOPS_MAX 64u
/* Stands for a track number on the line of an operation, which is on no track. */
#define TRACK_OWN UINT32_MAX

typedef struct come_from {
    uint32_t track;
    /* the walk returns at this time; INT64_MIN: as soon as the other line is idle */
    int64_t until_ns;
} come_from;

typedef struct path_walk {
    stele_critical *c;
    const stele_span *of;
    const critical_line *own; /* line of the operation; NULL: the span is on a stack */
    critical_line line;
    uint32_t track, home;
    int64_t begin_ns, now_ns;
    come_from returns[RETURNS_MAX];
    uint32_t return_count;
    uint32_t hop_count; /* changes of the line at the current moment */
    stele_critical_way way;
    bool is_out_of_memory;
} path_walk;

/* ---- Changes of the line ---- */

static void enter(path_walk *w, uint32_t track, stele_critical_way way)
{
    w->track = track;
    w->line = track == TRACK_OWN ? *w->own : critical_line_of(w->c, track);
    w->way = way;
    w->hop_count++;
}

/* Changes to the line of a track. If the walk came from that line earlier, it returns there and
   drops the lines that it entered since. */
static void hop(path_walk *w, uint32_t track, int64_t until_ns, stele_critical_way way)
{
    uint32_t at = w->return_count;
    while (at != 0 && w->returns[at - 1].track != track)
        at--;
    if (at != 0) {
        w->return_count = at - 1;
    } else {
        if (w->return_count == RETURNS_MAX) {
            for (uint32_t i = 1; i < RETURNS_MAX; i++)
                w->returns[i - 1] = w->returns[i];
            w->return_count--;
        }
        w->returns[w->return_count++] = (come_from){w->track, until_ns};
    }
    enter(w, track, way);
}

/* The latest moment at which one of the lines in `returns` counts again. */
static int64_t reach(const path_walk *w)
{
    int64_t reach_ns = INT64_MIN;
    for (uint32_t i = 0; i < w->return_count; i++)
        reach_ns = w->returns[i].until_ns > reach_ns ? w->returns[i].until_ns : reach_ns;
    return reach_ns;
}

static bool is_waiting(const critical_interval *interval)
{
    return interval != NULL &&
           (interval->state == STELE_RUN_SLEEPING || interval->state == STELE_RUN_BLOCKED);
}

static bool is_known(const critical_interval *interval)
{
    return interval != NULL && interval->state != STELE_RUN_UNKNOWN;
}

/* ---- Stretches of the path ---- */

static void emit(path_walk *w, int64_t begin_ns, stele_critical_stretch stretch)
{
    critical_stretches *path = &w->c->path;
    stele_critical_stretch *later = path->count != 0 ? &path->rows[path->count - 1] : NULL;
    stretch.begin_ns = begin_ns;
    stretch.end_ns = w->now_ns;
    stretch.way = (uint8_t)w->way;
    w->way = STELE_CRITICAL_GOES_ON;
    w->now_ns = begin_ns;
    w->hop_count = 0;
    if (later != NULL && stretch.way == STELE_CRITICAL_GOES_ON && later->track == stretch.track &&
        later->other == stretch.other && later->name == stretch.name &&
        later->state == stretch.state && later->offset == stretch.offset) {
        later->begin_ns = begin_ns;
        return;
    }
    if (path->count == path->capacity) {
        stele_critical_stretch *rows = array_grow(path->rows, sizeof *rows, &path->capacity, 64);
        if (rows == NULL) {
            w->is_out_of_memory = true;
            return;
        }
        path->rows = rows;
    }
    path->rows[path->count++] = stretch;
}

/* Describes a stretch of the current line by the span that is open and by what the thread does. */
static stele_critical_stretch stretch_of(const path_walk *w, const critical_span *span,
                                         const critical_interval *interval)
{
    const uint32_t track = w->track == TRACK_OWN && span != NULL ? span->track : w->track;
    stele_critical_stretch stretch = {.offset = STELE_SPAN_NO_OFFSET,
                                      .track = track != TRACK_OWN ? track : w->of->track};
    if (span != NULL) {
        stretch.offset = span->offset;
        stretch.stream = span->stream;
        stretch.name = span->name;
    }
    if (is_known(interval)) {
        stretch.state = interval->state;
        stretch.other = interval->by;
    } else {
        stretch.state = span != NULL       ? STELE_CRITICAL_IN
                        : interval != NULL ? STELE_CRITICAL_UNKNOWN
                                           : STELE_CRITICAL_IDLE;
    }
    return stretch;
}

/* ---- Flows ---- */

/* The innermost span of the receiver that is open both when the flow begins and when it ends. */
static const critical_span *open_at_both(const path_walk *w, const critical_flow *flow)
{
    int64_t low_ns = INT64_MIN;
    const critical_span *span = critical_span_before(&w->line, flow->end_ns, &low_ns);
    while (span != NULL && span->begin_ns > flow->begin_ns)
        span = span->around != CRITICAL_NONE ? &w->line.spans[span->around] : NULL;
    return span;
}

/*
 * Whether the receiver waited for a flow. It did not if it was running since before the flow began,
 * or if a span inside of `both`, the innermost one that is open at both ends of the flow, was open
 * then.
 */
static bool did_wait(const path_walk *w, const critical_flow *flow, const critical_span *both)
{
    int64_t low_ns = INT64_MIN;
    const int64_t after_ns = flow->begin_ns < INT64_MAX ? flow->begin_ns + 1 : INT64_MAX;
    const critical_span *then = critical_span_before(&w->line, after_ns, &low_ns);
    const critical_interval *interval =
        critical_interval_before(&w->line, flow->end_ns, &(int64_t){INT64_MIN});
    if (flow->begin_ns == flow->end_ns)
        return true;
    if (both == NULL)
        return true;
    if (interval != NULL && interval->state == STELE_RUN_RUNNING &&
        interval->begin_ns <= flow->begin_ns)
        return false;
    return then == NULL || then == both;
}

/* Emits the stretches from a flow's end back to its begin: what the receiver did meanwhile or,
   where it waited or nothing is known, the flow itself. */
static void emit_flow(path_walk *w, const critical_flow *flow, const critical_span *both)
{
    const int64_t until_ns = flow->begin_ns > w->begin_ns ? flow->begin_ns : w->begin_ns;
    while (w->now_ns > until_ns && !w->is_out_of_memory) {
        int64_t low_ns = until_ns;
        const critical_span *span = critical_span_before(&w->line, w->now_ns, &low_ns);
        const critical_interval *interval = critical_interval_before(&w->line, w->now_ns, &low_ns);
        stele_critical_stretch stretch = stretch_of(w, span, interval);
        if (is_waiting(interval) || (!is_known(interval) && (span == NULL || span == both))) {
            stretch = (stele_critical_stretch){.offset = flow->offset,
                                               .stream = flow->stream,
                                               .track = w->track,
                                               .other = flow->from,
                                               .name = flow->name,
                                               .state = STELE_CRITICAL_FLOW};
        }
        emit(w, low_ns, stretch);
    }
}

/* Changes to the sender of the last flow that ends at this moment and was waited for. If there
   is none, `*low_ns` is raised to the end of the next flow down. */
static bool follow_flow(path_walk *w, int64_t *low_ns)
{
    uint32_t at = critical_flows_by(&w->line, w->now_ns);
    for (; at != 0 && w->line.flows[at - 1].end_ns == w->now_ns; at--) {
        const critical_flow *flow = &w->line.flows[at - 1];
        const critical_span *both = open_at_both(w, flow);
        if (flow->from == w->track || flow->end_ns < flow->begin_ns || !did_wait(w, flow, both))
            continue;
        w->way = STELE_CRITICAL_BY_FLOW;
        emit_flow(w, flow, both);
        hop(w, flow->from, INT64_MIN, STELE_CRITICAL_BY_FLOW);
        return true;
    }
    if (at != 0 && w->line.flows[at - 1].end_ns > *low_ns)
        *low_ns = w->line.flows[at - 1].end_ns;
    return false;
}

/* ---- Wake-ups ---- */

/* Changes to the thread that ended a wait, if that is known and was running. */
static bool follow_wake(path_walk *w, const critical_interval *wait)
{
    const critical_interval *next = wait + 1, *waker;
    critical_line line;
    if (!is_waiting(wait) || wait->end_ns != w->now_ns ||
        next == w->line.intervals + w->line.interval_count || next->begin_ns != w->now_ns ||
        next->state != STELE_RUN_RUNNABLE || next->by == 0 || next->by == w->track)
        return false;
    line = critical_line_of(w->c, next->by);
    waker = critical_interval_before(&line, w->now_ns, &(int64_t){INT64_MIN});
    if (waker == NULL || waker->state != STELE_RUN_RUNNING)
        return false;
    hop(w, next->by, wait->begin_ns, STELE_CRITICAL_BY_WAKE);
    return true;
}

/* ---- Return to earlier lines ---- */

/* Returns to the oldest line whose time to count again has come. */
static bool return_due(path_walk *w)
{
    for (uint32_t i = 0; i < w->return_count; i++) {
        if (w->returns[i].until_ns >= w->now_ns) {
            w->return_count = i;
            enter(w, w->returns[i].track, STELE_CRITICAL_BY_WAIT);
            return true;
        }
    }
    return false;
}

/*
 * Returns to the line that the walk came from if, as far as is known, nothing happens on this one.
 */
static bool return_idle(path_walk *w, const critical_span *span, const critical_interval *interval)
{
    if (span != NULL || (is_known(interval) && !is_waiting(interval)))
        return false;
    if (w->return_count != 0) {
        w->return_count--;
        enter(w, w->returns[w->return_count].track, STELE_CRITICAL_BY_BEGIN);
        return true;
    }
    if (w->track == w->home)
        return false;
    enter(w, w->home, STELE_CRITICAL_BY_BEGIN);
    return true;
}

/* Changes from an operation to the call that started it. */
static void follow_begin(path_walk *w, const critical_span *operation)
{
    int64_t low_ns = INT64_MIN;
    critical_line line;
    if (w->track != TRACK_OWN || operation == NULL || operation->begin_ns != w->now_ns ||
        w->now_ns <= w->begin_ns)
        return;
    line = critical_line_of(w->c, operation->track);
    if (critical_span_before(&line, w->now_ns, &low_ns) != NULL)
        hop(w, operation->track, INT64_MIN, STELE_CRITICAL_BY_BEGIN);
}

/* ---- Steps of the walk ---- */

static void step(path_walk *w)
{
    int64_t low_ns = w->begin_ns, reach_ns = reach(w);
    const critical_span *span = critical_span_before(&w->line, w->now_ns, &low_ns);
    const critical_interval *interval = critical_interval_before(&w->line, w->now_ns, &low_ns);
    if (reach_ns > low_ns)
        low_ns = reach_ns;
    if (w->hop_count < HOPS_MAX &&
        (return_due(w) || follow_flow(w, &low_ns) ||
         (interval != NULL && follow_wake(w, interval)) || return_idle(w, span, interval)))
        return;
    if (low_ns >= w->now_ns) /* lines were changed too often at this moment */
        low_ns = w->now_ns - 1;
    emit(w, low_ns, stretch_of(w, span, interval));
    follow_begin(w, span);
}

/* Chooses the line on which the walk starts: the thread that ended the span, if something is
   known of that thread. */
static void start(path_walk *w)
{
    int64_t low_ns = INT64_MIN;
    critical_line line = critical_line_of(w->c, w->of->end_track);
    w->home = w->own != NULL ? TRACK_OWN : w->of->track;
    enter(w, w->home, STELE_CRITICAL_GOES_ON);
    if (w->own != NULL && (critical_span_before(&line, w->now_ns, &low_ns) != NULL ||
                           is_known(critical_interval_before(&line, w->now_ns, &low_ns))))
        enter(w, w->of->end_track, STELE_CRITICAL_GOES_ON);
    w->hop_count = 0;
}

stele_status critical_walk(stele_critical *c, const stele_span *span, const critical_line *own)
{
    path_walk w = {.c = c, .of = span, .own = own};
    critical_stretches *path = &c->path;
    path->count = 0;
    w.begin_ns = span->begin_ns > c->begin_ns ? span->begin_ns : c->begin_ns;
    w.now_ns = span->end_ns < c->end_ns ? span->end_ns : c->end_ns;
    start(&w);
    while (w.now_ns > w.begin_ns && !w.is_out_of_memory)
        step(&w);
    if (w.is_out_of_memory)
        return STELE_ERR_MEMORY;
    if (path->count != 0)
        path->rows[0].way = STELE_CRITICAL_GOES_ON;
    for (uint32_t i = 0, last = path->count; i + 1 < last--; i++) {
        const stele_critical_stretch row = path->rows[i];
        path->rows[i] = path->rows[last];
        path->rows[last] = row;
    }
    return STELE_OK;
}
