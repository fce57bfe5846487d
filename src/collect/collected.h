/* SPDX-License-Identifier: Apache-2.0 */
/* One trace that is being collected: its files, its state, its turns (rotation). */
#ifndef COLLECT_COLLECTED_H
#define COLLECT_COLLECTED_H

#include "collect/append.h"
#include "formats/receive.h"

typedef struct collected_file {
    append_file file;
    char name[RECEIVE_FILE_SIZE];
} collected_file;

/* How all traces of a collector are written. */
typedef struct collected_rules {
    diag_sink *diag;
    append_pool *files;   /* of all traces */
    uint64_t rotate_size; /* 0: never */
    int64_t rotate_ns;    /* 0: never */
    uint64_t *written;    /* bytes of all traces together; counted here */
} collected_rules;

typedef struct collected {
    const receiver_ops *ops;
    receiver *state; /* of the scope; not owned */
    uint32_t number; /* of the trace in the scope */
    char *base;      /* path without extension and number */
    char *path;      /* of the file or folder as it is now; NULL: nothing was written yet */
    collected_file **files;
    uint32_t file_count, file_capacity;
    uint32_t turn;       /* how many files or folders there were */
    uint64_t turn_size;  /* bytes of packets in the present one */
    uint64_t turn_state; /* bytes of state in it, where state stands in front of the packets */
    uint64_t state_size; /* bytes of state in it, wherever they are */
    int64_t turn_ns;     /* when that began */
    bool has_state_file; /* it is there */
    bool is_state_news;  /* more state came than is in it */
    bool is_state_mixed; /* what is in it is not in its order */
    bool is_state_added; /* it was added to, which is not synced */
    uint64_t state_anew; /* bytes of state that were written again because of their order, ever */
    uint64_t state_last; /* bytes that the file had when it was written as a whole */
    bool is_full;        /* more files than a trace may have were wanted, which was reported */
    bool is_state_full;  /* more state than can be kept, likewise */
    uint64_t packet_count, state_count, written_size;
    uint64_t missing_count, refused_count;
    uint64_t kept_size, repeated_size, refused_size; /* of packets that were given */
} collected;

/* Appends a packet; state where the format has it among the packets, and it is new. Errors are
   reported but for memory: STELE_ERR_WRITE, STELE_ERR_MEMORY. */
stele_status collected_put(collected *t, const collected_rules *rules, const receive_packet *packet,
                           const uint8_t *bytes, int64_t now_ns);

/* Brings the file of state up to date; files of packets: append_flush_all(). */
stele_status collected_flush(collected *t, const collected_rules *rules);

/* The same, and closes them. */
stele_status collected_close(collected *t, const collected_rules *rules);
void collected_free(collected *t);

#endif
