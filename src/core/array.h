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
   NULL: memory, or no number for them; array and capacity are as they were. */
void *array_grow(void *items, size_t size, uint32_t *capacity, uint32_t few);

/* The same where sizes of memory count the items. */
void *array_grow_size(void *items, size_t size, size_t *capacity, size_t few);

#endif
