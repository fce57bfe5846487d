/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the sink for Perfetto's own format, a sequence of Protocol Buffers packets. Each event
 * is a packet with its time in nanoseconds, on a track that an earlier packet describes. A name is
 * written once, and referred to by number from then on.
 *
 * There are three sequences of packets, each with an incremental state of its own:
 * - 1: all but the following; its state is never cleared, since it has only names of the context's
 *   pool, whose number is bounded;
 * - 2: log messages, whose texts can only be written by number: each packet clears the state;
 * - 3: losses, with Perfetto's own mark for them, which would clear the state of another sequence.
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

/* Spans of a track that are nested deeper than this are written to tracks below it, because
   Perfetto drops those deeper than 512. PERFETTO_LANES_MAX is how many such tracks there can be. */
#define PERFETTO_DEPTH_MAX 500u
#define PERFETTO_LANES_MAX 250u

/* How many counters are remembered as described. */
#define PERFETTO_COUNTERS_MAX 4096u

/* Perfetto refuses a trace that has a CPU with this number or a higher one. */
#define PERFETTO_CPUS_MAX 1024u

/* Names of arguments that the sink itself adds. */
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

/* What the sink has written about one track. */
typedef struct perfetto_track {
    uint64_t uuid;        /* 0: the track is not described yet */
    stele_name name;      /* name of the track when it was described */
    uint32_t pid, tid;    /* numbers of the process and thread, if the track is one */
    uint32_t open;        /* stack of the ends of open spans, SPAN_OPEN if not known */
    uint32_t names;       /* stack of the names of those spans whose end is not known */
    uint32_t depth;       /* depth of `open` */
    uint32_t lane_count;  /* how many tracks below it are described */
    uint64_t excess;      /* begins above those of `open`, for which there was no room */
    uint32_t running_tid; /* thread that runs, if the track is a CPU; 0: none */
} perfetto_track;

#define SPAN_OPEN UINT64_MAX

typedef struct perfetto_sink {
    stele_writer base;
    proto packet;   /* the packet that is being made */
    proto interned; /* names that the current packet uses first */
    proto text;     /* buffer for a text that is being made */
    size_t packet_mark, event_mark;
    const stele_batch *batch;
    uint32_t sequence;     /* sequence of the current packet */
    bool has_inline_names; /* names are written in full, in a sequence without state */

    uint8_t *told; /* what the file has of each name, as TOLD_... bits by name */
    uint32_t told_count;
    uint32_t words_told; /* a bit for each perfetto_word that the file has */
    member_marks marks;
    output *scratch;  /* buffer for values that become texts */
    uint32_t changes; /* VALUE_... bits of what was changed in the current event */

    chrome_tracks places;   /* numbers of processes and threads, and the pool of stacks */
    perfetto_track *tracks; /* by track number */
    uint32_t track_count;
    track_labels labels;
    chrome_links links;
    uint64_t counters[PERFETTO_COUNTERS_MAX]; /* uuids of the counters' tracks that are described */
    uint64_t own_count;                       /* how many spans got tracks of their own */
    uint32_t group_count;                     /* processes made for threads without a known one */
    /* has_root: the order of tracks is described; has_cpus: the parent of all CPUs is */
    bool has_root, has_cpus;

    kernel *kernel;
    stele_name message, data, cpu_id;
    bool is_started, is_exhausted;
    bool has_origin, has_wall, has_last, has_end;
    int64_t origin_ns, wall_ns, last_ns, end_ns;
    int64_t place_count; /* events so far of traces without times, but in an order */
    uint64_t bias_ns;    /* added to all times so that none is negative */
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

/* Begin a packet, up to its content, and end it, which writes it. */
void perfetto_packet_begin(perfetto_sink *p, uint32_t sequence);
void perfetto_packet_end(perfetto_sink *p);

/* Converts a time to that of the file. */
uint64_t perfetto_time(perfetto_sink *p, int64_t time_ns);

/* Begin a packet with an event, up to its arguments, at a time on a track; and end it. */
void perfetto_event_begin(perfetto_sink *p, uint32_t sequence, uint64_t track, int64_t time_ns,
                          unsigned type);
void perfetto_event_end(perfetto_sink *p);

/* Writes category and name of an event. An event without a name gets `standard`, or if that is
   NULL the address of its function. */
void perfetto_name(perfetto_sink *p, const stele_event *event, const char *standard);

/* Writes a field of text, escaped if it is not valid UTF-8 (see json_string()). */
void perfetto_text(perfetto_sink *p, proto *to, uint32_t field, const void *bytes, size_t size);

/* Makes sure that the file has a number for a name. Returns false if the name must be written
   where it is used. */
bool perfetto_intern(perfetto_sink *p, stele_name name, uint32_t kind);

/* ---- Arguments (perfetto_args.c) ---- */

void perfetto_arg_u64(perfetto_sink *p, perfetto_word word, uint64_t value);
void perfetto_arg_pointer(perfetto_sink *p, perfetto_word word, uint64_t value);
void perfetto_arg_bool(perfetto_sink *p, perfetto_word word, bool value);
void perfetto_arg_text(perfetto_sink *p, perfetto_word word, const char *bytes, size_t size);
void perfetto_arg_name(perfetto_sink *p, perfetto_word word, stele_name name);
void perfetto_arg_track(perfetto_sink *p, perfetto_word word, uint32_t track);

/* Writes the fields of the event, except those named `skipped` (0: none), then those of its
   batch's context, its CPU and its flags as arguments. */
void perfetto_args(perfetto_sink *p, const stele_event *event, stele_name skipped);

/* Counts as losses what was changed in the event's values. */
void perfetto_count_changes(perfetto_sink *p, const stele_event *event);

/* Writes a field as an argument. */
void perfetto_arg_field(perfetto_sink *p, const stele_field *field);

/* ---- Tracks (perfetto_tracks.c) ---- */

/* The state of a track, which is described if it was not yet; 0 stands for events without one.
   Valid until the next call. Returns NULL if out of memory. */
perfetto_track *perfetto_track_get(perfetto_sink *p, uint32_t track);

/* The uuid of the track that the innermost open span is on. */
uint64_t perfetto_track_now(const perfetto_track *track);

/* Describes a track below another one, with the name of an event. */
void perfetto_track_add(perfetto_sink *p, uint64_t uuid, uint64_t parent, const stele_event *named);

/* Writes the names of tracks that changed after they were described. */
void perfetto_tracks_rename(perfetto_sink *p);

/* ---- Spans (perfetto_spans.c) ---- */

void perfetto_complete(perfetto_sink *p, perfetto_track *track, const stele_event *event);
void perfetto_begin_span(perfetto_sink *p, perfetto_track *track, const stele_event *event);
void perfetto_end_span(perfetto_sink *p, perfetto_track *track, const stele_event *event);

/* Ends the spans that are known to end before `time_ns` or, if `is_inclusive` is set, at it. */
void perfetto_spans_flush(perfetto_sink *p, perfetto_track *track, int64_t time_ns,
                          bool is_inclusive);

/* Ends everything that is still open. */
void perfetto_spans_finish(perfetto_sink *p);

/* ---- Scheduling (perfetto_sched.c) ---- */

/* Writes an event of the scheduler as one of ftrace. Returns true if nothing of it is missing;
   otherwise it must be written as an instant too. */
bool perfetto_sched(perfetto_sink *p, const stele_event *event);

/* Writes that events of a CPU were lost. */
void perfetto_sched_lost(perfetto_sink *p, const stele_event *event);

#endif
