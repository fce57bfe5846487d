/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink for Perfetto's own format: a sequence of packets of Protocol Buffers. Each event is a
 * packet, with its time in nanoseconds, on a track that a packet before it describes. Names stand
 * in the file once, and have numbers from then on.
 *
 * Three sequences of packets, which Perfetto's incremental state is of:
 *   1  all but the following; its state is never cleared, since it holds names of the context's
 * pool only, whose number is bounded 2  log messages, whose texts can only be had by number: each
 * packet clears the state 3  what was lost, with Perfetto's own mark for that, which would clear
 * the state of others
 */
#ifndef SINKS_PERFETTO_SINK_H
#define SINKS_PERFETTO_SINK_H

#include "core/proto.h"
#include "model/kernel.h"
#include "sinks/chrome_links.h"
#include "sinks/chrome_tracks.h"
#include "sinks/perfetto_words.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

/* Spans of a track beyond so many around each other are on tracks below it: Perfetto leaves out
   what is deeper than 512. */
#define PERFETTO_DEPTH_MAX 500u
#define PERFETTO_LANES_MAX 250u

/* Counters whose tracks are known to be described. */
#define PERFETTO_COUNTERS_MAX 4096u

/* CPUs with a higher number make Perfetto refuse the trace. */
#define PERFETTO_CPUS_MAX 1024u

/* Names of arguments that are the sink's own. */
typedef enum perfetto_word {
    WORD_CPU,
    WORD_FLAGS,
    WORD_NAME,
    WORD_CATEGORY,
    WORD_ID,
    WORD_VALUE,
    WORD_KIND,
    WORD_COUNT_LOST,
    WORD_GAP,
    WORD_SIZE,
    WORD_OFFSET,
    WORD_NUMBER,
    WORD_SEVERITY,
    WORD_PC,
    WORD_OPCODE,
    WORD_ADDRESS,
    WORD_CALLS,
    WORD_TIME,
    WORD_THREAD,
    WORD_DURATION,
    WORD_UNFINISHED,
    WORD_CONTEXT,
    WORD_COUNT
} perfetto_word;

/* What the sink has written of a track. */
typedef struct perfetto_track {
    uint64_t uuid;        /* 0: nothing yet */
    stele_name name;      /* what it was called then */
    uint32_t pid, tid;    /* of a thread or process */
    uint32_t open;        /* stack of ends of spans, SPAN_OPEN where they are not known */
    uint32_t names;       /* stack of the names of those that are SPAN_OPEN */
    uint32_t depth;       /* of `open` */
    uint32_t lane_count;  /* tracks below it that are described */
    uint64_t excess;      /* begins that found no room, on top of `open` */
    uint32_t running_tid; /* of a CPU: the thread that runs; 0: none */
} perfetto_track;

#define SPAN_OPEN UINT64_MAX

typedef struct perfetto_sink {
    stele_writer base;
    proto packet;   /* that is being made */
    proto interned; /* names that it uses first */
    proto text;     /* a text that is made */
    size_t packet_mark, event_mark;
    const stele_batch *batch;
    uint32_t sequence;     /* that it is of */
    bool has_inline_names; /* of a sequence without state */

    uint8_t *told; /* by name: TOLD_... */
    uint32_t told_count;
    uint32_t words_told; /* by perfetto_word */
    member_marks marks;
    output *scratch;  /* of numbers that are texts */
    uint32_t changes; /* VALUE_... of the event at hand */

    chrome_tracks places;   /* numbers of processes and threads; stacks */
    perfetto_track *tracks; /* by track */
    uint32_t track_count;
    track_labels labels;
    chrome_links links;
    uint64_t counters[PERFETTO_COUNTERS_MAX]; /* uuids of tracks that are described */
    uint64_t own_count;                       /* spans that have tracks of their own */
    uint32_t group_count;                     /* processes of threads that have none */
    bool has_root, has_cpus; /* what orders all, what CPUs are below, is described */

    kernel *kernel;
    stele_name message, data, cpu_id;
    bool is_started, is_exhausted;
    bool has_origin, has_wall, has_last, has_end;
    int64_t origin_ns, wall_ns, last_ns, end_ns;
    uint64_t bias_ns; /* is added to all times, so that none is negative */
} perfetto_sink;

