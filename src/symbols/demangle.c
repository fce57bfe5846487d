/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions as the source code has them. */
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *size, int *status);

char *demangle(const char *mangled)
{
    void *library;
    demangle_fn *function = NULL;
    int status = -1;
    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    /* Loading what is loaded already only counts it; it stays, since others may use it. */
    library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        void *symbol = dlsym(library, "__cxa_demangle");
        memcpy(&function, &symbol, sizeof function);
    }
    return function != NULL ? function(mangled, NULL, NULL, &status) : NULL;
}
