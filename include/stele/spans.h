/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: everything that has a beginning and an end. Calls that begin and end, complete events,
 * asynchronous operations, flows, and moments that were paired become one event each, with a
 * description of the span, in one pass:
 *
 *     static stele_status take(void *user, const stele_segment *segment, const stele_span *spans);
 *
 *     stele_request request = {.kinds = STELE_SPANS_KINDS, .order = STELE_ORDER_TIME};
 *     status = stele_spans_new(context, NULL, take, user, &spans);
 *     request.columns = stele_spans_columns(spans);
 *     status = stele_reader_open(context, &trace, 1, &request, &reader);
 *     while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
 *         status = stele_spans_add(spans, &segment);
 *     if (status == STELE_END)
 *         status = stele_spans_finish(spans);
 *
 * Memory grows with what is open at a time, and with the different names of each track. Rules about
 * units, threads, ownership and errors are those of <stele/analysis.h>.
 */
#ifndef STELE_SPANS_H
#define STELE_SPANS_H

#include <stele/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a span ended. Values before STELE_SPAN_TIMEOUT are those of stele_call_end. */
typedef enum stele_span_end {
    STELE_SPAN_RETURNED = STELE_CALL_RETURNED, /* ended by its own end event */
    STELE_SPAN_TAIL = STELE_CALL_TAIL,         /* ended by a tail call */
    STELE_SPAN_UNWOUND = STELE_CALL_UNWOUND,   /* its caller ended first */
    STELE_SPAN_OPEN = STELE_CALL_OPEN,         /* open until the trace or window ended */
    /* There is an end without a begin; begin_ns equals end_ns. */
    STELE_SPAN_ENTRY_LOST = STELE_CALL_ENTRY_LOST,
    /* Ended by stele_span_options.timeout_ns: no end event came before that. */
    STELE_SPAN_TIMEOUT,
    STELE_SPAN_END_COUNT
} stele_span_end;

/* What a span was made of. */
typedef enum stele_span_source {
    STELE_SPAN_CALL,        /* BEGIN, and END or TAIL_EXIT */
    STELE_SPAN_COMPLETE,    /* one COMPLETE event */
    STELE_SPAN_ASYNC,       /* ASYNC_BEGIN and ASYNC_END */
    STELE_SPAN_FLOW,        /* FLOW_BEGIN and FLOW_END */
    STELE_SPAN_NESTED_PAIR, /* two moments of one thread that nest as calls do: entry and exit */
    STELE_SPAN_PAIR,        /* two moments that were paired by a value, a process or their order */
    STELE_SPAN_SOURCE_COUNT
} stele_span_source;

/* "returned", "tail", "unwound", "open", "entry-lost", "timeout"; "none" if `end` is not valid. */
STELE_API const char *stele_span_end_text(stele_span_end end);

/* "call", "complete", "async", "flow", "nested-pair", "pair"; "none" if `source` is not valid. */
STELE_API const char *stele_span_source_text(stele_span_source source);

/* Values of stele_span.delta_ns and of its offsets for none, and the first number of
   stele_span.pair that is of the table. */
#define STELE_SPAN_NO_DELTA   INT64_MIN
#define STELE_SPAN_NO_OFFSET  UINT64_MAX
#define STELE_SPAN_PAIR_TABLE 0x10000u

/* Describes a span, in addition to its event. Calls, complete events and nested pairs are on the
   stack of their track: the span around is the parent. The parent of an asynchronous operation is
   the operation with the same id that it began in. Flows and other pairs have no parent. */
