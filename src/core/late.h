/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded when they are needed. Programs do not wait for them when they start,
 * and work where they are missing.
 */
#ifndef CORE_LATE_H
#define CORE_LATE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Loads a library by the name that the dynamic linker knows. Returns NULL if that is not possible.
   Libraries stay loaded: some cannot be loaded a second time, and loading one again costs little.
 */
static inline void *late_open(const char *name)
{
    return dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

/* Sets `*function`, a pointer to a function, of `size` bytes, to the function of this name. Returns
   false if the library has none. memcpy() is the only way of the standard to convert an object
   pointer to a function pointer. */
static inline bool late_find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

#endif
