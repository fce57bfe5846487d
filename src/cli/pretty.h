/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `stele cat --ctf-pretty`. */
#ifndef CLI_PRETTY_H
#define CLI_PRETTY_H

#include <stele/sink.h>

#include "cli/cli.h"

/* Takes the options. If they are not valid, reports it and returns false. */
bool pretty_options_make(cli *c, stele_pretty_options *pretty);

#endif
