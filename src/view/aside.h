/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that take long, each made by a process of its own, which has all that the viewer knew
 * when the process was started. So nobody who moves through the picture waits for a search over the
 * whole trace, the memory that an answer needs is given back when its process ends, and a question
 * can be ended at any moment. Needs a system with fork(); scanning of the traces must have ended.
 */
#ifndef VIEW_ASIDE_H
#define VIEW_ASIDE_H

#include <sys/types.h>

#include "view/view.h"

#define ASIDE_TYPE_MAX 64u

/* The result of a process that answers a question. */
typedef struct aside_result {
    stele_status status;
    unsigned code;
    char type[ASIDE_TYPE_MAX];
    /* name of the file to save the answer as; "": it is not to be saved */
    char attachment[ASIDE_TYPE_MAX];
} aside_result;

typedef struct aside {
    pid_t pid; /* 0: no process was started, or it has ended */
    int pipe;  /* the process writes its result here */
    char folder[512], path[600];
} aside;

/* Starts a process that answers a question. Returns STELE_ERR_WRITE or STELE_ERR_MEMORY if that
   is not possible. */
stele_status aside_begin(aside *a, viewer *v, const question *q);

/*
 * Returns whether the process is finished, with an answer or without one. Then `*result` is its
 * result, and `*fd` the file that holds the answer, for the caller to close; -1: there is no file.
 */
bool aside_look(aside *a, aside_result *result, int *fd);

/* Starts a process that saves an overview, see viewer_take_overview(); aside_look() tells when
   the process has finished. Returns STELE_ERR_MEMORY if no process can be started. */
stele_status aside_keep(aside *a, viewer *v, stele_trace *trace, stele_overview *overview);

/* Ends the process if it still runs, and removes the files that it wrote. */
void aside_end(aside *a);

/* Answers a question in this process, into a file without a name, as a process of its own would.
   Returns the file. */
int aside_answer_here(viewer *v, const question *q, aside_result *result);

#endif