typedef struct stele_span {
    uint64_t id;     /* from 1, in the order in which spans begin */
    uint64_t parent; /* id of the span around it; 0: none */
    int64_t begin_ns, end_ns;
    uint64_t self_ns; /* duration without the spans whose parent this one is */
    /* Begin of this span minus begin of the last one with the same name on the same track;
       STELE_SPAN_NO_DELTA: it is the first. */
    int64_t delta_ns;
    /* Of the record that began the span, in its input; or STELE_SPAN_NO_OFFSET. */
    uint64_t begin_offset;
    /* Of the record that ended the span, in its input; or STELE_SPAN_NO_OFFSET. */
    uint64_t end_offset;
    uint64_t child_count; /* spans whose parent this one is */
    stele_name name;      /* 0 instead of names with STELE_NAME_LOCAL */
    stele_name category;
    stele_name caller;   /* name of the parent; 0: no parent, or it has no name */
    stele_name root;     /* name of the outermost span around; without one, its own name */
    uint32_t track;      /* track on which the span began */
    uint32_t end_track;  /* track on which the span ended */
    uint32_t stream;     /* stream of the event that began the span: see stele_batch.stream */
    uint32_t end_stream; /* stream of the event that ended the span */
    uint32_t depth;      /* number of spans around; 0: it is outermost */
    uint32_t node;       /* node of the span's path, with stele_span_options.has_paths; else 0 */
    /* Of a pair: the number of stele_pairing_add_pair()'s pair, from 1, or of one of the table,
       from STELE_SPAN_PAIR_TABLE; else 0. */
    uint32_t pair;
    uint16_t begin_cpu; /* valid with has_begin_cpu */
    uint16_t end_cpu;   /* valid with has_end_cpu */
    bool has_begin_cpu, has_end_cpu;
    uint8_t end;    /* stele_span_end */
    uint8_t source; /* stele_span_source */
    /* The window cuts the span: it was open when the window began, and begins with it; it was open
       when the window ended, and ends with it. */
    bool is_begin_cut, is_end_cut;
    uint16_t reserved;
} stele_span;

/* Nanoseconds from the begin of a span to its end. */
static inline uint64_t stele_span_duration_ns(const stele_span *span)
{
    return (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
}

/* How many spans an engine made, and what was unusual about them. */
typedef struct stele_span_counts {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t span_count;
    uint64_t by_source[STELE_SPAN_SOURCE_COUNT];
    uint64_t by_end[STELE_SPAN_END_COUNT];
    uint64_t overlap_count; /* COMPLETE events that neither nest nor follow one another */
    /* Calls that were not followed, because depth_max of the options was reached. */
    uint64_t cut_count;
    /* Operations that were not followed, because open_max of the options was reached. */
    uint64_t refused_count;
    uint64_t repeated_count; /* events left out because they are copies of others */
    /* Spans without delta_ns, because there are too many different names. */
    uint64_t no_delta_count;
    uint32_t depth_max;     /* the largest number of open calls on a track */
    uint64_t carried_count; /* spans that were open when the window began, and begin with it */
} stele_span_counts;

/* Which spans an engine makes, and how; zeros give the defaults. */
typedef struct stele_span_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool no_fields;     /* the events of the spans get no fields */
    bool has_paths;     /* spans get the node of their path of calls: see stele_spans_node() */
    bool has_begins;    /* begins of spans are passed on, too: see stele_span_fn */
    /* FLOW_STEP events, if they are added, end a span and begin the next one: a flow with one step
       becomes two spans. */
    bool has_steps;
    uint32_t depth_max; /* open calls of a track that are followed; 0: the limit of the context */
    /* Asynchronous operations, flows and pairs that are open at a time and followed; 0: the limit
       of the context. */
    uint32_t open_max;
    uint64_t timeout_ns; /* a pair that is open for longer ends by STELE_SPAN_TIMEOUT; 0: never */
    /* Passes on only spans that pass the names, categories, tracks, kinds (of their begins) and the
       expression of this request; the expression may use words that only spans have. The request is
       copied. NULL: all. Other spans still count as children of their parents. */
    const stele_request *only;
} stele_span_options;

typedef struct stele_spans stele_spans;

