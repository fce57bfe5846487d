/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernel traces say beside scheduling: system calls, interrupts, requests to block devices,
 * packets, memory. Events mean what the description files of known tracers say, as in
 * <stele/sched.h>; an event belongs to the thread that its CPU runs at that time. A handle takes
 * segments from a reader, in the order of time, as stele_sched does.
 *
 * Times and durations are in nanoseconds. Rules about threads, memory, statuses and ownership are
 * those of <stele/analysis.h>. Memory grows with the number of different rows, threads and CPUs,
 * not with the number of events.
 */
#ifndef STELE_KERNEL_H
#define STELE_KERNEL_H

#include <stele/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_kernel stele_kernel;

/* What a row is about. A class with two moments has durations from the first to the second; the
   others are only counted. */
typedef enum stele_kernel_class {
    /* System calls, from entry to exit, and the bytes that they say they moved. */
    STELE_KERNEL_SYSCALL,
    STELE_KERNEL_IRQ,           /* interrupts, from entry to exit of the handler */
    STELE_KERNEL_SOFTIRQ,       /* softirqs, from entry to exit */
    STELE_KERNEL_SOFTIRQ_RAISE, /* softirqs, from being raised to entry */
    STELE_KERNEL_DISK,    /* requests to block devices, from issue to completion, and their bytes */
    STELE_KERNEL_SEND,    /* packets sent, by interface, and their bytes */
    STELE_KERNEL_RECEIVE, /* packets received, by interface, and their bytes */
    STELE_KERNEL_PAGES_TAKEN, /* pages allocated; their bytes, at 4,096 a page */
    STELE_KERNEL_PAGES_GIVEN, /* pages freed; their bytes, at 4,096 a page */
    STELE_KERNEL_FAULT,       /* page faults */
    STELE_KERNEL_FILE,        /* system calls that read or write files, by path, and their bytes */
    /* Reads and writes of sockets, by the peer they lead to, and their bytes. */
    STELE_KERNEL_SOCKET,
    STELE_KERNEL_FUTEX, /* waits for futexes, by address and process */
    STELE_KERNEL_CLASS_COUNT
} stele_kernel_class;

/* "syscall", "irq", "softirq", "softirq-raise", "disk", "send", "file", ... */
STELE_API const char *stele_kernel_class_text(stele_kernel_class of);

/* One operation that ended, as the rows count it. The library owns it, and it holds during the call
   of the handler. */
typedef struct stele_kernel_item {
    uint8_t of;      /* stele_kernel_class */
    bool is_timed;   /* it has a first and a second moment; else begin_ns equals end_ns */
    bool is_error;   /* a system call that failed */
    stele_name name; /* what the row is named after: see stele_kernel_row.name */
    uint64_t number; /* see stele_kernel_row.number */
    uint32_t thread; /* track of the thread; 0: none */
    uint32_t cpu;    /* track of the CPU that it ended on; 0: not known */
    int64_t begin_ns, end_ns;
    uint64_t byte_count;
    uint64_t offset; /* of the record with which it began */
    uint32_t stream; /* stream of the record at `offset` */
} stele_kernel_item;

/* Receives one operation. Returns STELE_OK, or the status that the current call with the handle is
   to return. */
typedef stele_status stele_kernel_item_fn(void *user, const stele_kernel_item *item);

/* What a kernel analysis counts and keeps; zeros give the defaults. */
typedef struct stele_kernel_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_thread;     /* rows for each name and thread, without percentiles */
    /* Names, classes of the rows that are kept; the rest counts as other_count; 0: 262,144. */
    uint32_t rows_max;
    /* Counts only operations of the threads on these tracks, or else of the CPUs on them, that end
       with an event that passes the names, categories, kinds and expression of this request. The
       request is copied. NULL: all. */
    const stele_request *only;
    /* Receives all operations, in the order of their ends; NULL: none. */
    stele_kernel_item_fn *on_item;
    void *user;
} stele_kernel_options;

