/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the reader of FDR buffers share. */
#ifndef XRAY_READ_FDR_H
#define XRAY_READ_FDR_H

#include "core/cursor.h"
#include "core/output.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/trace.h"

/* The record that has to come next (seed "Format Grammar and Invariants"). */
typedef enum fdr_state {
    FDR_NEW_BUFFER, /* NewBuffer */
    FDR_WALL_TIME,  /* WallTime */
    FDR_PID,        /* Pid, in versions 3 to 5 */
    FDR_NEW_CPU,    /* NewCPUId */
    FDR_BODY
} fdr_state;

typedef struct fdr_producer {
    producer base;
    xray_trace *trace;
    window w;
    uint32_t columns;
    bool wants_instants;
    bool check;
    xray_locator locator; /* finds buffers in file order */
    /* Indexes of the ranges of one thread; those from `range_at` on are still to be read. */
    size_t range_first, range_at, range_end;
    bool is_file_order;
    xray_habits habits;

    /* The buffer that is read. */
    bool has_range;
    xray_range range;
    fdr_state state;
    bool is_timeless_reported;
    bool is_argument_due; /* the last record is an entry that logs arguments */
    /* Such an entry, while its arguments are waited for; NULL until that is needed. */
    stele_batch *aside;
    bool is_end_checked; /* the end of the buffer was checked, on sequential inputs */
    bool is_starved;     /* no more bytes of the buffer can be loaded */
    /* The input may give more bytes, and records are not compared with others to wait for them. */
    bool takes_what_came;
    unsigned doubts;     /* function records so far whose functions are not taken as known */
    uint64_t likely_end; /* offset up to which known functions are taken without comparing places */
    /* Offset up to which records were last taken back because they were read askew. */
    uint64_t walked_end;
    bool needs_row;       /* a row of records has to be loaded before the next record is judged */
    const uint8_t *ahead; /* end of the loaded bytes of the buffer */
    bool is_ahead_all;    /* the buffer ends there, too */
    bool is_lost;         /* records have not been found again after damage */
    uint64_t lost_begin;  /* offset of the record that could not be read */
    uint8_t lost_byte;    /* first byte of that record */
    stele_xray_result lost_result;
    const char *lost_expected; /* what was expected there */
    /* Offset after the last record of a version 1 buffer; 0 if the padding was counted. */
    uint64_t padding_begin;
    uint64_t done_size; /* bytes of the thread's earlier ranges */
    /* Bounds of the part that is read, of the buffers that begin there, and where its first one
       begins; in file order. */
    uint64_t part_begin, part_end, part_origin;
    uint64_t tsc;
    uint16_t cpu;
    uint8_t cpu_flag; /* STELE_FLAG_HAS_CPU once the CPU is known */
} fdr_producer;

/* Enters the next buffer. Returns STELE_END after the last one. */
stele_status fdr_next_range(fdr_producer *self);

/* Reports a finding about `size` bytes from `at`, a place in the window. */
void fdr_report(fdr_producer *self, xray_code code, const uint8_t *at, uint64_t size,
                const char *expected, const char *found);

/* Leaves a buffer after its last record, or after the part of one that it ends with. */
void fdr_leave_range(fdr_producer *self);

/* Counts the bytes of records: those that are neither skipped nor padding, of all bytes so far in
   file order, or of the buffers of the thread. */
void fdr_count_records(fdr_producer *self);

/* ---- Records of a buffer ---- */

/* Makes events of records up to `stop`, or until the batch is full. A record that is not whole is
   left until it is loaded, unless the buffer ends there. */
stele_status fdr_take_records(fdr_producer *self, stele_batch *batch, const uint8_t *stop);

/* Returns how many bytes of a record have to be loaded, including those after it that show whether
   its payload is there, as far as the buffer has them. */
size_t fdr_size_to_judge(const fdr_producer *self, const uint8_t *at,
                         const stele_xray_record *record);

/* Adds an argument to the function entry that is the last event of the batch. */
stele_status fdr_push_argument(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                               uint64_t value);

/* ---- Damaged records ---- */

/*
 * Skips a record that cannot be read: the walk goes on where the next eight records look sound,
 * byte by byte, because payloads are not aligned. Times after that lack the deltas that were
 * skipped, until a record sets the counter.
 */
void fdr_skip_damage(fdr_producer *self, const uint8_t *at, stele_xray_result result);

/* Searches for the position where records go on, and reports what was skipped once it is found. */
void fdr_seek_records(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                      const uint8_t *end, bool is_all);

/* Whether the record at `*at`, inside of which the buffer ends, was read askew: sound records that
   begin elsewhere lead to the end. */
bool fdr_is_askew_at_end(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                         const uint8_t *end);

/*
 * Whether the bytes at `*at` are not a function record, because there is no such function or
 * because records are read askew. `*at` stays, or moves to where records are. Otherwise `*is_sure`
 * says whether the function may be taken as known from now on.
 */
bool fdr_is_no_function(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                        uint32_t function, bool *is_sure);

/* Like fdr_is_no_function(), called now and then if all functions are known. */
bool fdr_has_drifted(fdr_producer *self, stele_batch *batch, const uint8_t **at);

/* ---- Saving and restoring the position ---- */

/* The functions `mark` and `seek` of producer_ops. Between two buffers, the next one begins with
   all state that it needs. */
bool fdr_mark(const producer *base, output *out);
bool fdr_seek(producer *base, uint64_t position, cursor *state);

/* Makes the state of a reader in file order out of that of a reader of the thread at the same place
   in a buffer. Returns false if it cannot be known. */
bool fdr_put_in_file(const xray_range *range, cursor of_thread, output *out);

/* Writes the state of a reader in file order before a buffer that is looked for at `next`. */
void fdr_put_between(uint64_t next, output *out);

#endif
