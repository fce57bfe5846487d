/* SPDX-License-Identifier: Apache-2.0 */
/* Returning memory of large blocks to the system, page by page. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stddef.h>

/* Returns to the system the memory of a block after its first `size` bytes; the block stays
   allocated, but these bytes are lost. Works on whole pages only, and does nothing where the system
   cannot do it. */
void pages_give_back(void *block, size_t size);

#endif
