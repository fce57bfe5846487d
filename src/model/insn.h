/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions at full speed: flat arrays instead of events, for analyses that look at every
 * instruction of a trace. A format that has instructions gives `produce_insns` of its traces;
 * traces of other formats are refused by trace_produce_insns().
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

#include "model/trace.h"

/* ---- Instructions ---------------------------------------------------------------------------- */

enum {
    INSN_HAS_PC = 1u << 0,
    INSN_DISCONTINUOUS = 1u << 1, /* not behind the one before it, or the first of its stream */
    INSN_AFTER_DAMAGE = 1u << 2,  /* others may have stood between the one before and this */
    INSN_AT_SNAPSHOT = 1u << 3,   /* the registers before it are known */
    INSN_HIDDEN = 1u << 4         /* a filter leaves it out; see analysis/insn/insn_filter.h */
};

typedef struct insn {
    uint64_t pc;
    uint32_t opcode;
    uint32_t offset; /* of its record, from the offset of the batch */
    uint32_t access_first, value_first;
    uint16_t access_count, value_count;
    uint8_t level; /* exception level, 0 to 3 */
    uint8_t flags; /* INSN_... */
    uint16_t unused;
} insn;

/* What was read or written: `1 << size_log2` bytes, which stand in the batch's bytes. */
typedef struct insn_access {
    uint64_t address;
    uint32_t data; /* offset in the batch's bytes */
    uint8_t size_log2;
    uint8_t is_store;
    uint16_t unused;
} insn_access;

typedef enum insn_value_kind {
    INSN_VALUE_STXR,     /* what an exclusive store gave: 0 is success */
    INSN_VALUE_SYSTEM,   /* read by MRS or written by MSR */
    INSN_VALUE_ARGUMENT, /* of a system call: its number, then x0 to x5, one value each */
    INSN_VALUE_RESULT,   /* of the system call that is open */
    INSN_VALUE_DC,       /* register of DC ZVA and the like */
    INSN_VALUE_TARGET,   /* where an indirect branch goes */
    INSN_VALUE_NZCV,     /* flags behind the instruction, in bits 28 to 31 */
    INSN_VALUE_GPRS,     /* all registers before the instruction: 32 numbers in the bytes */
    INSN_VALUE_VECTORS,  /* of a system call: pairs of base and length in the bytes */
    INSN_VALUE_ORDER,    /* when the access behind it was made, among all threads */
    INSN_VALUE_UNKNOWN,  /* undescribed, in the bytes */
    INSN_VALUE_KIND_COUNT
} insn_value_kind;

typedef struct insn_value {
    union {
        uint64_t number;
        struct {
            uint32_t offset, size; /* in the batch's bytes; little-endian */
        } bytes;
    } u;
    uint16_t access; /* accesses of the instruction that stand before it */
    uint8_t kind;    /* insn_value_kind */
    uint8_t unused[5];
} insn_value;

_Static_assert(sizeof(insn) == 32 && sizeof(insn_access) == 16 && sizeof(insn_value) == 16,
               "arrays of instructions are packed");

/* ---- Batches --------------------------------------------------------------------------------- */

#define INSN_BATCH_COUNT    1024u
#define INSN_SNAPSHOT_FIRST UINT64_MAX

/* Instructions of one stream that stand between two snapshots. */
typedef struct insn_batch {
    uint32_t stream, track;
    uint64_t number;   /* of the first instruction, counted in its stream from 0 */
    uint64_t offset;   /* of the bytes, in the input */
    uint64_t snapshot; /* number of the last snapshot before; INSN_SNAPSHOT_FIRST: none, or they
                          were not asked for */
    insn *insns;
    insn_access *accesses;
    insn_value *values;
    uint32_t insn_count, insn_capacity;
    uint32_t access_count, access_capacity;
    uint32_t value_count, value_capacity;
    const uint8_t *bytes; /* of the producer, until it fills the batch again */
    uint32_t bytes_size;
} insn_batch;

/* `insn_capacity` 0 takes INSN_BATCH_COUNT. STELE_ERR_MEMORY. */
stele_status insn_batch_new(uint32_t insn_capacity, insn_batch **out);
void insn_batch_free(insn_batch *batch);

/* Grow the tables so that `count` more fit. False: memory. */
bool insn_batch_grow_accesses(insn_batch *batch, uint32_t count);
bool insn_batch_grow_values(insn_batch *batch, uint32_t count);

static inline const insn_access *insn_accesses(const insn_batch *batch, const insn *at)
{
    return batch->accesses + at->access_first;
}

static inline const insn_value *insn_values(const insn_batch *batch, const insn *at)
{
    return batch->values + at->value_first;
}

static inline const uint8_t *insn_access_bytes(const insn_batch *batch, const insn_access *access)
{
    return batch->bytes + access->data;
}

/* The first 8 bytes of what was read or written, as a number. */
uint64_t insn_access_number(const insn_batch *batch, const insn_access *access);

/* The first value of a kind; NULL: the instruction has none. */
const insn_value *insn_value_find(const insn_batch *batch, const insn *at, insn_value_kind kind);

/* ---- Producers ------------------------------------------------------------------------------- */

typedef struct insn_request {
    uint32_t stream; /* as in produce_request */
    bool wants_accesses, wants_values;
    bool wants_snapshots;          /* cut batches at snapshots, and flag what follows them */
    uint64_t insn_begin, insn_end; /* by number in the stream */
    uint64_t snapshot_begin, snapshot_end; /* by number of the snapshot before them */
    uint32_t part, part_count; /* this one of so many parts of a stream; one behind the other they
                                  are the whole. 0, 1: all of it */
    size_t window_size;        /* 0: the usual */
    diag_sink *diag;           /* NULL: the context's. Parts read at the same time need one each */
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

/* Formats put this first in structs of their own. */
struct insn_producer {
    const insn_producer_ops *ops;
    stele_balance balance; /* of the bytes that it passed over */
    uint64_t stray_count;  /* accesses and values without an instruction */
    /* Of the stream that ended last, where snapshots were asked for: */
    uint64_t snapshot_count;
    bool ends_with_snapshot; /* one stands behind its last instruction */
    bool is_astray; /* a part did not end where the next one begins: the parts are of no use,
                       and all must be read as one */
};

static inline bool trace_has_insns(const stele_trace *trace)
{
    return trace->produce_insns != NULL;
}

/* The trace must outlive the producer. STELE_ERR_UNSUPPORTED: the format has no instructions. */
stele_status trace_produce_insns(stele_trace *trace, const insn_request *request,
                                 insn_producer **out);

/* Fills the batch with the next instructions of one stream; STELE_OK gives one at least, STELE_END
   none. Damage is reported and stepped over. STELE_ERR_READ, STELE_ERR_MEMORY. */
stele_status insn_produce(insn_producer *from, insn_batch *batch);
void insn_producer_close(insn_producer *from);

#endif
