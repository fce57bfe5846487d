/* SPDX-License-Identifier: Apache-2.0 */
/* The producer of events, and how it begins in the middle of a trace. */
#ifndef FXT_READ_PRODUCER_H
#define FXT_READ_PRODUCER_H

#include "formats/fxt/read/events.h"
#include "formats/fxt/trace.h"

typedef struct fxt_producer {
    producer base;
    fxt_trace *trace;
    record_walk walk;
    fxt_state state;
    fxt_events events;
    uint64_t only; /* key of the only provider; FXT_KEY_ALL for all */
    uint32_t only_index;
    uint32_t run;
    diag_sink *diag;
    bool is_checking;
    /* The current provider is not the requested one, which happens because runs may be joined. */
    bool is_foreign;
    bool is_ended;
    bool is_first;         /* no record was read yet */
    stele_balance foreign; /* balance of the parts of other providers that were walked over */
    /* The walk's balance when the current part of another provider began. */
    stele_balance entered;

    /* A payload that is delivered in parts. */
    stele_event part;   /* members that all parts share; `id` is the offset of the next one */
    uint64_t part_size; /* bytes of all parts */
    bool has_parts, is_record;

    /* Reading only the blocks that can have requested events. */
    const fxt_seek *seek;            /* NULL if everything is read */
    uint64_t begin_place, end_place; /* bounds of the request */
    /* Index of the block that is considered next. */
    uint32_t block;
    fxt_run stretch; /* the part of a sequence of wanted blocks that is still to be read */
    /* Next listed record. Those before `listed_stop` are read before the walk continues. */
    uint32_t listed;
    uint32_t listed_stop;
    bool has_piece; /* after these records the walk continues with `piece` */
    fxt_run piece;
    int64_t piece_last_ns; /* see fxt_block.last_ns */
    bool is_listed;        /* the current record is a listed one, which the walk has not counted */
    /* Bounds in bytes of the part that is read: of the records that begin there. UINT64_MAX: to the
       end. */
    uint64_t part_begin, part_end;
    bool is_before; /* the records before the part were not passed over yet */
    uint8_t bytes[STELE_FXT_RECORD_SIZE_MAX]; /* bytes of a listed record */
} fxt_producer;

/* As `only`: all providers. */
#define FXT_KEY_ALL UINT64_MAX

static inline stele_balance fxt_producer_walked(const record_walk *k)
{
    return (stele_balance){.record_size = k->record_size, .skipped_size = k->skipped_size};
}

/* Appends the next part of a payload that is delivered in parts. Returns false if out of memory. */
bool fxt_producer_next_part(fxt_producer *p, stele_batch *batch);

/* Notes that a part of another provider begins or ends with the record that was just read. Such
   parts are reported, and their bytes counted, by the producer of their provider. */
void fxt_producer_cross(fxt_producer *p, const walk_record *at, bool is_foreign);

/* Decodes a record. A large one with long names and arguments must be loaded further for that. */
void fxt_producer_decode(fxt_producer *p, walk_record *at, stele_fxt_record *r);

/* Makes an event of one record. Returns false if out of memory. */
bool fxt_producer_record(fxt_producer *p, stele_batch *batch, walk_record *at);

/* Returns the number of the provider's stream, which is made if it is new, or UINT32_MAX if out of
   memory. */
uint32_t fxt_producer_stream(fxt_producer *p, fxt_provider *provider);

/* Takes the bounds of the part of a request. */
void fxt_part_begin(fxt_producer *p, const produce_request *request);

/* Passes over the records before the part, which others read, count and report. The batch is used
   and left empty. */
stele_status fxt_part_pass(fxt_producer *p, stele_batch *batch);

/* Offset of the next record. */
static inline uint64_t fxt_part_offset(const fxt_producer *p)
{
    return window_offset(&p->walk.window) + p->walk.step;
}

#endif
