/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS_USUAL 24u

static void see_rows(live *l)
{
    struct winsize size;
    l->rows = ROWS_USUAL;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0)
        l->rows = size.ws_row;
}

bool live_begin(live *l)
{
    struct termios keys;
    if (isatty(STDOUT_FILENO) != 1 || tcgetattr(STDIN_FILENO, &l->before) != 0)
        return false;
    keys = l->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* signals stay enabled: Ctrl-C ends the command */
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    see_rows(l);
    return tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

void live_end(live *l)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &l->before);
}

char live_wait(live *l, int wait_ms)
{
    struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte = 0;
    if (poll(&key, 1, wait_ms) > 0 && read(STDIN_FILENO, &byte, 1) != 1)
        byte = 'q'; /* the terminal was closed */
    see_rows(l);
    return byte;
}
