/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of instructions. Each is a handle that takes batches: from a reader, or as the `take` of
 * a consumer, for which its `_add` can be given where types are cast. Hidden instructions are not
 * counted.
 *
 *     stele_insn_mix_row row = STELE_INIT(stele_insn_mix_row);
 *     size_t count;
 *     ... stele_insn_mix_new(), and stele_insn_mix_add() for each batch ...
 *     if (stele_insn_mix_rows(mix, &count) == STELE_OK)
 *         for (size_t i = 0; stele_insn_mix_get(mix, i, &row); i++)
 *             look_at(&row);
 *
 * Rows belong to the handle. A `_rows` function makes and sorts them, and gives how many there are;
 * a `_get` function copies row `index`, and is false past the last row and if `_rows` was not
 * called since the last batch was added. Pointers in a row hold until the next batch is added or
 * the handle is freed. Handles may be freed at any time, NULL too.
 *
 * Errors: a `_new`, `_add`, `_merge`, `_rows`, `_end_stream` or `_finish` function gives
 * STELE_ERR_MEMORY if out of memory; after that the handle can only be freed. What a callback of
 * the caller gives instead of STELE_OK ends the call, and is what the call gives.
 *
 * One thread at a time uses a handle. Different handles are independent, but for those whose
 * callbacks share something.
 */
#ifndef STELE_INSN_ANALYSIS_H
#define STELE_INSN_ANALYSIS_H

#include <stele/analysis.h>
#include <stele/insn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mix: how often each opcode, or each address, was executed ---- */

typedef struct stele_insn_mix stele_insn_mix;

typedef enum stele_insn_mix_key {
    STELE_INSN_MIX_OPCODE, /* a row for each opcode at each exception level */
    STELE_INSN_MIX_PC      /* a row for each address */
} stele_insn_mix_key;

typedef struct stele_insn_mix_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t opcode;    /* 0 by address */
    uint8_t level;      /* exception level; 0 by address */
    uint64_t count;
    uint64_t pc; /* by address; UINT64_MAX stands for all whose address is not known */
} stele_insn_mix_row;

STELE_API stele_status stele_insn_mix_new(stele_insn_mix_key key, stele_insn_mix **mix);
STELE_API void stele_insn_mix_free(stele_insn_mix *mix);
STELE_API stele_status stele_insn_mix_add(stele_insn_mix *mix, const stele_insn_batch *batch);

/* Adds what another one with the same key has counted, as when forks are joined. */
STELE_API stele_status stele_insn_mix_merge(stele_insn_mix *to, const stele_insn_mix *from);

/* The most frequent first. */
STELE_API stele_status stele_insn_mix_rows(stele_insn_mix *mix, size_t *count);
STELE_API bool stele_insn_mix_get(const stele_insn_mix *mix, size_t index, stele_insn_mix_row *row);

/* ---- Blocks: runs of instructions as they were executed ---- */

/*
 * A block ends at an instruction that can jump, where the next one stands elsewhere, and where an
 * address is a multiple of 16 KiB, so that none is longer and a trace in parts has the same ones.
 */
typedef struct stele_insn_blocks stele_insn_blocks;

typedef struct stele_insn_block_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;        /* of its first instruction */
    uint64_t count;     /* how often it was executed */
    const uint32_t *opcodes;
    uint32_t insn_count; /* opcodes of it, at least one */
    uint8_t level;       /* exception level */
} stele_insn_block_row;

/* `is_part`: others stand before it, as before all forks of a consumer. */
STELE_API stele_status stele_insn_blocks_new(bool is_part, stele_insn_blocks **blocks);
STELE_API void stele_insn_blocks_free(stele_insn_blocks *blocks);
STELE_API stele_status stele_insn_blocks_add(stele_insn_blocks *blocks,
                                             const stele_insn_batch *batch);

