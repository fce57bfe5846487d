/* SPDX-License-Identifier: Apache-2.0 */
/* What arrived of the metadata of traces whose packets come over a network: see receive.c. */
#ifndef CTF_RECEIVE_H
#define CTF_RECEIVE_H

#include "core/table.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/records/decode.h"
#include "formats/receive.h"

typedef enum arriving_form {
    ARRIVING_TEXT,      /* of CTF 1.8, as it stands in a file */
    ARRIVING_PACKETS,   /* of CTF 1.8, or of CTF 2 in packets */
    ARRIVING_FRAGMENTS, /* of CTF 2 */
    ARRIVING_RFC        /* packets of the RFC */
} arriving_form;

/* A piece of metadata, as it came. */
typedef struct arriving_part {
    uint8_t *bytes;
    size_t size;
    uint64_t rank;     /* where it stands among the others */
    bool is_of_events; /* a fragment that no packet's head needs */
} arriving_part;

/* What a part takes beside its bytes, with what is noted of it. */
#define ARRIVING_PART_ROOM (sizeof(arriving_part) + sizeof(uint64_t))

/* One trace of a scope. It never moves: programs refer to its schema. */
typedef struct arriving {
    arriving_form form;
    uint8_t uuid[16];    /* of ARRIVING_PACKETS */
    uint32_t session_id; /* of ARRIVING_RFC */
    receive_room *room;
    arriving_part *parts; /* as they came */
    uint32_t *order;      /* their numbers by rank, equal ones as they came */
    uint32_t count, capacity, order_capacity;
    hash_table known;         /* numbers of parts, by their bytes */
    size_t size;              /* of all parts */
    hash_table event_streams; /* data stream classes that event classes came for: numbers of ids */
    uint64_t *stream_ids;
    uint32_t stream_count, stream_capacity;
    uint32_t put_count; /* parts that are in the file of metadata */
    uint64_t put_rank;  /* of the last one in it */
    /* Made of the parts when they are needed; NULL: they tell nothing, or were not read yet. */
    ctf_decoder *decoder;
    ctf_programs *programs;
    ctf_schema schema;
    bool is_parsed; /* with or without a decoder */
    bool is_stale;  /* parts came since */
    bool is_sound;  /* nothing was wrong: what they tell stays true, whatever comes */
} arriving;

/* What a piece of metadata is, where one begins. */
typedef struct arriving_head {
    arriving_form form;
    size_t size;
    uint64_t rank;
    uint64_t stream; /* of a fragment: the data stream class, or that of the event class */
    bool begins;     /* a trace of its own: nothing of another one stands in front of it */
    uint8_t uuid[16];
    uint32_t session_id;
} arriving_head;

/* RECEIVE_PACKET where a piece begins and is whole, RECEIVE_MORE, RECEIVE_NOTHING: it is none. */
receive_outcome arriving_look(const receive_from *from, const uint8_t *bytes, size_t size,
                              arriving_head *head);

/* Adds a piece; `*is_news` is false where it came before. STELE_ERR_MEMORY, STELE_ERR_LIMIT. */
stele_status arriving_add(arriving *a, const arriving_head *head, const uint8_t *bytes,
                          bool *is_news);

/* The part that stands in front of all others; NULL: there is none. */
static inline const arriving_part *arriving_first(const arriving *a)
{
    return a->count != 0 ? &a->parts[a->order[0]] : NULL;
}

/* Makes the decoder that reads packet heads of all parts that came. Returns false if out of memory;
 * without a decoder, the parts tell nothing yet.
 */
bool arriving_parse(arriving *a, stele_context *context);

/* Puts all parts in the order of their ranks, or those that were not put yet as they came; false:
   some of these should stand in front of others that were put. */
void arriving_put(arriving *a, output *out);
bool arriving_put_news(arriving *a, output *out);
void arriving_free(arriving *a);

#endif
