/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal whose screen is redrawn repeatedly, and whose keys are read one by one. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <stdbool.h>
#include <termios.h>

typedef struct live {
    struct termios before;
    unsigned rows; /* lines of the screen at the last live_wait() */
} live;

/*
 * Changes the terminal's mode. Returns false if standard input and output are not both terminals.
 */
bool live_begin(live *l);

/* Restores the terminal's mode. */
void live_end(live *l);

/* Waits for a key, at most `wait_ms` milliseconds. Returns 0 if none was pressed. */
char live_wait(live *l, int wait_ms);

#endif