/* Ends the open block: to be called after the last batch of each stream. */
STELE_API stele_status stele_insn_blocks_end_stream(stele_insn_blocks *blocks);

/* Adds the blocks of the part that stands directly after. */
STELE_API stele_status stele_insn_blocks_merge(stele_insn_blocks *to,
                                               const stele_insn_blocks *part);

/* Makes the rows, those with the most executed instructions first, and gives their number. */
STELE_API stele_status stele_insn_blocks_rows(stele_insn_blocks *blocks, size_t *count);
STELE_API bool stele_insn_blocks_get(const stele_insn_blocks *blocks, size_t index,
                                     stele_insn_block_row *row);

/* ---- Branches: how often they were taken, and where indirect ones went ---- */

typedef struct stele_insn_branches stele_insn_branches;

typedef struct stele_insn_branch_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;
    uint64_t count;         /* how often it was executed */
    uint64_t taken_count;   /* of a conditional branch: how often it jumped */
    uint64_t change_count;  /* how often it went elsewhere than the time before */
    uint64_t unknown_count; /* how often an exception, damage or the end came in between */
    uint32_t opcode;
    stele_a64_branch branch;
    size_t target_count; /* of an indirect branch: different places that it went to */
} stele_insn_branch_row;

typedef struct stele_insn_target_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc, count;
} stele_insn_target_row;

STELE_API stele_status stele_insn_branches_new(stele_insn_branches **branches);
STELE_API void stele_insn_branches_free(stele_insn_branches *branches);

/* Wants values: a target that they hold counts also if an exception comes in between. */
STELE_API stele_status stele_insn_branches_add(stele_insn_branches *branches,
                                               const stele_insn_batch *batch);

/* To be called after the last batch of each stream. */
STELE_API stele_status stele_insn_branches_end_stream(stele_insn_branches *branches);

/* The most executed first. */
STELE_API stele_status stele_insn_branches_rows(stele_insn_branches *branches, size_t *count);
STELE_API bool stele_insn_branches_get(const stele_insn_branches *branches, size_t index,
                                       stele_insn_branch_row *row);

/* Target `target` of row `index`, the most frequent first; false past the last. */
STELE_API bool stele_insn_branches_get_target(const stele_insn_branches *branches, size_t index,
                                              size_t target, stele_insn_target_row *row);

/* ---- Calls: functions as BEGIN and END events ---- */

/*
 * Events whose time is the number of instructions before them, so that what takes calls of any
 * trace takes these. A call pushes the address after it; a return goes to the nearest frame that
 * waits there. A branch to the start of another function is a tail call: that function takes the
 * place of the one that left. An exception is a call of its handler, up to where the level falls
 * back; so is a jump without a branch, such as to a handler of signals.
 */
typedef struct stele_insn_calls stele_insn_calls;

#define STELE_INSN_CALLS_DEPTH_MAX 65536u /* deeper calls are counted, and not followed */

/* The name of the function that an address lies in; `*start` is where it begins, 0 where that is
   not known. UINT32_MAX says that memory is out. */
typedef stele_name stele_insn_name_fn(void *user, uint64_t pc, uint64_t *start);

/* Takes events of one track in the order of time. The segment holds during the call. */
typedef stele_status stele_insn_emit_fn(void *user, const stele_segment *segment);

typedef struct stele_insn_calls_options {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_name_fn *name; /* must be given */
    void *name_user;
    stele_insn_emit_fn *emit; /* must be given */
    void *emit_user;
} stele_insn_calls_options;

/* STELE_ERR_ARGUMENT: a callback is missing. */
STELE_API stele_status stele_insn_calls_new(const stele_insn_calls_options *options,
                                            stele_insn_calls **calls);
STELE_API void stele_insn_calls_free(stele_insn_calls *calls);

/* Wants neither accesses nor values. Hidden instructions take no time. */
STELE_API stele_status stele_insn_calls_add(stele_insn_calls *calls, const stele_insn_batch *batch);

