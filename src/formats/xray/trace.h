/* SPDX-License-Identifier: Apache-2.0 */
/* An opened XRay trace: its header, and what the pass over its buffers found. */
#ifndef XRAY_TRACE_H
#define XRAY_TRACE_H

#include <stele/xray.h>

#include "core/clock.h"
#include "core/window.h"
#include "formats/xray/codes.h"
#include "model/trace.h"

typedef enum xray_mode { XRAY_MODE_FDR, XRAY_MODE_BASIC, XRAY_MODE_PROFILE } xray_mode;

/* A thread of a process: what is a stream here. */
typedef struct xray_thread {
    uint32_t pid, tid;
    uint32_t track;    /* of the thread; its parent is the process */
    uint32_t stream;   /* in the context */
    uint64_t last_tsc; /* of the buffers met so far, in file order */
    uint64_t wrapped;  /* offset of the first that is older than the one before it; 0: there is none
                        */
} xray_thread;

/* A run of records of one thread: an FDR buffer, or neighbouring basic-mode records. */
typedef struct xray_range {
    uint64_t begin, end; /* offsets of the first record and after the last byte */
    uint64_t first_tsc;
    uint64_t last_tsc;   /* of basic-mode records, once indexed */
    uint64_t repeat_end; /* records up to here repeat others: FORMAT.md "Forks" */
    uint32_t thread;     /* in the trace's table */
    bool is_cut;         /* the file ends before the buffer does */
} xray_range;

/* The names of functions of the program (0) or a shared object: FORMAT.md "Function ids". */
typedef struct xray_object {
    stele_name *names; /* by function; 0: not yet known */
    uint32_t count;
} xray_object;

/* Before any function of an object is known, those with numbers below this are believed. */
#define XRAY_FUNCTIONS_LIKELY (1u << 12)

#define XRAY_OBJECTS (1u << (32 - STELE_XRAY_OBJECT_SHIFT))

typedef struct xray_trace {
    stele_trace base;
    stele_xray_header header; /* of the first file header */
    xray_mode mode;
    uint64_t buffer_size; /* version 1: of each buffer; 0: not known */
    tick_rate rate;
    stele_clock clock;

    xray_thread *threads;
    uint32_t thread_count, thread_capacity;
    hash_table thread_numbers; /* by pid and tid */

    stele_balance outside; /* of the bytes in no range, once indexed */
    xray_range *ranges;    /* by thread, then by first_tsc, once indexed */
    size_t range_count, range_capacity;
    bool has_findings; /* indexing reported what a saved index would not */

    xray_object objects[XRAY_OBJECTS];
    uint32_t function_name_count; /* of all objects' tables */
    stele_name name_custom, name_typed, name_data, name_type, name_arg[8];
    stele_name name_path, name_calls, name_ticks; /* of profiles */
    uint32_t profile_pid;
} xray_trace;

/* The thread's number in the table, UINT32_MAX when memory is exhausted. Adds track and stream. */
uint32_t xray_trace_thread(xray_trace *trace, uint32_t pid, uint32_t tid);

/* For the index: the threads that are known already get streams that count as found by it. Returns
   false if out of memory. */
bool xray_trace_keep_threads(xray_trace *trace);

/* The name of a function that was met before; 0 if it is not in the tables. */
static inline stele_name xray_trace_known(const xray_trace *trace, uint32_t function)
{
    const xray_object *of = &trace->objects[function >> STELE_XRAY_OBJECT_SHIFT];
    const uint32_t number = function & STELE_XRAY_FUNCTION_MASK;
    return number < of->count ? of->names[number] : 0;
}

/* The name of a function that is not known, which is put in the tables with `keeps`, if there is
   room. UINT32_MAX when memory is exhausted. */
stele_name xray_trace_learn(xray_trace *trace, stele_batch *batch, uint32_t function, bool keeps);

/* Has records of functions with such numbers count as sound, for those who need no names. False
   when memory is exhausted. */
bool xray_trace_reserve(xray_trace *trace, uint32_t function);

static inline stele_name xray_trace_function(xray_trace *trace, stele_batch *batch,
                                             uint32_t function)
{
    const stele_name known = xray_trace_known(trace, function);
    return known != 0 ? known : xray_trace_learn(trace, batch, function, true);
}

stele_status xray_index(stele_trace *trace);

/* The same from what was kept of it. */
stele_status xray_save_index(stele_trace *trace, output *out);
stele_status xray_load_index(stele_trace *trace, const uint8_t *bytes, size_t size);

/* Buffers of threads that stand against the order of time: the ring ran full. */
void xray_report_wrapped(xray_trace *trace);

/* Logs of one process on one machine have one counter. Versions without process ids do not say so.
 */
void xray_identify_clock(const xray_trace *trace);

/* Finds the records that repeat those of a range before or of a trace opened before. The ranges are
   sorted. STELE_ERR_MEMORY, STELE_ERR_READ. */
stele_status xray_find_repeats(xray_trace *trace);

/* The ranges of a stream in the trace's table, once indexed; none for PRODUCE_ALL. */
void xray_ranges_of(const xray_trace *trace, uint32_t stream, size_t *first, size_t *end);

/* Of the ranges from *range to `end`, the one that has a position, which counts the bytes of all of
   them from 0; `*rest` is how far in it that is. False: it is after them. */
bool xray_ranges_find(const xray_trace *trace, size_t *range, size_t end, uint64_t position,
                      uint64_t *rest);

/* Bytes that show what begins: extents, new buffer, wall time, pid, new CPU. */
#define XRAY_HEAD_SIZE 80u

/* Finds buffers one after the other in file order. */
typedef struct xray_locator {
    xray_trace *trace;
    uint64_t next;    /* where the next buffer is expected */
    uint64_t skipped; /* bytes that were no buffers, so far */
    bool is_quiet;    /* what is wrong was reported before */
} xray_locator;

/*
 * The next buffer; `w` is then at its first record. STELE_END after the last. Reports what is not
 * as it should be. On a sequential input `w` must stay within the buffer until the next call.
 */
stele_status xray_locate(xray_locator *locator, window *w, xray_range *range);

/* Whether what stands at `at`, after a buffer, is a buffer or a header. */
bool xray_ends_well(const xray_trace *trace, const uint8_t *at, size_t left);

/* Whether a buffer begins at `at`, as far as `left` bytes can tell. */
bool xray_is_buffer(const xray_trace *trace, const uint8_t *at, size_t left);

#endif
