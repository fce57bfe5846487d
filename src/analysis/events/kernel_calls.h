/* SPDX-License-Identifier: Apache-2.0 */
/* What system calls do to files, sockets and locks, known from their arguments. */
#ifndef ANALYSIS_EVENTS_KERNEL_CALLS_H
#define ANALYSIS_EVENTS_KERNEL_CALLS_H

#include "analysis/events/kernel_figures.h"
#include "analysis/events/kernel_files.h"
#include "analysis/events/sched.h"

/* The arguments of the system call that a thread is in. */
typedef struct kernel_arguments {
    kernel_call call;
    int64_t fd;
    stele_name file;
    int64_t family, type;
    uint64_t address, port;
    uint8_t peer[4];
    bool has_peer;
} kernel_arguments;

/* What a system call that returned did to a file, a socket or a lock. */
typedef struct kernel_use {
    bool is_there;
    bool is_out_of_memory;
    stele_kernel_class of;
    stele_name name;
} kernel_use;

typedef struct kernel_calls {
    stele_context *context;
    kernel_files files;
    kernel_arguments *threads; /* arguments of each thread, by index of the thread */
    uint32_t thread_count;
} kernel_calls;

/* The text of a field as a name; 0 if `field` is NULL, or if the pool of names is full. */
stele_name kernel_name_in(stele_context *context, const stele_batch *batch,
                          const stele_field *field);

void kernel_calls_init(kernel_calls *c, stele_context *context);
void kernel_calls_free(kernel_calls *c);

/* Notes the arguments of a call that begins. Returns false if out of memory. */
bool kernel_calls_begin(kernel_calls *c, const stele_batch *batch, const kernel_event *known,
                        uint32_t thread);

/* The call of a thread returns: what it did to descriptors. */
kernel_use kernel_calls_end(kernel_calls *c, const sched_thread *of, uint32_t thread,
                            int64_t returned);

/* Notes the name of a descriptor as the tracer gives it. Returns false if out of memory. */
bool kernel_calls_name_file(kernel_calls *c, const stele_batch *batch, const kernel_event *known,
                            uint32_t trace);

#endif
