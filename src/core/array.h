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

/* Room for twice as many items of so many bytes, for `few` at first; the new ones are not cleared.
   Returns NULL if out of memory, or if no number counts them: array and capacity are as they were.
 */
void *array_grow(void *items, size_t size, uint32_t *capacity, uint32_t few);

/* The same where sizes of memory count the items. */
void *array_grow_size(void *items, size_t size, size_t *capacity, size_t few);

/*
 * Arrays that numbers of something else lead into, such as those of tracks: makes the array so long
 * that `index` is in it, with room for more; what is new is zero, and `count` says how long it is.
 * Returns the array as it is where it is long enough, and NULL if out of memory: array and count
 * are as they were.
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
