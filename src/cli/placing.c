/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/placing.h"

#include <stele/symbols.h>

#include <stdlib.h>
#include <string.h>

/* An address at which files are assumed to be loaded, so that offsets are relative to it. */
#define LOADED_AT (UINT64_C(1) << 40)

/* A file of --binary, with its symbols at LOADED_AT and at the addresses it was linked for. */
typedef struct placed {
    const char *path;
    stele_symbols *loaded, *linked; /* NULL: not needed yet, or the file cannot be used */
    bool was_loaded, was_linked;
} placed;

struct placing {
    cli *c;
    placed *files;
    size_t count;
};

placing *cli_placing_new(cli *c)
{
    const options *o = &c->options;
    placing *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->c = c;
    p->files = calloc(o->use_count + 1, sizeof *p->files);
    if (p->files == NULL) {
        free(p);
        return NULL;
    }
    for (size_t i = 0; i < o->use_count; i++) {
        const char *path = o->uses[i].value;
        if (o->uses[i].id != OPTION_BINARY)
            continue;
        if (path[strspn(path, "0123456789")] == '=') /* the number of an object is for XRay only */
            path += strspn(path, "0123456789") + 1;
        p->files[p->count++].path = path;
    }
    return p;
}

void cli_placing_free(placing *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->count; i++) {
        stele_symbols_free(p->files[i].loaded);
        stele_symbols_free(p->files[i].linked);
    }
    free(p->files);
    free(p);
}

/* Opens the symbols of a file. If it cannot be used, reports it and returns NULL. */
static stele_symbols *open_file(placing *p, const char *path, const uint64_t *address)
{
    stele_symbols *made = NULL;
    stele_status status = stele_symbols_new(&made);
    if (status == STELE_OK)
        status = stele_symbols_add(made, p->c->context, path, address);
    if (cli_check(p->c, status, path))
        return made;
    stele_symbols_free(made);
    return NULL;
}

static stele_symbols *loaded_of(placing *p, placed *file)
{
    static const uint64_t address = LOADED_AT;
    if (!file->was_loaded)
        file->loaded = open_file(p, file->path, &address);
    file->was_loaded = true;
    return file->loaded;
}

static stele_symbols *linked_of(placing *p, placed *file)
{
    if (!file->was_linked)
        file->linked = open_file(p, file->path, NULL);
    file->was_linked = true;
    return file->linked;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Whether a file is the one that the trace names; folders may differ. */
static bool is_called(const char *path, stele_text wanted)
{
    const char *base = base_of(path);
    const size_t size = strlen(base);
    return wanted.size >= size && memcmp(wanted.bytes + wanted.size - size, base, size) == 0 &&
           (wanted.size == size || wanted.bytes[wanted.size - size - 1] == '/');
}

stele_text placing_name(void *user, stele_text path, uint64_t offset)
{
    placing *p = user;
    p->c->has_asked_binary = true;
    for (size_t i = 0; i < p->count; i++) {
        placed *file = &p->files[i];
        stele_symbol_place place = STELE_INIT(stele_symbol_place);
        stele_symbols *symbols;
        if (path.size != 0 && !is_called(file->path, path))
            continue;
        symbols = path.size != 0 ? loaded_of(p, file) : linked_of(p, file);
        if (symbols != NULL &&
            stele_symbols_find(symbols, offset + (path.size != 0 ? LOADED_AT : 0), &place))
            return (stele_text){place.name, strlen(place.name)};
    }
    return (stele_text){"", 0};
}
