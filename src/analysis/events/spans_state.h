/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of the spans engine: what is open, and how it becomes spans. Calls are on the stacks of
 * the calls engine (spans_calls.c); operations, flows and pairs are found by a key
 * (spans_operations.c).
 */
#ifndef ANALYSIS_EVENTS_SPANS_STATE_H
#define ANALYSIS_EVENTS_SPANS_STATE_H

#include <stele/spans.h>

#include "analysis/events/call_stack.h"
#include "analysis/events/opened.h"
#include "analysis/events/spans_made.h"
#include "query/filter.h"

#define SPANS_KINDS_LINKED (STELE_SPANS_KINDS & ~STELE_CALLS_KINDS)
/* Size of the cache of names on tracks, which saves a search in a hash table; a power of two. */
#define SPANS_NEAR 256u

/* What is kept of an open span, by the slot of its event. */
typedef struct open_data {
    uint64_t id;
    uint64_t child_count;
    uint64_t child_ns; /* of operations only: calls have it on their stack */
    int64_t delta_ns;
    uint32_t parent; /* slot of the operation that it is in; 0: none */
    uint32_t depth;  /* depth of an operation; calls have it on their stack */
    stele_name root; /* name of the outermost operation around an operation */
    uint8_t source;
    bool is_given; /* the begin of the span was given */
} open_data;

/* An open call that began in the current segment. Its begin event is still in the batch and is
   not copied. */
typedef struct begun_call {
    const stele_event *event;
    uint64_t id, child_count;
    int64_t delta_ns;
} begun_call;

/* When the last span with a name began on a track. */
typedef struct last_begin {
    uint32_t track;
    stele_name name;
    int64_t begin_ns;
} last_begin;

struct stele_spans {
    stele_context *context;
    stele_span_options options;
    stele_calls *calls;
    filter *only;           /* the request's filter; NULL: all spans are given */
    uint64_t kinds;         /* kinds of begin events that are wanted, as bits; 0: all */
    uint64_t least_ns;      /* shorter spans are not given */
    int64_t least_begin_ns; /* spans of least_ns that begin later are not given */
    bool has_origin;
    bool has_fields; /* fields are needed, for the receiver or for the filter */
    opened opened;   /* copies of open events, by the tags of calls and by keys */
    open_data *open; /* by slot, parallel to opened.slots */
    uint32_t open_capacity;
    /*
     * calls on top of the current stack, the outermost first; entry 0 is for the call around them
     */
    begun_call *begun;
    uint32_t begun_capacity;
    last_begin *lasts;
    uint32_t last_count, last_capacity;
    hash_table last_numbers;   /* numbers of `lasts`, by track and name */
    uint32_t near[SPANS_NEAR]; /* cache: numbers plus 1 of `lasts`, by a hash of track and name */
    int64_t begin_ns, end_ns;  /* bounds of the window */
    int64_t last_ns;           /* the latest time of all events so far */
    int64_t sweep_ns;          /* when the next search for timeouts is due */
    uint64_t id;               /* id of the span that began last */
    spans_end now;             /* the current event; its `event` is NULL at the end of the trace */
    stele_span_counts counts;
    stele_status status;
    spans_made made;
};

/* The name if it is valid without its batch, 0 otherwise. */
static inline stele_name spans_global_name(stele_name name)
{
    return (name & STELE_NAME_LOCAL) != 0 ? 0 : name;
}

/* Keeps a copy of an event of the current batch, which began a span. Returns its slot, 0 if out of
   memory. */
uint32_t spans_keep(stele_spans *s, const stele_event *event, const open_data *open);

/* Keeps a copy of the current event, which begins a span. Returns its slot, 0 if out of memory. */
uint32_t spans_open(stele_spans *s, stele_span_source from);

/* The part of spans_delta() for a cached entry `*near` that is for another name or track. */
int64_t spans_find_delta(stele_spans *s, uint32_t *near, uint32_t track, stele_name name,
                         int64_t begin_ns);

static inline int64_t last_begin_renew(last_begin *last, int64_t begin_ns)
{
    const uint64_t before_ns = (uint64_t)last->begin_ns;
    last->begin_ns = begin_ns;
    return (int64_t)((uint64_t)begin_ns - before_ns);
}

/* Returns the time since the previous span with this name on this track began, and makes this
   one the previous. */
static inline int64_t spans_delta(stele_spans *s, uint32_t track, stele_name name, int64_t begin_ns)
{
    uint32_t *const near = &s->near[(name + track * 31) % SPANS_NEAR];
    last_begin *const last = *near != 0 ? &s->lasts[*near - 1] : NULL;
    return last != NULL && last->track == track && last->name == name
               ? last_begin_renew(last, begin_ns)
               : spans_find_delta(s, near, track, name, begin_ns);
}

/* The copy of the event that began the span in a slot. */
static inline spans_end spans_begin_of(const stele_spans *s, uint32_t slot)
{
    return (spans_end){opened_batch(&s->opened, slot), opened_event(&s->opened, slot)};
}

/* Fills in those members of a span that its begin event and its data as an open span determine.
   The caller sets begin_ns, which must not be before the window. */
