/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that is being collected: its files, its state, its turns (rotation). */
#ifndef COLLECT_COLLECTED_H
#define COLLECT_COLLECTED_H

#include "collect/append.h"
#include "formats/receive.h"

typedef struct collected_file {
    append_file file;
    char name[RECEIVE_FILE_SIZE];
} collected_file;

/* Settings and counts that all traces of a collector share. */
typedef struct collected_rules {
    diag_sink *diag;
    append_pool *files;   /* files of all traces */
    uint64_t rotate_size; /* bytes after which a turn ends; 0: never */
    int64_t rotate_ns;    /* time after which a turn ends; 0: never */
    uint64_t *written;    /* counts the bytes of all traces */
} collected_rules;

typedef struct collected {
    const receiver_ops *ops;
    receiver *state; /* receiver of the scope; not owned */
    uint32_t number; /* number of the trace in the scope */
    char *base;      /* path without extension and number */
    char *path;      /* path of the current file or folder; NULL: nothing was written yet */
    char *aside;     /* temporary name of the current folder; NULL: it has its final one */
    collected_file **files;
    uint32_t file_count, file_capacity;
    uint32_t turn;       /* number of files or folders so far */
    uint64_t turn_size;  /* bytes of packets in the current turn */
    uint64_t turn_state; /* bytes of state that precede packets in the current turn */
    uint64_t state_size; /* bytes of state in the current turn, wherever they are */
    int64_t turn_ns;     /* when the current turn began */
    bool has_state_file; /* the file of state exists */
    bool is_state_news;  /* more state came than is in the file of state */
    bool is_state_mixed; /* the file of state is not in its final order */
    bool is_state_added; /* the file of state was appended to, and is not synced */
    /* Bytes of state that were written again because of their order, in all turns. */
    uint64_t state_anew;
    uint64_t state_last; /* size of the file of state when it was last written as a whole */
    bool is_full;        /* the trace needs more files than it may have, which was reported */
    bool is_state_full;  /* the trace has more state than can be kept, which was reported */
    uint64_t packet_count, state_count, written_size;
    uint64_t missing_count, refused_count;
    /* Bytes of packets that were passed to the trace. */
    uint64_t kept_size, repeated_size, refused_size;
} collected;

/* Appends a packet, and new state where the format has it among the packets. Errors:
   STELE_ERR_WRITE, reported; STELE_ERR_MEMORY. */
stele_status collected_put(collected *t, const collected_rules *rules, const receive_packet *packet,
                           const uint8_t *bytes, int64_t now_ns);

/* Brings the file of state up to date. For files of packets see append_flush_all(). */
stele_status collected_flush(collected *t, const collected_rules *rules);

/* Brings the file of state up to date, and closes all files of the trace. */
stele_status collected_close(collected *t, const collected_rules *rules);
void collected_free(collected *t);

#endif
