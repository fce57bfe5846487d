/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the nth allocation fail, and counts what is allocated. A test program that includes this
 * file is linked so that its calls of malloc, calloc, realloc, aligned_alloc, strdup and free
 * come here (see CMakeLists.txt); what the C library allocates by itself does not.
 *
 *     allocations_fail_at(0);           the next allocation fails, all after it succeed
 *     ...
 *     if (!allocations_stop()) ...      there was no such allocation
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t allocations_live;
static uint64_t allocations_left = UINT64_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *old);

static inline bool allocation_fails(void)
{
    if (allocations_left == UINT64_MAX)
        return false;
    errno = ENOMEM; /* as a real allocation does that fails */
    return allocations_left-- == 0;
}

static inline void *allocation_count(void *made)
{
    allocations_live += made != NULL;
    return made;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : allocation_count(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : allocation_count(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (allocation_fails())
        return NULL;
    return old != NULL ? __real_realloc(old, size) : allocation_count(__real_malloc(size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allocation_fails() ? NULL : allocation_count(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : allocation_count(__real_strdup(text));
}

void __wrap_free(void *old)
{
    allocations_live -= old != NULL;
    __real_free(old);
}

static inline void allocations_fail_at(uint64_t count)
{
    allocations_left = count;
}

/* Returns whether there was the allocation that had to fail. Allocations succeed from now on. */
static inline bool allocations_stop(void)
{
    const bool has_failed = allocations_left == UINT64_MAX;
    allocations_left = UINT64_MAX;
    return has_failed;
}

#endif
