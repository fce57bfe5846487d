/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the losses of a conversion. */
#ifndef CLI_LOSING_H
#define CLI_LOSING_H

#include "cli/cli.h"

/* Gives the loss with an index, from 0 on. Returns false if there is none. */
typedef bool loss_fn(const void *from, size_t index, stele_loss *loss);

/* Whether anything was lost; values in another form are not. */
bool losses_are_some(loss_fn *next, const void *from);

/* Whether a conversion to a format or sink can keep anything of what is asked for (`kinds` as in a
   request). If not, refuses it. `read` has the kinds of the events that were read; 0: none was yet,
   so those that the traces' formats can have count. Metadata and losses alone are nothing. A trace
   of the target's own format can be cut to nothing. */
bool losses_leave_something(cli *c, const inputs *in, const char *target, uint64_t kinds,
                            uint64_t read);

/* Prints the table of what the target could not hold, or has in another form, on standard error.
   If anything was lost, sets the exit code. */
void losses_show(cli *c, const char *target, loss_fn *next, const void *from);

#endif
