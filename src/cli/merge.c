/* SPDX-License-Identifier: Apache-2.0 */
/* stele merge: writes several traces as one. */
#include "cli/converting.h"

void command_MERGE(cli *c)
{
    const conversion how = {.format = FORMAT_GUESSED};
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    converting_execute(c, &how, &stats);
}
