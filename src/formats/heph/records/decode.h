/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner functions of the decoder, inline so that they can be built into the loops where speed
 * counts; <stele/heph.h> describes them. FORMAT.md holds the specification that the layouts below
 * refer to.
 */
#ifndef HEPH_RECORDS_DECODE_H
#define HEPH_RECORDS_DECODE_H

#include <stele/heph.h>

#include "core/cursor.h"
#include "core/load.h"

/* The size of the magic number and the size field, which both kinds of packet begin with. */
#define HEPH_HEADER_SIZE 8u

/*
 * Both kinds of packet (FORMAT.md 2): all integers are big-endian.
 *
 *     0        4        8
 *     | magic  | size   | ...
 */
static inline stele_heph_kind heph_packet_kind(const uint8_t *bytes, uint32_t *size)
{
    const uint32_t magic = load_be32(bytes);
    *size = load_be32(bytes + 4);
    if (magic == STELE_HEPH_EVENT_MAGIC)
        return STELE_HEPH_EVENT;
    return magic == STELE_HEPH_METADATA_MAGIC ? STELE_HEPH_METADATA : STELE_HEPH_NONE;
}

/*
 * A string (FORMAT.md 3):
 *
 *     0        2
 *     | length | UTF-8 ...
 *
 * When the length is there and the bytes are not all, gives those that are, and false.
 */
static inline bool heph_text_take(cursor *c, stele_heph_text *text)
{
    const uint8_t *length = cursor_take(c, 2);
    *text = (stele_heph_text){NULL, 0};
    if (length == NULL)
        return false;
    text->bytes = (const char *)c->at;
    text->size = load_be16(length);
    if (cursor_take(c, text->size) != NULL)
        return true;
    text->size = (uint16_t)cursor_left(c);
    return false;
}

/*
 * An event packet (FORMAT.md 4). Until March 2021 there was no substream, and start, end and
 * description followed the counter.
 *
 *     0       4      8        12        16          24      32    40
 *     | magic | size | stream | counter | substream | start | end | description, attributes ...
 *     0       4      8        12        16      24    32
 *     | magic | size | stream | counter | start | end | description, attributes ...
 */
static inline stele_heph_fault heph_event_decode(const uint8_t *packet, size_t size,
                                                 stele_heph_layout layout, stele_heph_event *event)
{
    cursor c = cursor_make(packet, size);
    const bool has_substream = layout == STELE_HEPH_SUBSTREAMS;
    const uint8_t *header = cursor_take(&c, (size_t)layout - 2);
    if (header == NULL) {
        *event = (stele_heph_event){.attributes = c.at, .attributes_end = c.at};
        return STELE_HEPH_FAULT_HEADER;
    }
    event->stream = load_be32(header + 8);
    event->counter = load_be32(header + 12);
    event->substream = has_substream ? load_be64(header + 16) : 0;
    event->start = load_be64(header + layout - 18);
    event->end = load_be64(header + layout - 10);
    if (!heph_text_take(&c, &event->description)) {
        event->attributes = event->attributes_end = c.end;
        return event->description.bytes == NULL ? STELE_HEPH_FAULT_HEADER
                                                : STELE_HEPH_FAULT_DESCRIPTION;
    }
    event->attributes = c.at;
    event->attributes_end = c.end;
    return STELE_HEPH_SOUND;
}

/* Steps over `count` values of a type without the array bit. */
static inline bool heph_values_skip(cursor *c, uint8_t type, uint16_t count)
{
    stele_heph_text text;
    if (type != STELE_HEPH_STRING)
        return cursor_take(c, (size_t)count * 8) != NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!heph_text_take(c, &text))
            return false;
    }
    return true;
}

/*
 * An attribute (FORMAT.md 5); a number takes 8 bytes, a string is as in events:
 *
 *     | name (string) | type (1) | value
 *     | name (string) | type (1), top bit set | count (2) | values, one after the other
 */
static inline stele_heph_fault heph_attribute_take(cursor *c, stele_heph_attribute *attribute)
{
    const uint8_t *type, *count;
    uint8_t scalar;
    if (!heph_text_take(c, &attribute->name) || (type = cursor_take(c, 1)) == NULL)
        return STELE_HEPH_FAULT_NAME;
    attribute->type = *type;
    attribute->count = 1;
    scalar = *type & (uint8_t)~STELE_HEPH_ARRAY;
    if (scalar < STELE_HEPH_UINT || scalar > STELE_HEPH_STRING)
        return STELE_HEPH_FAULT_TYPE;
    if ((*type & STELE_HEPH_ARRAY) != 0) {
        count = cursor_take(c, 2);
        if (count == NULL)
            return STELE_HEPH_FAULT_VALUE;
        attribute->count = load_be16(count);
    }
    attribute->values = c->at;
    if (!heph_values_skip(c, scalar, attribute->count))
        return STELE_HEPH_FAULT_VALUE;
    attribute->end = c->at;
    return STELE_HEPH_SOUND;
}

/*
 * The size of an attribute that is one number and whose bytes are all there; 0 for any other
 * attribute. Most attributes are one number: the name begins at byte 2, the number is the last
 * eight bytes.
 */
static inline size_t heph_number_size(const uint8_t *at, const uint8_t *end, uint8_t *type)
{
    const size_t left = (size_t)(end - at);
    size_t size;
    if (left < 2)
        return 0;
    size = (size_t)load_be16(at) + 11;
    if (left < size)
        return 0;
    *type = at[size - 9];
    return *type >= STELE_HEPH_UINT && *type <= STELE_HEPH_FLOAT ? size : 0;
}

/* Looks at all attributes of an event. Gives the first fault, and in `*sound_end` the end of the
   last attribute in front of it. */
static inline stele_heph_fault heph_event_verify(const stele_heph_event *event,
                                                 const uint8_t **sound_end)
{
    cursor c = {event->attributes, event->attributes_end};
    stele_heph_attribute attribute;
    stele_heph_fault fault;
    while (c.at < c.end) {
        uint8_t type;
        const size_t size = heph_number_size(c.at, c.end, &type);
        *sound_end = c.at;
        if (size != 0)
            c.at += size;
        else if ((fault = heph_attribute_take(&c, &attribute)) != STELE_HEPH_SOUND)
            return fault;
    }
    *sound_end = c.at;
    return STELE_HEPH_SOUND;
}

/*
 * A metadata packet (FORMAT.md 6):
 *
 *     0       4      8
 *     | magic | size | name (string) | value, to the end of the packet
 */
static inline stele_heph_fault heph_option_decode(const uint8_t *packet, size_t size,
                                                  stele_heph_option *option)
{
    cursor c = cursor_make(packet, size);
    stele_heph_fault fault = STELE_HEPH_SOUND;
    *option = (stele_heph_option){.value = packet};
    if (cursor_take(&c, HEPH_HEADER_SIZE) == NULL)
        return STELE_HEPH_FAULT_HEADER;
    if (!heph_text_take(&c, &option->name)) {
        fault = option->name.bytes == NULL ? STELE_HEPH_FAULT_HEADER : STELE_HEPH_FAULT_NAME;
        c.at = c.end;
    }
    option->value = c.at;
    option->value_size = cursor_left(&c);
    return fault;
}

#endif
