/* SPDX-License-Identifier: Apache-2.0 */
/* State of the sink for Chrome's JSON, and the functions that write parts of an event. */
#ifndef SINKS_CHROME_SINK_H
#define SINKS_CHROME_SINK_H

#include "sinks/chrome_links.h"
#include "sinks/chrome_tracks.h"
#include "sinks/column.h"
#include "sinks/fragments.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define CHROME_EVENT_SIZE 160 /* bytes for all parts of an event except names and arguments */

/* How many marks stele_picture can add as the last field of a span's event. */
#define CHROME_MARK_COUNT 4
extern const char *const chrome_mark_texts[CHROME_MARK_COUNT];

typedef struct chrome_sink {
    stele_writer base;
    value_writer values;
    track_labels labels; /* titles of tracks as JSON strings */
    fragments heads;     /* beginnings of events, see chrome_head_put() */
    output *scratch;     /* buffer in which one is made */
    chrome_tracks tracks;
    chrome_links links;
    stele_name scope, data;
    stele_name marks[CHROME_MARK_COUNT]; /* chrome_mark_texts as names */
    /* a bit for the lowest six bits of each of `marks`, to exclude most names fast */
    uint64_t mark_bits;
    unsigned mark; /* mark of the current event; CHROME_MARK_COUNT: none */
    chrome_idle idle;
    bool has_events, has_args;
    bool has_last, is_exhausted;
    int64_t last_ns;     /* the latest time of all events */
    int64_t place_count; /* events so far of traces without times, but in an order */
    bool has_origin, has_wall;
    bool has_end;
    int64_t end_ns;    /* time at which threads that run until the end stop */
    int64_t origin_ns; /* time at which written times are 0 */
    text_front ts;     /* leading digits of times */
    int64_t wall_ns;   /* wall-clock time of the origin */
    const stele_batch *batch;
} chrome_sink;

static inline void chrome_lose(chrome_sink *chrome, const stele_event *event, const char *what,
                               loss_extent extent)
{
    writer_lose(&chrome->base, (stele_kind)event->kind, what, extent, 1);
}

/* ---- Parts of an event (chrome_put.c) ---- */

static inline void chrome_note_time(chrome_sink *chrome, int64_t ns)
{
    if (!chrome->has_last || ns > chrome->last_ns)
        chrome->last_ns = ns;
    chrome->has_last = true;
}

/* Write the separator with the phase, the category, the name, and process, thread and time of an
   event. An event without a name gets `standard`, or the address of its function. */
void chrome_begin_put(chrome_sink *chrome, char phase);
void chrome_category_put(chrome_sink *chrome, const stele_event *event);
void chrome_name_put(chrome_sink *chrome, const stele_event *event, const char *standard);
void chrome_place_put(chrome_sink *chrome, const chrome_track *track, int64_t ns);

/* Writes the separator, the phase, the category and the name. The text is made once for all events
   with the same phase, category and name. Flows and operations get an empty category if they have
   none. */
void chrome_title_put(chrome_sink *chrome, const stele_event *event, char phase,
                      const char *standard);

/* Writes the beginning of an event up to its time, as chrome_title_put() does up to its name. The
   text up to the time is made once for all events with the same phase, category, name and track. */
void chrome_head_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                     char phase, const char *standard);

/*
 * Writes the whole event of a span that has only a name, times, a CPU and fields. Returns false,
 * and writes nothing, for other events and if its head was not made before. No duration is written
 * if it is CHROME_NO_DURATION.
 */
#define CHROME_NO_DURATION UINT64_MAX
bool chrome_plain_put(chrome_sink *chrome, const stele_event *event, char phase,
                      uint64_t duration_ns);

/* Write an argument, with what separates it from the one before. */
void chrome_arg_next(chrome_sink *chrome);
void chrome_arg_u64(chrome_sink *chrome, const char *key, uint64_t value);
void chrome_arg_id(chrome_sink *chrome, const char *key, uint64_t id);
void chrome_arg_name(chrome_sink *chrome, const stele_event *event);
void chrome_arg_track(chrome_sink *chrome, const char *key, uint32_t track);

/* Write what belongs beside the arguments of a span, and the event's fields with its end. */
void chrome_beside_put(chrome_sink *chrome, const stele_event *event);
void chrome_end_put(chrome_sink *chrome, const stele_event *event);

/* Writes an instant up to its arguments. */
void chrome_moment_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       const char *standard, char scope);

/* ---- Spans and running threads (chrome_spans.c) ---- */

void chrome_complete_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_begin_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_end_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_switch_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);

/* Ends the thread that runs on the CPU. The array of tracks may move, so `track` is invalid
   after it. */
void chrome_running_end(chrome_sink *chrome, chrome_track *track, int64_t end_ns, bool is_last);

/* ---- End of the trace (chrome_end.c) ---- */

/* Ends what is open, and writes names and order of tracks and facts about the whole trace. */
void chrome_end_put_all(chrome_sink *chrome);

#endif
