/* SPDX-License-Identifier: Apache-2.0 */
/* Lists calls that took much longer than others of their name. */
#ifndef CLI_CALLS_OUTLIERS_H
#define CLI_CALLS_OUTLIERS_H

#include "cli/spanning.h"

/* Writes the first `top` outliers, 0 for all, as text, CSV or JSON as the options say. */
void calls_write_outliers(cli *c, spanning *s, stele_outliers *o, uint64_t top);

#endif
