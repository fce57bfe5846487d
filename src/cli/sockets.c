/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* for accept4(), and for Linux's socket options */
#include "cli/sockets_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "view/list.h"

#define PIECE_SIZE       ((size_t)64 << 10)
#define DESCRIPTORS_LEFT 32u /* file descriptors that connections must leave free for others */

/* ---- Opening of endpoints ---- */

static bool parse_address(const char *host, unsigned port, struct sockaddr_storage *address,
                          socklen_t *size)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        *size = sizeof *v4;
        return true;
    }
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        *size = sizeof *v6;
        return true;
    }
    return false;
}

static bool refuse(char *why, size_t why_size, const char *what)
{
    snprintf(why, why_size, "%s", what);
    return false;
}

static bool refuse_by_system(endpoint *e, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s", strerror(errno));
    if (e->fd >= 0)
        close(e->fd);
    return false;
}

static void set_number(int fd, int level, int what, int value)
{
    /* The option is not needed: if the system does not accept it, the socket works without. */
    if (setsockopt(fd, level, what, &value, sizeof value) != 0)
        return;
}

static void set_buffer(const sockets *s, int fd)
{
    const int size = s->buffer_size < INT32_MAX ? (int)s->buffer_size : INT32_MAX;
    if (size != 0) {
        set_number(fd, SOL_SOCKET, SO_RCVBUF, size);
        /* beyond the system's limit, which root may exceed */
        set_number(fd, SOL_SOCKET, SO_RCVBUFFORCE, size);
    }
}

static bool open_port(const sockets *s, endpoint *e, const char *port_text, char *why,
                      size_t why_size)
{
    const bool is_udp = e->kind == ENDPOINT_UDP;
    struct sockaddr_storage address;
    socklen_t size;
    char *end, host[INET6_ADDRSTRLEN];
    const unsigned long port = strtoul(port_text, &end, 10);
    if (*port_text == '\0' || *end != '\0' || port > 65535)
        return refuse(why, why_size, "a port is a number up to 65535");
    if (!parse_address(s->host, (unsigned)port, &address, &size))
        return refuse(why, why_size, "--listen takes an address such as 127.0.0.1 or ::1");
    e->fd = socket(address.ss_family,
                   (is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (e->fd < 0)
        return refuse_by_system(e, why, why_size);
    if (is_udp)
        set_number(e->fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
    else
        set_number(e->fd, SOL_SOCKET, SO_REUSEADDR, 1);
    set_buffer(s, e->fd);
    if (bind(e->fd, (struct sockaddr *)&address, size) != 0 ||
        (!is_udp && listen(e->fd, 64) != 0) ||
        getsockname(e->fd, (struct sockaddr *)&address, &size) != 0)
        return refuse_by_system(e, why, why_size);
    sockets_host(&address, host, sizeof host);
    snprintf(e->name, sizeof e->name, "%s %s:%u", is_udp ? "udp" : "tcp", host,
             sockets_port(&address));
    return true;
}

static bool open_unix(const sockets *s, endpoint *e, const char *path, char *why, size_t why_size)
{
    const bool is_datagram = e->kind == ENDPOINT_UNIX_DGRAM;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) == 0 || strlen(path) >= sizeof address.sun_path)
        return refuse(why, why_size, "the path of a socket has 1 to 107 bytes");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    e->fd =
        socket(AF_UNIX, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (e->fd < 0)
        return refuse_by_system(e, why, why_size);
    set_buffer(s, e->fd);
    if (bind(e->fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        (!is_datagram && listen(e->fd, 64) != 0))
        return refuse_by_system(e, why, why_size);
    e->path = strdup(path);
    snprintf(e->name, sizeof e->name, "%s %s", is_datagram ? "unix-dgram" : "unix", path);
    return true;
}

/* ---- Connections ---- */

static bool add_connection(sockets *s, const connection *with, const stele_sender *about)
{
    connection *grown;
    uint32_t sender;
    if (s->connection_count >= s->connections_max ||
        stele_collector_add(s->collector, about, &sender) != STELE_OK)
        return false;
    grown = list_fit(s->connections, sizeof *grown, s->connection_count + 1);
    if (grown == NULL)
        return false;
    s->connections = grown;
    s->connections[s->connection_count] = *with;
    s->connections[s->connection_count++].sender = sender;
    s->had_connection = true;
    return true;
}

static bool open_pipe(sockets *s, const char *section, const char *path, char *why, size_t why_size)
{
    const bool is_standard = strcmp(path, "-") == 0;
    const stele_sender about = {.name = is_standard ? "standard input" : path,
                                .host = is_standard ? "stdin" : path,
                                .section = section};
    struct stat found;
    const int fd = is_standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &found) != 0)
        return refuse(why, why_size, strerror(errno));
    if (!S_ISFIFO(found.st_mode) && !S_ISREG(found.st_mode) && !is_standard) {
        close(fd);
        return refuse(why, why_size, "neither a pipe nor a file, and not udp:, tcp: or unix:");
    }
    if (add_connection(s, &(connection){.fd = fd, .is_given = true}, &about))
        return true;
    close(fd);
    return refuse(why, why_size, "more than --connections");
}

static void remove_connection(sockets *s, size_t index)
{
    close(s->connections[index].fd);
    s->connections[index] = s->connections[--s->connection_count];
}

/* Whether few file descriptors are left, which the files of traces need. The system gives out
   the lowest free ones. */
static bool is_last_descriptor(int fd)
{
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && (rlim_t)fd + DESCRIPTORS_LEFT >= files.rlim_cur;
}

static bool has_bytes(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, 0) != 0;
}

