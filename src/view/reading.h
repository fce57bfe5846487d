/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a stretch step by step: viewer_read() takes all steps at once. */
#ifndef VIEW_READING_H
#define VIEW_READING_H

#include "view/viewer.h"

/* All that a stretch is read through. */
typedef struct pass {
    viewer *v;
    view_reading *r;
    stele_reader *reader;
    stele_pairing *pairing;
    stele_spans *spans;
    stele_sched *sched;
    char *where;            /* of the viewer and of the reading together; NULL: none */
    bool has_enough;        /* whoever takes the events wants no more */
    const checkpoint *from; /* where it begins; NULL: at the start */
    kept_event *before;     /* what is open there */
    size_t before_count, before_capacity;
    bool is_fed;              /* that was taken */
    int64_t begin_ns, end_ns; /* of the stretch */
    stele_reader_stats stats;
} pass;

/* `v` and `r` must outlive it. It is to be closed whatever the status. */
stele_status pass_open(pass *p, viewer *v, view_reading *r, int64_t begin_ns, int64_t end_ns);
void pass_close(pass *p);

/* Takes what the reader has at once. STELE_END: there is no more, or nobody wants more. */
stele_status pass_step(pass *p);

/* Ends what is open, after the last step. */
stele_status pass_finish(pass *p);

#endif
