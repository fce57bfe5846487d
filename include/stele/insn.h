/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of instructions, which hold too many of them for one event each. This header delivers them
 * as flat arrays that point into the bytes that were read, at about a nanosecond for each
 * instruction. Formats that have no instructions (all but xtrace) give STELE_ERR_UNSUPPORTED.
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
 * stele_insn_read() reads several parts of a stream at the same time instead.
 * <stele/insn_analysis.h> has analyses that take batches.
 *
 * One thread at a time uses a trace and what was made of it; different contexts are independent.
 * Functions that take no handle may be called on any thread.
 */
#ifndef STELE_INSN_H
#define STELE_INSN_H

#include <stele/reader.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Instructions and their accesses and values ---------------------------------------------- */

enum {
    STELE_INSN_HAS_PC = 1u << 0, /* `pc` is known */
    /* The instruction does not follow the one before it in memory, or is the first of its
       stream. */
    STELE_INSN_DISCONTINUOUS = 1u << 1,
    /* Instructions between the one before and this one may be missing. */
    STELE_INSN_AFTER_DAMAGE = 1u << 2,
    /* The registers before the instruction are known, from a snapshot. */
    STELE_INSN_AT_SNAPSHOT = 1u << 3,
    /* The options leave the instruction out. It is delivered, so that a consumer sees what lies
       between those that are wanted. */
    STELE_INSN_HIDDEN = 1u << 4
};

typedef struct stele_insn {
    uint64_t pc;     /* address of the instruction; 0 without STELE_INSN_HAS_PC */
    uint32_t opcode; /* see stele_a64_classify() */
    uint32_t offset; /* bytes from the batch's `offset` to the instruction's record */
    /* Indexes of the first in the batch's `accesses` and `values`. */
    uint32_t access_first, value_first;
    uint16_t access_count, value_count;
    uint8_t level; /* exception level, 0 to 3 */
    uint8_t flags; /* STELE_INSN_... */
    uint16_t unused;
} stele_insn;

/* One read or write of memory: `1 << size_log2` bytes at `address`. */
typedef struct stele_insn_access {
    uint64_t address;
    uint32_t data; /* offset of the bytes that were read or written, in the batch's `bytes` */
    uint8_t size_log2;
    uint8_t is_store;
    uint16_t unused;
} stele_insn_access;

typedef enum stele_insn_value_kind {
    STELE_INSN_VALUE_STXR,   /* result of an exclusive store: 0 is success */
    STELE_INSN_VALUE_SYSTEM, /* value of a system register that MRS read or MSR wrote */
    /* An argument of a system call: its number, then x0 to x5, each as a value of its own. */
    STELE_INSN_VALUE_ARGUMENT,
    STELE_INSN_VALUE_RESULT, /* result of the system call that was entered last */
    STELE_INSN_VALUE_DC,     /* register operand of a DC instruction, such as DC ZVA */
    STELE_INSN_VALUE_TARGET, /* target address of an indirect branch */
    STELE_INSN_VALUE_NZCV,   /* flags after the instruction, in bits 28 to 31 */
    /* All registers before the instruction: 32 numbers of 8 bytes, in the batch's bytes. */
    STELE_INSN_VALUE_GPRS,
    /* I/O vectors of a system call: pairs of base and length, in the batch's bytes. */
    STELE_INSN_VALUE_VECTORS,
    /* When the next access was made, as a number that orders accesses of all threads. */
    STELE_INSN_VALUE_ORDER,
    /* A record of a type that the format does not describe, in the batch's bytes. */
    STELE_INSN_VALUE_UNKNOWN,
    STELE_INSN_VALUE_KIND_COUNT
} stele_insn_value_kind;

typedef struct stele_insn_value {
    union {
        uint64_t number;
        struct {
            uint32_t offset, size; /* in the batch's bytes; little-endian */
        } bytes;
    } u;
    uint16_t access; /* how many accesses of the instruction come before the value in the trace */
    uint8_t kind;    /* stele_insn_value_kind */
    uint8_t unused[5];
} stele_insn_value;

/* In stele_insn_batch.snapshot: no snapshot. */
#define STELE_INSN_NO_SNAPSHOT UINT64_MAX

