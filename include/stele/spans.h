/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: everything that has a beginning and an end, as events of one kind with what is known of
 * each beside them. Calls that begin and end, complete events, asynchronous operations, flows, and
 * moments that were paired become one event each, in one pass:
 *
 *     static stele_status take(void *user, const stele_segment *segment, const stele_span *spans);
 *
 *     stele_request request = {.kinds = STELE_SPANS_KINDS, .order = STELE_ORDER_TIME};
 *     status = stele_spans_new(context, NULL, take, user, &spans);
 *     request.columns = stele_spans_columns(spans);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_spans_add(spans, &segment);
 *     status = stele_spans_finish(spans);
 *
 * Memory grows with what is open at a time, and with the different names of each track. What holds
 * for all analyses is said in <stele/analysis.h>: units, threads, ownership, errors.
 */
#ifndef STELE_SPANS_H
#define STELE_SPANS_H

#include <stele/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a span ended. The first five are those of stele_call_end. */
typedef enum stele_span_end {
    STELE_SPAN_RETURNED = STELE_CALL_RETURNED,     /* properly */
    STELE_SPAN_TAIL = STELE_CALL_TAIL,             /* left by a tail call */
    STELE_SPAN_UNWOUND = STELE_CALL_UNWOUND,       /* its caller ended first */
    STELE_SPAN_OPEN = STELE_CALL_OPEN,             /* the trace, or the window, ended first */
    STELE_SPAN_ENTRY_LOST = STELE_CALL_ENTRY_LOST, /* an end without a begin; begin_ns is end_ns */
    STELE_SPAN_TIMEOUT, /* no end came within stele_span_options.timeout_ns; it ends with that */
    STELE_SPAN_END_COUNT
} stele_span_end;

/* What a span was made of. */
typedef enum stele_span_source {
    STELE_SPAN_CALL,        /* BEGIN, and END or TAIL_EXIT */
    STELE_SPAN_COMPLETE,    /* one COMPLETE event */
    STELE_SPAN_ASYNC,       /* ASYNC_BEGIN and ASYNC_END */
    STELE_SPAN_FLOW,        /* FLOW_BEGIN and FLOW_END */
    STELE_SPAN_NESTED_PAIR, /* two moments of one thread, which nest as calls do: entry and exit */
    STELE_SPAN_PAIR,        /* two moments that were paired by a value, a process or their order */
    STELE_SPAN_SOURCE_COUNT
} stele_span_source;

/* "returned", "tail", "unwound", "open", "entry-lost", "timeout"; "none" for anything else. */
STELE_API const char *stele_span_end_text(stele_span_end end);

/* "call", "complete", "async", "flow", "nested-pair", "pair"; "none" for anything else. */
STELE_API const char *stele_span_source_text(stele_span_source source);

#define STELE_SPAN_NO_DELTA   INT64_MIN
#define STELE_SPAN_NO_OFFSET  UINT64_MAX
#define STELE_SPAN_PAIR_TABLE 0x10000u

/*
 * What is known of a span besides its event. Calls, complete events and nested pairs stand on the
 * stack of their track: the span around is the parent. An asynchronous operation's parent is the
 * operation of the same id that it began in. Flows and other pairs have none.
 */
typedef struct stele_span {
    uint64_t id;     /* from 1 on, in the order in which spans begin */
    uint64_t parent; /* id of the span around it; 0: none */
    int64_t begin_ns, end_ns;
    uint64_t self_ns;      /* duration without the spans whose parent it is */
    int64_t delta_ns;      /* since the span before it of the same name and track began;
                              STELE_SPAN_NO_DELTA: there is none */
    uint64_t begin_offset; /* of the record that began it, in its input; STELE_SPAN_NO_OFFSET: none
                              did */
    uint64_t end_offset;   /* of the record that ended it; STELE_SPAN_NO_OFFSET: none did */
    uint64_t child_count;  /* spans whose parent it is */
    stele_name name;       /* never a local one: those are 0 */
    stele_name category;
    stele_name caller;  /* name of the parent; 0: none, or it has none */
    stele_name root;    /* name of the outermost span around it; its own where there is none */
    uint32_t track;     /* that it began on */
    uint32_t end_track; /* that it ended on */
    uint32_t stream;    /* of the event that began it: see stele_batch.stream */
    uint32_t end_stream;
    uint32_t depth;     /* spans around it; 0 is outermost */
    uint32_t node;      /* of its path, with stele_span_options.has_paths; else 0 */
    uint32_t pair;      /* of pairs: number of the user's, from 1 on, or STELE_SPAN_PAIR_TABLE and
                           more for those of the table; else 0 */
    uint16_t begin_cpu; /* see has_begin_cpu */
    uint16_t end_cpu;   /* see has_end_cpu */
    bool has_begin_cpu, has_end_cpu;
    uint8_t end;    /* stele_span_end */
    uint8_t source; /* stele_span_source */
    uint32_t reserved;
} stele_span;

