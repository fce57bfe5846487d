/* SPDX-License-Identifier: Apache-2.0 */
/* Receives datagrams, and keeps the addresses that they come from. */
#define _GNU_SOURCE /* for recvmmsg() */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sockets_inside.h"
#include "view/list.h"

#define DATAGRAM_SIZE_MAX 65536u
#define BATCH             32u /* how many datagrams are received at once */

/* ---- Senders of datagrams ---- */

static datagram_sender *find_known(sockets *s, const datagram_sender *from)
{
    for (size_t i = 0; i < s->sender_count; i++) {
        datagram_sender *known = &s->senders[i];
        if (known->endpoint == from->endpoint && known->size == from->size &&
            memcmp(&known->address, &from->address, from->size) == 0) {
            const datagram_sender found = *known;
            /* move it to the front, so that frequent senders are found fast */
            *known = s->senders[0];
            s->senders[0] = found;
            return &s->senders[0];
        }
    }
    return NULL;
}

/* Drops the address that has been idle longest, if the collector has its limit of senders. */
static stele_status forget_idlest(sockets *s, int64_t now_ns)
{
    datagram_sender *idlest = NULL, gone;
    for (size_t i = 0; i < s->sender_count; i++) {
        datagram_sender *d = &s->senders[i];
        if (idlest == NULL ||
            sockets_is_idler(s->collector, d->sender, d->last_ns, idlest->sender, idlest->last_ns))
            idlest = d;
    }
    if (idlest == NULL)
        return STELE_ERR_LIMIT;
    gone = *idlest;
    *idlest = s->senders[--s->sender_count];
    if (s->forgotten_count++ == 0)
        sockets_remark(
            s, "there are more addresses that send datagrams than can be known: those that sent "
               "nothing for longest are forgotten");
    return stele_collector_end(s->collector, gone.sender, now_ns);
}

static stele_status add_sender(sockets *s, datagram_sender *from, const stele_sender *about,
                               int64_t now_ns)
{
    stele_status status;
    if (s->sender_count == s->sender_capacity) {
        datagram_sender *grown = list_grow(s->senders, sizeof *grown, &s->sender_capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->senders = grown;
    }
    status = stele_collector_add(s->collector, about, &from->sender);
    if (status == STELE_ERR_LIMIT) {
        status = forget_idlest(s, now_ns);
        if (status == STELE_OK)
            status = stele_collector_add(s->collector, about, &from->sender);
    }
    if (status == STELE_OK)
        s->senders[s->sender_count++] = *from;
    return status;
}

/* Finds the collector's number of a datagram's sender. Returns STELE_ERR_LIMIT if there are too
   many senders. */
static stele_status find_sender(sockets *s, size_t index, const struct sockaddr_storage *address,
                                socklen_t size, int64_t now_ns, uint32_t *sender)
{
    const endpoint *e = &s->endpoints[index];
    datagram_sender from = {*address, size, index, 0, now_ns}, *known = find_known(s, &from);
    char host[INET6_ADDRSTRLEN], name[NAME_SIZE];
    const stele_sender about = {
        .name = name, .host = host, .section = e->section, .is_datagram = true};
    stele_status status;
    if (known != NULL) {
        known->last_ns = now_ns;
        *sender = known->sender;
        return STELE_OK;
    }
    sockets_host(address, host, sizeof host);
    if (e->kind == ENDPOINT_UDP)
        snprintf(name, sizeof name, "udp %s:%u", host, sockets_port(address));
    else
        snprintf(name, sizeof name, "%s", e->name);
    status = add_sender(s, &from, &about, now_ns);
    *sender = from.sender;
    return status;
}

/* ---- Receiving of datagrams ---- */

/* Notes how many datagrams the system has dropped since the last time, by the count that comes
   with a datagram. */
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

stele_status sockets_receive_datagrams(sockets *s, size_t index, int64_t (*now)(void),
                                       uint64_t *got)
{
    batch b;
    stele_status status = STELE_OK;
    int count;
    if (!batch_prepare(s, &b))
        return STELE_ERR_MEMORY;
    count = recvmmsg(s->endpoints[index].fd, b.messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count && status == STELE_OK; i++) {
        struct msghdr *header = &b.messages[i].msg_hdr;
        const int64_t now_ns = now();
        uint32_t sender;
        status = find_sender(s, index, &b.addresses[i], header->msg_namelen, now_ns, &sender);
        if (status == STELE_ERR_LIMIT) {
            status = STELE_OK;
            if (s->refused_count++ == 0)
                sockets_remark(s, "datagrams were refused: there are too many senders");
            continue;
        }
        if (status != STELE_OK)
            break;
        note_dropped(s, &s->endpoints[index], header, sender);
        /* it is larger than any packet that a network can carry */
        if ((header->msg_flags & MSG_TRUNC) != 0) {
            stele_collector_lose(s->collector, sender, 1);
            continue;
        }
        *got += b.messages[i].msg_len;
        status = stele_collector_receive(s->collector, sender, b.pieces[i].iov_base,
                                         b.messages[i].msg_len, now_ns);
    }
    return status;
}
