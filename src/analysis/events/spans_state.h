/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans engine inside: what is open, and how spans are made of it. Calls stand on the stacks of
 * the calls engine (spans_calls.c), operations, flows and pairs are found by a key
 * (spans_operations.c).
 */
#ifndef ANALYSIS_EVENTS_SPANS_STATE_H
#define ANALYSIS_EVENTS_SPANS_STATE_H

#include <stele/spans.h>

#include "analysis/events/opened.h"
#include "analysis/events/spans_made.h"
#include "query/filter.h"

#define SPANS_KINDS_LINKED (STELE_SPANS_KINDS & ~STELE_CALLS_KINDS)
/* How many names of tracks are found without asking the table of them; a power of two. */
#define SPANS_NEAR 256u

/* What is known of an open span, by the slot of its event. */
typedef struct open_data {
    uint64_t id;
    uint64_t child_count;
    uint64_t child_ns; /* of operations */
    int64_t delta_ns;
    uint32_t parent; /* slot of the operation around; 0: none */
    uint32_t depth;  /* of operations */
    stele_name root; /* of operations */
    uint8_t source;
    bool is_given; /* its begin was */
} open_data;

/* When the last span of a name on a track began. */
typedef struct last_begin {
    uint32_t track;
    stele_name name;
    int64_t begin_ns;
} last_begin;

struct stele_spans {
    stele_context *context;
    stele_span_options options;
    stele_calls *calls;
    filter *only;      /* NULL: all spans are given */
    uint64_t kinds;    /* of begins that are wanted; 0: all */
    uint64_t least_ns; /* shorter spans are not given */
    bool has_origin;
    bool has_fields; /* they are given, or looked at */
    opened opened;   /* by the tags of the open calls, and by keys */
    open_data *open; /* by slot */
    uint32_t open_capacity;
    last_begin *lasts;
    uint32_t last_count, last_capacity;
    hash_table last_numbers;   /* by track and name */
    uint32_t near[SPANS_NEAR]; /* numbers of some of them plus 1, by a mix of track and name */
    int64_t begin_ns, end_ns;  /* of the window */
    int64_t last_ns;           /* the latest time so far */
    int64_t sweep_ns;          /* when timeouts are to be looked for again */
    uint64_t id;               /* of the span that began last */
    spans_end now;             /* the event at hand; no event: the end of the trace */
    stele_span_counts counts;
    stele_status status;
    spans_made made;
};

/* The name, as far as it is known beyond its batch. */
static inline stele_name spans_global_name(stele_name name)
{
    return (name & STELE_NAME_LOCAL) != 0 ? 0 : name;
}

/* Keeps the event at hand, which begins a span; 0: memory. */
uint32_t spans_open(stele_spans *s, stele_span_source from);

/* The event that began the span of a slot. */
static inline spans_end spans_begin_of(const stele_spans *s, uint32_t slot)
{
    return (spans_end){opened_batch(&s->opened, slot), opened_event(&s->opened, slot)};
}

/* What the event that began a span says; begin_ns is that of the window at least. */
static inline void spans_take_begin(const stele_spans *s, stele_span *span, uint32_t slot)
{
    const stele_event *event = opened_event(&s->opened, slot);
    const open_data *open = &s->open[slot];
    span->id = open->id;
    span->child_count = open->child_count;
    span->delta_ns = open->delta_ns;
    span->begin_offset = event->offset;
    span->name = spans_global_name(event->name);
    span->category = stele_category_name(s->context, event->category);
    span->track = event->track;
    span->stream = s->opened.slots[slot].stream;
    span->begin_cpu = event->cpu;
    span->has_begin_cpu = (event->flags & STELE_FLAG_HAS_CPU) != 0;
    span->source = open->source;
    if (open->source >= STELE_SPAN_NESTED_PAIR)
        span->pair = (uint32_t)event->value;
}

/* What the event that ended it says. */
static inline void spans_take_end(stele_span *span, spans_end end)
{
    span->end_offset = end.event->offset;
    span->end_track = end.event->track;
    span->end_stream = end.batch->stream;
    span->end_cpu = end.event->cpu;
    span->has_end_cpu = (end.event->flags & STELE_FLAG_HAS_CPU) != 0;
}

/* Of a span without an event that began it: everything is that of its end. */
void spans_take_lost_begin(stele_spans *s, stele_span *span, spans_end end);

/* Counts a span that has ended. */
static inline void spans_count(stele_spans *s, uint8_t from, uint8_t end, uint32_t depth)
{
    s->counts.span_count++;
    s->counts.by_source[from]++;
    s->counts.by_end[end]++;
    if (depth + 1 > s->counts.depth_max)
        s->counts.depth_max = depth + 1;
}

/* Counts a span, and gives it to the receiver if it is wanted. Slot 0: it has none. */
void spans_give(stele_spans *s, const stele_span *span, uint32_t slot, spans_end end);

/* Whether a span ended before the window, of which an event at hand says what is open then. */
static inline bool spans_is_before(const stele_spans *s, int64_t begin_ns, int64_t end_ns)
{
    return end_ns < s->begin_ns || (end_ns == s->begin_ns && begin_ns < s->begin_ns);
}

/* The event at hand is of STELE_CALLS_KINDS. Takes it, and those after it, before `end`, that are
   of such kinds, too, and of its track; gives the first that was not taken. */
const stele_event *spans_take_calls(stele_spans *s, const stele_event *event,
                                    const stele_event *end);

/* Gives the COMPLETE events of a track that have ended before `now_ns`, for who takes other events
   of the track by himself. */
stele_status spans_expire(stele_spans *s, uint32_t track, int64_t now_ns);

/* What the calls engine of the spans gives its calls to. */
stele_status spans_close_calls(void *user, const stele_call_span *calls, size_t count);

/* The event at hand begins or ends an operation, a flow or a pair. */
void spans_take_operation(stele_spans *s);

/* Ends pairs that have been open for longer than the timeout. */
void spans_sweep(stele_spans *s, int64_t now_ns);

/* Ends all operations, flows and pairs that are open. */
void spans_finish_operations(stele_spans *s, int64_t last_ns);

#endif
