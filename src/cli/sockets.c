/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* recvmmsg(), accept4(), and the options of sockets that Linux has */
#include "cli/sockets.h"

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

#define DATAGRAM_SIZE_MAX 65536u
#define BATCH             32u /* datagrams received at once */
#define NAME_SIZE         160u
#define SECTION_SIZE      64u
#define PIECE_SIZE        ((size_t)64 << 10)
#define DESCRIPTORS_LEFT  32u /* that connections leave to others */

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
} connection;

typedef struct datagram_sender {
    struct sockaddr_storage address;
    socklen_t size;
    size_t endpoint;
    uint32_t sender;
} datagram_sender;

static void remark(const sockets *s, const char *text)
{
    if (s->remark != NULL)
        s->remark(s->remark_user, text);
}

/* ---- Addresses ---- */

static void host_text(const struct sockaddr_storage *address, char *host, size_t size)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    snprintf(host, size, "local");
    if (address->ss_family == AF_INET)
        inet_ntop(AF_INET, &v4->sin_addr, host, (socklen_t)size);
    else if (address->ss_family == AF_INET6)
        inet_ntop(AF_INET6, &v6->sin6_addr, host, (socklen_t)size);
}

static unsigned port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return 0;
}

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

/* ---- Opening ---- */

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
    /* A socket that does not take it works without. */
    if (setsockopt(fd, level, what, &value, sizeof value) != 0)
        return;
}