/* Instructions of one stream between two snapshots. The reader owns it, and it holds until the next
   batch is asked for. */
typedef struct stele_insn_batch {
    uint32_t stream, track; /* see stele_stream_get() and stele_track_get() */
    uint64_t number;        /* of the first instruction, counted in its stream from 0 */
    uint64_t offset;        /* of the first byte of `bytes`, in the input */
    /* Number of the last snapshot before the instructions; STELE_INSN_NO_SNAPSHOT: there is none,
       or the options did not ask for snapshots. */
    uint64_t snapshot;
    stele_insn *insns;
    stele_insn_access *accesses;
    stele_insn_value *values;
    uint32_t insn_count, insn_capacity;
    uint32_t access_count, access_capacity;
    uint32_t value_count, value_capacity;
    const uint8_t *bytes;
    uint32_t bytes_size;
} stele_insn_batch;

/* Gives the first of the `access_count` accesses of an instruction of the batch. */
static inline const stele_insn_access *stele_insn_accesses(const stele_insn_batch *batch,
                                                           const stele_insn *insn)
{
    return batch->accesses + insn->access_first;
}

/* Gives the first of the `value_count` values of an instruction of the batch. */
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

/* Gives the first 8 bytes that an access read or wrote, or all if there are fewer, as a
   little-endian number. */
STELE_API uint64_t stele_insn_access_number(const stele_insn_batch *batch,
                                            const stele_insn_access *access);

/* Gives the first value of a kind. Returns NULL if the instruction has none. */
STELE_API const stele_insn_value *stele_insn_value_find(const stele_insn_batch *batch,
                                                        const stele_insn *insn,
                                                        stele_insn_value_kind kind);

/* ---- Reading of instructions ----------------------------------------------------------------- */

/* Whether the format of the trace has instructions. */
STELE_API bool stele_trace_has_insns(const stele_trace *trace);

/* A range of addresses, `last` included. */
typedef struct stele_insn_range {
    uint64_t first, last;
} stele_insn_range;

/* Receives how far reading has come: `position` bytes of `total`, which is 0 if not known. Called
   now and then, on the thread that called the library. */
typedef void stele_insn_progress_fn(void *user, uint64_t position, uint64_t total);

/* Zeros ask for all instructions, without accesses and values. */
typedef struct stele_insn_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool wants_accesses, wants_values;
    /* Batches end at snapshots; an instruction after one has STELE_INSN_AT_SNAPSHOT. */
    bool wants_snapshots;
    /* Wanted instructions, by number in the stream: from insn_begin up to, not including, insn_end;
       insn_end 0: to the end of the stream. */
    uint64_t insn_begin, insn_end;
    /* Wanted instructions, by number of the last snapshot before them: from snapshot_begin up to,
       not including, snapshot_end; snapshot_end 0: to the end of the stream. */
    uint64_t snapshot_begin, snapshot_end;
    const uint64_t *threads; /* numbers of the wanted threads or cores; NULL: all */
    size_t thread_count;
    uint8_t levels;                 /* bit n: exception level n is wanted; 0: all levels are */
    const stele_insn_range *ranges; /* only instructions in one of these are wanted; NULL: all */
    size_t range_count;
    /* Parts of a stream that stele_insn_read() reads at the same time, each on a thread of its own;
       0 and 1: one part, 64 at most. */
    uint32_t parts_max;
    /* NULL: findings go to the context's handler. Called on the thread that called the library, in
       the order of the trace. */
    stele_diag_fn *on_finding;
    void *finding_user;
    stele_insn_progress_fn *on_progress; /* NULL: progress is not reported */
    void *progress_user;
} stele_insn_options;

/* What was read so far. */
typedef struct stele_insn_stats {
    size_t struct_size;    /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t stream_count; /* threads or cores that the options ask for, and that were found */
    uint64_t stray_count;  /* accesses and values that belong to no instruction */
    /* Snapshots of the stream that was read last, if snapshots were asked for. */
    uint64_t snapshot_count;
    /* A snapshot follows the last instruction of the stream that was read last. */
    bool ends_with_snapshot;
    stele_balance balance; /* how the bytes of the trace were used */
    bool has_content_size; /* content_size is known */
    uint64_t content_size; /* bytes of all files of the trace after unpacking */
} stele_insn_stats;

