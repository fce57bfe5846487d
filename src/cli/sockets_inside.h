/* SPDX-License-Identifier: Apache-2.0 */
/* Internals that the files of sockets.h share. */
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
    char *path;              /* path of a Unix socket, which is removed at the end */
    uint32_t dropped_before; /* last count of datagrams that the system dropped */
    bool has_dropped;
};

typedef struct connection {
    int fd;
    uint32_t sender;
    bool is_given;         /* a pipe that the user named, and so waits for */
    uint64_t packet_count; /* how many packets came through it */
    int64_t last_ns;       /* time of its last packet, or of the connection */
} connection;

typedef struct datagram_sender {
    struct sockaddr_storage address;
    socklen_t size;
    size_t endpoint;
    uint32_t sender;
    int64_t last_ns; /* time of its last datagram */
} datagram_sender;

void sockets_remark(const sockets *s, const char *text);

/* The host of an address as text, and its port; "local" and 0 for addresses within this machine. */
void sockets_host(const struct sockaddr_storage *address, char *host, size_t size);
unsigned sockets_port(const struct sockaddr_storage *address);

/* Whether sender `a` should make room rather than `b`: first those that sent no whole packet,
   then those whose last packet is older. */
bool sockets_is_idler(const stele_collector *of, uint32_t a, int64_t a_ns, uint32_t b,
                      int64_t b_ns);

/* Receives some of the datagrams that have arrived at the endpoint with this index; see
   sockets_receive(). */
stele_status sockets_receive_datagrams(sockets *s, size_t index, int64_t (*now)(void),
                                       uint64_t *got);

#endif
