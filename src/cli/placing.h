/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions that traces know by their addresses, from the ELF files of --binary. */
#ifndef CLI_PLACING_H
#define CLI_PLACING_H

#include <stele/spans.h>

#include "cli/cli.h"

typedef struct placing placing;

/* Takes the files of --binary, which are opened when they are needed. Returns NULL if out of
   memory. */
placing *cli_placing_new(cli *c);
void cli_placing_free(placing *p);

/* A stele_place_fn; `user` is the placing. */
stele_text placing_name(void *user, stele_text path, uint64_t offset);

#endif
