/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions at full speed: flat arrays instead of events, for analyses that need every
 * instruction of a trace. A format that has instructions implements trace_ops.produce_insns; for
 * others trace_produce_insns() returns an error.
 *
 *     insn_request request = INSN_REQUEST_ALL;
 *     request.wants_accesses = true;
 *     status = trace_produce_insns(trace, &request, &producer);
 *     while (status == STELE_OK && (status = insn_produce(producer, batch)) == STELE_OK)
 *         for (uint32_t i = 0; i < batch->insn_count; i++)
 *             look_at(batch, &batch->insns[i]);
 */
#ifndef MODEL_INSN_H
#define MODEL_INSN_H

#include <stele/insn.h>

#include "model/trace.h"

/* ---- Types of instructions ------------------------------------------------------------------- */

/* Producers fill the public types, so that nothing needs to be copied. */
typedef stele_insn insn;
typedef stele_insn_access insn_access;
typedef stele_insn_value insn_value;
typedef stele_insn_value_kind insn_value_kind;
typedef stele_insn_batch insn_batch;

#define INSN_HAS_PC        STELE_INSN_HAS_PC
#define INSN_DISCONTINUOUS STELE_INSN_DISCONTINUOUS
#define INSN_AFTER_DAMAGE  STELE_INSN_AFTER_DAMAGE
#define INSN_AT_SNAPSHOT   STELE_INSN_AT_SNAPSHOT
#define INSN_HIDDEN        STELE_INSN_HIDDEN

#define INSN_VALUE_STXR     STELE_INSN_VALUE_STXR
#define INSN_VALUE_SYSTEM   STELE_INSN_VALUE_SYSTEM
#define INSN_VALUE_ARGUMENT STELE_INSN_VALUE_ARGUMENT
#define INSN_VALUE_RESULT   STELE_INSN_VALUE_RESULT
#define INSN_VALUE_DC       STELE_INSN_VALUE_DC
#define INSN_VALUE_TARGET   STELE_INSN_VALUE_TARGET
#define INSN_VALUE_NZCV     STELE_INSN_VALUE_NZCV
#define INSN_VALUE_GPRS     STELE_INSN_VALUE_GPRS
#define INSN_VALUE_VECTORS  STELE_INSN_VALUE_VECTORS
#define INSN_VALUE_ORDER    STELE_INSN_VALUE_ORDER
#define INSN_VALUE_UNKNOWN  STELE_INSN_VALUE_UNKNOWN

_Static_assert(sizeof(insn) == 32 && sizeof(insn_access) == 16 && sizeof(insn_value) == 16,
               "arrays of instructions are packed");

/* ---- Batches of instructions ----------------------------------------------------------------- */

/* Instructions of a batch with the default capacity. */
#define INSN_BATCH_COUNT    1024u
#define INSN_SNAPSHOT_FIRST STELE_INSN_NO_SNAPSHOT

/* Makes a batch; `insn_capacity` 0 takes INSN_BATCH_COUNT. Errors: STELE_ERR_MEMORY. */
stele_status insn_batch_new(uint32_t insn_capacity, insn_batch **out);
void insn_batch_free(insn_batch *batch);

/* Grow a table of the batch so that `count` more entries fit. Return false if out of memory. */
bool insn_batch_grow_accesses(insn_batch *batch, uint32_t count);
bool insn_batch_grow_values(insn_batch *batch, uint32_t count);

static inline const insn_access *insn_accesses(const insn_batch *batch, const insn *at)
{
    return stele_insn_accesses(batch, at);
}

static inline const insn_value *insn_values(const insn_batch *batch, const insn *at)
{
    return stele_insn_values(batch, at);
}

static inline const uint8_t *insn_access_bytes(const insn_batch *batch, const insn_access *access)
{
    return stele_insn_access_bytes(batch, access);
}

static inline uint64_t insn_access_number(const insn_batch *batch, const insn_access *access)
{
    return stele_insn_access_number(batch, access);
}

static inline const insn_value *insn_value_find(const insn_batch *batch, const insn *at,
                                                insn_value_kind kind)
{
    return stele_insn_value_find(batch, at, kind);
}

/* ---- Producers of instructions --------------------------------------------------------------- */

/* Which instructions a producer is to deliver. */
typedef struct insn_request {
    uint32_t stream; /* see produce_request.stream */
    bool wants_accesses, wants_values;
    bool wants_snapshots; /* end batches at snapshots, and flag the instruction after one */
    /* Numbers of the instructions in the stream; the end is excluded. */
    uint64_t insn_begin, insn_end;
    /* By number of the last snapshot before the instructions; the end is excluded. */
    uint64_t snapshot_begin, snapshot_end;
    /* Part number `part` of `part_count` parts of a stream, which one after the other are the
       whole. part_count 0 or 1: all of it. */
    uint32_t part, part_count;
    size_t window_size; /* 0: the default */
    diag_sink *diag; /* NULL: the context's; parts that are read at the same time need one each */
} insn_request;

#define INSN_REQUEST_ALL                                                                           \
    {                                                                                              \
        .stream = PRODUCE_ALL, .insn_end = UINT64_MAX, .snapshot_end = UINT64_MAX, .part_count = 1 \
    }

typedef struct insn_producer insn_producer;

typedef struct insn_producer_ops {
    stele_status (*fill)(insn_producer *self, insn_batch *batch);
    void (*close)(insn_producer *self);
} insn_producer_ops;

/* The common part of all producers of instructions. Each format has it as the first member of a
   struct of its own. */
struct insn_producer {
    const insn_producer_ops *ops;
    stele_balance balance; /* of the bytes that the producer has read */
    uint64_t stray_count;  /* accesses and values that belong to no instruction */
    /* Snapshots of the stream that ended last, if snapshots were asked for. */
    uint64_t snapshot_count;
    /* A snapshot follows the last instruction of the stream that ended last. */
    bool ends_with_snapshot;
    /* A part did not end where the next one begins: results of parts cannot be used, and the stream
       must be read as one. */
    bool is_astray;
};

static inline bool trace_has_insns(const stele_trace *trace)
{
    return trace->ops->produce_insns != NULL;
}

/* Starts a producer, which the trace must outlive. STELE_ERR_UNSUPPORTED: the format has no
   instructions. */
stele_status trace_produce_insns(stele_trace *trace, const insn_request *request,
                                 insn_producer **out);

/* Fills the batch with the next instructions of one stream: at least one with STELE_OK, none with
   STELE_END. Damage is reported and skipped. Errors: STELE_ERR_READ, STELE_ERR_MEMORY. */
stele_status insn_produce(insn_producer *from, insn_batch *batch);
void insn_producer_close(insn_producer *from);

#endif
