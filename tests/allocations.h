/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets the nth allocation fail. A test program that includes this is linked so that its calls of
 * malloc, calloc and realloc come here (see CMakeLists.txt).
 *
 *     allocations_fail_at(0);           the next one fails, and all after it succeed again
 *     ...
 *     if (!allocations_stop()) ...      it never came to that
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t allocations_left = UINT64_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static inline bool allocation_fails(void)
{
    if (allocations_left == UINT64_MAX)
        return false;
    errno = ENOMEM; /* as the real ones do */
    return allocations_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(old, size);
}

static inline void allocations_fail_at(uint64_t count)
{
    allocations_left = count;
}

/* True when the allocation came up that had to fail. Allocations succeed from now on. */
static inline bool allocations_stop(void)
{
    const bool has_failed = allocations_left == UINT64_MAX;
    allocations_left = UINT64_MAX;
    return has_failed;
}

#endif
