/* SPDX-License-Identifier: Apache-2.0 */
/* Where the server listens, and by which names browsers may ask for it: a page of somebody else,
   whose name was made to point to this machine, must not get answers. */
#ifndef VIEW_ADDRESS_H
#define VIEW_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define ADDRESS_NAMES_MAX 4u
#define ADDRESS_NAME_SIZE 256u

typedef struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } socket;
    unsigned port; /* the one that the server got, once it listens */
    bool is_open;  /* it listens on all addresses: then any address is one of its names */
    char names[ADDRESS_NAMES_MAX][ADDRESS_NAME_SIZE];
    size_t name_count;
} address;

/* Takes the address to listen at, as text, and finds the names of the server. Returns false if the
   text is not an IPv4 or IPv6 address. */
bool address_take(address *a, const char *text, unsigned port);

/* Whether the Host header of a request names this server. `host` may be NULL. */
bool address_fits(const address *a, const char *host);

#endif
