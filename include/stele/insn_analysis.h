/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of instructions. Each is a handle that takes batches from a reader by its `_add`
 * function; its `_take` function does the same as the `take` of a consumer whose `user` is the
 * handle. Hidden instructions are not counted. An `_add` whose comment says "needs accesses" or
 * "needs values" takes batches of a reader with wants_accesses or wants_values.
 *
 *     stele_insn_mix_row row = STELE_INIT(stele_insn_mix_row);
 *     size_t count;
 *     ... stele_insn_mix_new(), and stele_insn_mix_add() for each batch ...
 *     if (stele_insn_mix_rows(mix, &count) == STELE_OK)
 *         for (size_t i = 0; stele_insn_mix_get(mix, i, &row); i++)
 *             look_at(&row);
 *
 * Rows belong to the handle. A `_rows` function makes and sorts them, and gives their number. A
 * `_get` function copies row `index`; it returns false past the last row, and if `_rows` was not
 * called since the last batch was added. Pointers in a row hold until the next batch is added or
 * the handle is freed. Handles may be freed at any time; a `_free` function takes NULL.
 *
 * Errors: a `_new`, `_add`, `_merge`, `_rows`, `_end_stream` or `_finish` function returns
 * STELE_ERR_MEMORY if out of memory; after that the handle can only be freed. A callback that
 * returns another status than STELE_OK ends the call of the library, which returns that status.
 *
 * One thread at a time uses a handle. Different handles are independent, unless their callbacks
 * share data.
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

/* How often one opcode, or the instruction at one address, was executed. */
typedef struct stele_insn_mix_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t opcode;    /* of STELE_INSN_MIX_OPCODE; else 0 */
    uint8_t level;      /* exception level, of STELE_INSN_MIX_OPCODE; else 0 */
    uint64_t count;
    uint64_t pc; /* of STELE_INSN_MIX_PC; UINT64_MAX: all instructions whose address is not known */
} stele_insn_mix_row;

STELE_API stele_status stele_insn_mix_new(stele_insn_mix_key key, stele_insn_mix **mix);
STELE_API void stele_insn_mix_free(stele_insn_mix *mix);
STELE_API stele_status stele_insn_mix_add(stele_insn_mix *mix, const stele_insn_batch *batch);

/* Adds the counts of another mix with the same key, as when forks of a consumer are joined. */
STELE_API stele_status stele_insn_mix_merge(stele_insn_mix *to, const stele_insn_mix *from);

/* Sorts the rows by count, the largest first, and gives their number. */
STELE_API stele_status stele_insn_mix_rows(stele_insn_mix *mix, size_t *count);
STELE_API bool stele_insn_mix_get(const stele_insn_mix *mix, size_t index, stele_insn_mix_row *row);

/* ---- Blocks: runs of instructions as they were executed ---- */

/* A block ends at an instruction that can jump, where the next instruction is not the next one in
   memory, and where an address is a multiple of 16 KiB: so no block is longer than that, and a
   trace that is read in parts has the same blocks. */
typedef struct stele_insn_blocks stele_insn_blocks;

/* One block. */
typedef struct stele_insn_block_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;        /* address of its first instruction */
    uint64_t count;     /* how often it was executed */
    const uint32_t *opcodes;
    uint32_t insn_count; /* number of opcodes, at least 1 */
    uint8_t level;       /* exception level */
} stele_insn_block_row;

/* Makes a handle. `is_part`: instructions before the first batch may be in another handle, as for
   the forks of a consumer. */
STELE_API stele_status stele_insn_blocks_new(bool is_part, stele_insn_blocks **blocks);
STELE_API void stele_insn_blocks_free(stele_insn_blocks *blocks);
STELE_API stele_status stele_insn_blocks_add(stele_insn_blocks *blocks,
                                             const stele_insn_batch *batch);

/* Ends the open block: to be called after the last batch of each stream. */
STELE_API stele_status stele_insn_blocks_end_stream(stele_insn_blocks *blocks);

/* Adds the blocks of the part that directly follows `to` in the trace. */
STELE_API stele_status stele_insn_blocks_merge(stele_insn_blocks *to,
                                               const stele_insn_blocks *part);

