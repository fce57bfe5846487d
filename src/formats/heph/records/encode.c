/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes packets as bytes: the encoder of <stele/heph.h>. */
#include <stele/heph.h>

#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"

void stele_heph_encoder_clear(stele_heph_encoder *encoder)
{
    encoder->size = encoder->packet = 0;
    encoder->status = STELE_OK;
}

void stele_heph_encoder_free(stele_heph_encoder *encoder)
{
    free(encoder->bytes);
    *encoder = (stele_heph_encoder){0};
}

/* Appends `size` bytes for the caller to fill, and gives their place. Gives NULL when there is no
   memory or the packet becomes too large; the error then stays in the encoder. */
static uint8_t *encoder_take(stele_heph_encoder *encoder, size_t size)
{
    uint8_t *at;
    if (encoder->status != STELE_OK)
        return NULL;
    if (size > UINT32_MAX - (encoder->size - encoder->packet)) {
        encoder->status = STELE_ERR_LIMIT;
        return NULL;
    }
    if (size > encoder->capacity - encoder->size) {
        uint8_t *bytes =
            array_reserve_size(encoder->bytes, 1, &encoder->capacity, encoder->size + size + 1024);
        if (bytes == NULL) {
            encoder->status = STELE_ERR_MEMORY;
            return NULL;
        }
        encoder->bytes = bytes;
    }
    at = encoder->bytes + encoder->size;
    encoder->size += size;
    return at;
}

void stele_heph_encode_raw(stele_heph_encoder *encoder, const void *bytes, size_t size)
{
    uint8_t *at = encoder_take(encoder, size);
    if (at != NULL && size != 0)
        memcpy(at, bytes, size);
}

void stele_heph_encode_string(stele_heph_encoder *encoder, stele_heph_text text)
{
    uint8_t *at = encoder_take(encoder, 2 + (size_t)text.size);
    if (at == NULL)
        return;
    store_be16(at, text.size);
    if (text.size != 0)
        memcpy(at + 2, text.bytes, text.size);
}

/* Begins a packet. Its size is stored when the packet ends. */
static void encoder_begin(stele_heph_encoder *encoder, uint32_t magic)
{
    uint8_t *at;
    encoder->packet = encoder->size;
    at = encoder_take(encoder, 8);
    if (at == NULL)
        return;
    store_be32(at, magic);
    store_be32(at + 4, 0);
}

void stele_heph_encode_end(stele_heph_encoder *encoder)
{
    if (encoder->status == STELE_OK)
        store_be32(encoder->bytes + encoder->packet + 4,
                   (uint32_t)(encoder->size - encoder->packet));
    encoder->packet = encoder->size;
}

void stele_heph_encode_option(stele_heph_encoder *encoder, const stele_heph_option *option)
{
    encoder_begin(encoder, STELE_HEPH_METADATA_MAGIC);
    stele_heph_encode_string(encoder, option->name);
    stele_heph_encode_raw(encoder, option->value, option->value_size);
    stele_heph_encode_end(encoder);
}

void stele_heph_encode_event(stele_heph_encoder *encoder, const stele_heph_event *event,
                             stele_heph_layout layout)
{
    uint8_t *at;
    encoder_begin(encoder, STELE_HEPH_EVENT_MAGIC);
    /* The fields between the packet's size and the description. */
    at = encoder_take(encoder, (size_t)layout - 10);
    if (at == NULL)
        return;
    store_be32(at, event->stream);
    store_be32(at + 4, event->counter);
    if (layout == STELE_HEPH_SUBSTREAMS)
        store_be64(at + 8, event->substream);
    store_be64(at + layout - 26, event->start);
    store_be64(at + layout - 18, event->end);
    stele_heph_encode_string(encoder, event->description);
}

void stele_heph_encode_attribute(stele_heph_encoder *encoder, stele_heph_text name, uint8_t type,
                                 uint16_t count)
{
    uint8_t *at;
    stele_heph_encode_string(encoder, name);
    at = encoder_take(encoder, (type & STELE_HEPH_ARRAY) != 0 ? 3 : 1);
    if (at == NULL)
        return;
    at[0] = type;
    if ((type & STELE_HEPH_ARRAY) != 0)
        store_be16(at + 1, count);
}

void stele_heph_encode_uint(stele_heph_encoder *encoder, uint64_t value)
{
    uint8_t *at = encoder_take(encoder, 8);
    if (at != NULL)
        store_be64(at, value);
}

void stele_heph_encode_int(stele_heph_encoder *encoder, int64_t value)
{
    stele_heph_encode_uint(encoder, (uint64_t)value);
}

void stele_heph_encode_float(stele_heph_encoder *encoder, double value)
{
    stele_heph_encode_uint(encoder, store_double(value));
}
