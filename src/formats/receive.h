/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares what a format knows of packets that arrive over a network: where they end, what counts
 * them, and what the files need that they are written to. A receiver keeps the state of all traces
 * of one scope (see <stele/collect.h>). It sees bytes, but neither senders nor files.
 */
#ifndef FORMATS_RECEIVE_H
#define FORMATS_RECEIVE_H

#include "core/output.h"
#include "model/context.h"

#define RECEIVE_FILE_SIZE 64u

typedef enum receive_outcome {
    RECEIVE_PACKET, /* A packet begins here, and all of it is there. */
    RECEIVE_MORE,   /* At least `size` bytes from here on are needed to tell. */
    /* The metadata that describes such packets has not arrived. */
    RECEIVE_WAITS,
    /* No packet begins in the first `size` bytes, which are at least one. */
    RECEIVE_NOTHING,
    RECEIVE_MEMORY /* Memory is exhausted. */
} receive_outcome;

typedef struct receive_packet {
    /* The number of bytes, with the meaning that the outcome gives it. */
    size_t size;
    /* With RECEIVE_NOTHING: a static text that names what is there instead. */
    const char *found;
    /* The number of the trace in the scope, from 0; at most one above all that came before. */
    uint32_t trace;
    /* The packet holds for the whole trace, and goes into no file of events. */
    bool is_state;
    /* The packets of its stream are numbered. */
    bool has_number;
    /* Each packet is one event. */
    bool counts_events;
    /* The stream of one trace that the number counts in. */
    uint64_t stream_class, stream;
    /* The number rises by one with each packet, and 0 follows after `mask`. */
    uint64_t number;
    /* The highest number, which is a power of two, less one. */
    uint64_t mask;
    /* The file in the folder of the trace; "" when the trace is one file. */
    char file[RECEIVE_FILE_SIZE];
} receive_packet;

/* Tells where bytes come from, and how. */
typedef struct receive_from {
    /* The number of the sender in its scope, from 0. */
    uint32_t sender;
    /* The bytes begin with a packet and end with one. */
    bool is_datagram;
    /* No more bytes will follow. */
    bool is_ended;
    /* The user's name for the place of arrival; "" when it has none. */
    const char *section;
    size_t packet_size_max;
} receive_from;

typedef struct receiver receiver;

/* Limits the state that all receivers of a collector keep together, and how often they may read it
   again because more has come: for each byte that came, RECEIVE_READ_TIMES bytes. */
typedef struct receive_room {
    size_t used, max;
    uint64_t read_size, came_size;
    /* How many bytes may be read again in any case. */
    uint64_t read_free;
    /* How many senders may still have all of their state read once more when they end. */
    uint32_t last_left;
} receive_room;

#define RECEIVE_READ_FREE  ((uint64_t)256 << 20)
#define RECEIVE_READ_TIMES 16u
#define RECEIVE_LAST_MAX   64u

/* Tells whether `size` bytes of state may be read again, for a sender that ends (`is_last`) or for
   one that goes on. */
static inline bool receive_room_may_read(receive_room *room, uint64_t size, bool is_last)
{
    if (room->read_size + size <= room->read_free + room->came_size * RECEIVE_READ_TIMES)
        return true;
    return is_last && room->last_left != 0 && room->last_left-- != 0;
}

/* Counts `after` bytes of state instead of `before` bytes. Returns false, and changes nothing, when
   there is no room for them. */
static inline bool receive_room_change(receive_room *room, size_t before, size_t after)
{
    if (after > before && after - before > room->max - room->used)
        return false;
    room->used = room->used - before + after;
    return true;
}

typedef struct receiver_ops {
    /* The name of the format. */
    const char *name;
    /* The extension of files that are traces; "" when traces are folders. */
    const char *extension;
    /* The bytes of two senders never belong to one trace. */
    bool is_of_sender;

    /* Tells from 0 to 100 how sure it is that bytes of this format begin here, as the probes of
       formats do. */
    int (*probe)(const uint8_t *bytes, size_t size);

    /*
     * Opens a receiver; returns NULL if out of memory. `given` is metadata from the user,
     * of size 0 when there is none. The receiver takes the room for its state from `room`, which
     * outlives it, and gives the room back when it is closed.
     */
    receiver *(*open)(stele_context *context, receive_room *room, const uint8_t *given,
                      size_t size);
    void (*close)(receiver *self);

    /* Looks at the bytes that have arrived, and describes the packet that they begin with. */
    receive_outcome (*look)(receiver *self, const receive_from *from, const uint8_t *bytes,
                            size_t size, receive_packet *packet);

    /*
     * Remembers what a packet that look() gave tells of its trace. The caller calls this once for
     * each packet, in the order in which they are written. `*is_news` becomes true if the state has
     * changed. Returns STELE_ERR_LIMIT when the state cannot be kept, and STELE_ERR_MEMORY when
     * memory is exhausted.
     */
    stele_status (*learn)(receiver *self, const receive_from *from, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news);

    /* Writes what must stand in front of the first packet in each file of a trace. If `state_file`
       is not NULL, writes all of that file instead. */
    void (*put_state)(receiver *self, uint32_t trace, output *out);
    /*
     * Writes only what came since put_state() or put_news() was last called for the trace. Returns
     * false when some of it should stand in front of what has been written. NULL when the format
     * has no file of state.
     */
    bool (*put_news)(receiver *self, uint32_t trace, output *out);
    /* The name of the file that holds the state; NULL when state stands among the packets. */
    const char *state_file;
} receiver_ops;

struct receiver {
    const receiver_ops *ops;
};

extern const receiver_ops heph_receiver, ctf_receiver, fxt_receiver;

#endif