/* Sorts the rows by number of executed instructions (count * insn_count), the largest first, and
   gives their number. */
STELE_API stele_status stele_insn_blocks_rows(stele_insn_blocks *blocks, size_t *count);
STELE_API bool stele_insn_blocks_get(const stele_insn_blocks *blocks, size_t index,
                                     stele_insn_block_row *row);

/* ---- Branches: how often they were taken, and where indirect ones went ---- */

typedef struct stele_insn_branches stele_insn_branches;

/* One branch instruction. */
typedef struct stele_insn_branch_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;
    uint64_t count;        /* how often the branch was executed */
    uint64_t taken_count;  /* conditional branch: how often it jumped */
    uint64_t change_count; /* how often its direction or target differed from the time before */
    /* How often an exception, damage or the end of the trace hides where it went. */
    uint64_t unknown_count;
    uint32_t opcode;
    stele_a64_branch branch;
    size_t target_count; /* indirect branch: number of its different targets */
} stele_insn_branch_row;

/* A target of an indirect branch, and how often it went there. */
typedef struct stele_insn_target_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc, count;
} stele_insn_target_row;

STELE_API stele_status stele_insn_branches_new(stele_insn_branches **branches);
STELE_API void stele_insn_branches_free(stele_insn_branches *branches);

/* Needs values: a target that they hold counts even if an exception follows the branch. */
STELE_API stele_status stele_insn_branches_add(stele_insn_branches *branches,
                                               const stele_insn_batch *batch);

/* Ends a stream: the next batch does not follow the last one. To be called after the last batch of
   each stream. */
STELE_API stele_status stele_insn_branches_end_stream(stele_insn_branches *branches);

/* Sorts the rows by count, the largest first, and gives their number. */
STELE_API stele_status stele_insn_branches_rows(stele_insn_branches *branches, size_t *count);
STELE_API bool stele_insn_branches_get(const stele_insn_branches *branches, size_t index,
                                       stele_insn_branch_row *row);

/* Gives target `target` of row `index`; the most frequent is target 0. Returns false past the
   last. */
STELE_API bool stele_insn_branches_get_target(const stele_insn_branches *branches, size_t index,
                                              size_t target, stele_insn_target_row *row);

/* ---- Calls: functions as BEGIN and END events ---- */

/*
 * Makes BEGIN and END events of function calls, whose times are numbers of instructions, so that
 * analyses of calls can take them. A call instruction pushes its return address; a return goes to
 * the nearest frame that waits for its target. A branch to the start of another function is a tail
 * call: that function replaces the one that left. An exception is a call of its handler, until the
 * exception level falls back; so is a jump without a branch, as to a handler of signals.
 */
typedef struct stele_insn_calls stele_insn_calls;

/* Open calls that are followed; deeper ones are counted by stele_insn_calls_cut_count(). */
#define STELE_INSN_CALLS_DEPTH_MAX 65536u

/* Returns the name of the function that an address lies in, UINT32_MAX if out of memory; `*start`
   is the function's first address, 0 if not known. */
typedef stele_name stele_insn_name_fn(void *user, uint64_t pc, uint64_t *start);

/* Takes events of one track, in the order of time. The segment holds during the call. */
typedef stele_status stele_insn_emit_fn(void *user, const stele_segment *segment);

typedef struct stele_insn_calls_options {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_name_fn *name; /* must be given */
    void *name_user;
    stele_insn_emit_fn *emit; /* must be given */
    void *emit_user;
} stele_insn_calls_options;

/* Makes a handle. The caller frees it with stele_insn_calls_free(). STELE_ERR_ARGUMENT: a callback
   is missing. */
STELE_API stele_status stele_insn_calls_new(const stele_insn_calls_options *options,
                                            stele_insn_calls **calls);
STELE_API void stele_insn_calls_free(stele_insn_calls *calls);

/* Takes a batch; needs neither accesses nor values. Hidden instructions take no time. */
STELE_API stele_status stele_insn_calls_add(stele_insn_calls *calls, const stele_insn_batch *batch);

/* Ends all open calls and passes on the last events. To be called after the last batch of each
   stream. */
STELE_API stele_status stele_insn_calls_end_stream(stele_insn_calls *calls);