/*
 * Receives spans that have ended: `spans[i]` describes the event `segment->first + i` of the
 * segment's batch. The event is COMPLETE, whatever the span was made of: its time is the span's
 * begin, `id` its end in ns, and `value` its end in ticks, as far as they are known. Name,
 * category, track and offset are those of the event that began the span. Its fields are those of
 * the begin, then those of the end; where both have a field of one name with different values, the
 * end's is called "NAME.end".
 *
 * With stele_span_options.has_begins each span on a stack comes twice: when it begins, as a BEGIN
 * event with a span that ends where it begins, by STELE_SPAN_OPEN; and when it ends. `only` does
 * not apply to begins; spans that do not pass it are not passed on when they end.
 *
 * Spans of a track come in the order of their ends, inner ones before outer ones; those of
 * different tracks as their ends become known. Both arrays hold during the call. A status other
 * than STELE_OK ends the current call with the engine, which returns it.
 */
typedef stele_status stele_span_fn(void *user, const stele_segment *segment,
                                   const stele_span *spans);

/* Makes an engine that passes its spans to `fn`. `options` may be NULL. The caller frees it with
   stele_spans_free(). Returns STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this library
   does not know. */
STELE_API stele_status stele_spans_new(stele_context *context, const stele_span_options *options,
                                       stele_span_fn *fn, void *user, stele_spans **out);
STELE_API void stele_spans_free(stele_spans *s);

/*
 * Sets the window: only what lies in [begin_ns, end_ns) counts; INT64_MIN and INT64_MAX are open
 * ends. Earlier events are to be added, too: they say what is open when the window begins, which
 * then begins with it. Spans that are open at its end end with it. To be called before the first
 * event of a trace.
 */
