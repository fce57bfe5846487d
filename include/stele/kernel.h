/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernel traces tell beside scheduling: system calls, interrupts, requests to block devices,
 * packets, memory. Events mean what the description files of known tracers say, as in
 * <stele/sched.h>; which thread an event is of follows from what its CPU runs. A handle takes
 * segments from a reader, in the order of time, as stele_sched does.
 *
 * Times and durations are in nanoseconds. Rules about threads, memory, statuses and ownership are
 * those of <stele/analysis.h>. Memory grows with the number of different rows, and with the threads
 * and CPUs, not with that of events.
 */
#ifndef STELE_KERNEL_H
#define STELE_KERNEL_H

#include <stele/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_kernel stele_kernel;

/* What a row is about. Durations are from the first to the second moment; what has none is counted
   only. */
typedef enum stele_kernel_class {
    STELE_KERNEL_SYSCALL,       /* system calls, entry to exit; bytes that they say they moved */
    STELE_KERNEL_IRQ,           /* interrupts, entry to exit of the handler */
    STELE_KERNEL_SOFTIRQ,       /* softirqs, entry to exit */
    STELE_KERNEL_SOFTIRQ_RAISE, /* softirqs, from when they were raised to their entry */
    STELE_KERNEL_DISK,          /* requests to block devices, issue to completion, and bytes */
    STELE_KERNEL_SEND,          /* packets sent by interface, and bytes */
    STELE_KERNEL_RECEIVE,       /* packets received by interface, and bytes */
    STELE_KERNEL_PAGES_TAKEN,   /* allocations of memory; bytes as pages of 4,096 */
    STELE_KERNEL_PAGES_GIVEN,   /* what was given back */
    STELE_KERNEL_FAULT,         /* page faults */
    STELE_KERNEL_FILE,          /* system calls that read or write files, by path, and bytes */
    STELE_KERNEL_SOCKET, /* what is written to and read from sockets, by where they lead to */
    STELE_KERNEL_FUTEX,  /* waits for locks in memory, by address and process */
    STELE_KERNEL_CLASS_COUNT
} stele_kernel_class;

/* "syscall", "irq", "softirq", "softirq-raise", "disk", "send", "file", ... */
STELE_API const char *stele_kernel_class_text(stele_kernel_class of);

/* One thing that ended, as the rows count it. The library allocates it, and it holds during the
   call. */
typedef struct stele_kernel_item {
    uint8_t of;      /* stele_kernel_class */
    bool is_timed;   /* it has a first and a second moment; else the two are the same */
    bool is_error;   /* a system call that failed */
    stele_name name; /* as of stele_kernel_row, and so is the next one */
    uint64_t number;
    uint32_t thread; /* track; 0: of none */
    uint32_t cpu;    /* track of the CPU that it ended on; 0: not known */
    int64_t begin_ns, end_ns;
    uint64_t byte_count;
    uint64_t offset; /* of the record that says when it began */
    uint32_t stream; /* of that record */
} stele_kernel_item;

/* Returns STELE_OK, or what the next call with the handle is to return. */
typedef stele_status stele_kernel_item_fn(void *user, const stele_kernel_item *item);

/* Zeros give the defaults. */
typedef struct stele_kernel_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool by_thread;     /* rows for each name and thread, without percentiles */
    uint32_t rows_max;  /* what is beyond is counted as other_count; 0: 262,144 */
    /* Only what is of threads, or else of CPUs, on such tracks, and ends with an event that passes
       the names, categories, kinds and expression of this request, which is copied. NULL: all. */
    const stele_request *only;
    stele_kernel_item_fn *on_item; /* is given all that ends, in the order of ends; NULL: nobody */
    void *user;
} stele_kernel_options;

/* All of one class and name, or of one class, name and thread. */
typedef struct stele_kernel_row {
    uint8_t of;      /* stele_kernel_class */
    uint32_t thread; /* track; 0: of all threads, or of none */
    stele_name name; /* of the system call, handler, softirq, device, interface,
                        file, socket ("tcp 10.0.0.1:80", or "tcp fd 5 of 4242"), lock */
    uint64_t number; /* of the interrupt, softirq, or device (as the trace has it); else 0 */
    uint64_t count;
    uint64_t error_count; /* system calls that failed */
    uint64_t open_count;  /* began and had not ended at the end of the trace; in no other figure */
    uint64_t byte_count;
    uint64_t total_ns;
    uint64_t min_ns, max_ns;         /* exact */
    uint64_t p50_ns, p90_ns, p99_ns; /* percentiles: at most 3.2% too large, never above max_ns; 0
                                        in rows of a thread */
    int64_t worst_begin_ns;          /* of the longest: when it began, ... */
    uint64_t worst_offset;           /* ... and the record that says so */
    uint32_t worst_stream;           /* of that record */
} stele_kernel_row;

typedef struct stele_kernel_totals {
    size_t struct_size;       /* sizeof this struct, or 0: see <stele/version.h> */
    int64_t begin_ns, end_ns; /* the time that was read, or the window */
    uint64_t event_count;     /* events that say something of the system */
    uint64_t unmatched_count; /* ends whose begin is missing: in no figure */
    uint64_t unplaced_count;  /* entries and exits of system calls on CPUs of which it is not known
                                 what they run: in no figure */
    uint64_t other_count;     /* beyond the limit of rows */
    uint64_t page_count_most; /* pages taken and not given back, beyond those at the begin: the
                                 most at a time */
    int64_t page_count_end;   /* and at the end */
} stele_kernel_totals;

/* Returns STELE_ERR_MEMORY; STELE_ERR_ARGUMENT, with a finding, for an expression that cannot be
   used. */
STELE_API stele_status stele_kernel_new(stele_context *context, const stele_kernel_options *options,
                                        stele_kernel **out);
STELE_API void stele_kernel_free(stele_kernel *k);

/* Only what ends in [begin_ns, end_ns) counts, with its whole duration. Events from before, which
   are to be added too, say what threads and CPUs do when the window begins. To be called before the
   first event. */
STELE_API stele_status stele_kernel_set_window(stele_kernel *k, int64_t begin_ns, int64_t end_ns);

/* Takes the events of a segment; all events must come in the order of time. */
STELE_API stele_status stele_kernel_add(stele_kernel *k, const stele_segment *segment);

/* Rows are complete from then on. */
STELE_API stele_status stele_kernel_finish(stele_kernel *k);

/* The kinds and columns to request from a reader. */
#define STELE_KERNEL_KINDS STELE_SCHED_KINDS
STELE_API uint32_t stele_kernel_columns(const stele_kernel *k);

/* The largest come first; names rise. */
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

/* The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API void stele_kernel_get_totals(const stele_kernel *k, stele_kernel_totals *totals);

#ifdef __cplusplus
}
#endif
#endif