/*
 * The index of the connection that is closed to make room; connection_count if none is idle enough.
 */
static size_t find_idle(const sockets *s, int64_t now_ns)
{
    size_t found = s->connection_count;
    for (size_t i = 0; i < s->connection_count; i++) {
        const connection *c = &s->connections[i];
        if (c->is_given || (c->packet_count != 0 && now_ns - c->last_ns < s->connection_idle_ns))
            continue;
        if ((found == s->connection_count ||
             sockets_is_idler(s->collector, c->sender, c->last_ns, s->connections[found].sender,
                              s->connections[found].last_ns)) &&
            !has_bytes(c->fd))
            found = i;
    }
    return found;
}

/* Closes the connection that has been idle longest, so that connections which send nothing
   cannot keep others out. `*is_made` is whether one was closed. */
static stele_status make_room(sockets *s, int64_t now_ns, bool *is_made)
{
    const size_t index = find_idle(s, now_ns);
    connection idle;
    *is_made = index != s->connection_count;
    if (!*is_made)
        return STELE_OK;
    idle = s->connections[index];
    if (s->gave_way_count++ == 0)
        sockets_remark(
            s, "a connection that sent nothing for long gave way to a new one: there are as "
               "many as --connections or the limit of open files allows");
    s->was_cut_off |= idle.packet_count != 0;
    remove_connection(s, index);
    return stele_collector_end(s->collector, idle.sender, now_ns);
}

static void refuse_connection(sockets *s, int fd)
{
    close(fd);
    if (s->refused_count++ == 0)
        sockets_remark(
            s, "a connection was refused: there are as many as --connections or the limit of "
               "open files allows, and packets come through all of them");
}

/* Moves a connection to the lowest free file descriptor, to keep is_last_descriptor() right. */
static int move_down(int fd)
{
    const int lower = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (lower < 0 || lower > fd) {
        if (lower >= 0)
            close(lower);
        return fd;
    }
    close(fd);
    return lower;
}

static bool take_connection(sockets *s, const connection *with, const stele_sender *about)
{
    return !is_last_descriptor(with->fd) && add_connection(s, with, about);
}

/* Accepts one connection. `*goes_on` is set if another one can be accepted in the same round. */
static stele_status accept_one(sockets *s, const endpoint *e, int64_t now_ns, bool *goes_on)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[INET6_ADDRSTRLEN], name[NAME_SIZE];
    const stele_sender about = {.name = name, .host = host, .section = e->section};
    connection with = {.last_ns = now_ns};
    stele_status status;
    bool is_made;
    *goes_on = false;
    with.fd = accept4(e->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (with.fd < 0)
        return STELE_OK;
    sockets_host(&address, host, sizeof host);
    if (e->kind == ENDPOINT_TCP)
        snprintf(name, sizeof name, "tcp %s:%u", host, sockets_port(&address));
    else
        snprintf(name, sizeof name, "%.100s #%d", e->name, with.fd);
    if (take_connection(s, &with, &about)) {
        *goes_on = s->connection_count < s->connections_max && !is_last_descriptor(with.fd + 1);
        return STELE_OK;
    }
    status = make_room(s, now_ns, &is_made);
    if (is_made)
        with.fd = move_down(with.fd);
    if (!is_made || !take_connection(s, &with, &about))
        refuse_connection(s, with.fd);
    return status;
}

/* Accepts connections. At the limit only one is accepted in each round, so that those before it
   were read first. */
static stele_status accept_all(sockets *s, const endpoint *e, int64_t now_ns)
{
    stele_status status = STELE_OK;
    bool goes_on = true;
    while (status == STELE_OK && goes_on)
        status = accept_one(s, e, now_ns, &goes_on);
    return status;
}