/* Ends all calls and gives the last events: to be called after the last batch of each stream. */
STELE_API stele_status stele_insn_calls_end_stream(stele_insn_calls *calls);

/* Calls that were not followed because they were too deep. */
STELE_API uint64_t stele_insn_calls_cut_count(const stele_insn_calls *calls);

/* ---- Footprint: how much memory is read, written and executed ---- */

typedef struct stele_insn_footprint stele_insn_footprint;

/* Units of memory. */
typedef enum stele_insn_unit {
    STELE_INSN_LINE_64,
    STELE_INSN_PAGE_4K,
    STELE_INSN_PAGE_64K,
    STELE_INSN_PAGE_2M,
    STELE_INSN_UNIT_COUNT
} stele_insn_unit;

/* How many different units were touched; the last counts each once, whatever was done to it. */
typedef struct stele_insn_footprint_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t unit_size; /* in bytes */
    uint64_t read_count, written_count, executed_count, any_count;
} stele_insn_footprint_row;

/* So many instructions of one thread. */
typedef struct stele_insn_interval_row {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t track;           /* see stele_track_get() */
    uint64_t first;           /* number of the first instruction, in its stream */
    uint64_t insn_count;      /* how many were looked at */
    uint64_t new_line_count;  /* lines of 64 bytes that were touched for the first time */
    uint64_t line_count;      /* lines that were touched, read, written, executed in it */
    uint64_t read_line_count; /* of its lines, those that were read */
    uint64_t written_line_count;
    uint64_t executed_line_count;
    uint64_t unit_counts[STELE_INSN_UNIT_COUNT]; /* units that were touched in it */
} stele_insn_interval_row;

/* `interval` is in instructions of a thread, by their numbers; 0: no intervals are kept. */
STELE_API stele_status stele_insn_footprint_new(uint64_t interval,
                                                stele_insn_footprint **footprint);
STELE_API void stele_insn_footprint_free(stele_insn_footprint *footprint);

/* Wants accesses. With intervals, batches of a thread come in their order. */
STELE_API stele_status stele_insn_footprint_add(stele_insn_footprint *footprint,
                                                const stele_insn_batch *batch);

/* Both are without intervals. */
STELE_API stele_status stele_insn_footprint_merge(stele_insn_footprint *to,
                                                  const stele_insn_footprint *from);

/* False past the last unit. */
STELE_API bool stele_insn_footprint_get(const stele_insn_footprint *footprint, stele_insn_unit unit,
                                        stele_insn_footprint_row *row);

/* Ends the last interval, after which no batch may be added, and gives how many there are. */
STELE_API stele_status stele_insn_footprint_finish(stele_insn_footprint *footprint, size_t *count);

/* Intervals in the order of the trace; false past the last. */
STELE_API bool stele_insn_footprint_get_interval(const stele_insn_footprint *footprint,
                                                 size_t index, stele_insn_interval_row *row);

/* ---- Sharing: which lines of 64 bytes several threads use ---- */

typedef struct stele_insn_sharing stele_insn_sharing;

typedef enum stele_insn_sharing_kind {
    STELE_INSN_SHARING_PRIVATE,      /* one thread */
    STELE_INSN_SHARING_READ,         /* several, and none writes */
    STELE_INSN_SHARING_ONE_WRITER,   /* several, one of which writes what others use */
    STELE_INSN_SHARING_MANY_WRITERS, /* several write, and use what others write */
    STELE_INSN_SHARING_FALSE,        /* several, one of which writes, but next to all that each of
                                        them uses is its own */
    STELE_INSN_SHARING_KIND_COUNT
} stele_insn_sharing_kind;

typedef struct stele_insn_sharing_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t address;   /* of the line's first byte */
    uint32_t reader_count,
        writer_count; /* threads; 64 are distinguished, all others count as one */
    uint64_t read_count, write_count;
    stele_insn_sharing_kind kind;
} stele_insn_sharing_row;

