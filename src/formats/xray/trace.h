/* SPDX-License-Identifier: Apache-2.0 */
/* An opened XRay trace: its header, and what indexing its buffers has found. */
#ifndef XRAY_TRACE_H
#define XRAY_TRACE_H

#include <stele/xray.h>

#include "core/clock.h"
#include "core/window.h"
#include "formats/xray/codes.h"
#include "model/trace.h"

typedef enum xray_mode { XRAY_MODE_FDR, XRAY_MODE_BASIC, XRAY_MODE_PROFILE } xray_mode;

/* A thread of a process, which is a stream here. */
typedef struct xray_thread {
    uint32_t pid, tid;
    uint32_t track;    /* track of the thread; its parent is that of the process */
    uint32_t stream;   /* number of its stream in the context */
    uint64_t last_tsc; /* last counter of the buffers met so far, in file order */
    /* Offset of the first buffer that is older than the one before it; 0 if there is none. */
    uint64_t wrapped;
} xray_thread;

/* A run of records of one thread: an FDR buffer, or neighbouring basic-mode records. */
typedef struct xray_range {
    uint64_t begin, end; /* offsets of the first record and after the last byte */
    uint64_t first_tsc;
    uint64_t last_tsc;   /* last counter, of basic-mode records, once indexed */
    uint64_t repeat_end; /* offset up to which records repeat others: FORMAT.md "Forks" */
    uint32_t thread;     /* index in the trace's table of threads */
    bool is_cut;         /* the file ends before the buffer does */
} xray_range;

/* Names of the functions of the program (object 0) or of a shared object: FORMAT.md "Function
   ids". */
typedef struct xray_object {
    stele_name *names; /* by number of the function; 0 if not known yet */
    uint32_t count;
} xray_object;

/* Before any function of an object is known, functions with numbers below this count as
   plausible. */
#define XRAY_FUNCTIONS_LIKELY (1u << 12)

#define XRAY_OBJECTS (1u << (32 - STELE_XRAY_OBJECT_SHIFT))

typedef struct xray_trace {
    stele_trace base;
    stele_xray_header header; /* the first file header */
    xray_mode mode;
    uint64_t buffer_size; /* version 1: bytes of each buffer; 0 if not known */
    tick_rate rate;
    stele_clock clock;

    xray_thread *threads;
    uint32_t thread_count, thread_capacity;
    hash_table thread_numbers; /* maps the hash of pid and tid to the index of the thread */

    stele_balance outside; /* balance of the bytes outside of ranges, once indexed */
    xray_range *ranges;    /* sorted by thread and then by first_tsc, once indexed */
    size_t range_count, range_capacity;
    bool has_findings; /* indexing had findings, which a saved index would not repeat */

    xray_object objects[XRAY_OBJECTS];
    uint32_t function_name_count; /* entries in the tables of all objects */
    stele_name name_custom, name_typed, name_data, name_type, name_arg[8];
    stele_name name_path, name_calls, name_ticks; /* names of the fields of profiles */
    uint32_t profile_pid;
} xray_trace;

/* Returns the index of the thread in the table, adding it with track and stream if it is new, or
   UINT32_MAX if out of memory. */
uint32_t xray_trace_thread(xray_trace *trace, uint32_t pid, uint32_t tid);

/* Gives the threads that are known before indexing streams that count as found by the index.
   Returns false if out of memory. */
bool xray_trace_keep_threads(xray_trace *trace);

/* Returns the name of a function that was met before, or 0 if it is not in the tables. */
static inline stele_name xray_trace_known(const xray_trace *trace, uint32_t function)
{
    const xray_object *of = &trace->objects[function >> STELE_XRAY_OBJECT_SHIFT];
    const uint32_t number = function & STELE_XRAY_FUNCTION_MASK;
    return number < of->count ? of->names[number] : 0;
}

/* Writes the name of a function of which only the number is known, at most `size` bytes with a zero
   at the end. Returns its length. */
size_t xray_number_text(uint32_t function, char *to, size_t size);

/* Makes the name of a function, and keeps it in the tables if `keeps` is true and there is room.
   Returns UINT32_MAX if out of memory. */
stele_name xray_trace_learn(xray_trace *trace, stele_batch *batch, uint32_t function, bool keeps);

/* Lets functions with such numbers count as known, for callers that need no names. Returns false if
   out of memory. xray_trace_reserve_more() is its rare part: the table has to grow. */
bool xray_trace_reserve_more(xray_trace *trace, uint32_t function);
static inline bool xray_trace_reserve(xray_trace *trace, uint32_t function)
{
    const xray_object *of = &trace->objects[function >> STELE_XRAY_OBJECT_SHIFT];
    return (function & STELE_XRAY_FUNCTION_MASK) < of->count ||
           xray_trace_reserve_more(trace, function);
}

static inline stele_name xray_trace_function(xray_trace *trace, stele_batch *batch,
                                             uint32_t function)
{
    const stele_name known = xray_trace_known(trace, function);
    return known != 0 ? known : xray_trace_learn(trace, batch, function, true);
}

stele_status xray_index(stele_trace *trace);

/* Saves what indexing found, and loads it in place of indexing. */
stele_status xray_save_index(stele_trace *trace, output *out);
stele_status xray_load_index(stele_trace *trace, const uint8_t *bytes, size_t size);

/* Makes the blocks of reading in file order; see trace_ops.file_blocks. */
bool xray_file_blocks(const stele_trace *trace, struct seek_index *index, uint64_t block_size);

/* Reports threads whose buffers are not in the order of time, because the ring of buffers was
   full. */
void xray_report_wrapped(xray_trace *trace);

/* Identifies the clock: logs of one process on one machine share a counter. Versions without
   process ids do not show that. */
void xray_identify_clock(const xray_trace *trace);

/* Finds the records that repeat those of an earlier range or of a trace that was opened before. The
   ranges must be sorted. Returns STELE_ERR_MEMORY or STELE_ERR_READ. */
stele_status xray_find_repeats(xray_trace *trace);

/* Gives the ranges of a stream, from index `*first` to before `*end`, once indexed; none for
   PRODUCE_ALL. */
void xray_ranges_of(const xray_trace *trace, uint32_t stream, size_t *first, size_t *end);

/*
 * Finds a position in the ranges from *range to before `end`; positions count the bytes of all of
 * them from 0. Sets *range to the range with the position, and `*rest` to the offset in it. Returns
 * false if the position is after them.
 */
bool xray_ranges_find(const xray_trace *trace, size_t *range, size_t end, uint64_t position,
                      uint64_t *rest);

/* Bytes of the records that begin a buffer: extents, new buffer, wall time, pid, new CPU. */
#define XRAY_HEAD_SIZE 80u

/* Finds buffers one after the other in file order. */
typedef struct xray_locator {
    xray_trace *trace;
    uint64_t next;    /* offset at which the next buffer is expected */
    uint64_t skipped; /* bytes so far that belong to no buffer */
    bool is_quiet;    /* damage was reported before, and is not again */
} xray_locator;

/* Finds the next buffer, and moves `w` to its first record. Returns STELE_END after the last.
   Reports damage. On a sequential input `w` must stay within the buffer until the next call. */
stele_status xray_locate(xray_locator *locator, window *w, xray_range *range);

/* Whether the bytes at `at`, after a buffer, begin another buffer or a file header. */
bool xray_ends_well(const xray_trace *trace, const uint8_t *at, size_t left);

/* Whether a buffer begins at `at`, judged by the `left` bytes there. */
bool xray_is_buffer(const xray_trace *trace, const uint8_t *at, size_t left);

#endif
