/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back what was written, and comparing it with what it was made of. */
#ifndef CLI_VERIFYING_H
#define CLI_VERIFYING_H

#include "cli/losing.h"

/* Whether the options leave something that can be compared; `sink` is what is written if that is no
   trace, else NULL. False, and reported, when they do not. */
bool verifying_fits(cli *c, const char *sink, const char *path);

/* Compares the trace at `path`, of this format, with the arguments as the selection has them: only
   what the losses name may differ. Each difference is one line on standard error, and the exit code
   says that there are some. */
void verifying_execute(cli *c, const selection *s, const char *format, const char *path,
                       loss_fn *next, const void *from);

#endif