/* All lines of a kind. */
typedef struct stele_insn_sharing_total {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t line_count;
    uint64_t read_count, write_count; /* accesses to them */
} stele_insn_sharing_total;

STELE_API stele_status stele_insn_sharing_new(stele_insn_sharing **sharing);
STELE_API void stele_insn_sharing_free(stele_insn_sharing *sharing);

/* Wants accesses. Threads may come in any order; no verdict depends on it. */
STELE_API stele_status stele_insn_sharing_add(stele_insn_sharing *sharing,
                                              const stele_insn_batch *batch);

/* How many threads there were. */
STELE_API uint64_t stele_insn_sharing_thread_count(const stele_insn_sharing *sharing);

/* Judges all lines, and gives how many of them several threads use and one at least writes: the
   rows, the busiest first. */
STELE_API stele_status stele_insn_sharing_rows(stele_insn_sharing *sharing, size_t *count);
STELE_API bool stele_insn_sharing_get(const stele_insn_sharing *sharing, size_t index,
                                      stele_insn_sharing_row *row);

/* What was judged of a kind, as a row is given. */
STELE_API bool stele_insn_sharing_get_total(const stele_insn_sharing *sharing,
                                            stele_insn_sharing_kind kind,
                                            stele_insn_sharing_total *total);

/* ---- Strides: how far an instruction steps through memory from one execution to the next ---- */

typedef struct stele_insn_strides stele_insn_strides;

/* An instruction that accesses memory; of several accesses the first counts. */
typedef struct stele_insn_stride_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;
    uint64_t access_count;
    uint64_t repeat_count; /* strides that were the same as the one before: those that a stride
                              prefetcher foresees */
    int64_t stride;        /* the most frequent, in bytes; valid where stride_count is not 0 */
    uint64_t stride_count; /* how often that stride was made */
    bool is_count_least;   /* so many strides were seen that stride_count may be higher */
    bool is_store;
    uint32_t size; /* of one access, in bytes */
} stele_insn_stride_row;

STELE_API stele_status stele_insn_strides_new(stele_insn_strides **strides);
STELE_API void stele_insn_strides_free(stele_insn_strides *strides);

/* Wants accesses. */
STELE_API stele_status stele_insn_strides_add(stele_insn_strides *strides,
                                              const stele_insn_batch *batch);

/* Makes the rows, those with the most accesses first, and gives their number. */
STELE_API stele_status stele_insn_strides_rows(stele_insn_strides *strides, size_t *count);
STELE_API bool stele_insn_strides_get(const stele_insn_strides *strides, size_t index,
                                      stele_insn_stride_row *row);

/* ---- Reuse: how many other lines were touched since a line was touched last ---- */

/* A fully associative cache of N lines that replaces the least recently used one hits what has a
   distance below N. Each thread counts for itself. */
typedef struct stele_insn_reuse stele_insn_reuse;

#define STELE_INSN_REUSE_BUCKET_COUNT 65u

typedef struct stele_insn_reuse_counts {
    size_t struct_size;    /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t access_count; /* lines touched, each time */
    uint64_t cold_count;   /* lines touched for the first time */
    /* By distance: 0, and in bucket n from 2^(n-1) to below 2^n. */
    uint64_t buckets[STELE_INSN_REUSE_BUCKET_COUNT];
} stele_insn_reuse_counts;

/* Lines are of `line_size` bytes, a power of two from 8 on. One of `sample` lines is looked at, by
   a hash of its address, and stands for all; 1 is exact. STELE_ERR_ARGUMENT: one of them cannot be.
 */
STELE_API stele_status stele_insn_reuse_new(uint32_t line_size, uint64_t sample,
                                            stele_insn_reuse **reuse);
STELE_API void stele_insn_reuse_free(stele_insn_reuse *reuse);