/* How many calls were not followed, because they were deeper than STELE_INSN_CALLS_DEPTH_MAX. */
STELE_API uint64_t stele_insn_calls_cut_count(const stele_insn_calls *calls);

/* ---- Footprint: how much memory is read, written and executed ---- */

typedef struct stele_insn_footprint stele_insn_footprint;

/* Units of memory in which a footprint is counted: cache lines and pages. */
typedef enum stele_insn_unit {
    STELE_INSN_LINE_64,
    STELE_INSN_PAGE_4K,
    STELE_INSN_PAGE_64K,
    STELE_INSN_PAGE_2M,
    STELE_INSN_UNIT_COUNT
} stele_insn_unit;

/* How many different units of one size were touched. any_count has each unit once, regardless of
   how it was touched. */
typedef struct stele_insn_footprint_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t unit_size; /* in bytes */
    uint64_t read_count, written_count, executed_count, any_count;
} stele_insn_footprint_row;

/* A stretch of instructions of one thread, of the length that stele_insn_footprint_new() got. */
typedef struct stele_insn_interval_row {
    size_t struct_size;           /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t track;               /* see stele_track_get() */
    uint64_t first;               /* number of the first instruction, in its stream */
    uint64_t insn_count;          /* how many instructions of it were in batches */
    uint64_t new_line_count;      /* lines of 64 bytes that the thread had not touched before */
    uint64_t line_count;          /* lines of 64 bytes that were read, written or executed */
    uint64_t read_line_count;     /* lines of 64 bytes that were read */
    uint64_t written_line_count;  /* lines of 64 bytes that were written */
    uint64_t executed_line_count; /* lines of 64 bytes that were executed */
    uint64_t unit_counts[STELE_INSN_UNIT_COUNT]; /* units that were touched, by stele_insn_unit */
} stele_insn_interval_row;

/* `interval` is the length of intervals in instructions of a thread, counted by their numbers; 0:
   no intervals. */
STELE_API stele_status stele_insn_footprint_new(uint64_t interval,
                                                stele_insn_footprint **footprint);
STELE_API void stele_insn_footprint_free(stele_insn_footprint *footprint);

/* Takes a batch; needs accesses. With intervals, batches of a thread must come in their order. */
STELE_API stele_status stele_insn_footprint_add(stele_insn_footprint *footprint,
                                                const stele_insn_batch *batch);

/* Adds another footprint. Both must be without intervals. */
STELE_API stele_status stele_insn_footprint_merge(stele_insn_footprint *to,
                                                  const stele_insn_footprint *from);

/* Gives the counts of a unit. Returns false if `unit` is not a valid unit. */
STELE_API bool stele_insn_footprint_get(const stele_insn_footprint *footprint, stele_insn_unit unit,
                                        stele_insn_footprint_row *row);

/* Ends the last interval and gives the number of intervals. No batch may be added afterwards. */
STELE_API stele_status stele_insn_footprint_finish(stele_insn_footprint *footprint, size_t *count);

/* Gives an interval by index, in the order of the trace. Returns false past the last. */
STELE_API bool stele_insn_footprint_get_interval(const stele_insn_footprint *footprint,
                                                 size_t index, stele_insn_interval_row *row);

/* ---- Sharing: which lines of 64 bytes several threads use ---- */

typedef struct stele_insn_sharing stele_insn_sharing;

/* How several threads use a line. */
typedef enum stele_insn_sharing_kind {
    STELE_INSN_SHARING_PRIVATE, /* one thread uses the line */
    STELE_INSN_SHARING_READ,    /* several threads read the line, and none writes it */
    /* Several threads use the line; one writes bytes that others use. */
    STELE_INSN_SHARING_ONE_WRITER,
    STELE_INSN_SHARING_MANY_WRITERS, /* several threads write bytes of the line that others use */
    /* False sharing: several threads use the line and at least one writes it, but nearly all bytes
       are used by one thread only. */
    STELE_INSN_SHARING_FALSE,
    STELE_INSN_SHARING_KIND_COUNT
} stele_insn_sharing_kind;

