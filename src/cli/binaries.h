/* SPDX-License-Identifier: Apache-2.0 */
/* The binaries of --binary: names for functions that traces know by number, and whether they fit.
 */
#ifndef CLI_BINARIES_H
#define CLI_BINARIES_H

#include "cli/cli.h"

/* Opens what --binary names, at the first call, and has it name the functions of the trace. What
   cannot be opened is reported; its functions keep their numbers. False: the options cannot be
   used. */
bool binaries_attach(cli *c, stele_trace *trace);

/* Says, at the end of a command, that --binary was given and nothing had to be named by it. */
void binaries_remark_unasked(cli *c);

/* Notes the functions of a segment, for binaries_judge(). */
void binaries_see(binaries *b, const stele_segment *segment);

/* Tells where the functions seen since the last call do not fit the binaries. */
void binaries_judge(cli *c);
void binaries_free(binaries *b);

#endif
