/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of large blocks, page by page. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stddef.h>

/* Gives the system back the memory after the first bytes of a block, which stays allocated: what
   was in them is lost. Whole pages only, so some may stay; where it cannot be done, all do. */
void pages_give_back(void *block, size_t size);

#endif
