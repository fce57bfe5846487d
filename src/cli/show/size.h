/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes with binary units, as designers of computers write them. */
#ifndef CLI_SHOW_SIZE_H
#define CLI_SHOW_SIZE_H

#include <stdint.h>

/* Parses "48", "64K", "32M" or "1G", in powers of 1024. Returns where it ends, NULL if there is
   none or if it is too large. */
const char *size_parse(const char *at, uint64_t *size);

#endif
