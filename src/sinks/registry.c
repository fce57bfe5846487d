/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sinks/sink.h"

#define STELE_SINK(name) extern const sink sink_##name;
#include "sinks/sinks.def"
#undef STELE_SINK

static const sink *const sinks[] = {
#define STELE_SINK(name) &sink_##name,
#include "sinks/sinks.def"
#undef STELE_SINK
};

size_t sink_count(void)
{
    return sizeof sinks / sizeof *sinks;
}

const sink *sink_at(size_t index)
{
    return index < sink_count() ? sinks[index] : NULL;
}

const sink *sink_find(const char *name)
{
    for (size_t i = 0; i < sink_count(); i++) {
        if (strcmp(sinks[i]->name, name) == 0)
            return sinks[i];
    }
    return NULL;
}

/* Whether the path ends with one of the extensions, and has something before it. */
static bool extension_matches(const char *extensions, const char *path)
{
    const size_t path_size = strlen(path);
    while (*extensions != '\0') {
        const size_t size = strcspn(extensions, " ");
        if (path_size > size && memcmp(path + path_size - size, extensions, size) == 0)
            return true;
        extensions += size;
        extensions += strspn(extensions, " ");
    }
    return false;
}

const sink *sink_by_name(const char *path)
{
    const sink *found = NULL;
    for (size_t i = 0; i < sink_count(); i++) {
        if (!extension_matches(sinks[i]->extensions, path))
            continue;
        if (found != NULL)
            return NULL;
        found = sinks[i];
    }
    return found;
}
