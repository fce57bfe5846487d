/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people who build computers write them. */
#ifndef CLI_SHOW_SIZE_H
#define CLI_SHOW_SIZE_H

#include <stdint.h>

/* Reads "48", "64K", "32M", "1G", in powers of 1024; gives the place after it, NULL: there is
   none, or it is too large. */
const char *size_parse(const char *at, uint64_t *size);

#endif
