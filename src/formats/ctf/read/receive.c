/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives packets that arrive over a network: see formats/receive.h. The metadata say where a
 * packet ends, which stream it belongs to and what counts it. They arrive as well, or are given by
 * the user:
 *
 *    1.8     metadata packets, or plain text: one datagram, or the begin of a connection
 *    CTF 2   fragments, each after a record separator; or metadata packets
 *    RFC     packets whose content is text, or that arrive where the section is "metadata"
 *
 * Metadata may arrive repeatedly and, except for the plain text of 1.8, in any order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/ctf.h>

#include "core/array.h"
#include "core/load.h"
#include "formats/ctf/read/receive.h"

#define CTF_PACKET_MAGIC UINT32_C(0xc1fc1fc1)
#define TRACES_MAX       256u
#define NO_TRACE         UINT32_MAX

typedef struct ctf_receive {
    receiver base;
    stele_context *context;
    receive_room *room;
    arriving **traces;
    uint32_t count, capacity;
    /* Indexed by sender: 1 + the trace whose metadata the sender sent last; 0 if it sent none. */
    uint32_t *current;
    uint32_t sender_count;
} ctf_receive;

static int probe(const uint8_t *bytes, size_t size)
{
    if (size < 4)
        return 0;
    if (load_le32(bytes) == UINT32_C(0x75d11d57) || load_be32(bytes) == UINT32_C(0x75d11d57) ||
        load_le32(bytes) == CTF_PACKET_MAGIC || load_be32(bytes) == CTF_PACKET_MAGIC)
        return 100;
    return bytes[0] == 0x1e || memcmp(bytes, "/* C", 4) == 0 ? 70 : 0;
}

static stele_status add_trace(ctf_receive *self, const arriving_head *head)
{
    arriving *a;
    if (self->count == TRACES_MAX)
        return STELE_ERR_LIMIT;
    if (self->count == self->capacity) {
        arriving **grown = array_grow(self->traces, sizeof *grown, &self->capacity, 2);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        self->traces = grown;
    }
    a = calloc(1, sizeof *a);
    if (a == NULL)
        return STELE_ERR_MEMORY;
    self->traces[self->count++] = a;
    a->form = head->form;
    a->room = self->room;
    a->session_id = head->session_id;
    memcpy(a->uuid, head->uuid, sizeof a->uuid);
    return STELE_OK;
}

static void close_receiver(receiver *base)
{
    ctf_receive *self = (ctf_receive *)base;
    for (uint32_t i = 0; i < self->count; i++)
        arriving_free(self->traces[i]);
    free(self->traces);
    free(self->current);
    free(self);
}

/* Takes the metadata that the user gave, in any form, as those of the first trace. */
static stele_status take_given(ctf_receive *self, const uint8_t *bytes, size_t size)
{
    const receive_from all = {.is_datagram = true, .section = "", .packet_size_max = size};
    stele_status status = STELE_OK;
    bool is_news;
    for (size_t at = 0; at < size && status == STELE_OK;) {
        arriving_head head;
        if (arriving_look(&all, bytes + at, size - at, &head) != RECEIVE_PACKET)
            head = (arriving_head){.form = ARRIVING_TEXT, .size = size - at};
        if (self->count == 0)
            status = add_trace(self, &head);
        /* The user's metadata do not count against the senders' limit. */
        self->room->max += head.size + ARRIVING_PART_ROOM;
        if (status == STELE_OK)
            status = arriving_add(self->traces[0], &head, bytes + at, &is_news);
        at += head.size;
    }
    return status;
}

static receiver *open_receiver(stele_context *context, receive_room *room, const uint8_t *given,
                               size_t size)
{
    ctf_receive *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->base.ops = &ctf_receiver;
    self->context = context;
    self->room = room;
    if (size != 0 && take_given(self, given, size) != STELE_OK) {
        close_receiver(&self->base);
        return NULL;
    }
    return &self->base;
}

/* ---- Which trace metadata belong to ---- */

static uint32_t trace_of_sender(const ctf_receive *self, uint32_t sender)
{
    return sender < self->sender_count && self->current[sender] != 0 ? self->current[sender] - 1
                                                                     : NO_TRACE;
}