/* A line that several threads use. */
typedef struct stele_insn_sharing_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t address;   /* of the line's first byte */
    /* Threads that read, and that write, the line: 64 threads are distinguished, all others count
       as one. */
    uint32_t reader_count, writer_count;
    uint64_t read_count, write_count;
    stele_insn_sharing_kind kind;
} stele_insn_sharing_row;

/* Sums over all lines of one kind. */
typedef struct stele_insn_sharing_total {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t line_count;
    uint64_t read_count, write_count; /* accesses to these lines */
} stele_insn_sharing_total;

STELE_API stele_status stele_insn_sharing_new(stele_insn_sharing **sharing);
STELE_API void stele_insn_sharing_free(stele_insn_sharing *sharing);

/* Takes a batch; needs accesses. Threads may come in any order; the result does not depend on
   it. */
STELE_API stele_status stele_insn_sharing_add(stele_insn_sharing *sharing,
                                              const stele_insn_batch *batch);

/* How many threads were added. */
STELE_API uint64_t stele_insn_sharing_thread_count(const stele_insn_sharing *sharing);

/* Judges all lines, and gives the number of rows: lines that several threads use and at least one
   writes, sorted by accesses, the largest first. */
STELE_API stele_status stele_insn_sharing_rows(stele_insn_sharing *sharing, size_t *count);
STELE_API bool stele_insn_sharing_get(const stele_insn_sharing *sharing, size_t index,
                                      stele_insn_sharing_row *row);

/* Gives the sums of one kind after stele_insn_sharing_rows(). Returns false if `kind` is not valid,
   or batches were added since. */
STELE_API bool stele_insn_sharing_get_total(const stele_insn_sharing *sharing,
                                            stele_insn_sharing_kind kind,
                                            stele_insn_sharing_total *total);

/* ---- Strides: how far an instruction steps through memory from one execution to the next ---- */

typedef struct stele_insn_strides stele_insn_strides;

/* The strides of one instruction that accesses memory: differences between the addresses of its
   first access in one execution and in the next. */
typedef struct stele_insn_stride_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc;
    uint64_t access_count;
    /* Strides that equal the one before: a stride prefetcher foresees them. */
    uint64_t repeat_count;
    int64_t stride;        /* the most frequent stride, in bytes; valid if stride_count is not 0 */
    uint64_t stride_count; /* how often `stride` occurred */
    /* stride_count is a lower bound, since there were too many different strides to count. */
    bool is_count_least;
    bool is_store;
    uint32_t size; /* of the first access, in bytes */
} stele_insn_stride_row;

STELE_API stele_status stele_insn_strides_new(stele_insn_strides **strides);
STELE_API void stele_insn_strides_free(stele_insn_strides *strides);

/* Takes a batch; needs accesses. */
STELE_API stele_status stele_insn_strides_add(stele_insn_strides *strides,
                                              const stele_insn_batch *batch);

/* Sorts the rows by number of accesses, the largest first, and gives their number. */
STELE_API stele_status stele_insn_strides_rows(stele_insn_strides *strides, size_t *count);
STELE_API bool stele_insn_strides_get(const stele_insn_strides *strides, size_t index,
                                      stele_insn_stride_row *row);

/* ---- Reuse: how many other lines were touched since the last touch of a line ---- */

/* Counts reuse distances. A fully associative LRU cache of N lines hits exactly the accesses with a
   distance below N. Each thread is counted for itself. */
typedef struct stele_insn_reuse stele_insn_reuse;

#define STELE_INSN_REUSE_BUCKET_COUNT 65u /* classes of distances */

typedef struct stele_insn_reuse_counts {
    size_t struct_size;    /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t access_count; /* lines that were touched, counted each time */
    uint64_t cold_count;   /* lines touched for the first time */
    /* Accesses by distance: bucket 0 is of distance 0, bucket n of 2^(n-1) to 2^n - 1. */
    uint64_t buckets[STELE_INSN_REUSE_BUCKET_COUNT];
} stele_insn_reuse_counts;

/* Makes a handle. Lines have `line_size` bytes, a power of two from 8 on. One of `sample` lines is
   measured, chosen by a hash of its address, and counts for the others; 1 is exact.
   STELE_ERR_ARGUMENT: a value is not valid. */