/* All operations of one class and name, or of one class, name and thread. */
typedef struct stele_kernel_row {
    uint8_t of;      /* stele_kernel_class */
    uint32_t thread; /* track of the thread; 0: all threads, or none */
    /* Of the system call, handler, softirq, device, interface, file, socket ("tcp 10.0.0.1:80", or
       "tcp fd 5 of 4242") or lock. */
    stele_name name;
    uint64_t number; /* of the interrupt, softirq, or device (as the trace has it); else 0 */
    uint64_t count;
    uint64_t error_count; /* system calls that failed */
    uint64_t open_count;  /* began and had not ended at the end of the trace; in no other figure */
    uint64_t byte_count;
    uint64_t total_ns;
    uint64_t min_ns, max_ns; /* of the shortest and the longest; exact */
    /* Percentiles: at most 3.2% too large, never above max_ns; 0 in rows of a thread. */
    uint64_t p50_ns, p90_ns, p99_ns;
    int64_t worst_begin_ns; /* when the longest one began */
    uint64_t worst_offset;  /* of the record with which the longest one began */
    uint32_t worst_stream;  /* stream of the record at worst_offset */
} stele_kernel_row;

typedef struct stele_kernel_totals {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    int64_t begin_ns, end_ns; /* the time that was read, or the window */
    uint64_t event_count;     /* events that the analysis uses */
    uint64_t unmatched_count; /* ends whose begin is missing; in no other figure */
    /* Entries and exits of system calls on CPUs whose current thread is not known; in no other
       figure. */
    uint64_t unplaced_count;
    uint64_t other_count; /* operations in no row, because rows_max was reached */
    /* Pages allocated and not freed since the begin of the trace: the most at any time. */
    uint64_t page_count_most;
    /* Pages allocated and not freed since the begin, at the end; negative: more were freed. */
    int64_t page_count_end;
} stele_kernel_totals;

/* `options` may be NULL. The caller frees the handle with stele_kernel_free(). Returns
   STELE_ERR_MEMORY, or STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_kernel_new(stele_context *context, const stele_kernel_options *options,
                                        stele_kernel **out);
STELE_API void stele_kernel_free(stele_kernel *k);

/* Sets the window: only operations that end in [begin_ns, end_ns) count, with their whole duration.
   Earlier events are to be added, too: they say what threads and CPUs do when the window begins. To
   be called before the first event. */
STELE_API stele_status stele_kernel_set_window(stele_kernel *k, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; all events must come in the order of time. */
STELE_API stele_status stele_kernel_add(stele_kernel *k, const stele_segment *segment);

/* To be called after the last event; the rows are then complete. */
STELE_API stele_status stele_kernel_finish(stele_kernel *k);

/* The kinds and columns to request from a reader. */
#define STELE_KERNEL_KINDS STELE_SCHED_KINDS
STELE_API uint32_t stele_kernel_columns(const stele_kernel *k);

/* Gives the names of the fields that the analysis looks at, as stele_sched_fields() does. Returns
   how many there are; 0 if it may look at all fields. */
STELE_API size_t stele_kernel_fields(const stele_kernel *k, const char *const **names);

/* How rows are sorted: the largest figure comes first, and names are in alphabetical order. */
typedef enum stele_kernel_order {
    STELE_KERNEL_BY_TOTAL,
    STELE_KERNEL_BY_COUNT,
    STELE_KERNEL_BY_MAX,
    STELE_KERNEL_BY_BYTES,
    STELE_KERNEL_BY_NAME
} stele_kernel_order;

/* The rows of a class. They are owned by the handle and hold until the next call with it. */
STELE_API stele_status stele_kernel_rows(stele_kernel *k, stele_kernel_class of,
                                         stele_kernel_order order, const stele_kernel_row **rows,
                                         size_t *count);

/* Gives the totals so far. The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API void stele_kernel_get_totals(const stele_kernel *k, stele_kernel_totals *totals);

#ifdef __cplusplus
}
#endif
#endif
