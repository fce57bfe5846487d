/* SPDX-License-Identifier: Apache-2.0 */
/* Handles Heph packets that arrive over a network, as formats/receive.h describes. The format
   counts the events of each stream, so lost events are noticed. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "formats/heph/trace.h"
#include "formats/receive.h"

/* The packet that set an option last. */
typedef struct kept_option {
    uint8_t *bytes;
    size_t size;
    /* The size of the name, whose bytes begin at STELE_HEPH_METADATA_HEADER_SIZE. */
    size_t name_size;
} kept_option;

/* At most this many options are kept and repeated in files. The format itself knows only one. */
#define OPTIONS_KEPT 64u

typedef struct heph_receive {
    receiver base;
    receive_room *room;
    kept_option options[OPTIONS_KEPT];
    uint32_t count;
} heph_receive;

static int probe(const uint8_t *bytes, size_t size)
{
    uint32_t said;
    return size >= HEPH_HEADER_SIZE && heph_packet_kind(bytes, &said) != STELE_HEPH_NONE ? 100 : 0;
}

static receiver *open_receiver(stele_context *context, receive_room *room, const uint8_t *metadata,
                               size_t size)
{
    heph_receive *self = calloc(1, sizeof *self);
    (void)context;
    (void)metadata;
    (void)size;
    if (self == NULL)
        return NULL;
    self->base.ops = &heph_receiver;
    self->room = room;
    return &self->base;
}

static void close_receiver(receiver *base)
{
    heph_receive *self = (heph_receive *)base;
    for (uint32_t i = 0; i < self->count; i++) {
        receive_room_change(self->room, self->options[i].size, 0);
        free(self->options[i].bytes);
    }
    free(self);
}

/* ---- Finding packets ---- */

static bool is_magic(const uint8_t *at)
{
    const uint32_t word = load_be32(at);
    return word == STELE_HEPH_EVENT_MAGIC || word == STELE_HEPH_METADATA_MAGIC;
}

/* Passes over bytes up to the next magic number after the first byte, or up to bytes that may
   become one. */
static receive_outcome pass(receive_packet *packet, const uint8_t *bytes, size_t size, bool is_all,
                            const char *found)
{
    size_t at = 1;
    while (at + 4 <= size && !is_magic(bytes + at))
        at++;
    if (at + 4 > size && is_all)
        at = size;
    packet->size = at < size ? at : size;
    packet->found = found;
    return RECEIVE_NOTHING;
}

static bool is_sound(stele_heph_kind kind, const uint8_t *bytes, size_t size)
{
    heph_packet packet;
    return heph_packet_decode(&packet, kind, STELE_HEPH_SUBSTREAMS, bytes, size) ==
               STELE_HEPH_SOUND ||
           heph_packet_decode(&packet, kind, STELE_HEPH_NO_SUBSTREAMS, bytes, size) ==
               STELE_HEPH_SOUND;
}

/* Judges a packet whose contents are damaged: when another packet follows, its size is right. */
static receive_outcome judge_end(const receive_from *from, const uint8_t *bytes, size_t size,
                                 receive_packet *packet)
{
    const size_t after = packet->size;
    const bool is_all = from->is_datagram || from->is_ended;
    if (size == after && is_all)
        return RECEIVE_PACKET;
    if (size - after < 4 && !is_all) {
        packet->size = after + 4;
        return RECEIVE_MORE;
    }
    if (size - after >= 4 && is_magic(bytes + after))
        return RECEIVE_PACKET;
    return pass(packet, bytes, size, is_all, "a packet whose size its contents do not have");
}

static receive_outcome look(receiver *base, const receive_from *from, const uint8_t *bytes,
                            size_t size, receive_packet *packet)
{
    const bool is_all = from->is_datagram || from->is_ended;
    stele_heph_kind kind;
    uint32_t said;
    size_t least;
    (void)base;
    *packet = (receive_packet){0};
    if (size < HEPH_HEADER_SIZE && !is_all) {
        packet->size = HEPH_HEADER_SIZE;
        return RECEIVE_MORE;
    }
    if (size < HEPH_HEADER_SIZE)
        return pass(packet, bytes, size, true, "less than the header of a packet");
    kind = heph_packet_kind(bytes, &said);
    least = kind == STELE_HEPH_EVENT ? STELE_HEPH_NO_SUBSTREAMS : STELE_HEPH_METADATA_HEADER_SIZE;
    if (kind == STELE_HEPH_NONE)
        return pass(packet, bytes, size, is_all, "no magic number of a packet");
    if (said < least || said > from->packet_size_max)
        return pass(packet, bytes, size, is_all, "a packet that says a size that cannot be");
    if (said > size && is_all)
        return pass(packet, bytes, size, true, "a packet that is not there as a whole");
    packet->size = said;
    if (said > size)
        return RECEIVE_MORE;
    packet->is_state = kind == STELE_HEPH_METADATA;
    if (kind == STELE_HEPH_EVENT) {
        packet->has_number = packet->counts_events = true;
        packet->stream = load_be32(bytes + 8);
        packet->number = load_be32(bytes + 12);
        packet->mask = UINT32_MAX;
    }
    return is_sound(kind, bytes, said) ? RECEIVE_PACKET : judge_end(from, bytes, size, packet);
}

/* ---- State of a trace ---- */

static kept_option *find_option(heph_receive *self, const uint8_t *bytes, size_t name_size)
{
    for (uint32_t i = 0; i < self->count; i++) {
        kept_option *o = &self->options[i];
        if (o->name_size == name_size &&
            memcmp(o->bytes + STELE_HEPH_METADATA_HEADER_SIZE,
                   bytes + STELE_HEPH_METADATA_HEADER_SIZE, name_size) == 0)
            return o;
    }
    return NULL;
}

static stele_status learn(receiver *base, const receive_from *from, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news)
{
    heph_receive *self = (heph_receive *)base;
    stele_heph_option option;
    kept_option *kept;
    uint8_t *copy;
    (void)from;
    *is_news = packet->is_state;
    if (!packet->is_state ||
        stele_heph_option_decode(bytes, packet->size, &option) != STELE_HEPH_SOUND)
        return STELE_OK;
    kept = find_option(self, bytes, option.name.size);
    if (kept != NULL && kept->size == packet->size &&
        memcmp(kept->bytes, bytes, packet->size) == 0) {
        *is_news = false;
        return STELE_OK;
    }
    if ((kept == NULL && self->count == OPTIONS_KEPT) ||
        !receive_room_change(self->room, kept != NULL ? kept->size : 0, packet->size))
        return STELE_ERR_LIMIT;
    copy = malloc(packet->size);
    if (copy == NULL) {
        receive_room_change(self->room, packet->size, kept != NULL ? kept->size : 0);
        return STELE_ERR_MEMORY;
    }
    memcpy(copy, bytes, packet->size);
    if (kept == NULL)
        kept = &self->options[self->count++];
    else
        free(kept->bytes);
    *kept = (kept_option){copy, packet->size, option.name.size};
    return STELE_OK;
}

static void put_state(receiver *base, uint32_t trace, output *out)
{
    const heph_receive *self = (heph_receive *)base;
    (void)trace;
    for (uint32_t i = 0; i < self->count; i++)
        output_write(out, self->options[i].bytes, self->options[i].size);
}

const receiver_ops heph_receiver = {
    .name = "heph",
    .extension = ".heph",
    .probe = probe,
    .open = open_receiver,
    .close = close_receiver,
    .look = look,
    .learn = learn,
    .put_state = put_state,
};