STELE_API stele_status stele_insn_reuse_new(uint32_t line_size, uint64_t sample,
                                            stele_insn_reuse **reuse);
STELE_API void stele_insn_reuse_free(stele_insn_reuse *reuse);

/* Takes a batch; needs accesses. */
STELE_API stele_status stele_insn_reuse_add(stele_insn_reuse *reuse, const stele_insn_batch *batch);
STELE_API void stele_insn_reuse_get(const stele_insn_reuse *reuse, stele_insn_reuse_counts *counts);

/* ---- Cache: what caches and TLBs would hit and miss ---- */

/*
 * Simulates caches and TLBs. Each thread has all of them to itself, empty when it begins.
 *
 *     instruction -> L1I -+
 *                         +-> L2 -> L3 -> memory         ITLB, DTLB -> L2 TLB -> page tables
 *     data        -> L1D -+
 *
 * Levels are neither inclusive nor exclusive: a line that misses is put into every level on its
 * way, and each level evicts lines on its own. A dirty line that is evicted is written to the next
 * level, which takes it without reading it from below.
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
    /* pseudo-LRU with a tree of bits; the ways must be a power of two, 64 at most. */
    STELE_INSN_CACHE_PLRU,
    STELE_INSN_CACHE_RANDOM,
    STELE_INSN_CACHE_FIFO,
    STELE_INSN_CACHE_POLICY_COUNT
} stele_insn_cache_policy;

/* Size, ways and replacement policy of one cache or TLB. */
typedef struct stele_insn_cache_geometry {
    /* Bytes of a cache, entries of a TLB; 0: it does not exist, which only L2, L3 and L2TLB can be.
       The number of sets must be a power of two. */
    uint64_t size;
    uint32_t ways;
    stele_insn_cache_policy policy;
} stele_insn_cache_geometry;

typedef struct stele_insn_cache_config {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    stele_insn_cache_geometry of[STELE_INSN_CACHE_COUNT];
    uint32_t line_size;    /* in bytes, a power of two from 8 on */
    uint32_t page_size;    /* in bytes, a power of two from 4096 on */
    bool is_write_through; /* stores go to the next level at once, and no line of L1D is dirty */
    bool is_write_around;  /* a store that misses L1D does not put the line into it */
    bool has_next_line;    /* a miss in L1 also fetches the next line */
    uint64_t warmup; /* number of instructions at the start of each thread that do not count */
} stele_insn_cache_config;

/* What one cache did. Each instruction counts as a read of L1I and ITLB. Below L1, reads are lines
   that are fetched, and writes are lines that are written back or through. */
typedef struct stele_insn_cache_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t read_count, read_miss_count, write_count, write_miss_count;
    uint64_t prefetch_count; /* lines that were requested before they were needed */
    /* Of the prefetched lines, those that were then read or written while in this cache. */
    uint64_t useful_prefetch_count;
    uint64_t write_back_count; /* dirty lines that were evicted */
} stele_insn_cache_row;

/* Makes a handle. The caller frees it with stele_insn_cache_free(). STELE_ERR_ARGUMENT: a size is
   not valid, and `*wrong` is its cache; STELE_INSN_CACHE_COUNT: line_size or page_size. */
STELE_API stele_status stele_insn_cache_new(const stele_insn_cache_config *config,
                                            stele_insn_cache **cache, stele_insn_cache_id *wrong);
STELE_API void stele_insn_cache_free(stele_insn_cache *cache);

/* Takes a batch; needs accesses. Always returns STELE_OK; it has a status so that it can be the
   `take` of a consumer. */
STELE_API stele_status stele_insn_cache_add(stele_insn_cache *cache, const stele_insn_batch *batch);

/* To be called after the last batch. `*insn_count` becomes the number of instructions that
   count. */
STELE_API void stele_insn_cache_finish(stele_insn_cache *cache, uint64_t *insn_count);

/* Gives the counts of one cache. Returns false if `id` is not valid, or the cache does not
   exist. */
STELE_API bool stele_insn_cache_get(const stele_insn_cache *cache, stele_insn_cache_id id,
                                    stele_insn_cache_row *row);

/* ---- System calls of an instruction trace ---- */

/* Combines arguments, vectors and results of system calls, and counts the calls by number. */
typedef struct stele_insn_syscalls stele_insn_syscalls;

