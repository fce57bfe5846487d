/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sinks, made from sinks.def, and opening of a sink by its name. */
#include <string.h>

#include "core/path.h"
#include "core/sized.h"

#include "sinks/sink.h"

#define STELE_SINK(name) extern const sink_entry sink_##name;
#include "sinks/sinks.def"
#undef STELE_SINK

static const sink_entry *const sinks[] = {
#define STELE_SINK(name) &sink_##name,
#include "sinks/sinks.def"
#undef STELE_SINK
};

size_t sink_count(void)
{
    return sizeof sinks / sizeof *sinks;
}

const sink_entry *sink_at(size_t index)
{
    return index < sink_count() ? sinks[index] : NULL;
}

const sink_entry *sink_find(const char *name)
{
    for (size_t i = 0; i < sink_count(); i++) {
        if (strcmp(sinks[i]->name, name) == 0)
            return sinks[i];
    }
    return NULL;
}

const sink_entry *sink_by_name(const char *path)
{
    const sink_entry *found = NULL;
    for (size_t i = 0; i < sink_count(); i++) {
        if (!path_has_extension(path, sinks[i]->extensions))
            continue;
        if (found != NULL)
            return NULL;
        found = sinks[i];
    }
    return found;
}

/* ---- Public functions ---- */

static void give_info(const sink_entry *from, stele_sink_info *info)
{
    const stele_sink_info own = {.name = from->name,
                                 .title = from->title,
                                 .extensions = from->extensions,
                                 .settings = from->settings != NULL ? from->settings : "",
                                 .columns = from->columns,
                                 .written_kinds = from->written_kinds != 0 ? from->written_kinds
                                                                           : STELE_KINDS_ALL};
    sized_give(info, &own, sizeof own, SIZED_FIRST(stele_sink_info, columns));
}

bool stele_sink_get(size_t index, stele_sink_info *info)
{
    if (index >= sink_count())
        return false;
    give_info(sinks[index], info);
    return true;
}

bool stele_sink_find(const char *name, stele_sink_info *info)
{
    const sink_entry *found = sink_find(name);
    if (found != NULL)
        give_info(found, info);
    return found != NULL;
}

const char *stele_sink_for_path(const char *path)
{
    const sink_entry *found = sink_by_name(path);
    return found != NULL ? found->name : NULL;
}

/* ---- Opening of sinks ---- */

stele_status stele_sink_open(stele_context *context, output *out, const char *name,
                             const stele_sink_options *given, stele_writer **writer)
{
    const sink_entry *to = sink_find(name);
    stele_sink_options options;
    stele_status status;
    *writer = NULL;
    if (to == NULL) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "the name of an output", "'%s'", name);
        return STELE_ERR_FORMAT;
    }
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_sink_options, pretty), given))
        return STELE_ERR_ARGUMENT;
    status = to->open(context, out, &options, writer);
    if (status == STELE_OK)
        (*writer)->owns_output = false;
    return status;
}

/* Takes a setting such as "columns=time,name" or "time=ticks". Returns false if it is not valid. */
static bool take_setting(const stele_setting *setting, stele_sink_options *options)
{
    static const char *const times[] = {[STELE_SINK_TIME_RELATIVE] = "relative",
                                        [STELE_SINK_TIME_ABSOLUTE] = "absolute",
                                        [STELE_SINK_TIME_TICKS] = "ticks"};
    if (strcmp(setting->key, "columns") == 0) {
        options->columns = setting->value;
        return true;
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (strcmp(setting->key, "time") == 0 && strcmp(setting->value, times[i]) == 0) {
            options->time = (stele_sink_time)i;
            return true;
        }
    }
    return false;
}

stele_status sink_writer_open(const sink_entry *to, stele_context *context, output *out,
                              const stele_writer_options *given, stele_writer **writer)
{
    stele_sink_options options = {.struct_size = sizeof options};
    *writer = NULL;
    for (size_t i = 0; i < given->setting_count; i++) {
        if (to->settings != NULL && take_setting(&given->settings[i], &options))
            continue;
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    to->settings != NULL ? "columns, or time: relative, absolute or ticks"
                                         : "no setting",
                    "%s=%s for %s", given->settings[i].key, given->settings[i].value, to->name);
        return STELE_ERR_ARGUMENT;
    }
    if (given->version != NULL) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, "no version",
                    "'%s' for %s", given->version, to->name);
        return STELE_ERR_ARGUMENT;
    }
    return to->open(context, out, &options, writer);
}
