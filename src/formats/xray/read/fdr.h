/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of FDR buffers, as its parts share it. */
#ifndef XRAY_READ_FDR_H
#define XRAY_READ_FDR_H

#include "core/cursor.h"
#include "core/output.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/trace.h"

/* Which record may come next (seed "Format Grammar and Invariants"). */
typedef enum fdr_state {
    FDR_NEW_BUFFER, /* NewBuffer */
    FDR_WALL_TIME,  /* WallTime */
    FDR_PID,        /* Pid (version 3 to 5) */
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
    xray_locator locator;                    /* in file order */
    size_t range_first, range_at, range_end; /* of one thread: its ranges, from `range_at` on to be
                                                read */
    bool is_file_order;
    xray_habits habits;

    /* The buffer that is being read. */
    bool has_range;
    xray_range range;
    fdr_state state;
    bool is_timeless_reported;
    bool is_argument_due; /* the last record was an entry that logs arguments */
    stele_batch *aside;   /* such an entry, while its arguments are waited for; NULL: never so */
    bool is_end_checked;  /* of the buffer, on sequential inputs */
    bool is_starved;      /* no more bytes of the buffer can be loaded */
    bool takes_what_came; /* of an input that may give more: nothing waits to be compared */
    unsigned doubts;      /* functions that were named, but are not taken for known */
    uint64_t likely_end;  /* offset up to which functions are taken without another look */
    uint64_t walked_end;  /* offset of records that were found askew last */
    bool needs_row;       /* to go on, a row of records has to be loaded */
    const uint8_t *ahead; /* where what is loaded of it ends, to look at */
    bool is_ahead_all;    /* as it does itself */
    bool is_lost;         /* nothing is read until records go on: they are looked for */
    uint64_t lost_begin;  /* offset of the record that could not be read */
    uint8_t lost_byte;    /* its first one */
    stele_xray_result lost_result;
    const char *lost_expected; /* instead of it */
    uint64_t padding_begin;    /* after the last record of a version 1 buffer; 0: was counted */
    uint64_t done_size;        /* of the ranges before, of one thread */
    uint64_t tsc;
    uint16_t cpu;
    uint8_t cpu_flag; /* STELE_FLAG_HAS_CPU once known */
} fdr_producer;

/* Enters the next buffer; STELE_END after the last one. */
stele_status fdr_next_range(fdr_producer *self);

/* After its last record, or what is left of one. */
void fdr_leave_range(fdr_producer *self);

/* Records are what is neither skipped nor padding: of what was passed over in file order, with what
   stands between buffers, or of the buffers of the thread. */
void fdr_count_records(fdr_producer *self);

/* ---- Records --------------------------------------------------------------------------------- */

/*
 * Takes records up to `stop`, or until the batch is full. A record that is not whole is left to be
 * loaded, unless what is ahead is all of the buffer.
 */
stele_status fdr_take_records(fdr_producer *self, stele_batch *batch, const uint8_t *stop);

/* How many bytes of a record have to be loaded, with those after it that tell whether its payload
   is there, as far as the buffer has them. */
size_t fdr_size_to_judge(const fdr_producer *self, const uint8_t *at,
                         const stele_xray_record *record);

/* The argument of the function entry that was the last event of the batch. */
stele_status fdr_push_argument(fdr_producer *self, stele_batch *batch, const uint8_t *at,
                               uint64_t value);

/* ---- Damage ---------------------------------------------------------------------------------- */

/*
 * A record that cannot be read: goes on where the next eight look sound, by bytes, because payloads
 * are not aligned. Times from there on lack the deltas that were skipped, until a record sets the
 * counter anew.
 */
void fdr_skip_damage(fdr_producer *self, const uint8_t *at, stele_xray_result result);

/* Looks for where records go on, and tells what was skipped once that is found. */
void fdr_seek_records(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                      const uint8_t *end, bool is_all);

/* The buffer ends inside of the record at `at`: that was read askew if sound ones lead to the end.
 */
bool fdr_is_askew_at_end(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                         const uint8_t *end);

/*
 * Whether the function record at `at` is none, because there is no such function, or because it is
 * read askew. `at` stays, or goes to where records stand. Else `*is_sure` tells whether the
 * function may be taken for known from here on.
 */
bool fdr_is_no_function(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                        uint32_t function, bool *is_sure);

/* The same now and then, where all functions are known. */
bool fdr_has_drifted(fdr_producer *self, stele_batch *batch, const uint8_t **at);

/* ---- Going on in the middle ------------------------------------------------------------------ */

/* As producer_ops has them. Where no buffer is being read, the next one begins with all of that
 * known.
 */
bool fdr_mark(const producer *base, output *out);
bool fdr_seek(producer *base, uint64_t position, cursor *state);

#endif
