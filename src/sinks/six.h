/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with six significant digits, as "%g" of printf() writes them, fast. */
#ifndef SINKS_SIX_H
#define SINKS_SIX_H

#define SIX_SIZE 32

/* Writes at `to`, which has room for SIX_SIZE bytes, and gives the place after. */
char *six_put(char *to, double value);

#endif
