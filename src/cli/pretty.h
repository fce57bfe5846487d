/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `stele cat --ctf-pretty`. */
#ifndef CLI_PRETTY_H
#define CLI_PRETTY_H

#include <stele/sink.h>

#include "cli/cli.h"

/* False, and reported, when they cannot be used. */
bool pretty_options_make(cli *c, stele_pretty_options *pretty);

#endif
