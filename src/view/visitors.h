/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of the server. Whoever has asked with the token is a friend; all others are
 * strangers, who have some seconds to do so, and less while all places are taken: connections that
 * say nothing, or a byte now and then, keep nobody out.
 */
#ifndef VIEW_VISITORS_H
#define VIEW_VISITORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VISITORS_MAX 64u

typedef struct visitor {
    int64_t since_ms; /* when the connection came */
    int socket;
    bool is_here, is_friend;
} visitor;

typedef struct visitors {
    visitor at[VISITORS_MAX];
    size_t count, friend_count;
} visitors;

/* Milliseconds of a clock that nobody sets. */
int64_t visitors_now_ms(void);

/* A connection has come. Returns NULL if there are too many. */
visitor *visitors_enter(visitors *all, int socket, int64_t now_ms);

/* The visitor, which may be NULL, has asked with the token. */
void visitors_befriend(visitors *all, visitor *who);

/* The connection of the visitor, which may be NULL, is being closed. */
void visitors_leave(visitors *all, visitor *who);

/* Shuts down the sockets of strangers whose time is over; the server then closes them. Returns
 * whether strangers remain, so that it is worth to look again soon. */
bool visitors_end_strangers(visitors *all, int64_t now_ms);

#endif