/* Wants accesses. */
STELE_API stele_status stele_insn_reuse_add(stele_insn_reuse *reuse, const stele_insn_batch *batch);
STELE_API void stele_insn_reuse_get(const stele_insn_reuse *reuse, stele_insn_reuse_counts *counts);

/* ---- Cache: what caches and TLBs would hit and miss ---- */

/*
 * Each thread has all of them for itself, empty at its begin.
 *
 *     instruction -> L1I -+
 *                         +-> L2 -> L3 -> memory         ITLB, DTLB -> L2 TLB -> page tables
 *     data        -> L1D -+
 *
 * Levels are neither inclusive nor exclusive: a line that misses comes into every level on its way,
 * and leaves each for itself. What is dirty goes one level down when it leaves, into which it comes
 * without being read.
 */
typedef struct stele_insn_cache stele_insn_cache;

typedef enum stele_insn_cache_id {
    STELE_INSN_CACHE_L1I,
    STELE_INSN_CACHE_L1D,
    STELE_INSN_CACHE_L2,
    STELE_INSN_CACHE_L3,
    STELE_INSN_CACHE_ITLB,
    STELE_INSN_CACHE_DTLB,
    STELE_INSN_CACHE_L2TLB,
    STELE_INSN_CACHE_COUNT
} stele_insn_cache_id;

typedef enum stele_insn_cache_policy {
    STELE_INSN_CACHE_LRU,
    STELE_INSN_CACHE_PLRU, /* a tree of bits; ways are a power of two, 64 at most */
    STELE_INSN_CACHE_RANDOM,
    STELE_INSN_CACHE_FIFO,
    STELE_INSN_CACHE_POLICY_COUNT
} stele_insn_cache_policy;

typedef struct stele_insn_cache_geometry {
    uint64_t size; /* in bytes, of TLBs in entries; 0: there is none, which only L2, L3 and L2TLB
                      can be. Sets are a power of two */
    uint32_t ways;
    stele_insn_cache_policy policy;
} stele_insn_cache_geometry;

typedef struct stele_insn_cache_config {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_cache_geometry of[STELE_INSN_CACHE_COUNT];
    uint32_t line_size;    /* in bytes, a power of two from 8 on */
    uint32_t page_size;    /* in bytes, a power of two from 4096 on */
    bool is_write_through; /* stores go to the next level, and no line of L1D is dirty */
    bool is_write_around;  /* a store that misses L1D brings no line into it */
    bool has_next_line;    /* a miss in L1 brings the next line, too */
    uint64_t warmup;       /* so many instructions of each thread do not count */
} stele_insn_cache_config;

/* Instructions count each as a read of L1I and ITLB. Below L1, reads are lines that are fetched,
   and writes those that are written back or through. */
typedef struct stele_insn_cache_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t read_count, read_miss_count, write_count, write_miss_count;
    uint64_t prefetch_count;        /* lines asked of this level before they were needed */
    uint64_t useful_prefetch_count; /* of the prefetched lines, those that were read or written here
                                       later */
    uint64_t write_back_count;      /* dirty lines that left */
} stele_insn_cache_row;

/* STELE_ERR_ARGUMENT: a size that cannot be. `*wrong` says of which cache; STELE_INSN_CACHE_COUNT:
   of lines or pages. */
STELE_API stele_status stele_insn_cache_new(const stele_insn_cache_config *config,
                                            stele_insn_cache **cache, stele_insn_cache_id *wrong);
STELE_API void stele_insn_cache_free(stele_insn_cache *cache);

/* Wants accesses. Gives STELE_OK always, so that it can be a consumer's `take`. */
STELE_API stele_status stele_insn_cache_add(stele_insn_cache *cache, const stele_insn_batch *batch);

/* After the last batch: `*insn_count` are the instructions that count. */
STELE_API void stele_insn_cache_finish(stele_insn_cache *cache, uint64_t *insn_count);

