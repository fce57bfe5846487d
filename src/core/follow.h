/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for files and folders to grow: woken by notifications of the system if it has them, else
   by time. */
#ifndef CORE_FOLLOW_H
#define CORE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

typedef struct follow {
    int events;      /* inotify descriptor for the paths; -1: none */
    int64_t idle_ms; /* the follower ends when nothing came for so long; 0: never */
    int64_t seen_ms; /* follow_now_ms() when something came for the last time */
    bool is_over;    /* the follower has ended */
} follow;

/* Milliseconds of a clock that never goes back. */
int64_t follow_now_ms(void);

void follow_begin(follow *f, int64_t idle_ms);
void follow_end(follow *f);

/* Has changes of the file or folder at this path wake the follower, if the system has
   notifications. */
void follow_add(follow *f, const char *path);

/* Notes that something came, so that the idle time starts again. */
void follow_see(follow *f);

/* Whether waiting still makes sense; false sets is_over, as in follow_sleep(). */
bool follow_goes_on(follow *f, const diag_sink *diag);

/* Sleeps for `wait_ms`, regardless of changes. */
void follow_rest(int64_t wait_ms);

/* Sleeps until something changed, for `wait_ms` at most (0: a time of its own choice). Returns
   false, and sets is_over, if waiting makes no sense any more: the caller's go_on is false, or
   nothing came for idle_ms. */
bool follow_sleep(follow *f, const diag_sink *diag, int64_t wait_ms);

#endif
