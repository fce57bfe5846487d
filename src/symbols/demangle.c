/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names of C++ functions. */
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
    /* Loading the library again only raises its count. It stays loaded, since others may use it. */
    library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        void *symbol = dlsym(library, "__cxa_demangle");
        memcpy(&function, &symbol, sizeof function);
    }
    return function != NULL ? function(mangled, NULL, NULL, &status) : NULL;
}
