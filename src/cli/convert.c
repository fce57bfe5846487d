/* SPDX-License-Identifier: Apache-2.0 */
/* stele convert: writes traces in another format. */
#include "cli/converting.h"
#include "cli/export.h"

void command_CONVERT(cli *c)
{
    const conversion how = {.format = FORMAT_NAMED};
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    const char *rows = export_format(c);
    if (rows != NULL)
        export_execute(c, rows);
    else
        converting_execute(c, &how, &stats);
}
