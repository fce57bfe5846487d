/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the metadata of traces whose packets arrive over a network: see receive.c. */
#ifndef CTF_RECEIVE_H
#define CTF_RECEIVE_H

#include "core/table.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/records/decode.h"
#include "formats/receive.h"

typedef enum arriving_form {
    ARRIVING_TEXT,      /* plain text of CTF 1.8 */
    ARRIVING_PACKETS,   /* packets of metadata, of CTF 1.8 or CTF 2 */
    ARRIVING_FRAGMENTS, /* fragments of CTF 2, not in packets */
    ARRIVING_RFC        /* packets of the RFC */
} arriving_form;

/* A piece of metadata as it arrived. */
typedef struct arriving_part {
    uint8_t *bytes;
    size_t size;
    uint64_t rank;     /* position among the other pieces: they are written in ascending order */
    bool is_of_events; /* the fragment is not needed to read heads of packets */
} arriving_part;

/* Bytes of memory that a piece takes besides its own. */
#define ARRIVING_PART_ROOM (sizeof(arriving_part) + sizeof(uint64_t))

/* The metadata of one trace of a sender. It must not move, because programs refer to its schema. */
typedef struct arriving {
    arriving_form form;
    uint8_t uuid[16];    /* of ARRIVING_PACKETS */
    uint32_t session_id; /* of ARRIVING_RFC */
    receive_room *room;
    arriving_part *parts; /* in the order of arrival */
    /* Indexes of parts, sorted by rank; those of equal rank in the order of arrival. */
    uint32_t *order;
    uint32_t count, capacity, order_capacity;
    hash_table known; /* hash of a part's bytes to its index */
    size_t size;      /* bytes of all parts together */
    /* Ids of data stream classes that have event classes, to indexes in stream_ids. */
    hash_table event_streams;
    uint64_t *stream_ids;
    uint32_t stream_count, stream_capacity;
    uint32_t put_count; /* parts that were written to the metadata file */
    uint64_t put_rank;  /* highest rank of the parts that were written */
    /* Made of the parts when a packet has to be read; NULL before, or if the parts do not
       suffice. */
    ctf_decoder *decoder;
    ctf_programs *programs;
    ctf_schema schema;
    bool is_parsed; /* arriving_parse() was called, with success or without */
    bool is_stale;  /* parts arrived since then */
    /* The parts had no errors, so that parts which arrive later cannot change what they declare. */
    bool is_sound;
} arriving;

/* What arriving_look() finds out about a piece of metadata. */
typedef struct arriving_head {
    arriving_form form;
    size_t size;
    uint64_t rank;
    /* Of a fragment: id of the data stream class, or of the one that its event class belongs to. */
    uint64_t stream;
    bool begins; /* the piece begins a trace: no earlier piece can belong to it */
    uint8_t uuid[16];
    uint32_t session_id;
} arriving_head;

/*
 * Examines the next bytes that arrived. Returns RECEIVE_PACKET if a whole piece of metadata begins
 * there, RECEIVE_MORE if more bytes are needed to decide, or RECEIVE_NOTHING if it is not metadata.
 */
receive_outcome arriving_look(const receive_from *from, const uint8_t *bytes, size_t size,
                              arriving_head *head);

/* Adds a piece. `*is_news` is false if the same piece arrived before. Returns STELE_ERR_MEMORY or
   STELE_ERR_LIMIT. */
stele_status arriving_add(arriving *a, const arriving_head *head, const uint8_t *bytes,
                          bool *is_news);

/* Returns the piece with the lowest rank, or NULL if there is none. */
static inline const arriving_part *arriving_first(const arriving *a)
{
    return a->count != 0 ? &a->parts[a->order[0]] : NULL;
}

/* Makes the decoder that reads packet heads from all pieces that arrived. The decoder is NULL if
   the pieces do not suffice yet. Returns false if out of memory. */
bool arriving_parse(arriving *a, stele_context *context);

/* Writes all pieces in the order of their ranks. */
void arriving_put(arriving *a, output *out);

/* Appends the pieces that were not written yet. Returns false if some of them have a lower rank
   than pieces that were written, so that all must be written again. */
bool arriving_put_news(arriving *a, output *out);
void arriving_free(arriving *a);

#endif
