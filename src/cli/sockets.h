/* SPDX-License-Identifier: Apache-2.0 */
/* Where packets arrive: sockets, connections, pipes. */
#ifndef CLI_SOCKETS_H
#define CLI_SOCKETS_H

#include <stele/collect.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place that senders reach. */
typedef struct endpoint endpoint;

/* What senders are of an endpoint at the moment, or were (UDP). */
typedef struct sockets {
    stele_collector *collector;
    endpoint *endpoints;
    size_t endpoint_count;
    struct connection *connections;
    size_t connection_count;
    struct datagram_sender *senders; /* of datagrams, by address */
    size_t sender_count, sender_capacity;
    uint8_t *buffers; /* that datagrams are received into */
    size_t connections_max;
    size_t buffer_size;         /* of each socket; 0: as the system has it */
    const char *host;           /* to listen at */
    int64_t connection_idle_ns; /* how long one through which packets came stays when others wait */
    uint64_t refused_count;
    uint64_t gave_way_count;  /* connections that were closed for others, having been idle */
    uint64_t forgotten_count; /* addresses of datagrams, likewise */
    bool was_cut_off;         /* packets had come through one of those connections */
    bool had_connection;      /* or a pipe */
    void (*remark)(void *user, const char *text);
    void *remark_user;
} sockets;

/*
 * Opens a place of arrival:
 *
 *     [SECTION=]udp:PORT   [SECTION=]tcp:PORT   [SECTION=]unix:PATH   [SECTION=]unix-dgram:PATH
 *     [SECTION=]PATH of a pipe or file, "-": standard input
 *
 * Port 0 is any that is free. False: `why` says what is wrong with it.
 */
bool sockets_add(sockets *s, const char *text, char *why, size_t why_size);

/* How an endpoint can be reached: "udp 127.0.0.1:4711". NULL past the last. */
const char *sockets_name(const sockets *s, size_t index);

/*
 * Waits until something arrives, `wait_ms` at most (-1: as long as it takes) or until `stop_fd` can
 * be read, and gives what arrived to the collector. `*got` is how many bytes. Errors are those of
 * the collector.
 */
stele_status sockets_receive(sockets *s, int stop_fd, int wait_ms, int64_t (*now)(void),
                             uint64_t *got);

/* Connections and pipes that are open. Endpoints that wait for connections are none. */
size_t sockets_open_count(const sockets *s);

/* Closes all; paths of unix sockets are removed. */
void sockets_close(sockets *s);

#endif
