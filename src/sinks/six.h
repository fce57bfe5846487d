/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers with six significant digits, as "%g" of printf() does, but fast. */
#ifndef SINKS_SIX_H
#define SINKS_SIX_H

#define SIX_SIZE 32

/* Writes a value to `to`, which has room for SIX_SIZE bytes. Returns the end. */
char *six_put(char *to, double value);

#endif
