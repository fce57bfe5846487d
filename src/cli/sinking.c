/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sinking.h"

#include <string.h>

bool sinking_open(cli *c, const sink *to, output *out, stele_writer **writer)
{
    const char *time = option_value(&c->options, OPTION_TIME);
    sink_options given = {.columns = option_value(&c->options, OPTION_COLUMNS),
                          .has_color = out == c->out && c->has_color};
    if (time != NULL)
        given.time = strcmp(time, "absolute") == 0 ? SINK_TIME_ABSOLUTE
                     : strcmp(time, "ticks") == 0  ? SINK_TIME_TICKS
                                                   : SINK_TIME_RELATIVE;
    if (!cli_check(c, to->open(c->context, out, &given, writer), to->name))
        return false;
    (*writer)->owns_output = false;
    return true;
}
