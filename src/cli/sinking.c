/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sinking.h"

#include <string.h>

#include "cli/pretty.h"

/* Checks that none of the options is given. Otherwise reports it and returns false. */
static bool none_given(cli *c, const option_id *ids, size_t count, const char *what_for)
{
    for (size_t i = 0; i < count; i++) {
        if (option_given(&c->options, ids[i]))
            return cli_usage(c, "--%s is for %s", option_table[ids[i]].name, what_for);
    }
    return true;
}

static bool is_sink(const char *to, const char *name)
{
    return to != NULL && strcmp(to, name) == 0;
}

bool sinking_fits(cli *c, const char *to)
{
    static const option_id shapes[] = {OPTION_COLUMNS, OPTION_TIME};
    static const option_id of_pretty[] = {
        OPTION_PRETTY_FIELDS, OPTION_PRETTY_NAMES, OPTION_NO_DELTA, OPTION_CLOCK_CYCLES,
        OPTION_CLOCK_SECONDS, OPTION_CLOCK_DATE,   OPTION_CLOCK_GMT};
    const size_t shape_count = sizeof shapes / sizeof *shapes;
    const size_t pretty_count = sizeof of_pretty / sizeof *of_pretty;
    stele_pretty_options pretty;
    if (is_sink(to, "ctf-pretty") ? !pretty_options_make(c, &pretty)
                                  : !none_given(c, of_pretty, pretty_count, "--ctf-pretty"))
        return false;
    return is_sink(to, "text") || is_sink(to, "csv") ||
           none_given(c, shapes, shape_count, "text and CSV");
}

stele_status sinking_open(cli *c, const char *name, stele_output *out,
                          const stele_reader_stats *stats, stele_writer **writer)
{
    const char *time = option_value(&c->options, OPTION_TIME);
    stele_pretty_options pretty;
    stele_sink_options given = {.struct_size = sizeof given,
                                .columns = option_value(&c->options, OPTION_COLUMNS),
                                .has_origin = stats->has_begin,
                                .origin_ns = stats->begin_ns,
                                .has_color = out == c->out && c->has_color,
                                .pretty = &pretty,
                                .has_end = stats->range_end_ns != INT64_MAX,
                                .end_ns = stats->range_end_ns};
    if (!pretty_options_make(c, &pretty))
        return STELE_ERR_ARGUMENT;
    if (time != NULL)
        given.time = strcmp(time, "absolute") == 0 ? STELE_SINK_TIME_ABSOLUTE
                     : strcmp(time, "ticks") == 0  ? STELE_SINK_TIME_TICKS
                                                   : STELE_SINK_TIME_RELATIVE;
    return stele_sink_open(c->context, out, name, &given, writer);
}
