/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* for madvise(); posix_madvise() would do nothing */
#include "core/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_give_back(void *block, size_t size)
{
    const long page = sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)block, mask = page > 0 ? (uintptr_t)page - 1 : 0;
    const uintptr_t first = (from + mask) & ~mask, end = (from + size) & ~mask;
    if (page > 0 && first < end)
        (void)madvise((void *)first, end - first, MADV_DONTNEED);
}