/* Whether these bytes are equal to the first piece of metadata of the trace. */
static bool is_first_of(const arriving *a, const arriving_head *head, const uint8_t *bytes)
{
    const arriving_part *first = arriving_first(a);
    return a->form == head->form && first != NULL && first->size == head->size &&
           memcmp(first->bytes, bytes, head->size) == 0;
}

/* Returns the trace that a piece of metadata belongs to, or `count` if it is a new trace. */
static uint32_t trace_of_metadata(const ctf_receive *self, uint32_t sender,
                                  const arriving_head *head, const uint8_t *bytes)
{
    const uint32_t last = trace_of_sender(self, sender);
    for (uint32_t i = 0; i < self->count; i++) {
        const arriving *a = self->traces[i];
        if (a->form != head->form)
            continue;
        if (head->form == ARRIVING_PACKETS && memcmp(a->uuid, head->uuid, sizeof a->uuid) == 0)
            return i;
        if (head->form == ARRIVING_RFC && a->session_id == head->session_id)
            return i;
        if (head->form == ARRIVING_TEXT && is_first_of(a, head, bytes))
            return i;
        if (head->form == ARRIVING_FRAGMENTS &&
            (head->begins ? is_first_of(a, head, bytes)
                          : i == last || (last == NO_TRACE && i + 1 == self->count)))
            return i;
        /* A preamble may arrive after other fragments of its trace. */
        if (head->begins && i == last && (a->count == 0 || arriving_first(a)->rank != 0))
            return i;
    }
    return self->count;
}

/* ---- Packets of event records ---- */

typedef enum fit { FIT_NONE, FIT_MORE, FIT_SURE } fit;

static bool head_fits(const arriving *a, const packet_head *head)
{
    if ((head->has & CTF_ROLE_PACKET_MAGIC) != 0 && head->magic != CTF_PACKET_MAGIC)
        return false;
    return (head->has & CTF_ROLE_UUID) == 0 || !a->schema.has_uuid ||
           memcmp(head->uuid, a->schema.uuid, sizeof head->uuid) == 0;
}

/* Tries to read the packet's head with the metadata of a trace. */
static fit try_trace(const arriving *a, const uint8_t *bytes, size_t size, packet_head *head)
{
    const packet_view view = {bytes, size, 0};
    stele_ctf_rfc_header header;
    if (a->schema.generation == CTF_RFC && size >= STELE_CTF_RFC_HEADER_SIZE &&
        (!stele_ctf_rfc_header_read(bytes, &header) ||
         (a->form == ARRIVING_RFC && header.session_id != a->session_id)))
        return FIT_NONE;
    switch (decoder_packet(a->decoder, &view, "", 0,
                           a->schema.generation == CTF_RFC ? a->schema.streams[0] : NULL, head)) {
    case DECODE_OK: return head_fits(a, head) ? FIT_SURE : FIT_NONE;
    case DECODE_MORE: return FIT_MORE;
    default: return FIT_NONE;
    }
}

