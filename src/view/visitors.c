/* SPDX-License-Identifier: Apache-2.0 */
#include "view/visitors.h"

#include <sys/socket.h>
#include <time.h>

#define STRANGER_MS         5000
#define STRANGER_CROWDED_MS 100 /* while all places are taken */

int64_t visitors_now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

visitor *visitors_enter(visitors *all, int socket, int64_t now_ms)
{
    for (size_t i = 0; i < VISITORS_MAX; i++) {
        visitor *who = &all->at[i];
        if (who->is_here)
            continue;
        *who = (visitor){.since_ms = now_ms, .socket = socket, .is_here = true};
        all->count++;
        return who;
    }
    return NULL;
}

void visitors_befriend(visitors *all, visitor *who)
{
    if (who == NULL || who->is_friend)
        return;
    who->is_friend = true;
    all->friend_count++;
}

void visitors_leave(visitors *all, visitor *who)
{
    if (who == NULL || !who->is_here)
        return;
    all->count--;
    all->friend_count -= who->is_friend;
    who->is_here = who->is_friend = false;
}

bool visitors_end_strangers(visitors *all, int64_t now_ms)
{
    const int64_t most_ms = all->count == VISITORS_MAX ? STRANGER_CROWDED_MS : STRANGER_MS;
    if (all->count == all->friend_count)
        return false;
    for (size_t i = 0; i < VISITORS_MAX; i++) {
        const visitor *who = &all->at[i];
        if (who->is_here && !who->is_friend && now_ms - who->since_ms > most_ms)
            shutdown(who->socket, SHUT_RDWR);
    }
    return true;
}
