/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of instructions: they hold too many of them for an event each. Here they come as flat
 * arrays, which point into what was read, and cost about a nanosecond an instruction. Formats that
 * have none (all but xtrace, today) are refused with STELE_ERR_UNSUPPORTED.
 *
 *     stele_insn_options options = STELE_INIT(stele_insn_options);
 *     stele_insn_reader *reader;
 *     const stele_insn_batch *batch;
 *     options.wants_accesses = true;
 *     status = stele_insn_reader_new(trace, &options, &reader);
 *     while (status == STELE_OK && (status = stele_insn_reader_next(reader, &batch)) == STELE_OK)
 *         for (uint32_t i = 0; i < batch->insn_count; i++)
 *             look_at(batch, &batch->insns[i]);
 *     stele_insn_reader_free(reader);
 *
 * stele_insn_read() reads parts of a stream at the same time instead. <stele/insn_analysis.h>,
 * which this header includes, has analyses that take batches.
 *
 * One thread at a time uses a trace and what was made of it; different contexts are independent.
 * The functions that take no handle may be called on any thread.
 */
#ifndef STELE_INSN_H
#define STELE_INSN_H

#include <stele/reader.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Instructions ---------------------------------------------------------------------------- */

enum {
    STELE_INSN_HAS_PC = 1u << 0,
    STELE_INSN_DISCONTINUOUS = 1u << 1, /* does not follow the one before it in memory, or is the
                                           first of its stream */
    STELE_INSN_AFTER_DAMAGE = 1u << 2,  /* others may have stood between the one before and this */
    STELE_INSN_AT_SNAPSHOT = 1u << 3,   /* the registers before it are known */
    STELE_INSN_HIDDEN = 1u << 4         /* the options leave it out; it is there so that what stands
                                           between others can be known */
};

typedef struct stele_insn {
    uint64_t pc;     /* 0 without STELE_INSN_HAS_PC */
    uint32_t opcode; /* see stele_a64_classify() */
    uint32_t offset; /* bytes from the offset of the batch to its record */
    uint32_t access_first, value_first;
    uint16_t access_count, value_count;
    uint8_t level; /* exception level, 0 to 3 */
    uint8_t flags; /* STELE_INSN_... */
    uint16_t unused;
} stele_insn;

/* What was read or written: `1 << size_log2` bytes, which stand in the batch's bytes. */
typedef struct stele_insn_access {
    uint64_t address;
    uint32_t data; /* offset in the batch's bytes */
    uint8_t size_log2;
    uint8_t is_store;
    uint16_t unused;
} stele_insn_access;

typedef enum stele_insn_value_kind {
    STELE_INSN_VALUE_STXR,     /* what an exclusive store gave: 0 is success */
    STELE_INSN_VALUE_SYSTEM,   /* read by MRS or written by MSR */
    STELE_INSN_VALUE_ARGUMENT, /* of a system call: its number, then x0 to x5, one value each */
    STELE_INSN_VALUE_RESULT,   /* of the system call that is open */
    STELE_INSN_VALUE_DC,       /* register of DC ZVA and the like */
    STELE_INSN_VALUE_TARGET,   /* where an indirect branch goes */
    STELE_INSN_VALUE_NZCV,     /* flags after the instruction, in bits 28 to 31 */
    STELE_INSN_VALUE_GPRS,     /* all registers before the instruction: 32 numbers in the bytes */
    STELE_INSN_VALUE_VECTORS,  /* of a system call: pairs of base and length in the bytes */
    STELE_INSN_VALUE_ORDER,    /* when the access that follows was made, among all threads */
    STELE_INSN_VALUE_UNKNOWN,  /* undescribed, in the bytes */
    STELE_INSN_VALUE_KIND_COUNT
} stele_insn_value_kind;

typedef struct stele_insn_value {
    union {
        uint64_t number;
        struct {
            uint32_t offset, size; /* in the batch's bytes; little-endian */
        } bytes;
    } u;
    uint16_t access; /* accesses of the instruction that stand before it */
    uint8_t kind;    /* stele_insn_value_kind */
    uint8_t unused[5];
} stele_insn_value;

#define STELE_INSN_NO_SNAPSHOT UINT64_MAX