static void set_buffer(const sockets *s, int fd)
{
    const int size = s->buffer_size < INT32_MAX ? (int)s->buffer_size : INT32_MAX;
    if (size != 0) {
        set_number(fd, SOL_SOCKET, SO_RCVBUF, size);
        set_number(fd, SOL_SOCKET, SO_RCVBUFFORCE, size); /* beyond the limit, where root may */
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
    host_text(&address, host, sizeof host);
    snprintf(e->name, sizeof e->name, "%s %s:%u", is_udp ? "udp" : "tcp", host, port_of(&address));
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

static bool add_connection(sockets *s, int fd, const stele_sender *about)
{
    connection *grown;
    uint32_t sender;
    if (s->connection_count >= s->connections_max ||
        stele_collector_add(s->collector, about, &sender) != STELE_OK)
        return false;
    grown = realloc(s->connections, (s->connection_count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    s->connections = grown;
    s->connections[s->connection_count++] = (connection){fd, sender};
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
    if (add_connection(s, fd, &about))
        return true;
    close(fd);
    return refuse(why, why_size, "more than --connections");
}

/* Descriptors are given from the lowest on: those that are left are for the files of the traces. */
static bool is_last_descriptor(int fd)
{
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && (rlim_t)fd + DESCRIPTORS_LEFT >= files.rlim_cur;
}

static void accept_all(sockets *s, const endpoint *e)
{
    for (;;) {
        struct sockaddr_storage address = {0};
        socklen_t size = sizeof address;
        char host[INET6_ADDRSTRLEN], name[NAME_SIZE];
        stele_sender about = {.name = name, .host = host, .section = e->section};
        const int fd =
            accept4(e->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        if (is_last_descriptor(fd)) {
            close(fd);
            s->refused_count++;
            remark(s, "a connection was refused: too many files are open");
            continue;
        }
        host_text(&address, host, sizeof host);
        if (e->kind == ENDPOINT_TCP)
            snprintf(name, sizeof name, "tcp %s:%u", host, port_of(&address));
        else
            snprintf(name, sizeof name, "%.100s #%d", e->name, fd);
        if (add_connection(s, fd, &about))
            continue;
        close(fd);
        s->refused_count++;
        remark(s, "a connection was refused: there are as many as --connections allows");
    }
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
    grown = realloc(s->endpoints, (s->endpoint_count + 1) * sizeof *grown);
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

/* ---- Datagrams ---- */

/* The collector's number of who sent a datagram. False: there are too many senders. */
static bool find_sender(sockets *s, size_t index, const struct sockaddr_storage *address,
                        socklen_t size, uint32_t *sender)
{
    const endpoint *e = &s->endpoints[index];
    char host[INET6_ADDRSTRLEN], name[NAME_SIZE];
    const stele_sender about = {
        .name = name, .host = host, .section = e->section, .is_datagram = true};
    for (size_t i = 0; i < s->sender_count; i++) {
        datagram_sender *known = &s->senders[i];
        if (known->endpoint == index && known->size == size &&
            memcmp(&known->address, address, size) == 0) {
            const datagram_sender found = *known;
            *known = s->senders[0]; /* who sends much is found quickly */
            s->senders[0] = found;
            *sender = found.sender;
            return true;
        }
    }
    host_text(address, host, sizeof host);
    if (e->kind == ENDPOINT_UDP)
        snprintf(name, sizeof name, "udp %s:%u", host, port_of(address));
    else
        snprintf(name, sizeof name, "%s", e->name);
    if (s->sender_count == s->sender_capacity) {
        const size_t capacity = s->sender_capacity * 2 + 16;
        datagram_sender *grown = realloc(s->senders, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        s->senders = grown;
        s->sender_capacity = capacity;
    }
    if (stele_collector_add(s->collector, &about, sender) != STELE_OK)
        return false;
    s->senders[s->sender_count++] = (datagram_sender){*address, size, index, *sender};
    return true;
}

/* How many datagrams the system dropped since the last time, by the count beside a datagram. */
static void note_dropped(sockets *s, endpoint *e, struct msghdr *header, uint32_t sender)
{
    for (struct cmsghdr *m = CMSG_FIRSTHDR(header); m != NULL; m = CMSG_NXTHDR(header, m)) {
        uint32_t dropped;
        if (m->cmsg_level != SOL_SOCKET || m->cmsg_type != SO_RXQ_OVFL)
            continue;
        memcpy(&dropped, CMSG_DATA(m), sizeof dropped);
        if (dropped != e->dropped_before)
            stele_collector_lose(s->collector, sender, dropped - e->dropped_before);
        e->dropped_before = dropped;
    }
}

typedef struct batch {
    struct mmsghdr messages[BATCH];
    struct iovec pieces[BATCH];
    struct sockaddr_storage addresses[BATCH];
    char control[BATCH][CMSG_SPACE(sizeof(uint32_t))];
} batch;

static bool batch_prepare(sockets *s, batch *b)
{
    if (s->buffers == NULL)
        s->buffers = malloc((size_t)BATCH * DATAGRAM_SIZE_MAX);
    if (s->buffers == NULL)
        return false;
    memset(b, 0, sizeof *b);
    for (unsigned i = 0; i < BATCH; i++) {
        b->pieces[i] =
            (struct iovec){s->buffers + (size_t)i * DATAGRAM_SIZE_MAX, DATAGRAM_SIZE_MAX};
        b->messages[i].msg_hdr = (struct msghdr){.msg_name = &b->addresses[i],
                                                 .msg_namelen = sizeof b->addresses[i],
                                                 .msg_iov = &b->pieces[i],
                                                 .msg_iovlen = 1,
                                                 .msg_control = b->control[i],
                                                 .msg_controllen = sizeof b->control[i]};
    }
    return true;
}

static stele_status receive_datagrams(sockets *s, size_t index, int64_t (*now)(void), uint64_t *got)
{
    batch b;
    stele_status status = STELE_OK;
    int count;
    if (!batch_prepare(s, &b))
        return STELE_ERR_MEMORY;
    count = recvmmsg(s->endpoints[index].fd, b.messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count && status == STELE_OK; i++) {
        struct msghdr *header = &b.messages[i].msg_hdr;
        uint32_t sender;
        if (!find_sender(s, index, &b.addresses[i], header->msg_namelen, &sender)) {
            if (s->refused_count++ == 0)
                remark(s, "datagrams were refused: there are too many senders");
            continue;
        }
        note_dropped(s, &s->endpoints[index], header, sender);
        if ((header->msg_flags & MSG_TRUNC) != 0) { /* larger than any packet over a network */
            stele_collector_lose(s->collector, sender, 1);
            continue;
        }
        *got += b.messages[i].msg_len;
        status = stele_collector_receive(s->collector, sender, b.pieces[i].iov_base,
                                         b.messages[i].msg_len, now());
    }
    return status;
}

/* ---- Streams ---- */

/* `*is_ended` when nothing more will come. */
static stele_status receive_stream(sockets *s, const connection *from, int64_t now_ns,
                                   bool *is_ended, uint64_t *got)
{
    uint8_t bytes[PIECE_SIZE];
    const ssize_t size = read(from->fd, bytes, sizeof bytes);
    if (size > 0) {
        *got += (uint64_t)size;
        return stele_collector_receive(s->collector, from->sender, bytes, (size_t)size, now_ns);
    }
    *is_ended = size == 0 || (errno != EAGAIN && errno != EINTR);
    return *is_ended ? stele_collector_end(s->collector, from->sender, now_ns) : STELE_OK;
}

static void remove_connection(sockets *s, size_t index)
{
    close(s->connections[index].fd);
    s->connections[index] = s->connections[--s->connection_count];
}

/* ---- Waiting ---- */

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
            status = receive_datagrams(s, i, now, got);
        else
            accept_all(s, &s->endpoints[i]);
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