STELE_API stele_status stele_spans_set_window(stele_spans *s, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; those of each track must come in the order of time. */
STELE_API stele_status stele_spans_add(stele_spans *s, const stele_segment *segment);

/* From now on spans shorter than `duration_ns` are not passed on when they end, but still count.
   Their begins (has_begins) are passed on. */
STELE_API void stele_spans_set_least(stele_spans *s, uint64_t duration_ns);

/* From now on spans that are exactly as long as stele_spans_set_least() says are not passed on
   either if they begin after `begin_ns`. That holds until stele_spans_set_least() is called again:
   for callers that keep the longest spans, of equally long ones the earliest. */
STELE_API void stele_spans_set_least_begin(stele_spans *s, int64_t begin_ns);

/* Sets the time from which the word `time` of expressions counts; by default it counts from the
   first event. */
STELE_API void stele_spans_set_origin(stele_spans *s, int64_t origin_ns);

/* Gives a node of the tree of paths, from 0, which is the root: see stele_call_node. Returns NULL
   if there is none. It holds until the next event is added. */
STELE_API const stele_call_node *stele_spans_node(const stele_spans *s, uint32_t node);

/* Ends spans that are still open. Events of other traces may be added afterwards. */
STELE_API stele_status stele_spans_finish(stele_spans *s);

/* Gives an open span of a track: the outermost has depth 0. Returns false if no span of this depth
   is open. Its end and durations are not known yet. */
STELE_API bool stele_spans_open_at(const stele_spans *s, uint32_t track, uint32_t depth,
                                   stele_span *span);

/* Gives the counts so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_spans_get_counts(const stele_spans *s, stele_span_counts *counts);

/* Reports (STE014) names, categories, tracks and fields that the filter asks for and no span had.
   To be called when the events of all traces were added. */
STELE_API void stele_spans_report(const stele_spans *s);

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
 * of its clock. Fields become attributes; threads and processes become the attributes that
 * OpenTelemetry defines for them; attributes that only Stele has begin with "stele.". Bytes,
 * pointers and integers beyond 64 bits are hexadecimal texts, unsigned ones beyond INT64_MAX
 * decimal ones.
 */
typedef struct stele_otlp stele_otlp;

/* Begins a file; `service` is the value of the attribute service.name. The output stays the
   caller's. Returns, as stele_otlp_add() and stele_otlp_finish() do, STELE_ERR_MEMORY or the status
   of the output. */
STELE_API stele_status stele_otlp_new(stele_context *context, const char *service,
                                      stele_output *out, stele_otlp **otlp);
STELE_API void stele_otlp_free(stele_otlp *o);

/* Writes the span that describes the event `segment->first + index`, as a stele_span_fn receives
   it. */
STELE_API stele_status stele_otlp_add(stele_otlp *o, const stele_segment *segment, uint32_t index,
                                      const stele_span *span);

/* Ends the file. */
STELE_API stele_status stele_otlp_finish(stele_otlp *o);

/* How many times so far are before 1970 or after 2262; they were written as 0. */
STELE_API uint64_t stele_otlp_unset_count(const stele_otlp *o);

/* ---- Pairs: moments that begin and end something --------------------------------------------- */

/*
 * Makes begins and ends of moments, for analyses of calls or operations: `read_entry` and
 * `read_exit` of one thread become BEGIN and END of `read`; two moments paired by a value become
 * ASYNC_BEGIN and ASYNC_END with an id of their own. A pairing stands between a reader and an
 * analysis:
 *
 *     status = stele_pairing_new(context, &options, &pairing);
 *     status = stele_pairing_add_pair(pairing, "request:reply", "arg.id");
 *     ...
 *     status = stele_pairing_add(pairing, &segment, take, user);
 *
 * If stele_pairing_add_pair() is not called, names are paired by the built-in table (see
 * docs/spans.md), in traces whose events are moments only: the first event decides that either
 * begins or ends something itself, or is one of two whose names are both known. Events of a CPU are
 * put on the thread that runs there, as far as `sched_switch` events say it.
 */
typedef struct stele_pairing stele_pairing;

/*
 * Gives the name of a function by the path of its binary, as the trace has it, and by the offset of
 * the address from the binary's load address. An empty path: no binary is known to be loaded there,
 * and `offset` is the address itself. An empty result: the name is not known. Called once for each
 * address.
 */
typedef stele_text stele_place_fn(void *user, stele_text path, uint64_t offset);

typedef struct stele_pairing_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool no_table;      /* pair only what stele_pairing_add_pair() says */
    bool has_table;     /* use the table even if stele_pairing_add_pair() was called */
    /* Pairs by a value become COMPLETE events with the fields of their end, on tracks made for them
       on which they do not overlap: for analyses that take calls only. */
    bool has_lanes;
    uint64_t kinds; /* events of other kinds are left out; 0: none are */
    /* Begins, paired by a value, that wait for their end; 0: the limit of the context. */
    uint32_t open_max;
    /* An end that comes later than that does not belong to the begin; 0: no limit. */
    uint64_t timeout_ns;
    /* Names a function that lttng_ust_cyg_profile knows by its address, in the process with the
       number `module`. NULL: the function is called by its address, or by its binary's name and
       offset. */
    stele_resolve_fn *resolve;
    void *resolve_user;
    stele_place_fn *place; /* names functions that `resolve` does not; NULL: no further names */
    void *place_user;
} stele_pairing_options;

/* How many moments were paired, and how many were not. Moments of one thread that nest are in the
   counts of the calls instead. */
typedef struct stele_pairing_counts {
    size_t struct_size;      /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t begin_count;    /* events that begin something */
    uint64_t end_count;      /* events that end something, also if their begin is missing */
    uint64_t pair_count;     /* pairs by a value that were found */
    uint64_t unended_count;  /* begins, paired by a value, that wait for their end, or timed out */
    uint64_t unbegun_count;  /* ends, paired by a value, without a begin */
    uint64_t refused_count;  /* begins that were not followed, because open_max was reached */
    uint64_t no_value_count; /* events that do not have the value to pair them by */
} stele_pairing_counts;

