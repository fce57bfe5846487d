/* SPDX-License-Identifier: Apache-2.0 */
/* What a target could not carry, as commands show it. */
#ifndef CLI_LOSING_H
#define CLI_LOSING_H

#include "cli/cli.h"

/* Gives the losses from 0 on; false past the end. */
typedef bool loss_fn(const void *from, size_t index, stele_loss *loss);

/* Whether something is lost: forms are no losses. */
bool losses_are_some(loss_fn *next, const void *from);

/* The table of what the target could not carry, or has in another form, on standard error. Where
   something is lost, that is the exit code. */
void losses_show(cli *c, const char *target, loss_fn *next, const void *from);

#endif
