/* SPDX-License-Identifier: Apache-2.0 */
/* Colours and widths of terminals. */
#ifndef CLI_SHOW_TERMINAL_H
#define CLI_SHOW_TERMINAL_H

#include <stdbool.h>

#define COLOR_NONE   "\033[0m"
#define COLOR_BOLD   "\033[1m"
#define COLOR_DIM    "\033[2m"
#define COLOR_RED    "\033[1;31m"
#define COLOR_YELLOW "\033[1;33m"
#define COLOR_CYAN   "\033[1;36m"

/* Whether output to a file descriptor gets colours; `when` is the value of --color. */
bool terminal_has_color(int fd, const char *when);

/* How many columns the terminal of a file descriptor has; 0: it is none, or does not say so. */
unsigned terminal_width(int fd);

#endif
