/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sinking.h"

#include <string.h>

stele_status sinking_open(const cli *c, const sink *to, output *out,
                          const stele_reader_stats *stats, stele_writer **writer)
{
    const char *time = option_value(&c->options, OPTION_TIME);
    sink_options given = {.columns = option_value(&c->options, OPTION_COLUMNS),
                          .has_origin = stats->has_begin,
                          .origin_ns = stats->begin_ns,
                          .has_color = out == c->out && c->has_color};
    stele_status status;
    if (time != NULL)
        given.time = strcmp(time, "absolute") == 0 ? SINK_TIME_ABSOLUTE
                     : strcmp(time, "ticks") == 0  ? SINK_TIME_TICKS
                                                   : SINK_TIME_RELATIVE;
    status = to->open(c->context, out, &given, writer);
    if (status == STELE_OK)
        (*writer)->owns_output = false;
    return status;
}
