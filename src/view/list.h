/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays on the heap for the viewer and the command; those of the library are not public.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

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

/* Makes an array exactly `count` items long, for arrays whose length is known or that are short.
   Returns NULL if out of memory, when the array is unchanged. */
void *list_fit(void *items, size_t size, size_t count);

#endif
