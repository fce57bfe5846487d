/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that take long are made by a process of their own, which knows all that the viewer knew
 * when it began. So nobody who moves through the picture waits for a search over the whole trace,
 * what a question needs of memory is given back with its end, and a question can be ended at any
 * moment. Such processes need a system with fork(), and nothing of the traces may still be scanned.
 */
#ifndef VIEW_ASIDE_H
#define VIEW_ASIDE_H

#include <sys/types.h>

#include "view/view.h"

#define ASIDE_TYPE_MAX 64u

/* What came out. */
typedef struct aside_result {
    stele_status status;
    unsigned code;
    char type[ASIDE_TYPE_MAX];
    char attachment[ASIDE_TYPE_MAX]; /* "": none */
} aside_result;

typedef struct aside {
    pid_t pid; /* 0: none was begun, or it has ended */
    int pipe;  /* its result comes here */
    char folder[512], path[600];
} aside;

/* Begins to answer a question. STELE_ERR_WRITE, STELE_ERR_MEMORY: it cannot be. */
stele_status aside_begin(aside *a, viewer *v, const question *q);

/* Whether the answer is there, or there will be none: then `*result` says which, and `*fd` is the
   file that holds it, for the caller to close; -1 if there is none. */
bool aside_look(aside *a, aside_result *result, int *fd);

/* Keeps an overview, see viewer_take_overview(), in a process of its own; then aside_look() says
   when it is done. STELE_ERR_MEMORY: there can be none. */
stele_status aside_keep(aside *a, view_keep_fn *keep, stele_trace *trace, stele_overview *overview);

/* Ends it, where it has not ended, and removes what it wrote. */
void aside_end(aside *a);

/* Makes an answer in a file without a name, as a process aside does, in this one. */
int aside_answer_here(viewer *v, const question *q, aside_result *result);

#endif