static inline void spans_set_begin(const stele_spans *s, stele_span *span, const stele_event *event,
                                   uint32_t stream, const open_data *open)
{
    span->id = open->id;
    span->child_count = open->child_count;
    span->delta_ns = open->delta_ns;
    span->begin_offset = event->offset;
    span->name = spans_global_name(event->name);
    span->category = stele_category_name(s->context, event->category);
    span->track = event->track;
    span->stream = stream;
    span->begin_cpu = event->cpu;
    span->has_begin_cpu = (event->flags & STELE_FLAG_HAS_CPU) != 0;
    span->source = open->source;
    if (open->source >= STELE_SPAN_NESTED_PAIR)
        span->pair = (uint32_t)event->value;
}

/* Does the same as spans_set_begin() for the span in a slot. */
static inline void spans_take_begin(const stele_spans *s, stele_span *span, uint32_t slot)
{
    spans_set_begin(s, span, opened_event(&s->opened, slot), s->opened.slots[slot].stream,
                    &s->open[slot]);
}

/* Fills in those members of a span that its end event determines. */
static inline void spans_take_end(stele_span *span, spans_end end)
{
    span->end_offset = end.event->offset;
    span->end_track = end.event->track;
    span->end_stream = end.batch->stream;
    span->end_cpu = end.event->cpu;
    span->has_end_cpu = (end.event->flags & STELE_FLAG_HAS_CPU) != 0;
}

/* Fills in a span whose begin is missing: everything comes from its end. */
void spans_take_lost_begin(stele_spans *s, stele_span *span, spans_end end);

/* Whether a span is too short for the receiver, so that it is only counted. */
static inline bool spans_is_short(const stele_spans *s, uint64_t duration_ns, int64_t begin_ns)
{
    return duration_ns <= s->least_ns &&
           (duration_ns < s->least_ns || begin_ns > s->least_begin_ns);
}

/* Counts a span that has ended. */
static inline void spans_count(stele_spans *s, uint8_t from, uint8_t end, uint32_t depth)
{
    s->counts.span_count++;
    s->counts.by_source[from]++;
    s->counts.by_end[end]++;
    if (depth + 1 > s->counts.depth_max)
        s->counts.depth_max = depth + 1;
}

/* Counts a span, and gives it to the receiver if it is wanted, with marks where the window cuts it.
   At least one of `begin` and `end` must have an event. */
void spans_give(stele_spans *s, stele_span *span, spans_end begin, spans_end end);

/*
 * The begin of the span in a slot. For slot 0, which stands for a missing begin, it has no event.
 */
static inline spans_end spans_begin_or_none(const stele_spans *s, uint32_t slot)
{
    return slot != 0 ? spans_begin_of(s, slot) : (spans_end){NULL, NULL};
}

/* Whether a span ended before the window. Such a span is not given: events before the window are
   read only to find what is open at its begin. */
static inline bool spans_is_before(const stele_spans *s, int64_t begin_ns, int64_t end_ns)
{
    return end_ns < s->begin_ns || (end_ns == s->begin_ns && begin_ns < s->begin_ns);
}

/* Whether an event may be handled on the fast path: it belongs to a call, is not a copy of
   another event, and is not after the window. */
static inline bool spans_is_usual(const stele_spans *s, const stele_event *event)
{
    return (STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) != 0 &&
           (event->flags & STELE_FLAG_REPEATED) == 0 &&
           (event->time_ns < s->end_ns || s->end_ns == INT64_MAX);
}

/* Does what stele_spans_add() does with events of these kinds, and passes over all others. */
stele_status spans_add_kinds(stele_spans *s, const stele_segment *segment, uint64_t kinds);

/* Takes the current event, which is of STELE_CALLS_KINDS, and those after it that are of such
   kinds and of the same track, up to `end`. Returns the first event that was not taken. */
const stele_event *spans_take_calls(stele_spans *s, const stele_event *event,
                                    const stele_event *end);

/*
 * Takes the events from `event` up to `end`, as long as they are on the track of the stack and are
 * begins of calls, or ends of calls that began among them. Calls that begin and end among these
 * events are not copied; those that are open afterwards have slots. Returns the first event that
 * was not taken.
 */
const stele_event *spans_take_begun(stele_spans *s, stack *of, const stele_event *event,
                                    const stele_event *end);

/* Gives the COMPLETE events of a track that have ended before `now_ns`. Callers need it that
   handle other events of the track themselves. */
stele_status spans_expire(stele_spans *s, uint32_t track, int64_t now_ns);

/* Receives ended calls from the calls engine. */
stele_status spans_close_calls(void *user, const stele_call_span *calls, size_t count);

/* Takes the current event, which begins or ends an operation, a flow or a pair. */
void spans_take_operation(stele_spans *s);

/* Ends pairs that have been open for longer than the timeout. */
void spans_sweep(stele_spans *s, int64_t now_ns);

/* Ends all operations, flows and pairs that are open. */
void spans_finish_operations(stele_spans *s, int64_t last_ns);

#endif