/* Nanoseconds from the begin of a span to its end. */
static inline uint64_t stele_span_duration_ns(const stele_span *span)
{
    return (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
}

/* What was made, and what was unusual. */
typedef struct stele_span_counts {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t span_count;
    uint64_t by_source[STELE_SPAN_SOURCE_COUNT];
    uint64_t by_end[STELE_SPAN_END_COUNT];
    uint64_t overlap_count;  /* COMPLETE events that neither nest nor follow one another */
    uint64_t cut_count;      /* calls deeper than the limit, not followed */
    uint64_t refused_count;  /* operations beyond stele_span_options.open_max, not followed */
    uint64_t repeated_count; /* events that are copies of others, left out */
    uint64_t no_delta_count; /* spans without delta_ns because there are too many different names */
    uint32_t depth_max;
} stele_span_counts;

/* Zeros give the defaults. */
typedef struct stele_span_options {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    bool no_fields;      /* events have no fields */
    bool has_paths;      /* spans say on which path of calls they are: see stele_spans_node() */
    bool has_begins;     /* begins are given, too, when they come: see stele_span_fn */
    bool has_steps;      /* steps of flows, where FLOW_STEP events are added, end a span and begin
                            the next one: a flow with one step is two spans */
    uint32_t depth_max;  /* open calls of a track that are followed; 0: the limit of the context */
    uint32_t open_max;   /* asynchronous operations, flows and pairs that are open at a time and
                            followed; 0: the limit of the context */
    uint64_t timeout_ns; /* pairs that are open for longer end so; 0: never */
    /* Spans are given that pass the names, categories, tracks, kinds (those of their begins) and
       the expression of this request, which is copied; it may use words that only spans have.
       NULL: all are. The others still count as children of what is around them. */
    const stele_request *only;
} stele_span_options;

typedef struct stele_spans stele_spans;

/*
 * Receives spans that have ended: `spans[i]` belongs to the event `segment->first + i` of the
 * segment's batch. Such an event is COMPLETE, whatever the span was made of: its time is when the
 * span began, `id` when it ended, in ns, and `value` the same in ticks, as far as they are known.
 * Name, category, track and address are those of the event that began it. Its fields are those of
 * the begin, then those of the end; where both have one of the same name with different values, the
 * end's is called "NAME.end".
 *
 * With stele_span_options.has_begins each span on a stack comes twice: first when it begins, where
 * the event is a BEGIN and the span ends where it begins, STELE_SPAN_OPEN; then when it ends. Those
 * that do not pass `only` do not come again, and begins are not judged by it.
 *
 * Spans of a track come in the order of their ends, inner ones before outer ones; those of
 * different tracks as their ends become known. Both arrays hold for the call. Any status but
 * STELE_OK ends what is being done, and is what that returns.
 */
typedef stele_status stele_span_fn(void *user, const stele_segment *segment,
                                   const stele_span *spans);

/* Makes an engine that gives its spans to `fn`. `options` may be NULL. Returns STELE_ERR_MEMORY;
   STELE_ERR_ARGUMENT for options that this library does not know. */
STELE_API stele_status stele_spans_new(stele_context *context, const stele_span_options *options,
                                       stele_span_fn *fn, void *user, stele_spans **out);
STELE_API void stele_spans_free(stele_spans *s);

/*
 * Only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open ends. Events from
 * before, which are to be added too, say what is open then: that begins with the window. What has
 * not ended in the window ends with it. To be called before the first event of a trace.
 */
STELE_API stele_status stele_spans_set_window(stele_spans *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; those of each track must come in the order of time. */
STELE_API stele_status stele_spans_add(stele_spans *s, const stele_segment *segment);

/* Spans that are shorter are not given from now on, but count all the same. Their begins are. */
STELE_API void stele_spans_set_least(stele_spans *s, uint64_t duration_ns);

/* Where the word `time` of expressions counts from; without it, from the first event. */
STELE_API void stele_spans_set_origin(stele_spans *s, int64_t origin_ns);

/* A node of the tree of paths, from 0, which is the root: see stele_call_node. NULL: there is none.
   It holds until the next event is added. */
STELE_API const stele_call_node *stele_spans_node(const stele_spans *s, uint32_t node);

/* Ends what is open. Events of other traces may be added afterwards. */
STELE_API stele_status stele_spans_finish(stele_spans *s);

/* The spans that are open on a track, the outermost at depth 0; false at the depth where there is
   none. How long they last and how they end is not known yet. */
STELE_API bool stele_spans_open_at(const stele_spans *s, uint32_t track, uint32_t depth,
                                   stele_span *span);

/* What was unusual so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_spans_get_counts(const stele_spans *s, stele_span_counts *counts);

/* The columns and kinds to request from a reader. */
STELE_API uint32_t stele_spans_columns(const stele_spans *s);
#define STELE_SPANS_KINDS                                                           \
    (STELE_CALLS_KINDS | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) |                   \
     STELE_KIND_BIT(STELE_KIND_ASYNC_END) | STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_END))