/* False past the last cache, and for one that there is not. */
STELE_API bool stele_insn_cache_get(const stele_insn_cache *cache, stele_insn_cache_id id,
                                    stele_insn_cache_row *row);

/* ---- System calls ---- */

/* Puts the arguments, vectors and results of system calls together, and counts them by number. */
typedef struct stele_insn_syscalls stele_insn_syscalls;

#define STELE_SYSCALL_ARGUMENTS_MAX 6u

/* A stretch of memory that a call gives to the system. */
typedef struct stele_insn_vector {
    uint64_t address, size;
} stele_insn_vector;

/* The library allocates it, and it holds during the call of the callback. */
typedef struct stele_insn_syscall {
    uint32_t track;       /* see stele_track_get() */
    uint64_t insn_number; /* of the SVC, in its stream */
    uint64_t pc;
    bool has_call;
    uint64_t call; /* its number; valid with has_call */
    uint64_t arguments[STELE_SYSCALL_ARGUMENTS_MAX];
    uint32_t argument_count; /* that the trace has */
    bool has_result;
    uint64_t result;     /* valid with has_result */
    uint64_t insn_count; /* from the SVC to the result, both in; valid with has_result */
    uint32_t error;      /* of Linux: 2 for ENOENT; 0 without one */
    uint32_t vector_count;
    const stele_insn_vector *vectors;
} stele_insn_syscall;

typedef struct stele_insn_syscall_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_call;
    uint64_t call; /* valid with has_call; without, the trace does not have the number */
    uint64_t count, error_count;
    uint64_t unfinished_count; /* without a result */
    uint64_t insn_count;       /* instructions with a result */
} stele_insn_syscall_row;

/* Takes a call when its result is known, or when it is known that there is none. */
typedef stele_status stele_insn_syscall_fn(void *user, const stele_insn_syscall *call);

/* `take` may be NULL. */
STELE_API stele_status stele_insn_syscalls_new(stele_insn_syscall_fn *take, void *user,
                                               stele_insn_syscalls **syscalls);
STELE_API void stele_insn_syscalls_free(stele_insn_syscalls *syscalls);

/* Wants values. */
STELE_API stele_status stele_insn_syscalls_add(stele_insn_syscalls *syscalls,
                                               const stele_insn_batch *batch);

/* Hands on the call that is open after the last batch. */
STELE_API stele_status stele_insn_syscalls_finish(stele_insn_syscalls *syscalls);

/* Results and vectors that belong to no call. */
STELE_API uint64_t stele_insn_syscalls_stray_count(const stele_insn_syscalls *syscalls);

/* Calls by number, the most frequent first. */
STELE_API stele_status stele_insn_syscalls_rows(stele_insn_syscalls *syscalls, size_t *count);
STELE_API bool stele_insn_syscalls_get(const stele_insn_syscalls *syscalls, size_t index,
                                       stele_insn_syscall_row *row);

/* Names of Linux on AArch64; any thread may ask for them. The name of a call; NULL where it is not
   known. */
STELE_API const char *stele_syscall_name(uint64_t call);

/* How an argument or a result is written: 'd' int, 'l' long, 'u' unsigned, 'o' octal, 'x' hex, 's'
   the address of a text, 'p' another address. Name and type of argument `index`; false past the
   last. */
STELE_API bool stele_syscall_argument(uint64_t call, size_t index, stele_text *name, char *type);

/* The type of the result; 0 where the call is not known. */
STELE_API char stele_syscall_result_type(uint64_t call);

/* "ENOENT" for 2; NULL where it is not known. */
STELE_API const char *stele_syscall_error_name(uint64_t error);

/* ---- Basic-block vectors for SimPoint ---- */

/*
 * For every interval of so many instructions of a thread, how many of them were executed in each
 * block. A block begins where the instruction before it can jump or stands elsewhere; it is known
 * by its first address, and ends at the next such place.
 */
typedef struct stele_insn_bbv stele_insn_bbv;

