/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heph's trace format, as packets: bytes to values and back, without any of the common model. A
 * trace is a plain run of packets; the caller reads them into memory one by one:
 *
 *     kind = stele_heph_packet_kind(bytes, &size);        (8 bytes are enough for that)
 *     stele_heph_event_decode(bytes, size, layout, &event);
 *     at = event.attributes;
 *     while (at < event.attributes_end)
 *         stele_heph_attribute_decode(&at, event.attributes_end, &attribute);
 *
 * Nothing here allocates but the encoder, and nothing keeps state. What a decoder gives points into
 * the caller's bytes and holds as long as they do. No function reads outside of what it was given.
 * All may be called from any thread; one thread at a time uses an encoder.
 */
#ifndef STELE_HEPH_H
#define STELE_HEPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STELE_HEPH_EVENT_MAGIC    0xC1FC1FB7u
#define STELE_HEPH_METADATA_MAGIC 0x75D11D4Du

typedef enum stele_heph_kind {
    STELE_HEPH_NONE = 0, /* the bytes begin no packet */
    STELE_HEPH_EVENT,
    STELE_HEPH_METADATA
} stele_heph_kind;

/* The layouts of an event, which share the version 0.1.0: a layout's number is the size of the
   event's header in bytes, and so distinguishes them. */
typedef enum stele_heph_layout {
    STELE_HEPH_NO_SUBSTREAMS = 34, /* before March 2021 */
    STELE_HEPH_SUBSTREAMS = 42
} stele_heph_layout;

#define STELE_HEPH_METADATA_HEADER_SIZE 10u /* bytes, with the length of the name */

typedef enum stele_heph_type {
    STELE_HEPH_UINT = 0x01,
    STELE_HEPH_INT = 0x02,
    STELE_HEPH_FLOAT = 0x03,
    STELE_HEPH_STRING = 0x04,
    STELE_HEPH_ARRAY = 0x80 /* a flag, combined with one of the types before it */
} stele_heph_type;

/* Why a packet could not be decoded. */
typedef enum stele_heph_fault {
    STELE_HEPH_SOUND = 0,
    STELE_HEPH_FAULT_HEADER,      /* the packet ends inside of its header */
    STELE_HEPH_FAULT_DESCRIPTION, /* the description runs past the packet */
    STELE_HEPH_FAULT_NAME,        /* the name of an attribute or option runs past the packet */
    STELE_HEPH_FAULT_TYPE,        /* the type of a value is not known */
    STELE_HEPH_FAULT_VALUE        /* a value runs past the packet, or has the wrong size */
} stele_heph_fault;

/* A text within a packet: UTF-8 as a rule, not terminated; may hold zeros. `bytes` may be NULL when
   `size` is 0. */
typedef struct stele_heph_text {
    const char *bytes;
    uint16_t size;
} stele_heph_text;

typedef struct stele_heph_event {
    uint32_t stream;
    uint32_t counter;    /* counts the events of the stream; 0 comes after 2^32 - 1 */
    uint64_t substream;  /* 0 in the layout STELE_HEPH_NO_SUBSTREAMS */
    uint64_t start, end; /* ns since the epoch of the trace */
    stele_heph_text description;
    const uint8_t *attributes, *attributes_end; /* encoded; not used by the encoder */
} stele_heph_event;

typedef struct stele_heph_attribute {
    stele_heph_text name;
    uint8_t type;                /* stele_heph_type */
    uint16_t count;              /* number of values: 1, or the length of the array */
    const uint8_t *values, *end; /* encoded; for stele_heph_value_next() */
} stele_heph_attribute;

typedef union stele_heph_value {
    uint64_t u;
    int64_t i;
    double f;
    stele_heph_text text;
} stele_heph_value;

typedef struct stele_heph_option {
    stele_heph_text name;
    const uint8_t *value;
    size_t value_size;
} stele_heph_option;

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Returns which kind of packet begins with these 8 bytes; `*size` is the packet's size in bytes as
   its header says, header included. */
