/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sinking.h"

#include <string.h>

#include "cli/pretty.h"

bool sinking_fits(cli *c, const sink *to)
{
    static const option_id shapes[] = {OPTION_COLUMNS, OPTION_TIME};
    if (to != NULL && (strcmp(to->name, "text") == 0 || strcmp(to->name, "csv") == 0))
        return true;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (option_given(&c->options, shapes[i]))
            return cli_usage(c, "--%s is for text and CSV", option_table[shapes[i]].name);
    }
    return true;
}

stele_status sinking_open(cli *c, const sink *to, output *out, const stele_reader_stats *stats,
                          stele_writer **writer)
{
    const char *time = option_value(&c->options, OPTION_TIME);
    sink_options given = {.columns = option_value(&c->options, OPTION_COLUMNS),
                          .has_origin = stats->has_begin,
                          .origin_ns = stats->begin_ns,
                          .has_color = out == c->out && c->has_color};
    stele_status status;
    if (!pretty_options_make(c, &given.pretty))
        return STELE_ERR_ARGUMENT;
    if (time != NULL)
        given.time = strcmp(time, "absolute") == 0 ? SINK_TIME_ABSOLUTE
                     : strcmp(time, "ticks") == 0  ? SINK_TIME_TICKS
                                                   : SINK_TIME_RELATIVE;
    status = to->open(c->context, out, &given, writer);
    if (status == STELE_OK)
        (*writer)->owns_output = false;
    return status;
}