/* Instructions of one stream that stand between two snapshots. The library allocates it, and it
   holds until the next batch is asked for. */
typedef struct stele_insn_batch {
    uint32_t stream, track; /* see stele_stream_get() and stele_track_get() */
    uint64_t number;        /* of the first instruction, counted in its stream from 0 */
    uint64_t offset;        /* of the bytes, in the input */
    uint64_t snapshot;      /* number of the last snapshot before; STELE_INSN_NO_SNAPSHOT: there is
                               none, or they were not asked for */
    stele_insn *insns;
    stele_insn_access *accesses;
    stele_insn_value *values;
    uint32_t insn_count, insn_capacity;
    uint32_t access_count, access_capacity;
    uint32_t value_count, value_capacity;
    const uint8_t *bytes;
    uint32_t bytes_size;
} stele_insn_batch;

/* The `access_count` accesses of an instruction of the batch. */
static inline const stele_insn_access *stele_insn_accesses(const stele_insn_batch *batch,
                                                           const stele_insn *insn)
{
    return batch->accesses + insn->access_first;
}

/* The `value_count` values of an instruction of the batch. */
static inline const stele_insn_value *stele_insn_values(const stele_insn_batch *batch,
                                                        const stele_insn *insn)
{
    return batch->values + insn->value_first;
}

/* The `1 << size_log2` bytes that an access read or wrote. */
static inline const uint8_t *stele_insn_access_bytes(const stele_insn_batch *batch,
                                                     const stele_insn_access *access)
{
    return batch->bytes + access->data;
}

/* The first 8 bytes, or all if there are fewer, of what was read or written, as a number. */
STELE_API uint64_t stele_insn_access_number(const stele_insn_batch *batch,
                                            const stele_insn_access *access);

/* The first value of a kind. Returns NULL where the instruction has none. */
STELE_API const stele_insn_value *stele_insn_value_find(const stele_insn_batch *batch,
                                                        const stele_insn *insn,
                                                        stele_insn_value_kind kind);

/* ---- Reading --------------------------------------------------------------------------------- */

/* Whether the format of the trace has instructions. */
STELE_API bool stele_trace_has_insns(const stele_trace *trace);

/* Addresses; both ends are in. */
typedef struct stele_insn_range {
    uint64_t first, last;
} stele_insn_range;

/* How far reading has come: bytes, of `total` where that is known, else 0. Comes on the thread that
   called, now and then. */
typedef void stele_insn_progress_fn(void *user, uint64_t position, uint64_t total);

/* Zeros want all instructions, without accesses and values. */
typedef struct stele_insn_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool wants_accesses, wants_values;
    bool wants_snapshots;          /* batches end at snapshots, and what follows them is flagged */
    uint64_t insn_begin, insn_end; /* by number in the stream; the end is not in, 0: to the end */
    uint64_t snapshot_begin, snapshot_end; /* by number of the snapshot before them, the same */
    const uint64_t *threads;               /* numbers of the wanted threads or cores; NULL: all */
    size_t thread_count;
    uint8_t levels;                 /* bit n: exception level n is wanted; 0: all are */
    const stele_insn_range *ranges; /* only what lies in one of them is wanted; NULL: all */
    size_t range_count;
    uint32_t parts_max;        /* of stele_insn_read(): parts of a stream that are read at the same
                                  time, each on a thread of its own; 0 and 1: one, 64 at most */
    stele_diag_fn *on_finding; /* NULL: findings go to the context's handler. Comes on the thread
                                  that called, in the order of the trace */
    void *finding_user;
    stele_insn_progress_fn *on_progress; /* NULL: nobody wants to know */
    void *progress_user;
} stele_insn_options;

/* What was read, so far. */
typedef struct stele_insn_stats {
    size_t struct_size;      /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t stream_count;   /* threads or cores that were wanted, and found */
    uint64_t stray_count;    /* accesses and values without an instruction */
    uint64_t snapshot_count; /* of the stream read last, where snapshots were wanted */
    bool ends_with_snapshot; /* of the same stream: one stands after its last instruction */
    stele_balance balance;   /* what became of the bytes */
    bool has_content_size;   /* content_size is known */
    uint64_t content_size;   /* bytes of all files of the trace after unpacking */
} stele_insn_stats;

