/* SPDX-License-Identifier: Apache-2.0 */
/* Opens traces as the options say. */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/binaries.h"
#include "cli/cli.h"

/* Parses an offset: "1.5s" shifts to later times, "-20ms" to earlier ones. */
static bool parse_offset(cli *c, const char *text, int64_t *ns)
{
    stele_bound bound;
    const char *why = NULL;
    if (!stele_bound_parse(text, &bound, &why))
        return cli_usage(c, "--offset '%s': %s", text, why);
    if (bound.kind != STELE_BOUND_START && bound.kind != STELE_BOUND_END)
        return cli_usage(c, "--offset takes a length of time such as 1.5s or -20ms, not '%s'",
                         text);
    *ns = bound.kind == STELE_BOUND_START ? bound.value : -bound.value;
    return true;
}

/* Takes --follow: the first signal ends the trace, and what was read of it is shown. */
static bool follow_options(cli *c, stele_trace_options *given)
{
    const options *o = &c->options;
    uint64_t idle_ns = 0;
    if (!option_given(o, OPTION_FOLLOW))
        return !option_given(o, OPTION_IDLE) || cli_usage(c, "--idle is for --follow");
    if (o->argument_count != 1)
        return cli_usage(c, "--follow takes one TRACE, not %zu", o->argument_count);
    if (!cli_take_length(c, OPTION_IDLE, &idle_ns))
        return false;
    c->is_following = c->is_ending = c->ends_by_signal = true;
    given->is_followed = true;
    given->idle_ns = (int64_t)idle_ns;
    return true;
}

/* Lists the options that only the format of a trace knows. `settings` has room for all options
   given, twice. */
static void collect_settings(const options *o, stele_setting *settings, stele_trace_options *given)
{
    given->settings = settings;
    for (size_t i = 0; i < o->use_count; i++) {
        const option_entry *option = &option_table[o->uses[i].id];
        if (option->group == GROUP_FORMAT)
            settings[given->setting_count++] = (stele_setting){option->name, o->uses[i].value};
        if (o->uses[i].id == OPTION_CTF_PRETTY) { /* this output needs the times of babeltrace2 */
            settings[given->setting_count++] = (stele_setting){"clock-rounding", "twice"};
            settings[given->setting_count++] = (stele_setting){"own-events", "as-written"};
        }
    }
}

/* Whether a packed file must be unpacked first, because a bound counts from the end, which is
   not known before. Pipes need not have an end. */
static bool is_measured(const options *o, const char *path)
{
    static const option_id bounds[] = {OPTION_BEGIN, OPTION_END};
    struct stat st;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const char *value = option_value(o, bounds[i]);
        if (value != NULL && *value == '-')
            return stat(path, &st) == 0 && S_ISREG(st.st_mode);
    }
    return false;
}

/* Whether the command copies bytes of records, and so must be able to read them again. */
static bool is_copied(const options *o)
{
    return o->command == COMMAND_VIEW || o->command == COMMAND_CUT || o->command == COMMAND_SPLIT ||
           o->command == COMMAND_REPAIR || option_given(o, OPTION_ALIGN_EVENT);
}

/* Makes the options of one argument: --in is given once for all or once for each, --offset after
   its argument. */
static bool trace_options(cli *c, size_t index, stele_trace_options *given)
{
    const options *o = &c->options;
    size_t in_count = 0;
    *given =
        (stele_trace_options){.struct_size = sizeof *given,
                              .is_apart = c->is_apart,
                              .is_reread = is_copied(o) || is_measured(o, o->arguments[index])};
    for (size_t i = 0; i < o->use_count; i++) {
        const option_use *use = &o->uses[i];
        if (use->id == OPTION_IN && (in_count++ == 0 || in_count == index + 1))
            given->format = use->value;
        if (use->id != OPTION_OFFSET)
            continue;
        if (use->argument_number == 0 && o->argument_count > 1)
            return cli_usage(c, "--offset stands after the TRACE that it shifts");
        /* An offset on one trace says how all relate, so the others get an offset of 0. */
        given->has_shift = true;
        if ((use->argument_number == index + 1 || o->argument_count == 1) &&
            !parse_offset(c, use->value, &given->shift_ns))
            return false;
    }
    if (in_count > 1 && in_count != o->argument_count)
        return cli_usage(c, "--in is given %zu times for %zu traces: give it once, or for each",
                         in_count, o->argument_count);
    return follow_options(c, given);
}

/* Opens `count` paths as the argument with this number. Returns false if the options are not
   valid, or if out of memory. */
static bool open_paths(cli *c, stele_context *context, size_t index, const char *const *paths,
                       size_t count, stele_trace **trace, stele_status *status)
{
    const char *name = c->options.arguments[index];
    stele_setting *settings = calloc(2 * c->options.use_count + 1, sizeof *settings);
    stele_trace_options given;
    const bool is_usable = cli_check(c, settings != NULL ? STELE_OK : STELE_ERR_MEMORY, paths[0]) &&
                           trace_options(c, index, &given);
    *trace = NULL;
    if (is_usable) {
        collect_settings(&c->options, settings, &given);
        *status = count == 1 ? stele_trace_open(context, paths[0], &given, trace)
                             : stele_trace_open_parts(context, name, paths, count, &given, trace);
    }
    free(settings);
    return is_usable;
}

stele_trace *cli_open_paths(cli *c, size_t index, const char *const *paths, size_t count)
{
    stele_status status;
    stele_trace *trace;
    if (!open_paths(c, c->context, index, paths, count, &trace, &status) ||
        !cli_check(c, status, paths[0]))
        return NULL;
    if (!binaries_attach(c, trace)) {
        stele_trace_close(trace);
        return NULL;
    }
    return trace;
}

stele_trace *cli_open_at(cli *c, size_t index, const char *path)
{
    return cli_open_paths(c, index, &path, 1);
}

bool cli_look(cli *c, size_t index, stele_trace **trace)
{
    stele_status status;
    return open_paths(c, c->context, index, &c->options.arguments[index], 1, trace, &status);
}

stele_status cli_open_again(cli *c, size_t index, const char *const *paths, size_t count,
                            stele_context *context, stele_trace **trace)
{
    stele_status status = STELE_ERR_ARGUMENT;
    open_paths(c, context, index, paths, count, trace, &status);
    return status;
}