/* `options` may be NULL. The caller frees the handle with stele_pairing_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this library does not know. */
STELE_API stele_status stele_pairing_new(stele_context *context,
                                         const stele_pairing_options *options, stele_pairing **out);
STELE_API void stele_pairing_free(stele_pairing *p);

/*
 * Adds a pair: "BEGIN:END" or "BEGIN => END", two names or globs; the parts that a `*` matches must
 * be the same in both. With several pairs, one event can end one and begin the next.
 *
 * `by` says which values begin and end have in common: a list, separated by commas, of `arg.NAME`
 * (or `arg.NAME=arg.OTHER` where begin and end call it differently), `id`, `cpu`, `thread`,
 * `process`; `flow` for the work that flows hand on from the thread of the begin to that of the
 * end; or `order` for none. Of several begins with the same values, the first one is ended. NULL:
 * begins and ends of a thread, which nest as calls do.
 *
 * STELE_ERR_ARGUMENT, with a finding: a text is not a valid pair. To be called before the first
 * event.
 */
STELE_API stele_status stele_pairing_add_pair(stele_pairing *p, const char *pair, const char *by);

/* Passes the events of a segment on to `fn`, with pairs in them. Events must come in the order of
   time. */
STELE_API stele_status stele_pairing_add(stele_pairing *p, const stele_segment *segment,
                                         stele_segment_fn *fn, void *user);

/* Something that a pairing has learned from events, and that later pairs depend on. */
typedef struct stele_pairing_fact {
    uint8_t kind;     /* stele_pairing_fact_kind */
    uint32_t track;   /* the CPU, or the process */
    uint32_t thread;  /* RUNS: track of the thread */
    stele_name name;  /* LOADED: path of the binary; CALLED: name of the object */
    uint64_t address; /* LOADED, CALLED: address in the process; TABLE: whether the table is used */
    uint64_t size;    /* LOADED: bytes from `address` that the binary takes */
} stele_pairing_fact;

typedef enum stele_pairing_fact_kind {
    STELE_PAIRING_TABLE,  /* the built-in table is used, or not, for this trace */
    STELE_PAIRING_RUNS,   /* a CPU runs a thread */
    STELE_PAIRING_LOADED, /* a process has loaded a binary */
    STELE_PAIRING_CALLED  /* an object of a process, as ROS 2 has them, has a name */
} stele_pairing_fact_kind;

typedef stele_status stele_pairing_fact_fn(void *user, const stele_pairing_fact *fact);

/*
 * Gives what the pairing has learned from the events that were added, one fact at a time: the table
 * and CPUs first. A status other than STELE_OK ends the call, which returns it. With these facts
 * another pairing can go on from there. Begins that wait for an end with the same value, and flows,
 * are not among them.
 */
STELE_API stele_status stele_pairing_give_facts(const stele_pairing *p, stele_pairing_fact_fn *fn,
                                                void *user);

/* Lets a new pairing go on from facts in the order in which stele_pairing_give_facts() gave them,
   of a pairing with the same context. To be called before the first event. Returns STELE_ERR_MEMORY
   if out of memory. */
STELE_API stele_status stele_pairing_go_on(stele_pairing *p, const stele_pairing_fact *facts,
                                           size_t count);

/* Removes what is open. Events of another trace may be added afterwards. */
STELE_API void stele_pairing_finish(stele_pairing *p);

/* Whether the table paired any events. */
STELE_API bool stele_pairing_used_table(const stele_pairing *p);

/* Reports (STE014) names of stele_pairing_add_pair() that no event had. To be called when the
   events of all traces were added. */
STELE_API void stele_pairing_report(const stele_pairing *p);

/* Gives the counts so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_pairing_get_counts(const stele_pairing *p, stele_pairing_counts *counts);

/* Whether a trace can have events to be paired. False means that the trace needs no pairing: its
   format has begins and ends of its own, and only the table is used. */
