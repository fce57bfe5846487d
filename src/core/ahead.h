/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that work ahead of the caller: each job makes what the caller will take next, piece by
   piece, until there is enough of it. */
#ifndef CORE_AHEAD_H
#define CORE_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ahead ahead;
typedef struct ahead_job ahead_job;

/* Makes one piece, on a thread of its own. Returns whether another one may follow at once. */
typedef bool ahead_fn(ahead_job *job);

/* A job, as the first member of a struct of its own. All but `run` is zeros at first. */
struct ahead_job {
    ahead_fn *run;
    ahead_job *next;
    uint8_t state;
    bool is_called_back;
};

/* Makes `count` threads, which begin with the first job. Returns NULL if out of memory. */
ahead *ahead_new(uint32_t count);

/* Ends the threads. All jobs must have been called back. */
void ahead_free(ahead *a);

/* Whether nobody works on a job, and nobody will: what it has made can be read. */
bool ahead_is_idle(ahead *a, const ahead_job *job);

/* Has the threads work on a job that is idle. Returns false if there are no threads. */
bool ahead_post(ahead *a, ahead_job *job);

/* Makes a job idle: waits while a thread makes a piece of it. */
void ahead_call_back(ahead *a, ahead_job *job);

/* Between the two calls no thread works on any job. */
void ahead_stop(ahead *a);
void ahead_go_on(ahead *a);

#endif