static inline void perfetto_lose(perfetto_sink *p, const stele_event *event, const char *what,
                                 loss_extent extent)
{
    writer_lose(&p->base, (stele_kind)event->kind, what, extent, 1);
}

/* ---- Packets (perfetto_packet.c) ---- */

#define SEQUENCE_EVENTS 1u
#define SEQUENCE_LOGS   2u
#define SEQUENCE_LOSSES 3u

/* A packet up to its content; and its end, which writes it. */
void perfetto_packet_begin(perfetto_sink *p, uint32_t sequence);
void perfetto_packet_end(perfetto_sink *p);

/* A time as the file has it. */
uint64_t perfetto_time(perfetto_sink *p, int64_t time_ns);

/* A packet with an event, up to its arguments: where and when it is, what it is called. */
void perfetto_event_begin(perfetto_sink *p, uint32_t sequence, uint64_t track, int64_t time_ns,
                          unsigned type);
void perfetto_event_end(perfetto_sink *p);

/* Its category and name; an event without a name gets `standard`, or where that is NULL the address
   of its function. */
void perfetto_name(perfetto_sink *p, const stele_event *event, const char *standard);

/* A field of text, in escaped form where it is no UTF-8 (see json_string()). */
void perfetto_text(perfetto_sink *p, proto *to, uint32_t field, const void *bytes, size_t size);

/* Refers to a name of the pool by its number, telling it if need be; false: it has to be written
   where it is used. */
bool perfetto_intern(perfetto_sink *p, stele_name name, uint32_t kind);

/* ---- Arguments (perfetto_args.c) ---- */

void perfetto_arg_u64(perfetto_sink *p, perfetto_word word, uint64_t value);
void perfetto_arg_pointer(perfetto_sink *p, perfetto_word word, uint64_t value);
void perfetto_arg_bool(perfetto_sink *p, perfetto_word word, bool value);
void perfetto_arg_text(perfetto_sink *p, perfetto_word word, const char *bytes, size_t size);
void perfetto_arg_name(perfetto_sink *p, perfetto_word word, stele_name name);
void perfetto_arg_track(perfetto_sink *p, perfetto_word word, uint32_t track);

/* The fields of the event but those of this name, 0 for none; then those of its batch's context,
   its CPU and its flags. */
void perfetto_args(perfetto_sink *p, const stele_event *event, stele_name skipped);

/* Counts what became of its values as losses. */
void perfetto_count_changes(perfetto_sink *p, const stele_event *event);

/* One field as an argument. */
void perfetto_arg_field(perfetto_sink *p, const stele_field *field);

/* ---- Tracks (perfetto_tracks.c) ---- */

/* The track, which is described from then on; 0 is fine. NULL when memory is exhausted. The pointer
   holds until the next call. */
perfetto_track *perfetto_track_get(perfetto_sink *p, uint32_t track);

/* What the innermost open span of it is on. */
uint64_t perfetto_track_now(const perfetto_track *track);

/* Describes a track below another one, of a name. */
void perfetto_track_add(perfetto_sink *p, uint64_t uuid, uint64_t parent, const stele_event *named);

/* Tells names that became known, or changed, after their tracks were described. */
void perfetto_tracks_rename(perfetto_sink *p);

/* ---- Spans (perfetto_spans.c) ---- */

void perfetto_complete(perfetto_sink *p, perfetto_track *track, const stele_event *event);
void perfetto_begin_span(perfetto_sink *p, perfetto_track *track, const stele_event *event);
void perfetto_end_span(perfetto_sink *p, perfetto_track *track, const stele_event *event);

/* Ends what is known to end before `time_ns`, or at it with `is_inclusive`. */
void perfetto_spans_flush(perfetto_sink *p, perfetto_track *track, int64_t time_ns,
                          bool is_inclusive);

/* Ends everything that is open. */
void perfetto_spans_finish(perfetto_sink *p);

/* ---- Scheduling (perfetto_sched.c) ---- */

/* Writes the event as one of the scheduler, where it is that. True when this says all that it says;
   else it is to be written as an instant, too. */
bool perfetto_sched(perfetto_sink *p, const stele_event *event);

/* Says that events of a CPU are missing. */
void perfetto_sched_lost(perfetto_sink *p, const stele_event *event);

#endif
