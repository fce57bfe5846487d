/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of sockets.h share. */
#ifndef CLI_SOCKETS_INSIDE_H
#define CLI_SOCKETS_INSIDE_H

#include "cli/sockets.h"

#include <sys/socket.h>

#define NAME_SIZE    160u
#define SECTION_SIZE 64u

typedef enum endpoint_kind { ENDPOINT_UDP, ENDPOINT_TCP, ENDPOINT_UNIX, ENDPOINT_UNIX_DGRAM } kind;

struct endpoint {
    kind kind;
    int fd;
    char section[SECTION_SIZE];
    char name[NAME_SIZE];
    char *path;              /* of a unix socket, to be removed */
    uint32_t dropped_before; /* datagrams that the system dropped, as it counted them last */
    bool has_dropped;
};

typedef struct connection {
    int fd;
    uint32_t sender;
    bool is_given;         /* by the user, who waits for what comes through it */
    uint64_t packet_count; /* that came through it */
    int64_t last_ns;       /* when the last one of them came, or the connection itself */
} connection;

typedef struct datagram_sender {
    struct sockaddr_storage address;
    socklen_t size;
    size_t endpoint;
    uint32_t sender;
    int64_t last_ns; /* when its last datagram came */
} datagram_sender;

void sockets_remark(const sockets *s, const char *text);

/* An address as text, and its port; "local" and 0 for those that are of this machine alone. */
void sockets_host(const struct sockaddr_storage *address, char *host, size_t size);
unsigned sockets_port(const struct sockaddr_storage *address);

/* Which of two senders is to give way: the one of which no packet came, however many bytes, else
   the one of which none came for longer. */
bool sockets_is_idler(const stele_collector *of, uint32_t a, int64_t a_ns, uint32_t b,
                      int64_t b_ns);

/* Receives some of the datagrams that are there, by an endpoint's number: see sockets_receive(). */
stele_status sockets_receive_datagrams(sockets *s, size_t index, int64_t (*now)(void),
                                       uint64_t *got);

#endif
