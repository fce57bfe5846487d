/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a format knows of packets that arrive over a network: where they end, what counts them, and
 * what the files need that they are written to. A receiver keeps the state of all traces of one
 * scope (see <stele/collect.h>); it sees bytes, and neither senders nor files.
 */
#ifndef FORMATS_RECEIVE_H
#define FORMATS_RECEIVE_H

#include "core/output.h"
#include "model/context.h"

#define RECEIVE_FILE_SIZE 64u

typedef enum receive_outcome {
    RECEIVE_PACKET,  /* a packet begins here and is there as a whole */
    RECEIVE_MORE,    /* `size` bytes from here on, at least, must be there to tell */
    RECEIVE_WAITS,   /* what tells of such packets (metadata) has not arrived */
    RECEIVE_NOTHING, /* no packet begins in the first `size` bytes, which are at least one */
    RECEIVE_MEMORY   /* memory is exhausted */
} receive_outcome;

typedef struct receive_packet {
    size_t size;                   /* bytes: see above */
    const char *found;             /* with RECEIVE_NOTHING: what is there instead, static */
    uint32_t trace;                /* of the scope, from 0; never more than one above all before */
    bool is_state;                 /* it holds for the whole trace, and lies in no file of events */
    bool has_number;               /* packets of its stream are numbered */
    bool counts_events;            /* each packet is an event */
    uint64_t stream_class, stream; /* that the number counts in; of one trace */
    uint64_t number;               /* rises by one, and 0 follows after `mask` */
    uint64_t mask;                 /* the highest number: a power of two, less one */
    char file[RECEIVE_FILE_SIZE];  /* in the folder of the trace; "": the trace is one file */
} receive_packet;

/* Where the bytes come from, and how. */
typedef struct receive_from {
    uint32_t sender;     /* number of the sender in its scope, from 0 */
    bool is_datagram;    /* the bytes begin with a packet and end with one */
    bool is_ended;       /* no more will follow */
    const char *section; /* what the user calls the place of arrival; "": nothing */
    size_t packet_size_max;
} receive_from;

typedef struct receiver receiver;

/* Bytes of state that all receivers of a collector may keep together, and how often they may read
   them again because more has come: so many bytes for each that came. */
typedef struct receive_room {
    size_t used, max;
    uint64_t read_size, came_size;
    uint64_t read_free; /* that are not counted */
    uint32_t last_left; /* how many senders that end may have it all read once more */
} receive_room;

#define RECEIVE_READ_FREE  ((uint64_t)256 << 20)
#define RECEIVE_READ_TIMES 16u
#define RECEIVE_LAST_MAX   64u

/* Whether `size` bytes of state may be read again, for a sender that ends or for one that goes on.
 */
static inline bool receive_room_may_read(receive_room *room, uint64_t size, bool is_last)
{
    if (room->read_size + size <= room->read_free + room->came_size * RECEIVE_READ_TIMES)
        return true;
    return is_last && room->last_left != 0 && room->last_left-- != 0;
}

/* Has `before` bytes become `after`; false: there is no room for them. */
static inline bool receive_room_change(receive_room *room, size_t before, size_t after)
{
    if (after > before && after - before > room->max - room->used)
        return false;
    room->used = room->used - before + after;
    return true;
}

typedef struct receiver_ops {
    const char *name;      /* of the format */
    const char *extension; /* of files that are traces; "": traces are folders */
    bool is_of_sender;     /* bytes of two senders are never one trace */

    /* How sure it is that bytes of this format begin here: 0 to 100, as of formats' probes. */
    int (*probe)(const uint8_t *bytes, size_t size);

    /* Returns NULL if out of memory. `given` are metadata of the user's; no bytes: there are none.
       State takes its room from `room`, which outlives the receiver, and gives it back. */
    receiver *(*open)(stele_context *context, receive_room *room, const uint8_t *given,
                      size_t size);
    void (*close)(receiver *self);

    receive_outcome (*look)(receiver *self, const receive_from *from, const uint8_t *bytes,
                            size_t size, receive_packet *packet);

    /* Takes over what a packet that look() gave tells of its trace. Called once for each, in the
       order in which they are written. `*is_news` tells whether state is other than before.
       STELE_ERR_LIMIT: it cannot be kept; STELE_ERR_MEMORY. */
    stele_status (*learn)(receiver *self, const receive_from *from, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news);

    /* Writes what must stand in front of the first packet in each file of a trace, or, where
       `state_file` is not NULL, all of that file. */
    void (*put_state)(receiver *self, uint32_t trace, output *out);
    /* The same for what came since either was called last for the trace; false: some of it should
       stand in front of what was put. NULL where there is no file of state. */
    bool (*put_news)(receiver *self, uint32_t trace, output *out);
    const char *state_file; /* NULL: state stands among the packets */
} receiver_ops;

struct receiver {
    const receiver_ops *ops;
};

extern const receiver_ops heph_receiver, ctf_receiver, fxt_receiver;

#endif
