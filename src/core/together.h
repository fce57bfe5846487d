/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function for several items at the same time. */
#ifndef CORE_TOGETHER_H
#define CORE_TOGETHER_H

#include <stddef.h>
#include <stdint.h>

/* Takes an item. What several items share must be safe for threads. */
typedef void together_fn(void *item);

/*
 * Calls `run` for each of `count` items of an array, each on a thread of its own, the first one on
 * the thread of the caller. Items for which no thread can be made are run one after the other.
 * Returns once all have ended.
 */
void together_run(together_fn *run, void *items, size_t item_size, uint32_t count);

#endif