typedef struct stele_insn_bbv_block {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;         /* UINT64_MAX: of instructions whose address is not known */
    uint64_t insn_count; /* in the interval at hand */
} stele_insn_bbv_block;

/* Takes an interval of a track: the numbers of its blocks, sorted, from 0. They hold during the
   call. */
typedef stele_status stele_insn_bbv_fn(void *user, const stele_insn_bbv *bbv, uint32_t track,
                                       const uint32_t *blocks, size_t count);

/* `interval` is in instructions by their numbers in their thread; STELE_ERR_ARGUMENT: it is 0. */
STELE_API stele_status stele_insn_bbv_new(uint64_t interval, stele_insn_bbv_fn *take, void *user,
                                          stele_insn_bbv **bbv);
STELE_API void stele_insn_bbv_free(stele_insn_bbv *bbv);
STELE_API stele_status stele_insn_bbv_add(stele_insn_bbv *bbv, const stele_insn_batch *batch);

/* Gives the last interval, which may be shorter. */
STELE_API stele_status stele_insn_bbv_finish(stele_insn_bbv *bbv);

/* A block by its number; false past the last. */
STELE_API bool stele_insn_bbv_get_block(const stele_insn_bbv *bbv, size_t number,
                                        stele_insn_bbv_block *block);

/* ---- Image: the memory before a run of instructions, as far as they show it ---- */

/* What a byte holds when it is read, or executed, before it is written. */
typedef struct stele_insn_image stele_insn_image;

#define STELE_INSN_IMAGE_PAGE_SIZE 4096u

typedef struct stele_insn_image_page {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t address;     /* a multiple of the size of a page */
    const uint8_t *bytes; /* a page of them; 0 where it is not known what they held */
    uint64_t known_count; /* bytes of which it is known */
    uint64_t taken_count; /* bytes that are known, or were written first */
    bool is_executed;
} stele_insn_image_page;

/* The registers with which a thread begins, for an ELF core. */
typedef struct stele_insn_thread_state {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t number;    /* of the thread */
    uint64_t pc;
    uint64_t x[32]; /* x0 to x30, and the stack pointer */
    uint64_t nzcv, fpcr, fpsr;
    uint8_t v[32][16];
} stele_insn_thread_state;

/* Takes bytes of a file, in order. */
typedef stele_status stele_insn_write_fn(void *user, const void *bytes, size_t size);

STELE_API stele_status stele_insn_image_new(stele_insn_image **image);
STELE_API void stele_insn_image_free(stele_insn_image *image);

/* Wants accesses. */
STELE_API stele_status stele_insn_image_add(stele_insn_image *image, const stele_insn_batch *batch);

/* Pages by address. After it no batch may be added (STELE_ERR_ARGUMENT). */
STELE_API stele_status stele_insn_image_rows(stele_insn_image *image, size_t *count);
STELE_API bool stele_insn_image_get(const stele_insn_image *image, size_t index,
                                    stele_insn_image_page *page);

/* Bytes that another thread saw differently: another one has written them before, and the trace
   does not say who was first. */
STELE_API uint64_t stele_insn_image_conflict_count(const stele_insn_image *image);

/*
 * Writes the pages as an ELF core of Linux on AArch64, with the registers of `threads` as its
 * notes. To be called after stele_insn_image_rows(). All of `threads` have the size of the first.
 * What `write` gives instead of STELE_OK ends it, and is what it gives. STELE_ERR_UNSUPPORTED: the
 * memory lies in more pieces than an ELF core can have.
 */
STELE_API stele_status stele_insn_image_write_core(const stele_insn_image *image,
                                                   const stele_insn_thread_state *threads,
                                                   size_t thread_count, stele_insn_write_fn *write,
                                                   void *user);

/* ---- Snapshots of registers ---- */