#define STELE_SYSCALL_ARGUMENTS_MAX 6u

/* A buffer that a system call passes to the kernel. */
typedef struct stele_insn_vector {
    uint64_t address, size;
} stele_insn_vector;

/* One system call. The library owns it, and it holds during the callback. */
typedef struct stele_insn_syscall {
    uint32_t track;       /* see stele_track_get() */
    uint64_t insn_number; /* number of the SVC instruction in its stream */
    uint64_t pc;
    bool has_call;
    uint64_t call; /* number of the system call; valid with has_call */
    uint64_t arguments[STELE_SYSCALL_ARGUMENTS_MAX];
    uint32_t argument_count; /* arguments that the trace has */
    bool has_result;
    uint64_t result; /* valid with has_result */
    /* Instructions from the SVC to the result, both included; valid with has_result. */
    uint64_t insn_count;
    uint32_t error; /* error number of Linux, such as 2 for ENOENT; 0: no error */
    uint32_t vector_count;
    const stele_insn_vector *vectors;
} stele_insn_syscall;

/* All calls of one system call. */
typedef struct stele_insn_syscall_row {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_call;
    uint64_t call; /* number of the system call; without has_call the trace does not have it */
    uint64_t count, error_count;
    uint64_t unfinished_count; /* calls without a result */
    uint64_t insn_count;       /* instructions of the calls with a result */
} stele_insn_syscall_row;

/* Receives a system call when its result is known, or when it is known to have none. */
typedef stele_status stele_insn_syscall_fn(void *user, const stele_insn_syscall *call);

/* `take` may be NULL. The caller frees the handle with stele_insn_syscalls_free(). */
STELE_API stele_status stele_insn_syscalls_new(stele_insn_syscall_fn *take, void *user,
                                               stele_insn_syscalls **syscalls);
STELE_API void stele_insn_syscalls_free(stele_insn_syscalls *syscalls);

/* Takes a batch; needs values. */
STELE_API stele_status stele_insn_syscalls_add(stele_insn_syscalls *syscalls,
                                               const stele_insn_batch *batch);

/* Passes on the system call that is still open. To be called after the last batch. */
STELE_API stele_status stele_insn_syscalls_finish(stele_insn_syscalls *syscalls);

/* How many results and vectors belong to no system call. */
STELE_API uint64_t stele_insn_syscalls_stray_count(const stele_insn_syscalls *syscalls);

/* Sorts the rows by number of calls, the largest first, and gives their number. */
STELE_API stele_status stele_insn_syscalls_rows(stele_insn_syscalls *syscalls, size_t *count);
STELE_API bool stele_insn_syscalls_get(const stele_insn_syscalls *syscalls, size_t index,
                                       stele_insn_syscall_row *row);

/* Gives the name of a system call of Linux on AArch64. Returns NULL if it is not known. May be
   called on any thread. */
STELE_API const char *stele_syscall_name(uint64_t call);

/* Gives name and type of argument `index` of a system call. Types are 'd' int, 'l' long, 'u'
   unsigned, 'o' octal, 'x' hexadecimal, 's' the address of a string, 'p' another address. Returns
   false past the last argument. May be called on any thread. */
STELE_API bool stele_syscall_argument(uint64_t call, size_t index, stele_text *name, char *type);

/* Gives the type of a system call's result, as stele_syscall_argument() does of arguments; 0 if the
   call is not known. */
STELE_API char stele_syscall_result_type(uint64_t call);

/* Gives the name of an error number: "ENOENT" for 2. Returns NULL if it is not known. */
STELE_API const char *stele_syscall_error_name(uint64_t error);

/* ---- Basic-block vectors for SimPoint ---- */

/* Counts, for every interval of instructions of a thread, how many of them were executed in each
   basic block. A block begins where the instruction before it can jump, or is not the one before it
   in memory. It is identified by its first address, and ends where the next block begins. */
typedef struct stele_insn_bbv stele_insn_bbv;

/* One basic block. */
typedef struct stele_insn_bbv_block {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t pc; /* address of the block; UINT64_MAX: all instructions whose address is not known */
    uint64_t insn_count; /* instructions executed in the block in the current interval */
} stele_insn_bbv_block;

