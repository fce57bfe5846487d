/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the command on the heap that grow. The library has its own, which is not public. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Room for twice as many items of so many bytes; the new ones are not cleared. Returns NULL if out
   of memory: array and capacity are as they were. */
void *list_grow(void *items, size_t size, size_t *capacity);

/* Makes an array that numbers of something else lead into, such as those of tracks, so long that
   `index` is in it, with room for more; what is new is zero. Returns the array as it is where it is
   long enough, and NULL if out of memory: array and count are as they were. */
void *list_reach(void *items, size_t size, uint32_t *count, uint32_t index);

#endif
