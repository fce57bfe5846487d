/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and opens DuckDB's library. */
#include "cli/sql/duckdb.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stele_config.h"

#define LIBRARY "libduckdb.so"

/*
 * Folders, relative to the command, in which './setup sql' puts the library: installed, or built.
 */
static const char *const places[] = {STELE_RECORDER_FOLDER, "../sql", "sql"};

static void *open_beside_command(void)
{
    char here[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t size = readlink("/proc/self/exe", here, sizeof here - 1);
    const char *slash;
    here[size > 0 ? size : 0] = 0;
    slash = strrchr(here, '/');
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s/" LIBRARY, (int)(slash - here), here, places[i]);
        if (access(path, R_OK) == 0)
            return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    return dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
}

static bool find(void *library, const char *name, void *function, char *missing, size_t size)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    if (found == NULL)
        snprintf(missing, size, "it has no function %s: a version from 1.2 on is needed", name);
    return found != NULL;
}

bool duckdb_open_library(duckdb *d, char *missing, size_t size)
{
    const char *named = getenv("STELE_DUCKDB");
    const char *why;
    memset(d, 0, sizeof *d);
    d->handle = named != NULL && named[0] != 0 ? dlopen(named, RTLD_LAZY | RTLD_LOCAL)
                                               : open_beside_command();
    if (d->handle == NULL) {
        why = dlerror();
        snprintf(missing, size, "%s", why != NULL ? why : LIBRARY);
        return false;
    }
#define X(result, name, arguments)                                  \
    if (!find(d->handle, "duckdb_" #name, &d->name, missing, size)) \
        return false;
    DUCK_FUNCTIONS(X)
    DUCK_FUNCTIONS_OF_COMMAND(X)
#undef X
    return true;
}