/* Receives an interval of a track: the numbers of its blocks, from 0, in ascending order. They hold
   during the call; stele_insn_bbv_get_block() gives the blocks. */
typedef stele_status stele_insn_bbv_fn(void *user, const stele_insn_bbv *bbv, uint32_t track,
                                       const uint32_t *blocks, size_t count);

/* `interval` is the length of intervals in instructions, by their numbers in their thread.
   STELE_ERR_ARGUMENT: it is 0. */
STELE_API stele_status stele_insn_bbv_new(uint64_t interval, stele_insn_bbv_fn *take, void *user,
                                          stele_insn_bbv **bbv);
STELE_API void stele_insn_bbv_free(stele_insn_bbv *bbv);
STELE_API stele_status stele_insn_bbv_add(stele_insn_bbv *bbv, const stele_insn_batch *batch);

/* Passes on the last interval of each thread, which may be shorter. To be called after the last
   batch. */
STELE_API stele_status stele_insn_bbv_finish(stele_insn_bbv *bbv);

/* Gives a block by its number. Returns false past the last. */
STELE_API bool stele_insn_bbv_get_block(const stele_insn_bbv *bbv, size_t number,
                                        stele_insn_bbv_block *block);

/* ---- Image: the memory before the first instruction, as far as reads show it ---- */

/* Collects what each byte holds when it is read, or executed, before it is written. */
typedef struct stele_insn_image stele_insn_image;

#define STELE_INSN_IMAGE_PAGE_SIZE 4096u /* bytes of a page of the image */

