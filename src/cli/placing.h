/* SPDX-License-Identifier: Apache-2.0 */
/* Names functions that traces know by their addresses, with the ELF files of --binary. */
#ifndef CLI_PLACING_H
#define CLI_PLACING_H

#include <stele/spans.h>

#include "cli/cli.h"

typedef struct placing placing;

/* Takes the files of --binary, each of which is opened when it is needed. Returns NULL if out of
   memory. */
placing *cli_placing_new(cli *c);
void cli_placing_free(placing *p);

/* A stele_place_fn; its `user` is the placing. */
stele_text placing_name(void *user, stele_text path, uint64_t offset);

#endif