/* System registers of a snapshot. */
typedef enum stele_insn_system_register {
    STELE_INSN_FPCR,
    STELE_INSN_FPSR,
    STELE_INSN_NZCV,
    STELE_INSN_TPIDR_EL0,
    STELE_INSN_TPIDRRO_EL0,
    STELE_INSN_TTBR0_EL1,
    STELE_INSN_ELR_EL1,
    STELE_INSN_SPSR_EL1,
    STELE_INSN_ESR_EL1,
    STELE_INSN_TPIDR_EL1,
    STELE_INSN_DAIF,
    STELE_INSN_SYSTEM_REGISTER_COUNT
} stele_insn_system_register;

/* The library allocates it; it and its texts hold during the call of the callback. */
typedef struct stele_insn_snapshot {
    uint64_t thread;      /* number of the thread or core */
    uint64_t number;      /* counted in its thread from 0 */
    uint64_t total_count; /* instructions before it */
    uint64_t user_count;  /* instructions of user mode among them */
    uint64_t vl_bits;     /* length of a vector of SVE, in bits */
    uint64_t x[32];       /* x0 to x30, and the stack pointer */
    uint64_t system[STELE_INSN_SYSTEM_REGISTER_COUNT];
    stele_text z, p, ffr, za; /* bytes, as they stand in the trace */
} stele_insn_snapshot;

/* STELE_END ends reading early. */
typedef stele_status stele_insn_snapshot_fn(void *user, const stele_insn_snapshot *snapshot);

/* The snapshots that a segment of events has, in its order; those of a reader that was opened with
   stele_insn_snapshot_request(). */
STELE_API stele_status stele_insn_take_snapshots(const stele_context *context,
                                                 const stele_segment *segment,
                                                 stele_insn_snapshot_fn *take, void *user);

/* What to ask a reader for. */
STELE_API void stele_insn_snapshot_request(stele_request *request);

/* "fpcr"; "" out of range. Any thread may call it. */
STELE_API const char *stele_insn_system_register_text(stele_insn_system_register number);

/* ---- What an instruction wrote ---- */

#define STELE_INSN_WRITES_MAX 4u
#define STELE_INSN_SP         31u

typedef struct stele_insn_write {
    uint64_t value;
    uint8_t reg; /* Xn; STELE_INSN_SP: the stack pointer */
} stele_insn_write;

/*
 * What an instruction left in general registers, as far as its own record has it: loads (with what
 * they add to their base), MRS, the result of exclusive stores, constants and addresses made from
 * the program counter, the return address of calls. Wants accesses and values. Gives how many.
 */
STELE_API size_t stele_insn_find_writes(const stele_insn_batch *batch, const stele_insn *insn,
                                        stele_insn_write list[STELE_INSN_WRITES_MAX]);

/* ---- Totals: how much of what a stream holds ---- */

/* Counts the instructions, accesses and system calls of a stream as its events would be, without
   making events. */
typedef struct stele_insn_totals stele_insn_totals;

STELE_API stele_status stele_insn_totals_new(stele_insn_totals **totals);
STELE_API void stele_insn_totals_free(stele_insn_totals *totals);

/* Forgets all that was added. */
STELE_API void stele_insn_totals_clear(stele_insn_totals *totals);

/* Wants all accesses, values and snapshots. */
STELE_API stele_status stele_insn_totals_add(stele_insn_totals *totals,
                                             const stele_insn_batch *batch);

/* `from` is of what comes after `to`. */
STELE_API stele_status stele_insn_totals_merge(stele_insn_totals *to,
                                               const stele_insn_totals *from);

/* How many instructions were added. */
STELE_API uint64_t stele_insn_totals_count(const stele_insn_totals *totals);

/* Adds the events of a whole stream to a summary. `stats` is what reading gave for the stream. */
STELE_API stele_status stele_insn_totals_summarise(const stele_insn_totals *totals,
                                                   const stele_insn_stats *stats, uint32_t track,
                                                   stele_summary *sum);

#ifdef __cplusplus
}
#endif
#endif
