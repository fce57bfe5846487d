/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a stretch step by step; viewer_read() takes all steps at once. */
#ifndef VIEW_READING_H
#define VIEW_READING_H

#include "view/viewer.h"

/* A stretch being read: the reader and the engines that its events go through. */
typedef struct pass {
    viewer *v;
    view_reading *r;
    stele_reader *reader;
    stele_pairing *pairing;
    stele_spans *spans;
    stele_sched *sched;
    char *where; /* the conditions of the viewer and of the reading joined; NULL: no condition */
    uint32_t *streams; /* the streams that are read; NULL: all */
    size_t stream_count;
    bool has_enough;        /* the consumer wants no more events */
    const checkpoint *from; /* the checkpoint where reading begins; NULL: it begins at the start */
    kept_event *before;     /* the events that are open at the checkpoint */
    size_t before_count, before_capacity;
    bool is_fed;              /* the events in `before` were given to the consumer */
    int64_t begin_ns, end_ns; /* the stretch */
    stele_reader_stats stats;
} pass;

/* Opens a pass. `v` and `r` must live longer than the pass, which must be closed whatever the
   status. */
stele_status pass_open(pass *p, viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns);
void pass_close(pass *p);

/* Takes what the reader gives in one go. Returns STELE_END if there is no more, or no more is
   wanted. */
stele_status pass_step(pass *p);

/* Ends what is open, after the last step of a pass. */
stele_status pass_finish(pass *p);

#endif
