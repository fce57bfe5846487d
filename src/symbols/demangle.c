/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names of C++ functions. */
#include "symbols/demangle.h"

#include <stddef.h>
#include <string.h>

#include "core/late.h"

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *size, int *status);

char *demangle(const char *mangled)
{
    void *library;
    demangle_fn *function;
    int status = -1;
    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    library = late_open("libstdc++.so.6");
    if (library == NULL || !late_find(library, "__cxa_demangle", &function, sizeof function))
        return NULL;
    return function(mangled, NULL, NULL, &status);
}
