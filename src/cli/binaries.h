/* SPDX-License-Identifier: Apache-2.0 */
/* The binaries of --binary, which name functions that a trace knows by number, and whether they
   fit. */
#ifndef CLI_BINARIES_H
#define CLI_BINARIES_H

#include "cli/cli.h"

/*
 * Makes the binaries of --binary name the functions of a trace; the first call opens them. One that
 * cannot be opened is reported, and its functions keep their numbers. Returns false if the option's
 * values are not valid.
 */
bool binaries_attach(cli *c, stele_trace *trace);

/* Prints a remark at the end of a command if --binary was given and had nothing to name. */
void binaries_remark_unasked(cli *c);

/* Notes which functions a segment has, for binaries_judge(). */
void binaries_see(binaries *b, const stele_segment *segment);

/* Reports which functions seen since the last call do not fit the binaries. */
void binaries_judge(cli *c);
void binaries_free(binaries *b);

#endif
