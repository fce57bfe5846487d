/* SPDX-License-Identifier: Apache-2.0 */
/* Reads back what was written, and compares it with its source. */
#ifndef CLI_VERIFYING_H
#define CLI_VERIFYING_H

#include "cli/losing.h"

/* Whether --verify can be used: the output can be compared. `sink` is the name of a sink if that
   is written, else NULL. If not, reports it and returns false. */
bool verifying_fits(cli *c, const char *sink, const char *path);

/*
 * Compares the trace at `path` with the arguments, as selected: only what the losses name may
 * differ. Prints each difference as a line on standard error, and sets the exit code if there are
 * any.
 */
void verifying_execute(cli *c, const selection *s, const char *format, const char *path,
                       loss_fn *next, const void *from);

#endif