/* ---- OTLP: spans for OpenTelemetry ----------------------------------------------------------- */

/*
 * Writes spans in the JSON of OpenTelemetry's protocol, as a file of its own: one resource, whose
 * spans all belong to one trace. Times are wall-clock times where the trace knows them, else those
 * of its clock. Fields become attributes, threads and processes those that OpenTelemetry has names
 * for; what is Stele's own begins with "stele.". Bytes, pointers and integers beyond 64 bits are
 * hexadecimal texts, unsigned ones beyond INT64_MAX decimal ones.
 */
typedef struct stele_otlp stele_otlp;

/* Begins a file; `service` is what the attribute service.name says. Returns STELE_ERR_MEMORY, or
   what the output's status is, as the others do. The output stays the caller's. */
STELE_API stele_status stele_otlp_new(stele_context *context, const char *service,
                                      stele_output *out, stele_otlp **otlp);
STELE_API void stele_otlp_free(stele_otlp *o);

/* Writes the span that belongs to the event `segment->first + index`, as a stele_span_fn gets it.
 */
STELE_API stele_status stele_otlp_add(stele_otlp *o, const stele_segment *segment, uint32_t index,
                                      const stele_span *span);

/* Ends the file. */
STELE_API stele_status stele_otlp_finish(stele_otlp *o);

/* Times so far that lie before 1970 or after 2262, which were written as 0. */
STELE_API uint64_t stele_otlp_unset_count(const stele_otlp *o);

/* ---- Pairs: moments that begin and end something --------------------------------------------- */

/*
 * Makes begins and ends of moments, for whoever takes calls or operations: `read_entry` and
 * `read_exit` of one thread become BEGIN and END of `read`; what is paired by a value becomes
 * ASYNC_BEGIN and ASYNC_END with an id of its own. It stands between a reader and an analysis:
 *
 *     status = stele_pairing_new(context, &options, &pairing);
 *     status = stele_pairing_add_pair(pairing, "request:reply", "arg.id");
 *     ...
 *     status = stele_pairing_add(pairing, &segment, take, user);
 *
 * Without a pair of the user's, the names of the table are paired (see docs/spans.md) in traces
 * whose events are moments only: the first event decides that either begins or ends something
 * itself, or is one of two whose names are both known. Events of CPUs stand on the thread that runs
 * there, as far as `sched_switch` events say.
 */
typedef struct stele_pairing stele_pairing;

/*
 * The name of a function by the path of its binary, as the trace tells it, and its distance from
 * where that was loaded. An empty path: it is not known what was loaded there, and `offset` is the
 * address. An empty text says that the name is not known. Called once for each address.
 */
typedef stele_text stele_place_fn(void *user, stele_text path, uint64_t offset);

typedef struct stele_pairing_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool no_table;      /* nothing is paired but what stele_pairing_add_pair() says */
    bool has_table;     /* the table holds beside pairs of the user's, too */
    bool has_lanes;     /* pairs by a value become COMPLETE, with the fields of their end, on
                           tracks made for them, where they follow each other: for those who take
                           calls only */
    uint64_t kinds;     /* events of other kinds than these are left out; 0: none are */
    uint32_t open_max; /* begins that wait for their end, by a value; 0: the limit of the context */
    uint64_t timeout_ns; /* an end that comes later than that is none; 0: there is no limit */
    /* Names a function that lttng_ust_cyg_profile knows by its address, in the process with the
       number `module`. NULL: it is called by its address, or by its binary's name and offset. */
    stele_resolve_fn *resolve;
    void *resolve_user;
    stele_place_fn *place; /* names what `resolve` does not; NULL: nothing does */
    void *place_user;
} stele_pairing_options;

/* What became of the moments. Those of one thread that nest are in the counts of the calls. */
typedef struct stele_pairing_counts {
    size_t struct_size;      /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t begin_count;    /* events that begin something */
    uint64_t end_count;      /* events that end something, or would */
    uint64_t pair_count;     /* pairs by a value that were found */
    uint64_t unended_count;  /* begins by a value that wait for their end, or timed out */
    uint64_t unbegun_count;  /* ends by a value without begin */
    uint64_t refused_count;  /* begins beyond open_max */
    uint64_t no_value_count; /* events without what they are to be paired by */
} stele_pairing_counts;

/* `options` may be NULL. Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this
   library does not know. */
STELE_API stele_status stele_pairing_new(stele_context *context,
                                         const stele_pairing_options *options, stele_pairing **out);
