/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers allocate begin with their size, so that a newer library works with an older
   program: members that the program does not have are taken as zero, and not written. A size that
   is less than that of the first version is none that a program can have. */
#ifndef CORE_SIZED_H
#define CORE_SIZED_H

#include <stele/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The size of a struct of version 0.1, up to the last member that it had then. A size of 0 means
   this one. */
#define SIZED_FIRST(type, last) (offsetof(type, last) + sizeof(((type *)NULL)->last))

/* Copies a caller's struct, which may be NULL for zeros, into a struct of this version. Returns
   false if the caller's struct is newer and has members that are not zero and not known here, or if
   its size is none. */
static inline bool sized_take(void *own, size_t own_size, size_t first_size, const void *given)
{
    size_t size = 0;
    memset(own, 0, own_size);
    if (given == NULL)
        return true;
    memcpy(&size, given, sizeof size);
    if (size == 0)
        size = first_size;
    if (size < first_size)
        return false;
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    for (size_t i = own_size; i < size; i++) {
        if (((const unsigned char *)given)[i] != 0)
            return false;
    }
    return true;
}

/* Copies a caller's options, as sized_take() does, into an object at `offset` bytes; the object was
   just allocated with zeros. Returns STELE_ERR_MEMORY if it is NULL, STELE_ERR_ARGUMENT if the
   options are newer. */
static inline stele_status sized_begin(void *object, size_t offset, size_t own_size,
                                       size_t first_size, const void *given)
{
    if (object == NULL)
        return STELE_ERR_MEMORY;
    return sized_take((unsigned char *)object + offset, own_size, first_size, given)
               ? STELE_OK
               : STELE_ERR_ARGUMENT;
}

/* Copies a caller's options into the member `options` of a new object of type `type`. */
#define SIZED_BEGIN(object, type, options_type, last, given)             \
    sized_begin((object), offsetof(type, options), sizeof(options_type), \
                SIZED_FIRST(options_type, last), (given))

/* Copies a struct of this version to a caller's, whose own size is kept. */
static inline void sized_give(void *to, const void *own, size_t own_size, size_t first_size)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size == 0)
        size = first_size;
    if (size < sizeof size)
        return;
    if (size > own_size) {
        memset((unsigned char *)to + own_size, 0, size - own_size);
        size = own_size;
    }
    memcpy((unsigned char *)to + sizeof size, (const unsigned char *)own + sizeof size,
           size - sizeof size);
}

#endif
