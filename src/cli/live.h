/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal that is drawn anew again and again, and read key by key. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <stdbool.h>
#include <termios.h>

typedef struct live {
    struct termios before;
    unsigned rows; /* lines of the screen, as they were at the last live_wait() */
} live;

/* Takes the terminal. False: standard input and output are not both one. */
bool live_begin(live *l);

/* Gives it back as it was. */
void live_end(live *l);

/* Waits for a key, so long at most; 0: there was none. */
char live_wait(live *l, int wait_ms);

#endif
