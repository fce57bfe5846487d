/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on a terminal, for commands that take more than a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_on;
    bool is_drawn;
    int64_t start_ms, drawn_ms;
} progress;

/* Begins; `is_wanted` says that nothing else is written to the terminal meanwhile. */
void progress_begin(progress *p, bool is_wanted);

/* Draws the bar if it is time to. `total` 0: not known. Cheap enough to be called often. */
void progress_update(progress *p, uint64_t done, uint64_t total);

/* Removes the bar, before something else is written. */
void progress_clear(progress *p);

#endif
