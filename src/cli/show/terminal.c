/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_has_color(int fd, const char *when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(fd) == 1 && (no_color == NULL || no_color[0] == 0) && term != NULL &&
           strcmp(term, "dumb") != 0;
}

unsigned terminal_width(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
