/* SPDX-License-Identifier: Apache-2.0 */
/* The sink for Chrome's JSON, and the pieces that its events are put together of. */
#ifndef SINKS_CHROME_SINK_H
#define SINKS_CHROME_SINK_H

#include "sinks/chrome_links.h"
#include "sinks/chrome_tracks.h"
#include "sinks/column.h"
#include "sinks/fragments.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define CHROME_EVENT_SIZE 160 /* of an event's fixed parts, all that is not names or arguments */

/* What stele_picture says of a span in its last field. */
#define CHROME_MARK_COUNT 4
extern const char *const chrome_mark_texts[CHROME_MARK_COUNT];

typedef struct chrome_sink {
    stele_writer base;
    value_writer values;
    track_labels labels; /* as JSON strings */
    fragments heads;     /* of spans, see chrome_head_put() */
    output *scratch;     /* of one that is made */
    chrome_tracks tracks;
    chrome_links links;
    stele_name scope, data;
    stele_name marks[CHROME_MARK_COUNT]; /* names of chrome_mark_texts */
    uint64_t mark_bits;                  /* of their lowest six bits: most names are none of them */
    unsigned mark;                       /* of the span at hand; CHROME_MARK_COUNT: none */
    chrome_idle idle;
    bool has_events, has_args;
    bool has_last, is_exhausted;
    int64_t last_ns; /* the latest time of all */
    bool has_origin, has_wall;
    bool has_end;
    int64_t end_ns;    /* what runs at the end runs up to there */
    int64_t origin_ns; /* what times count from */
    int64_t wall_ns;   /* wall-clock time of that */
    const stele_batch *batch;
} chrome_sink;

static inline void chrome_lose(chrome_sink *chrome, const stele_event *event, const char *what,
                               loss_extent extent)
{
    writer_lose(&chrome->base, (stele_kind)event->kind, what, extent, 1);
}

/* ---- Pieces of an event (chrome_put.c) ---- */

/* Microseconds with three decimals, exact: "-0.001". Gives the place after them. */
char *chrome_put_us(char *to, uint64_t ns, bool is_negative);

static inline void chrome_note_time(chrome_sink *chrome, int64_t ns)
{
    if (!chrome->has_last || ns > chrome->last_ns)
        chrome->last_ns = ns;
    chrome->has_last = true;
}

/* The separator and the phase; what an event is called and where it stands. An event without a name
   gets `standard`, or the address of its function. */
void chrome_begin_put(chrome_sink *chrome, char phase);
void chrome_category_put(chrome_sink *chrome, const stele_event *event);
void chrome_name_put(chrome_sink *chrome, const stele_event *event, const char *standard);
void chrome_place_put(chrome_sink *chrome, const chrome_track *track, int64_t ns);

/* All of them, for the event of a span; the name is made once for all that are like it. */
void chrome_head_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                     char phase, const char *standard);

/* Arguments, each after what separates it from the one before. */
void chrome_arg_next(chrome_sink *chrome);
void chrome_arg_u64(chrome_sink *chrome, const char *key, uint64_t value);
void chrome_arg_id(chrome_sink *chrome, const char *key, uint64_t id);
void chrome_arg_name(chrome_sink *chrome, const stele_event *event);
void chrome_arg_track(chrome_sink *chrome, const char *key, uint32_t track);

/* What stands beside the arguments of a span, and the end of an event with its fields. */
void chrome_beside_put(chrome_sink *chrome, const stele_event *event);
void chrome_end_put(chrome_sink *chrome, const stele_event *event);

/* An instant up to its arguments. */
void chrome_moment_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       const char *standard, char scope);

/* ---- Spans, and threads that run (chrome_spans.c) ---- */

void chrome_complete_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_begin_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_end_span_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);
void chrome_switch_put(chrome_sink *chrome, chrome_track *track, const stele_event *event);

/* Ends what runs on the CPU; its track may have moved then. */
void chrome_running_end(chrome_sink *chrome, chrome_track *track, int64_t end_ns, bool is_last);

/* ---- The end (chrome_end.c) ---- */

/* Ends what is open, and says what tracks are called and what the trace as a whole says. */
void chrome_end_put_all(chrome_sink *chrome);

#endif
