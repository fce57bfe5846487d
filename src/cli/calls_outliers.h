/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that took far longer than others of their name. */
#ifndef CLI_CALLS_OUTLIERS_H
#define CLI_CALLS_OUTLIERS_H

#include "cli/spanning.h"

/* Writes the first `top` of them, 0: all; as text, CSV or JSON as the options say. */
void calls_write_outliers(cli *c, spanning *s, stele_outliers *o, uint64_t top);

#endif