/* One page of the image. */
typedef struct stele_insn_image_page {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t address;     /* a multiple of STELE_INSN_IMAGE_PAGE_SIZE */
    const uint8_t *bytes; /* contents of the page; bytes that are not known are 0 */
    uint64_t known_count; /* bytes of the page that are known */
    uint64_t taken_count; /* bytes of the page that are known or were written first */
    bool is_executed;     /* instructions of the page were executed */
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

/* Receives the next bytes of a file. */
typedef stele_status stele_insn_write_fn(void *user, const void *bytes, size_t size);

STELE_API stele_status stele_insn_image_new(stele_insn_image **image);
STELE_API void stele_insn_image_free(stele_insn_image *image);

/* Takes a batch; needs accesses. */
STELE_API stele_status stele_insn_image_add(stele_insn_image *image, const stele_insn_batch *batch);

/* Sorts the pages by address and gives their number. No batch may be added afterwards
   (STELE_ERR_ARGUMENT). */
STELE_API stele_status stele_insn_image_rows(stele_insn_image *image, size_t *count);
STELE_API bool stele_insn_image_get(const stele_insn_image *image, size_t index,
                                    stele_insn_image_page *page);

/* How many bytes are in doubt: another thread had written them before, and the trace does not say
   which access came first. */
STELE_API uint64_t stele_insn_image_conflict_count(const stele_insn_image *image);

/*
 * Writes the pages as an ELF core of Linux on AArch64, with the registers of `threads` as its
 * notes. To be called after stele_insn_image_rows(). All of `threads` have the struct_size of the
 * first. A status other than STELE_OK from `write` ends the call, which returns it.
 * STELE_ERR_UNSUPPORTED: the memory lies in more pieces than an ELF core can have.
 */
STELE_API stele_status stele_insn_image_write_core(const stele_insn_image *image,
                                                   const stele_insn_thread_state *threads,
                                                   size_t thread_count, stele_insn_write_fn *write,
                                                   void *user);

/* ---- Snapshots of registers in a trace ---- */

/* System registers that a snapshot holds. */
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

/* One snapshot of the registers. The library owns it; it and its texts hold during the callback. */
typedef struct stele_insn_snapshot {
    uint64_t thread;      /* number of the thread or core */
    uint64_t number;      /* of the snapshot, counted in its thread from 0 */
    uint64_t total_count; /* instructions of the thread before it */
    uint64_t user_count;  /* user-mode instructions of the thread before it */
    uint64_t vl_bits;     /* length of an SVE vector, in bits */
    uint64_t x[32];       /* x0 to x30, and the stack pointer */
    uint64_t system[STELE_INSN_SYSTEM_REGISTER_COUNT];
    stele_text z, p, ffr, za; /* raw bytes of the SVE and SME registers, as in the trace */
} stele_insn_snapshot;

/* Receives a snapshot. STELE_END ends stele_insn_take_snapshots() early. */
typedef stele_status stele_insn_snapshot_fn(void *user, const stele_insn_snapshot *snapshot);

/* Passes on the snapshots in a segment of events, in their order. The reader must have been opened
   with stele_insn_snapshot_request(). */
STELE_API stele_status stele_insn_take_snapshots(const stele_context *context,
                                                 const stele_segment *segment,
                                                 stele_insn_snapshot_fn *take, void *user);

/* Sets the kinds and columns of a request to those that snapshots need. */
STELE_API void stele_insn_snapshot_request(stele_request *request);

/* "fpcr", ...; "" if `number` is not valid. May be called on any thread. */
STELE_API const char *stele_insn_system_register_text(stele_insn_system_register number);

/* ---- Registers that an instruction wrote ---- */

/* General registers that one instruction can be known to have written. */
#define STELE_INSN_WRITES_MAX 4u
#define STELE_INSN_SP         31u /* number of the stack pointer in stele_insn_write.reg */

/* A general register and its value after the instruction. */
typedef struct stele_insn_write {
    uint64_t value;
    uint8_t reg; /* n: Xn; STELE_INSN_SP: the stack pointer */
} stele_insn_write;

/*
 * Finds the values that an instruction wrote to general registers, as far as its own record has
 * them: loads (with the update of the base), MRS, the result of exclusive stores, constants and
 * addresses made from the program counter, the return address of calls. The batch needs accesses
 * and values. Returns how many it found.
 */
STELE_API size_t stele_insn_find_writes(const stele_insn_batch *batch, const stele_insn *insn,
                                        stele_insn_write list[STELE_INSN_WRITES_MAX]);

/* ---- Totals: how many events a stream would have ---- */

/* Counts the instructions, accesses and system calls of a stream as its events would be, without
   making events. */
typedef struct stele_insn_totals stele_insn_totals;

STELE_API stele_status stele_insn_totals_new(stele_insn_totals **totals);
STELE_API void stele_insn_totals_free(stele_insn_totals *totals);

/* Removes everything that was added. */
STELE_API void stele_insn_totals_clear(stele_insn_totals *totals);

/* Takes a batch; needs all accesses, values and snapshots. */
STELE_API stele_status stele_insn_totals_add(stele_insn_totals *totals,
                                             const stele_insn_batch *batch);

/* Adds the totals of the part of the stream that directly follows `to`. */
STELE_API stele_status stele_insn_totals_merge(stele_insn_totals *to,
                                               const stele_insn_totals *from);

/* How many instructions were added. */
STELE_API uint64_t stele_insn_totals_count(const stele_insn_totals *totals);

/* Adds the events of a whole stream to a summary. `stats` is the result of reading that stream. */
STELE_API stele_status stele_insn_totals_summarise(const stele_insn_totals *totals,
                                                   const stele_insn_stats *stats, uint32_t track,
                                                   stele_summary *sum);

/* ---- Analyses as consumers of instructions ---- */

#define STELE_INSN_TAKE(name)                                                                      \
    static inline stele_status stele_insn_##name##_take(void *user, const stele_insn_batch *batch) \
    {                                                                                              \
        return stele_insn_##name##_add((stele_insn_##name *)user, batch);                          \
    }
STELE_INSN_TAKE(mix)
STELE_INSN_TAKE(blocks)
STELE_INSN_TAKE(branches)
STELE_INSN_TAKE(calls)
STELE_INSN_TAKE(footprint)
STELE_INSN_TAKE(sharing)
STELE_INSN_TAKE(strides)
STELE_INSN_TAKE(reuse)
STELE_INSN_TAKE(cache)
STELE_INSN_TAKE(syscalls)
STELE_INSN_TAKE(bbv)
STELE_INSN_TAKE(image)
STELE_INSN_TAKE(totals)
#undef STELE_INSN_TAKE

#ifdef __cplusplus
}
#endif
#endif