STELE_API bool stele_pairing_wants(const stele_pairing *p, const stele_trace *trace);

/* The columns and kinds that the pairing itself needs from a reader, in addition to those of the
   analysis. */
STELE_API uint32_t stele_pairing_columns(const stele_pairing *p);
STELE_API uint64_t stele_pairing_kinds(const stele_pairing *p);

/* ---- Latency: how long spans take, and which took the longest -------------------------------- */

/* Collects the durations of spans, of a pair's say. Its memory does not grow with their number. */
typedef struct stele_latency stele_latency;

/* Figures of the durations. */
typedef struct stele_latency_figures {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t count;     /* spans that ended by their own end; durations are of these */
    uint64_t min_ns, mean_ns, max_ns;         /* exact, except that the mean is rounded down */
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns; /* at most 3.2% too large, never above max_ns */
    /* Spans without an end: until the end of the trace, or within the timeout. */
    uint64_t open_count;
    uint64_t no_begin_count; /* spans without a begin */
} stele_latency_figures;

/* Makes a handle that keeps the `worst_max` longest spans. The caller frees it with
   stele_latency_free(). Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_latency_new(uint32_t worst_max, stele_latency **out);
STELE_API void stele_latency_free(stele_latency *l);

/* Takes a span. Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_latency_add(stele_latency *l, const stele_span *span);

/* Gives the figures so far. The caller sets `struct_size`, as STELE_INIT does. */
STELE_API void stele_latency_get(const stele_latency *l, stele_latency_figures *figures);

/* Gives the longest spans, the longest first; they hold as long as `l`. To be called after the last
   span was added. */
STELE_API const stele_span *stele_latency_worst(stele_latency *l, uint32_t *count);

/* How many durations are in [2^(index - 1), 2^index) ns; of index 0, how many are 0 ns. `index` is
   below STELE_LATENCY_BUCKETS. */
#define STELE_LATENCY_BUCKETS 65u
STELE_API uint64_t stele_latency_bucket(const stele_latency *l, uint32_t index);

/* ---- Outliers: spans that took far longer than others of their name -------------------------- */

/* Finds outliers, in memory of some spans for each name. A name with fewer than 100 spans has
   none. */
typedef struct stele_outliers stele_outliers;

/* Which spans are outliers, and how many are kept; zeros give the defaults. */
typedef struct stele_outlier_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t factor;    /* outliers last more than so many times the name's 99th percentile; 0: 3 */
    uint32_t per_name;  /* outliers of one name that are kept at most, the longest ones; 0: 16 */
} stele_outlier_options;

/* A span that took far longer than the others of its name. */
typedef struct stele_outlier {
    /* The outlier, and a span of the same name that took about the median. */
    stele_span span, median;
    stele_segment segment, median_segment; /* the events of `span` and of `median`, one each */
    /* Of the name: number of spans, and percentiles (at most 3.2% too large). */
    uint64_t count, p50_ns, p99_ns;
} stele_outlier;

/* `options` may be NULL. The caller frees the handle with stele_outliers_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT for options that this library does not know. */
STELE_API stele_status stele_outliers_new(stele_context *context,
                                          const stele_outlier_options *options,
                                          stele_outliers **out);
STELE_API void stele_outliers_free(stele_outliers *o);

/* Takes spans as a stele_span_fn receives them; spans that did not end by their own end are left
   out. */
STELE_API stele_status stele_outliers_add(stele_outliers *o, const stele_segment *segment,
                                          const stele_span *spans);

/* Gives the outliers, sorted by how far they exceed their name's percentile, the farthest first.
   They hold until the next call with `o`. No span may be added afterwards. */
STELE_API stele_status stele_outliers_rows(stele_outliers *o, const stele_outlier **rows,
                                           size_t *count);

#ifdef __cplusplus
}
#endif
#endif
