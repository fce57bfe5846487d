/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays on the heap that grow one by one:
 *
 *     if (t->count == t->capacity) {
 *         thing *grown = array_grow(t->things, sizeof *grown, &t->capacity, 16);
 *         if (grown == NULL)
 *             return STELE_ERR_MEMORY;
 *         t->things = grown;
 *     }
 *     t->things[t->count++] = (thing){...};
 */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Grows an array to twice its capacity, `few` items of `size` bytes at first; new items are not
   cleared. Returns NULL if out of memory, or if the capacity does not fit into its type; array and
   capacity are then unchanged. */
void *array_grow(void *items, size_t size, uint32_t *capacity, uint32_t few);

/* Grows an array as array_grow() does, with a capacity of type size_t. */
void *array_grow_size(void *items, size_t size, size_t *capacity, size_t few);

/* Grows an array until it has room for `wanted` items, and doubles it at least, as array_grow()
   does. Returns the array unchanged if it has the room. */
void *array_reserve(void *items, size_t size, uint32_t *capacity, size_t wanted);
void *array_reserve_size(void *items, size_t size, size_t *capacity, size_t wanted);

/* Makes an array exactly `count` items long, for arrays whose length is known or that are shown to
   others as they are. Returns NULL if out of memory; the array is then unchanged. */
void *array_fit(void *items, size_t size, size_t count);

/*
 * Arrays that are indexed by numbers of something else, such as tracks: grows the array until
 * `index` is in it, with room for more. New items are zero, and `count` becomes the length. Returns
 * the array unchanged if it is long enough, and NULL if out of memory; array and count are then
 * unchanged.
 *
 *     if (track >= t->count) {
 *         thing *grown = array_reach(t->things, sizeof *grown, &t->count, track);
 *         if (grown == NULL)
 *             return STELE_ERR_MEMORY;
 *         t->things = grown;
 *     }
 */
void *array_reach(void *items, size_t size, uint32_t *count, uint32_t index);

#endif
