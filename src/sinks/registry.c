/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/path.h"

#include "sinks/sink.h"

#define STELE_SINK(name) extern const stele_sink sink_##name;
#include "sinks/sinks.def"
#undef STELE_SINK

static const stele_sink *const sinks[] = {
#define STELE_SINK(name) &sink_##name,
#include "sinks/sinks.def"
#undef STELE_SINK
};

size_t stele_sink_count(void)
{
    return sizeof sinks / sizeof *sinks;
}

const stele_sink *stele_sink_at(size_t index)
{
    return index < stele_sink_count() ? sinks[index] : NULL;
}

const stele_sink *stele_sink_find(const char *name)
{
    for (size_t i = 0; i < stele_sink_count(); i++) {
        if (strcmp(sinks[i]->name, name) == 0)
            return sinks[i];
    }
    return NULL;
}

const stele_sink *stele_sink_by_name(const char *path)
{
    const stele_sink *found = NULL;
    for (size_t i = 0; i < stele_sink_count(); i++) {
        if (!path_has_extension(path, sinks[i]->extensions))
            continue;
        if (found != NULL)
            return NULL;
        found = sinks[i];
    }
    return found;
}
