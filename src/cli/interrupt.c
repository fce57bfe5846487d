/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask the command to stop. The first one ends reading and writing, so that
   unfinished files are removed; a second one of the same kind ends the process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t is_interrupted;

/* A pipe to which the handler writes, so that a signal that comes just before poll() ends it as
   well. */
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
        /* The pipe is full, so that it already wakes every waiter. */
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
        /* Under nohup SIGHUP is ignored, and must stay so. */
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
