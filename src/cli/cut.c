/* SPDX-License-Identifier: Apache-2.0 */
/* stele cut: writes a part of a trace as a trace. */
#include "cli/converting.h"

void command_CUT(cli *c)
{
    const conversion how = {.format = FORMAT_GUESSED};
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    converting_execute(c, &how, &stats);
}
