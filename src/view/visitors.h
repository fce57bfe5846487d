/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of the server. A visitor who has asked with the token is a friend, all others are
 * strangers. A stranger has some seconds to ask, and less while all places are taken, so that
 * connections that send nothing, or a byte now and then, keep nobody out.
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

/* Returns the milliseconds of a clock that nobody sets. */
int64_t visitors_now_ms(void);

/* Adds a visitor for a connection that has come. Returns NULL if there are too many. */
visitor *visitors_enter(visitors *all, int socket, int64_t now_ms);

/* Makes a visitor, which may be NULL, a friend: it has asked with the token. */
void visitors_befriend(visitors *all, visitor *who);

/* Removes a visitor, which may be NULL: its connection is being closed. */
void visitors_leave(visitors *all, visitor *who);

/* Shuts down the sockets of strangers whose time is over; the server then closes them. Returns
   whether strangers remain, so that looking again soon is worthwhile. */
bool visitors_end_strangers(visitors *all, int64_t now_ms);

#endif