/* Reads the instructions of a trace, one batch after the other. */
typedef struct stele_insn_reader stele_insn_reader;

/* Makes a reader. The trace must outlive it, and so must the arrays that the options point to. The
   caller frees it with stele_insn_reader_free(). Errors: STELE_ERR_UNSUPPORTED: the format has no
   instructions; STELE_ERR_ARGUMENT; STELE_ERR_MEMORY; STELE_ERR_READ. */
STELE_API stele_status stele_insn_reader_new(stele_trace *trace, const stele_insn_options *options,
                                             stele_insn_reader **reader);

/*
 * Gives the next batch, in which at least one instruction is not hidden. Streams come one after the
 * other. Returns STELE_END after the last batch. Damage is reported as a finding and skipped.
 * Errors: STELE_ERR_READ, STELE_ERR_MEMORY, STELE_ERR_CLOSED if the context's go_on ended reading.
 */
STELE_API stele_status stele_insn_reader_next(stele_insn_reader *reader,
                                              const stele_insn_batch **batch);
STELE_API void stele_insn_reader_get_stats(const stele_insn_reader *reader,
                                           stele_insn_stats *stats);
STELE_API void stele_insn_reader_free(stele_insn_reader *reader);

/* Takes a batch, some instructions of which may be hidden. Returning STELE_END ends reading early;
   another status but STELE_OK ends it, too, and stele_insn_read() returns that status. */
typedef stele_status stele_insn_take_fn(void *user, const stele_insn_batch *batch);

/*
 * Where stele_insn_read() delivers instructions. With `fork`, `join` and `drop`, parts of a stream
 * may be read at the same time, each into a fork of its own on a thread of its own. Forks are then
 * joined in the order of the trace, on the thread that called the library. All functions but `take`
 * may be NULL.
 */
typedef struct stele_insn_consumer {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_take_fn *take;
    void *user;
    stele_status (*fork)(void *user, void **fork);
    /* Adds the fork's results and frees it, also on failure. */
    stele_status (*join)(void *user, void *fork);
    void (*drop)(void *fork); /* frees the fork without its results */
    /* Called after the last instruction of each stream. */
    stele_status (*end)(void *user, const stele_insn_stats *stats, const stele_stream *stream);
} stele_insn_consumer;

/*
 * Reads all instructions that the options ask for. A stream is read in parts where it has snapshots
 * to begin at and the options count nothing from its start. The result does not depend on the
 * number of parts: where the parts do not fit each other, because the trace is damaged, the stream
 * is read again as one. `stats` may be NULL. Errors are those of stele_insn_reader_new() and
 * stele_insn_reader_next().
 */
STELE_API stele_status stele_insn_read(stele_trace *trace, const stele_insn_options *options,
                                       const stele_insn_consumer *consumer,
                                       stele_insn_stats *stats);

/* ---- A64: what an instruction is and does ---------------------------------------------------- */

/* Groups of classes of instructions. */
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

/* Whether and where an instruction branches. */
typedef enum stele_a64_branch {
    STELE_A64_BRANCH_NONE,        /* the instruction is not a branch */
    STELE_A64_BRANCH_DIRECT,      /* always to pc + offset */
    STELE_A64_BRANCH_CONDITIONAL, /* to pc + offset, or on to the next instruction */
    STELE_A64_BRANCH_INDIRECT,    /* to the address in a register */
    STELE_A64_BRANCH_CALL,        /* to pc + offset; the link register gets the return address */
    STELE_A64_BRANCH_CALL_INDIRECT,
    STELE_A64_BRANCH_RETURN
} stele_a64_branch;

/* How the address of an access is computed. */
typedef enum stele_a64_form {
    STELE_A64_FORM_NONE,
    STELE_A64_FORM_OFFSET,   /* [Xn], [Xn, #imm] */
    STELE_A64_FORM_PRE,      /* [Xn, #imm]! */
    STELE_A64_FORM_POST,     /* [Xn], #imm; [Xn], Xm */
    STELE_A64_FORM_REGISTER, /* [Xn, Xm] */
    STELE_A64_FORM_LITERAL,
    STELE_A64_FORM_VECTOR /* a vector of addresses: gather, scatter */
} stele_a64_form;

