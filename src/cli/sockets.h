/* SPDX-License-Identifier: Apache-2.0 */
/* Receives packets from sockets, connections and pipes. */
#ifndef CLI_SOCKETS_H
#define CLI_SOCKETS_H

#include <stele/collect.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address or path at which senders can be heard. */
typedef struct endpoint endpoint;

/* All endpoints, and the senders that are or were heard at them. */
typedef struct sockets {
    stele_collector *collector;
    endpoint *endpoints;
    size_t endpoint_count;
    struct connection *connections;
    size_t connection_count;
    struct datagram_sender *senders; /* senders of datagrams, by their addresses */
    size_t sender_count, sender_capacity;
    uint8_t *buffers; /* buffers into which datagrams are received */
    size_t connections_max;
    size_t buffer_size; /* size of each socket's buffer in bytes; 0: that of the system */
    const char *host;   /* address to listen at */
    /* how long a connection that has sent packets may be idle while others wait */
    int64_t connection_idle_ns;
    uint64_t refused_count;
    uint64_t gave_way_count; /* connections that were closed for others because they were idle */
    /* addresses of datagrams that were dropped for others because they were idle */
    uint64_t forgotten_count;
    bool was_cut_off;    /* one of the connections that were closed had sent packets */
    bool had_connection; /* there was a connection or a pipe */
    void (*remark)(void *user, const char *text);
    void *remark_user;
} sockets;

/*
 * Opens an endpoint, which is one of:
 *
 *     [SECTION=]udp:PORT   [SECTION=]tcp:PORT   [SECTION=]unix:PATH   [SECTION=]unix-dgram:PATH
 *     [SECTION=]PATH of a pipe or file, "-": standard input
 *
 * Port 0 stands for any that is free. If it cannot be opened, sets `why` to the reason and returns
 * false.
 */
bool sockets_add(sockets *s, const char *text, char *why, size_t why_size);

/* How an endpoint can be reached, such as "udp 127.0.0.1:4711". Returns NULL after the last one. */
const char *sockets_name(const sockets *s, size_t index);

/*
 * Waits until something arrives, at most `wait_ms` milliseconds (-1: no limit) or until `stop_fd`
 * is readable, and gives it to the collector. `*got` is the number of bytes. Returns the
 * collector's status.
 */
stele_status sockets_receive(sockets *s, int stop_fd, int wait_ms, int64_t (*now)(void),
                             uint64_t *got);

/* How many connections and pipes are open; endpoints that wait for connections do not count. */
size_t sockets_open_count(const sockets *s);

/* Closes everything, and removes the paths of Unix sockets. */
void sockets_close(sockets *s);

#endif
