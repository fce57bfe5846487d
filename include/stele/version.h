/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers, and how structs grow from one version to the next. The functions
   may be called from any thread. */
#ifndef STELE_VERSION_H
#define STELE_VERSION_H

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STELE_VERSION_MAJOR 0
#define STELE_VERSION_MINOR 1
#define STELE_VERSION_PATCH 0

/* The version as one number that can be compared: 0x000100 is 0.1.0. */
#define STELE_VERSION_NUMBER \
    (STELE_VERSION_MAJOR << 16 | STELE_VERSION_MINOR << 8 | STELE_VERSION_PATCH)

/*
 * Structs that a caller allocates, for options and for results, begin with the member
 * `struct_size`: the size that the caller compiled with. A newer library then takes members that
 * the caller does not have as zero, and does not write them. 0 stands for the size of version 0.1,
 * so that an initializer that does not name it keeps its meaning:
 *
 *     stele_request request = {.order = STELE_ORDER_NONE};
 *     stele_reader_stats stats = STELE_INIT(stele_reader_stats);
 *
 * A program that uses members of a later version must give the size, as STELE_INIT does. A library
 * that is older than the program refuses members that it does not know (STELE_ERR_ARGUMENT) unless
 * they are zero, and a size below that of version 0.1. A result whose size was never set is an
 * error of the caller.
 */
#ifdef __cplusplus
#define STELE_INIT(type) stele_init<type>()
#else
#define STELE_INIT(type)            \
    {                               \
        .struct_size = sizeof(type) \
    }
#endif

/* The version of the library that is linked, for example "0.1.0". May be called on any thread. */
STELE_API const char *stele_version(void);

/* The STELE_VERSION_NUMBER of the library that is linked. May be called on any thread. */
STELE_API unsigned stele_version_number(void);

#ifdef __cplusplus
}

template <typename T> inline T stele_init()
{
    T made = T();
    made.struct_size = sizeof(T);
    return made;
}
#endif
#endif