/* Flags of an access (stele_a64_insn.flags). */
#define STELE_A64_IS_LOAD  0x0001u /* reads memory; a prefetch does not */
#define STELE_A64_IS_STORE 0x0002u
/* Two registers, which lie next to each other in memory. */
#define STELE_A64_IS_PAIR      0x0004u
#define STELE_A64_IS_EXCLUSIVE 0x0008u
#define STELE_A64_IS_ATOMIC    0x0010u /* reads and writes memory in one step */
#define STELE_A64_IS_ACQUIRE   0x0020u /* acquire semantics, also the weaker one of LDAPR */
#define STELE_A64_IS_RELEASE   0x0040u
#define STELE_A64_IS_VECTOR    0x0080u /* loads or stores V or Z registers */
/* A predicate can leave elements out: the size is the largest possible. */
#define STELE_A64_IS_PREDICATED 0x0100u
/* The size is the one for vectors of 128 bits, and grows with the vector length. */
#define STELE_A64_IS_SCALED        0x0200u
#define STELE_A64_IS_SIGNED        0x0400u /* a load that sign-extends */
#define STELE_A64_IS_FAULTING      0x0800u /* a first-faulting or non-faulting load */
#define STELE_A64_IS_BROADCAST     0x1000u
#define STELE_A64_IS_AUTHENTICATED 0x2000u /* authenticates the pointer before the access */
#define STELE_A64_IS_STREAMING     0x4000u /* a non-temporal access */
/* The encoding does not say how many bytes are accessed. */
#define STELE_A64_IS_UNSIZED 0x8000u

/* What an instruction is and does, as far as its 32 bits say. */
typedef struct stele_a64_insn {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* "load-pair". A static text: equal classes have equal pointers. */
    const char *class_text;
    stele_a64_group group;
    stele_a64_branch branch;
    stele_a64_form form;
    uint32_t flags;        /* STELE_A64_IS_... */
    uint32_t size;         /* bytes of all accesses together; see also the flags */
    uint32_t element_size; /* bytes of one register or element in memory; 0: no access */
    /* Distance from the PC in bytes, with has_target: of a branch's target, of a literal, of the
       result of ADR. Distance from the PC's page in pages, with has_page_target: of the result of
       ADRP. */
    int64_t offset;
    /* Number of the class, ordered by group. It can change from one version of the library to the
       next; class_text does not. */
    uint32_t class_number;
    bool has_target;      /* offset is a distance in bytes from the PC */
    bool has_page_target; /* offset is a distance in pages from the PC's page of 4 KiB */
} stele_a64_insn;

/* Classifies an instruction. Cannot fail: unallocated opcodes get STELE_A64_GROUP_NONE. May be
   called on any thread. */
STELE_API void stele_a64_classify(uint32_t opcode, stele_a64_insn *insn);

/* Gives the text of a class of instructions, as class_text has it; "" if `class_number` is not
   valid. May be called on any thread. */
STELE_API const char *stele_a64_class_text(uint32_t class_number);

/* "memory", ...; "" if `group` is not a valid group. */
STELE_API const char *stele_a64_group_text(stele_a64_group group);

/* Bit of the stack pointer in `x`; the zero register has no bit. */
#define STELE_A64_REGISTER_SP 0x80000000u

/* A set of registers. */
typedef struct stele_a64_registers {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t x, v;      /* bit n: Xn, Vn or Zn */
    bool has_flags;     /* the set has the flags NZCV */
} stele_a64_registers;

/*
 * Finds which registers an instruction reads and writes. A vector register of which a part keeps
 * its value counts as read, too; the base register of an access that writes its address back counts
 * as written. Predicates, ZA and ZT0 are not listed. Returns false, and empty sets, for data
 * processing of SVE (except counts and loops) and SME, and for unallocated opcodes.
 */
STELE_API bool stele_a64_find_registers(uint32_t opcode, stele_a64_registers *reads,
                                        stele_a64_registers *writes);

#ifdef __cplusplus
}
#endif

#endif
