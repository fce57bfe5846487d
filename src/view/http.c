/* SPDX-License-Identifier: Apache-2.0 */
#include "view/http.h"

#ifdef STELE_HAVE_HTTP

#include <dlfcn.h>
#include <string.h>

bool http_open(http *h)
{
    void *library = dlopen(STELE_HTTP_LIBRARY, RTLD_LAZY | RTLD_LOCAL), *symbol;
    if (library == NULL)
        return false;
#define X(name)                                          \
    if ((symbol = dlsym(library, "MHD_" #name)) == NULL) \
        return false;                                    \
    memcpy(&h->name, &symbol, sizeof symbol);
    HTTP_FUNCTIONS(X)
#undef X
    return true;
}

#endif
