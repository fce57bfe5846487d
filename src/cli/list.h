/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays on the heap for the command; those of the library are not public. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Grows an array to twice its capacity; new items are not cleared. Returns the array, or NULL if
   out of memory, when array and capacity are unchanged. */
void *list_grow(void *items, size_t size, size_t *capacity);

/*
 * Grows an array that is indexed by numbers of something else, such as tracks, so that it has
 * `index`; new items are zeros. Returns the array, which is unchanged if it is large enough, or
 * NULL if out of memory, when array and count are unchanged.
 */
void *list_reach(void *items, size_t size, uint32_t *count, uint32_t index);

#endif