/* Instructions of a trace, one batch after the other. */
typedef struct stele_insn_reader stele_insn_reader;

/*
 * The trace must outlive the reader, and so must the arrays of the options. Errors:
 * STELE_ERR_UNSUPPORTED: the format has no instructions; STELE_ERR_ARGUMENT; STELE_ERR_MEMORY;
 * STELE_ERR_READ.
 */
STELE_API stele_status stele_insn_reader_new(stele_trace *trace, const stele_insn_options *options,
                                             stele_insn_reader **reader);

/*
 * The next batch, in which at least one instruction is not hidden. Streams come one after the
 * other. STELE_END after the last. Damage is a finding, and stepped over. Errors: STELE_ERR_READ,
 * STELE_ERR_MEMORY, STELE_ERR_CLOSED where the caller's progress function ended the work.
 */
STELE_API stele_status stele_insn_reader_next(stele_insn_reader *reader,
                                              const stele_insn_batch **batch);
STELE_API void stele_insn_reader_get_stats(const stele_insn_reader *reader,
                                           stele_insn_stats *stats);
STELE_API void stele_insn_reader_free(stele_insn_reader *reader);

/* Takes a batch, some instructions of which may be hidden. STELE_END ends reading early; any other
   status but STELE_OK ends it, and is what reading gives. */
typedef stele_status stele_insn_take_fn(void *user, const stele_insn_batch *batch);

/*
 * What becomes of the instructions. Where `fork`, `join` and `drop` are given, parts of a stream
 * may be taken at the same time, each into a fork of its own on a thread of its own; forks are then
 * joined in the order of the trace, on the thread that called. All but `take` may be NULL.
 */
typedef struct stele_insn_consumer {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_take_fn *take;
    void *user;
    stele_status (*fork)(void *user, void **fork);
    stele_status (*join)(void *user, void *fork); /* frees the fork, also when it fails */
    void (*drop)(void *fork);                     /* frees it without taking it */
    /* After the last instruction of each stream. */
    stele_status (*end)(void *user, const stele_insn_stats *stats, const stele_stream *stream);
} stele_insn_consumer;

/*
 * Reads all that is wanted, in parts where the trace has places to begin at (snapshots) and nothing
 * is counted from the start of a stream. The result does not depend on the number of parts: where
 * they do not fit each other, because a trace is damaged, the stream is read again as one. `stats`
 * may be NULL. Errors as of stele_insn_reader_new() and stele_insn_reader_next().
 */
STELE_API stele_status stele_insn_read(stele_trace *trace, const stele_insn_options *options,
                                       const stele_insn_consumer *consumer,
                                       stele_insn_stats *stats);

/* ---- A64 ------------------------------------------------------------------------------------- */

/* Groups of classes. */
typedef enum stele_a64_group {
    STELE_A64_GROUP_NONE, /* unallocated, undefined, or newer than this library */
    STELE_A64_GROUP_BRANCH,
    STELE_A64_GROUP_EXCEPTION,
    STELE_A64_GROUP_SYSTEM,
    STELE_A64_GROUP_MEMORY,
    STELE_A64_GROUP_INTEGER,
    STELE_A64_GROUP_FP,
    STELE_A64_GROUP_SIMD,
    STELE_A64_GROUP_SVE,
    STELE_A64_GROUP_SME,
    STELE_A64_GROUP_COUNT
} stele_a64_group;

/* Where a branch goes. */
typedef enum stele_a64_branch {
    STELE_A64_BRANCH_NONE,        /* it is not a branch */
    STELE_A64_BRANCH_DIRECT,      /* always, to pc + offset */
    STELE_A64_BRANCH_CONDITIONAL, /* to pc + offset, or to the next instruction */
    STELE_A64_BRANCH_INDIRECT,    /* to where a register says */
    STELE_A64_BRANCH_CALL,        /* to pc + offset */
    STELE_A64_BRANCH_CALL_INDIRECT,
    STELE_A64_BRANCH_RETURN
} stele_a64_branch;