STELE_API stele_heph_kind stele_heph_packet_kind(const void *bytes, uint32_t *size);

/* Decodes header and description of an event packet of `size` bytes. After a fault `*event` holds
   what could be read and zeros for the rest: all before the description if that is cut, nothing if
   the header is. Attributes are not looked at: see stele_heph_event_verify(). */
STELE_API stele_heph_fault stele_heph_event_decode(const void *packet, size_t size,
                                                   stele_heph_layout layout,
                                                   stele_heph_event *event);

/* Decodes the attribute at `*at`, and moves `*at` after it; after a fault `*at` stays. All values
   of a decoded attribute lie before `end`. */
STELE_API stele_heph_fault stele_heph_attribute_decode(const uint8_t **at, const uint8_t *end,
                                                       stele_heph_attribute *attribute);

/* Gives the value at `*at`, which begins at attribute->values, and moves `*at` after it. Returns
   false after the last value. attribute->type says which member of the union is set. */
STELE_API bool stele_heph_value_next(const stele_heph_attribute *attribute, const uint8_t **at,
                                     stele_heph_value *value);

/* Checks all attributes of an event. `*sound_end` becomes the end of those that are sound. */
STELE_API stele_heph_fault stele_heph_event_verify(const stele_heph_event *event,
                                                   const uint8_t **sound_end);

/* Decodes a metadata packet of `size` bytes. */
STELE_API stele_heph_fault stele_heph_option_decode(const void *packet, size_t size,
                                                    stele_heph_option *option);

/* Gives the value of the option `epoch`: ns from 1970-01-01 UTC to the zero of the events' times.
   Returns false if it is another option, or its value is not a 64-bit integer. */
STELE_API bool stele_heph_option_epoch(const stele_heph_option *option, uint64_t *epoch_ns);

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Packets are appended to `bytes`. After an error nothing is appended until
   stele_heph_encoder_clear(), and `status` says what it was: STELE_ERR_MEMORY, or STELE_ERR_LIMIT
   for a packet over 4 GiB. A zeroed encoder is empty. */
typedef struct stele_heph_encoder {
    uint8_t *bytes;
    size_t size, capacity;
    size_t packet; /* offset in `bytes` of the packet that is being encoded */
    stele_status status;
} stele_heph_encoder;

/* Removes all packets and the error, and keeps the memory. */
STELE_API void stele_heph_encoder_clear(stele_heph_encoder *encoder);
/* Frees the memory of the encoder, which is then empty. */
STELE_API void stele_heph_encoder_free(stele_heph_encoder *encoder);

/* Appends a metadata packet. */
STELE_API void stele_heph_encode_option(stele_heph_encoder *encoder,
                                        const stele_heph_option *option);

/* Begins an event packet. Its attributes follow, then stele_heph_encode_end(). */
STELE_API void stele_heph_encode_event(stele_heph_encoder *encoder, const stele_heph_event *event,
                                       stele_heph_layout layout);

/* Begins an attribute, to be followed by `count` values of its type: 1 unless it is an array. */
STELE_API void stele_heph_encode_attribute(stele_heph_encoder *encoder, stele_heph_text name,
                                           uint8_t type, uint16_t count);
STELE_API void stele_heph_encode_uint(stele_heph_encoder *encoder, uint64_t value);
STELE_API void stele_heph_encode_int(stele_heph_encoder *encoder, int64_t value);
STELE_API void stele_heph_encode_float(stele_heph_encoder *encoder, double value);
STELE_API void stele_heph_encode_string(stele_heph_encoder *encoder, stele_heph_text text);

/* Appends attributes that are already encoded. */
STELE_API void stele_heph_encode_raw(stele_heph_encoder *encoder, const void *bytes, size_t size);

/* Ends the event packet, and writes its size into its header. */
STELE_API void stele_heph_encode_end(stele_heph_encoder *encoder);

#ifdef __cplusplus
}
#endif
#endif
