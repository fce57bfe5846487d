/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which streams the events of each track are. A picture of some tracks of a trace with many
 * streams then reads few of them.
 */
#ifndef VIEW_STREAMS_H
#define VIEW_STREAMS_H

#include <stele/event.h>

#include "view/question.h"

/* A track and a stream that has events of it. */
typedef struct view_track_stream {
    uint32_t track, stream;
} view_track_stream;

/* The streams of a track while they are being found: bit n says that stream n is known. */
typedef struct view_stream_bits {
    uint32_t *words;
    uint32_t word_count;
} view_stream_bits;

typedef struct view_streams {
    view_track_stream *pairs; /* each is there once; sorted by view_streams_end() */
    size_t count, capacity;
    view_stream_bits *bits; /* by track */
    uint32_t track_count;
    size_t word_count; /* of all bits together */
    bool is_unusable;  /* too many pairs, or out of memory: all streams are to be read */
    bool is_of_trace;  /* streams are counted from the first one of the only trace */
} view_streams;

/* Notes that a stream has events of a track. */
void view_streams_add(view_streams *s, uint32_t track, uint32_t stream);

/* Sorts the pairs after the last one was added. */
void view_streams_end(view_streams *s);

/* Finds the streams of the tracks that a question asks for, as rising numbers of the context;
   `first` is added to each. The caller frees `*streams`. Returns false if out of memory. */
bool view_streams_find(const view_streams *s, const question *q, uint32_t first, uint32_t **streams,
                       size_t *count);
void view_streams_free(view_streams *s);

#endif