static uint64_t mask_of(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Sets the name of the file that a packet belongs to, and its number among the packets there. */
static void place_packet(const receive_from *from, const arriving *a, const packet_head *head,
                         const uint8_t *bytes, receive_packet *packet)
{
    const uint64_t type = head->stream_class != NULL ? head->stream_class->id : 0;
    uint64_t instance = from->sender;
    const char *how = "_s";
    stele_ctf_rfc_header header;
    packet->has_number = (head->has & CTF_ROLE_SEQUENCE_NUMBER) != 0;
    packet->number = head->sequence_number;
    packet->mask = mask_of(head->sequence_width);
    if (a->schema.generation == CTF_RFC && stele_ctf_rfc_header_read(bytes, &header)) {
        packet->has_number = header.packet_count_bits != 0 && header.packet_count_bits <= 32;
        packet->mask = mask_of(header.packet_count_bits);
        packet->number = header.packet_count & packet->mask;
        snprintf(packet->file, sizeof packet->file, "%.40s_%" PRIu32,
                 from->section[0] != '\0' ? from->section : "stream", from->sender);
        packet->stream = from->sender;
        return;
    }
    if ((head->has & CTF_ROLE_STREAM_ID) != 0) {
        instance = head->stream_id;
        how = "_";
    } else if ((head->has & CTF_ROLE_CPU) != 0) {
        instance = head->cpu;
        how = "_cpu";
    }
    packet->stream_class = type;
    packet->stream = instance;
    snprintf(packet->file, sizeof packet->file, "stream_%" PRIu64 "%s%" PRIu64, type, how,
             instance);
}

/* Computes the packet's size. Returns false if the sizes in its head are impossible. */
static bool measure(const receive_from *from, const packet_head *head, size_t size,
                    receive_packet *packet)
{
    uint64_t bits = head->total_bits;
    if ((head->has & CTF_ROLE_TOTAL_LENGTH) == 0)
        bits = (head->has & CTF_ROLE_CONTENT_LENGTH) != 0 ? (head->content_bits + 7) / 8 * 8 : 0;
    if (bits == 0 && from->is_datagram)
        bits = (uint64_t)size * 8;
    if (bits == 0 || bits % 8 != 0 || bits / 8 > from->packet_size_max || bits < head->events_at ||
        (head->content_bits > bits && (head->has & CTF_ROLE_CONTENT_LENGTH) != 0))
        return false;
    packet->size = (size_t)(bits / 8);
    return true;
}

static receive_outcome pass(receive_packet *packet, const uint8_t *bytes, size_t size,
                            const char *found)
{
    size_t at = 1;
    while (at + 4 <= size && load_le32(bytes + at) != CTF_PACKET_MAGIC &&
           load_be32(bytes + at) != CTF_PACKET_MAGIC)
        at++;
    packet->size = at + 4 > size ? size : at;
    packet->found = found;
    return RECEIVE_NOTHING;
}

/* Finds the trace whose metadata fit the packet best: preferably that of the sender, otherwise the
   first. */
static fit find_trace(ctf_receive *self, uint32_t sender, const uint8_t *bytes, size_t size,
                      uint32_t *found, packet_head *head)
{
    const uint32_t last = trace_of_sender(self, sender);
    fit best = FIT_NONE;
    for (uint32_t k = 0; k <= self->count; k++) {
        const uint32_t i = k == 0 ? last : k - 1;
        packet_head tried = {0};
        fit how;
        if (i == NO_TRACE || (k != 0 && i == last) || self->traces[i]->decoder == NULL)
            continue;
        how = try_trace(self->traces[i], bytes, size, &tried);
        if (how > best) {
            best = how;
            *found = i;
            *head = tried;
        }
        if (best == FIT_SURE)
            break;
    }
    return best;
}

/*
 * Parses metadata that were not parsed yet or had errors, and with `is_all` also those to which
 * pieces were added. Parsing that costs too much waits until more pieces arrive. Sets `*has_read`
 * if any were parsed. Returns false if out of memory.
 */
static bool read_metadata(ctf_receive *self, const receive_from *from, bool is_all, bool *has_read)
{
    *has_read = false;
    for (uint32_t i = 0; i < self->count; i++) {
        arriving *a = self->traces[i];
        if ((a->is_parsed && !a->is_stale) || (a->decoder != NULL && a->is_sound && !is_all) ||
            !receive_room_may_read(self->room, a->size, from->is_ended))
            continue;
        if (!arriving_parse(a, self->context))
            return false;
        *has_read = true;
    }
    return true;
}

/* Reads the packet's head. If no metadata parsed so far know the packet, they are parsed again with
   the pieces added since. Returns RECEIVE_PACKET if it was tried; `*how` is the result. */
static receive_outcome find_head(ctf_receive *self, const receive_from *from, const uint8_t *bytes,
                                 size_t size, receive_packet *packet, packet_head *head, fit *how)
{
    bool has_read, has_decoder = false;
    if (!read_metadata(self, from, false, &has_read))
        return RECEIVE_MEMORY;
    *how = find_trace(self, from->sender, bytes, size, &packet->trace, head);
    if (*how == FIT_NONE) {
        if (!read_metadata(self, from, true, &has_read))
            return RECEIVE_MEMORY;
        if (has_read)
            *how = find_trace(self, from->sender, bytes, size, &packet->trace, head);
    }
    for (uint32_t i = 0; i < self->count; i++) {
        const arriving *a = self->traces[i];
        if (*how == FIT_NONE && (!a->is_parsed || a->is_stale) && !from->is_ended)
            return RECEIVE_WAITS;
        has_decoder |= a->decoder != NULL;
    }
    return has_decoder ? RECEIVE_PACKET : RECEIVE_WAITS;
}

static receive_outcome look_events(ctf_receive *self, const receive_from *from,
                                   const uint8_t *bytes, size_t size, receive_packet *packet)
{
    const bool is_all = from->is_datagram || from->is_ended;
    packet_head head = {0};
    fit how;
    const receive_outcome outcome = find_head(self, from, bytes, size, packet, &head, &how);
    if (outcome != RECEIVE_PACKET)
        return outcome;
    switch (how) {
    case FIT_NONE:
        return from->is_datagram && load_le32(bytes) != CTF_PACKET_MAGIC &&
                       load_be32(bytes) != CTF_PACKET_MAGIC
                   ? pass(packet, bytes, size, "no packet of the metadata that arrived")
               : from->is_datagram ? RECEIVE_WAITS
                                   : pass(packet, bytes, size, "no packet of the metadata");
    case FIT_MORE:
        packet->size = size + 1;
        return is_all ? pass(packet, bytes, size, "less than the header of a packet")
               : size >= from->packet_size_max
                   ? pass(packet, bytes, size, "a header that is larger than a packet may be")
                   : RECEIVE_MORE;
    default: break;
    }
    if (!measure(from, &head, size, packet))
        return pass(packet, bytes, size, "a packet that says a size that cannot be");
    if (packet->size > size && is_all)
        return pass(packet, bytes, size, "a packet that is not there as a whole");
    if (packet->size > size)
        return RECEIVE_MORE;
    place_packet(from, self->traces[packet->trace], &head, bytes, packet);
    return RECEIVE_PACKET;
}

static receive_outcome look(receiver *base, const receive_from *from, const uint8_t *bytes,
                            size_t size, receive_packet *packet)
{
    ctf_receive *self = (ctf_receive *)base;
    const bool is_all = from->is_datagram || from->is_ended;
    arriving_head head;
    receive_outcome outcome;
    *packet = (receive_packet){0};
    packet->size = 4;
    if (size < 4)
        return is_all ? pass(packet, bytes, size, "less than the header of a packet")
                      : RECEIVE_MORE;
    outcome = arriving_look(from, bytes, size, &head);
    if (outcome == RECEIVE_NOTHING)
        return look_events(self, from, bytes, size, packet);
    packet->size = head.size;
    if (outcome == RECEIVE_MORE)
        return is_all ? pass(packet, bytes, size, "metadata that are not there as a whole")
                      : RECEIVE_MORE;
    packet->is_state = true;
    packet->trace = trace_of_metadata(self, from->sender, &head, bytes);
    return packet->trace < TRACES_MAX
               ? RECEIVE_PACKET
               : pass(packet, bytes, size, "metadata of more traces than can be held");
}

/* ---- Metadata as the state of a receiver ---- */

static stele_status learn(receiver *base, const receive_from *from, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news)
{
    ctf_receive *self = (ctf_receive *)base;
    receive_from whole = *from;
    arriving_head head;
    stele_status status = STELE_OK;
    *is_news = false;
    whole.is_ended = true; /* the bytes are exactly those of the packet */
    if (!packet->is_state || arriving_look(&whole, bytes, packet->size, &head) != RECEIVE_PACKET)
        return STELE_OK;
    if (packet->trace == self->count)
        status = add_trace(self, &head);
    if (status == STELE_OK && from->sender >= self->sender_count) {
        uint32_t *grown =
            array_reach(self->current, sizeof *grown, &self->sender_count, from->sender);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        self->current = grown;
    }
    if (status != STELE_OK)
        return status;
    self->current[from->sender] = packet->trace + 1;
    return arriving_add(self->traces[packet->trace], &head, bytes, is_news);
}

static void put_state(receiver *base, uint32_t trace, output *out)
{
    const ctf_receive *self = (ctf_receive *)base;
    if (trace < self->count)
        arriving_put(self->traces[trace], out);
}

static bool put_news(receiver *base, uint32_t trace, output *out)
{
    const ctf_receive *self = (ctf_receive *)base;
    return trace >= self->count || arriving_put_news(self->traces[trace], out);
}

const receiver_ops ctf_receiver = {
    .name = "ctf",
    .extension = "",
    .probe = probe,
    .open = open_receiver,
    .close = close_receiver,
    .look = look,
    .learn = learn,
    .put_state = put_state,
    .put_news = put_news,
    .state_file = "metadata",
};
