/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that ask the command to stop. The first one ends reading and writing, so that what was
 * begun is removed; a second one of its kind ends the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t is_interrupted;

/* The handler writes to it, so that a signal that comes just before a wait ends that, too. */
static int ends[2] = {-1, -1};

int cli_interrupted(void)
{
    return is_interrupted;
}

static void interrupt(int number)
{
    const int why = errno;
    is_interrupted = number;
    if (ends[1] >= 0 && write(ends[1], "", 1) < 0) {
        /* Full: then it wakes whoever waits already. */
    }
    errno = why;
}

void cli_catch_interrupts(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND}, old;
    sigemptyset(&action.sa_mask);
    if (pipe(ends) == 0) {
        for (int i = 0; i < 2; i++) {
            fcntl(ends[i], F_SETFD, FD_CLOEXEC);
            fcntl(ends[i], F_SETFL, O_NONBLOCK);
        }
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        /* Who starts a command with nohup wants it to outlive the terminal. */
        const bool is_ignored = sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (signals[i] != SIGHUP || !is_ignored)
            sigaction(signals[i], &action, NULL);
    }
}

int cli_interrupt_fd(void)
{
    return ends[0];
}

bool cli_goes_on(void *user, int fd)
{
    struct pollfd waits[] = {{.fd = fd, .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
    (void)user;
    while (fd >= 0 && !is_interrupted && poll(waits, 2, -1) < 0 && errno == EINTR)
        ;
    return !is_interrupted;
}