bool sockets_add(sockets *s, const char *text, char *why, size_t why_size)
{
    static const char *const words[] = {"udp:", "tcp:", "unix:", "unix-dgram:"};
    const char *equals = strchr(text, '='), *slash = strchr(text, '/');
    endpoint e = {.fd = -1}, *grown;
    bool is_open = false;
    size_t i = 0;
    if (equals != NULL && (slash == NULL || equals < slash) &&
        (size_t)(equals - text) < sizeof e.section) {
        snprintf(e.section, sizeof e.section, "%.*s", (int)(equals - text), text);
        text = equals + 1;
    }
    while (i < 4 && strncmp(text, words[i], strlen(words[i])) != 0)
        i++;
    if (i == 4)
        return open_pipe(s, e.section, text, why, why_size);
    e.kind = (kind)i;
    text += strlen(words[i]);
    is_open = e.kind <= ENDPOINT_TCP ? open_port(s, &e, text, why, why_size)
                                     : open_unix(s, &e, text, why, why_size);
    if (!is_open)
        return false;
    grown = list_fit(s->endpoints, sizeof *grown, s->endpoint_count + 1);
    if (grown == NULL)
        return refuse_by_system(&e, why, why_size);
    s->endpoints = grown;
    s->endpoints[s->endpoint_count++] = e;
    return true;
}

const char *sockets_name(const sockets *s, size_t index)
{
    return index < s->endpoint_count ? s->endpoints[index].name : NULL;
}

/* ---- Streams of bytes ---- */

/* Reads from a connection or pipe; `*is_ended` is set if nothing more will come. */
static stele_status receive_stream(sockets *s, connection *from, int64_t now_ns, bool *is_ended,
                                   uint64_t *got)
{
    uint8_t bytes[PIECE_SIZE];
    const ssize_t size = read(from->fd, bytes, sizeof bytes);
    if (size > 0) {
        const stele_status status =
            stele_collector_receive(s->collector, from->sender, bytes, (size_t)size, now_ns);
        const uint64_t count = stele_collector_sender_packets(s->collector, from->sender);
        if (count != from->packet_count)
            from->last_ns = now_ns;
        from->packet_count = count;
        *got += (uint64_t)size;
        return status;
    }
    *is_ended = size == 0 || (errno != EAGAIN && errno != EINTR);
    return *is_ended ? stele_collector_end(s->collector, from->sender, now_ns) : STELE_OK;
}

/* ---- Waiting for packets ---- */

stele_status sockets_receive(sockets *s, int stop_fd, int wait_ms, int64_t (*now)(void),
                             uint64_t *got)
{
    const size_t endpoints = s->endpoint_count, connections = s->connection_count;
    struct pollfd *waits = calloc(endpoints + connections + 1, sizeof *waits);
    stele_status status = STELE_OK;
    *got = 0;
    if (waits == NULL)
        return STELE_ERR_MEMORY;
    waits[0] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
    for (size_t i = 0; i < endpoints; i++)
        waits[1 + i] = (struct pollfd){.fd = s->endpoints[i].fd, .events = POLLIN};
    for (size_t i = 0; i < connections; i++)
        waits[1 + endpoints + i] = (struct pollfd){.fd = s->connections[i].fd, .events = POLLIN};
    if (poll(waits, endpoints + connections + 1, wait_ms) <= 0) {
        free(waits);
        return STELE_OK;
    }
    for (size_t i = connections; i > 0 && status == STELE_OK; i--) {
        bool is_ended = false;
        if (waits[endpoints + i].revents == 0)
            continue;
        status = receive_stream(s, &s->connections[i - 1], now(), &is_ended, got);
        if (is_ended)
            remove_connection(s, i - 1);
    }
    for (size_t i = 0; i < endpoints && status == STELE_OK; i++) {
        const kind what = s->endpoints[i].kind;
        if (waits[1 + i].revents == 0)
            continue;
        if (what == ENDPOINT_UDP || what == ENDPOINT_UNIX_DGRAM)
            status = sockets_receive_datagrams(s, i, now, got);
        else
            status = accept_all(s, &s->endpoints[i], now());
    }
    free(waits);
    return status;
}

size_t sockets_open_count(const sockets *s)
{
    return s->connection_count;
}

void sockets_close(sockets *s)
{
    for (size_t i = 0; i < s->connection_count; i++)
        close(s->connections[i].fd);
    for (size_t i = 0; i < s->endpoint_count; i++) {
        close(s->endpoints[i].fd);
        if (s->endpoints[i].path != NULL)
            unlink(s->endpoints[i].path);
        free(s->endpoints[i].path);
    }
    free(s->connections);
    free(s->endpoints);
    free(s->senders);
    free(s->buffers);
}
