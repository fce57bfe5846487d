/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for files and folders to grow: woken by the system where it can, else by the clock. */
#ifndef CORE_FOLLOW_H
#define CORE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"

typedef struct follow {
    int events;      /* of the system, about the paths; -1: none */
    int64_t idle_ms; /* the end comes when nothing did for so long; 0: never so */
    int64_t seen_ms; /* when something came for the last time */
    bool is_over;    /* the end came */
} follow;

/* Milliseconds of a clock that only goes forward. */
int64_t follow_now_ms(void);

void follow_begin(follow *f, int64_t idle_ms);
void follow_end(follow *f);

/* Wakes up when the file or folder at this path changes, where the system can tell. */
void follow_add(follow *f, const char *path);

/* Something came. */
void follow_see(follow *f);

/* Whether waiting is still of use: false as of follow_sleep(). */
bool follow_goes_on(follow *f, const diag_sink *diag);

/* Sleeps for so long, whatever changes. */
void follow_rest(int64_t wait_ms);

/*
 * Sleeps for a while, `wait_ms` at most (0: as long as it likes), or until something changed. False
 * when that is of no use any more: the caller of the library wants no more, or nothing came for so
 * long; `is_over` is set then.
 */
bool follow_sleep(follow *f, const diag_sink *diag, int64_t wait_ms);

#endif
