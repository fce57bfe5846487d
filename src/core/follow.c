/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include "core/follow.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

/* How long a follower sleeps at most, with notifications of the system and without. Network file
   systems do not notify of changes by other machines. */
#define SLEEP_TOLD_MS   500
#define SLEEP_UNTOLD_MS 100

int64_t follow_now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void follow_begin(follow *f, int64_t idle_ms)
{
    *f = (follow){.events = -1, .idle_ms = idle_ms, .seen_ms = follow_now_ms()};
#ifdef __linux__
    f->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
}

void follow_end(follow *f)
{
    if (f->events >= 0)
        close(f->events);
    f->events = -1;
}

void follow_add(follow *f, const char *path)
{
#ifdef __linux__
    const uint32_t changes = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF;
    /* If one path cannot be watched, notifications are not used: all paths are checked again after
       a time. */
    if (f->events >= 0 && inotify_add_watch(f->events, path, changes) < 0)
        follow_end(f);
#else
    (void)f;
    (void)path;
#endif
}

void follow_see(follow *f)
{
    f->seen_ms = follow_now_ms();
}

/* Reads and drops notifications: it suffices to know that something changed. */
static void drop_events(int events)
{
    char dropped[4096];
    while (read(events, dropped, sizeof dropped) > 0)
        continue;
}

bool follow_goes_on(follow *f, const diag_sink *diag)
{
    f->is_over |=
        (f->idle_ms > 0 && follow_now_ms() - f->seen_ms >= f->idle_ms) || !diag_goes_on(diag, -1);
    return !f->is_over;
}

void follow_rest(int64_t wait_ms)
{
    poll(NULL, 0, (int)wait_ms);
}

bool follow_sleep(follow *f, const diag_sink *diag, int64_t wait_ms)
{
    const int64_t idle_left_ms = f->seen_ms + f->idle_ms - follow_now_ms();
    struct pollfd told = {.fd = f->events, .events = POLLIN};
    int64_t sleep_ms = f->events >= 0 ? SLEEP_TOLD_MS : SLEEP_UNTOLD_MS;
    if (wait_ms > 0 && sleep_ms > wait_ms)
        sleep_ms = wait_ms;
    if (f->idle_ms > 0 && sleep_ms > idle_left_ms)
        sleep_ms = idle_left_ms > 0 ? idle_left_ms : 0;
    if (!follow_goes_on(f, diag))
        return false;
    if (poll(&told, f->events >= 0 ? 1 : 0, (int)sleep_ms) > 0)
        drop_events(f->events);
    return true;
}