STELE_API void stele_pairing_free(stele_pairing *p);

/*
 * Adds a pair: "BEGIN:END" or "BEGIN => END", two names or globs; what a `*` stands for must be the
 * same in both. With several, one event can end one and begin the next.
 *
 * `by` says what both have in common: a list, separated by commas, of `arg.NAME` (or
 * `arg.NAME=arg.OTHER` where begin and end call it differently), `id`, `cpu`, `thread`, `process`;
 * `flow` for the work that flows hand on from the thread of the begin to that of the end; or
 * `order` for nothing. The first begin that waits is the one that ends. NULL: begins and ends of a
 * thread, which nest as calls do.
 *
 * STELE_ERR_ARGUMENT, with a finding, for what is no pair. To be called before the first event.
 */
STELE_API stele_status stele_pairing_add_pair(stele_pairing *p, const char *pair, const char *by);

/* Gives the events of a segment on, with pairs in them; they must come in the order of time. */
STELE_API stele_status stele_pairing_add(stele_pairing *p, const stele_segment *segment,
                                         stele_segment_fn *fn, void *user);

/* Forgets what is open. Events of another trace may be added afterwards. */
STELE_API void stele_pairing_finish(stele_pairing *p);

/* Whether anything was paired by the table. */
STELE_API bool stele_pairing_used_table(const stele_pairing *p);

/* The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_pairing_get_counts(const stele_pairing *p, stele_pairing_counts *counts);

/* Whether a trace can hold what is paired: one that says itself what begins and ends holds nothing
   for the table. Others need no pairing. */
STELE_API bool stele_pairing_wants(const stele_pairing *p, const stele_trace *trace);

/* The columns and kinds to request from a reader, beside those of whoever takes the events. */
STELE_API uint32_t stele_pairing_columns(const stele_pairing *p);
STELE_API uint64_t stele_pairing_kinds(const stele_pairing *p);

/* ---- Latency: how long spans take, and which took longest ------------------------------------ */

/* The durations of spans, of a pair's say, in memory that does not grow with their number. */
typedef struct stele_latency stele_latency;

typedef struct stele_latency_figures {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t count;     /* spans that ended properly: the figures below are of these */
    uint64_t min_ns, mean_ns, max_ns;         /* exact; the mean is rounded down */
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns; /* at most 3.2% too large, never above max_ns */
    uint64_t open_count;     /* that had no end: by the end of the trace, or in time */
    uint64_t no_begin_count; /* ends without begin */
} stele_latency_figures;

/* Keeps the `worst_max` longest. Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_latency_new(uint32_t worst_max, stele_latency **out);
STELE_API void stele_latency_free(stele_latency *l);

/* Takes a span. Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_latency_add(stele_latency *l, const stele_span *span);

/* The figures so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_latency_get(const stele_latency *l, stele_latency_figures *figures);

/* The longest, longest first; they hold as long as `l`. To be called once all were added. */
STELE_API const stele_span *stele_latency_worst(stele_latency *l, uint32_t *count);

/* How many durations are of [2^(index - 1), 2^index) ns; of index 0 those of 0 ns. `index` from 0
   to 64. */
#define STELE_LATENCY_BUCKETS 65u
STELE_API uint64_t stele_latency_bucket(const stele_latency *l, uint32_t index);

/* ---- Outliers: spans that took far longer than others of their name -------------------------- */

/* In memory of some spans for each name. Names with fewer than 100 spans have none. */
typedef struct stele_outliers stele_outliers;

/* Zeros give the defaults. */
typedef struct stele_outlier_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t factor;    /* so many times the name's 99th percentile are exceeded; 0: 3 */
    uint32_t per_name;  /* of each name so many are known at most, the longest; 0: 16 */
} stele_outlier_options;

typedef struct stele_outlier {
    stele_span span, median;               /* it, and one of its name that took about the median */
    stele_segment segment, median_segment; /* their events: one each */
    uint64_t count, p50_ns, p99_ns;        /* of the name; percentiles at most 3.2% too large */
} stele_outlier;

/* `options` may be NULL. Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this
   library does not know. */
STELE_API stele_status stele_outliers_new(stele_context *context,
                                          const stele_outlier_options *options,
                                          stele_outliers **out);
STELE_API void stele_outliers_free(stele_outliers *o);

/* Takes what a stele_span_fn receives; spans that did not end properly are left out. */
STELE_API stele_status stele_outliers_add(stele_outliers *o, const stele_segment *segment,
                                          const stele_span *spans);

/* The outliers, the most beyond their name's percentile first. They hold until the next call with
   `o`, to which nothing may be added any more. */
STELE_API stele_status stele_outliers_rows(stele_outliers *o, const stele_outlier **rows,
                                           size_t *count);

#ifdef __cplusplus
}
#endif
#endif