/* How the address of an access is made. */
typedef enum stele_a64_form {
    STELE_A64_FORM_NONE,
    STELE_A64_FORM_OFFSET,   /* [Xn], [Xn, #imm] */
    STELE_A64_FORM_PRE,      /* [Xn, #imm]! */
    STELE_A64_FORM_POST,     /* [Xn], #imm; [Xn], Xm */
    STELE_A64_FORM_REGISTER, /* [Xn, Xm] */
    STELE_A64_FORM_LITERAL,
    STELE_A64_FORM_VECTOR /* a vector of addresses: gather, scatter */
} stele_a64_form;

/* Flags of an access. */
#define STELE_A64_IS_LOAD          0x0001u /* reads memory; a prefetch does not */
#define STELE_A64_IS_STORE         0x0002u
#define STELE_A64_IS_PAIR          0x0004u /* two registers, next to each other in memory */
#define STELE_A64_IS_EXCLUSIVE     0x0008u
#define STELE_A64_IS_ATOMIC        0x0010u /* reads and writes as one */
#define STELE_A64_IS_ACQUIRE       0x0020u /* also LDAPR's weaker kind */
#define STELE_A64_IS_RELEASE       0x0040u
#define STELE_A64_IS_VECTOR        0x0080u /* transfers V or Z registers */
#define STELE_A64_IS_PREDICATED    0x0100u /* elements may be left out: the size is the largest */
#define STELE_A64_IS_SCALED        0x0200u /* the size is that of a vector length of 128 bits */
#define STELE_A64_IS_SIGNED        0x0400u /* sign-extends */
#define STELE_A64_IS_FAULTING      0x0800u /* first-faulting or non-faulting */
#define STELE_A64_IS_BROADCAST     0x1000u
#define STELE_A64_IS_AUTHENTICATED 0x2000u /* authenticates a pointer */
#define STELE_A64_IS_STREAMING     0x4000u /* non-temporal */
#define STELE_A64_IS_UNSIZED       0x8000u /* how much it accesses is not in the encoding */

/* What an instruction is and does, as far as its 32 bits tell. */
typedef struct stele_a64_insn {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *class_text; /* "load-pair": static, and the same pointer for the same class */
    stele_a64_group group;
    stele_a64_branch branch;
    stele_a64_form form;
    uint32_t flags;        /* STELE_A64_IS_... */
    uint32_t size;         /* of all that it accesses, in bytes; see also the flags */
    uint32_t element_size; /* of one register or element in memory, in bytes; 0 without access */
    int64_t offset;        /* from the PC, in bytes, of what lies at a constant place: the target of
                              a branch, a literal, ADR; of ADRP from the PC's page, in pages */
    uint32_t class_number; /* of the class, group by group; the number can change from one version
                              of the library to the next, class_text does not */
    bool has_target;       /* offset is a distance in bytes from the PC */
    bool has_page_target;  /* offset is a distance in pages from the PC's page of 4 KiB */
} stele_a64_insn;

/* Never fails: what is unallocated is of no group. */
STELE_API void stele_a64_classify(uint32_t opcode, stele_a64_insn *insn);

/* "load-pair" for the class_number of that class; "" out of range. Any thread may call it. */
STELE_API const char *stele_a64_class_text(uint32_t class_number);

/* "memory"; "" out of range. */
STELE_API const char *stele_a64_group_text(stele_a64_group group);

#define STELE_A64_REGISTER_SP 0x80000000u /* bit 31 of x; the zero register is never listed */

typedef struct stele_a64_registers {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t x, v;      /* bit n: Xn, Vn or Zn */
    bool has_flags;     /* NZCV is among them */
} stele_a64_registers;

/*
 * Which registers an instruction reads and writes: a vector of which a part stays is also read, and
 * what writes an address back writes its register. Predicates, ZA and ZT0 are not listed. False,
 * and nothing listed, for data processing of SVE (but counts and loops) and SME, and for what is
 * unallocated.
 */
STELE_API bool stele_a64_find_registers(uint32_t opcode, stele_a64_registers *reads,
                                        stele_a64_registers *writes);

#ifdef __cplusplus
}
#endif

#include <stele/insn_analysis.h>

#endif
