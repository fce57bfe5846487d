/* SPDX-License-Identifier: Apache-2.0 */
/* Files and sockets that descriptors of processes refer to, as far as system calls and the
   tracer say. */
#ifndef ANALYSIS_EVENTS_KERNEL_FILES_H
#define ANALYSIS_EVENTS_KERNEL_FILES_H

#include "core/table.h"
#include "model/context.h"

/* How many descriptors are known at the same time; those opened beyond it stay unknown. */
#define KERNEL_FILES_MAX 262144u

/* Who owns a descriptor: a process, or a thread whose process is not known. A process has the
   number of its first thread, so that both kinds of numbers cannot collide. */
typedef struct kernel_owner {
    uint64_t number;
    uint32_t source; /* number of the trace */
} kernel_owner;

typedef struct kernel_file {
    kernel_owner owner;
    int32_t fd;
    stele_name name; /* 0: the descriptor is closed */
    bool is_socket;
    uint8_t protocol; /* PROTOCOL_... of kernel_files.c; for sockets only */
} kernel_file;

#define KERNEL_FILES_MEMOS 1024u

typedef struct kernel_files {
    stele_context *context;
    kernel_file *items;
    uint32_t count, capacity;
    hash_table numbers;
    uint32_t memos[KERNEL_FILES_MEMOS]; /* indexes of the descriptors that were found last, plus 1;
                                           0: none */
} kernel_files;

void kernel_files_free(kernel_files *f);

/* Finds an open descriptor. Returns NULL if nothing is known of it. */
const kernel_file *kernel_files_find(kernel_files *f, kernel_owner owner, int64_t fd);

/* Sets what a descriptor refers to from now on. Returns false if out of memory. */
bool kernel_files_set(kernel_files *f, kernel_owner owner, int64_t fd, const kernel_file *what);

/* Marks a descriptor as closed. */
void kernel_files_close(kernel_files *f, kernel_owner owner, int64_t fd);

/* Describes a new socket by the numbers of its family and type. `number` is that of the owner. */
kernel_file kernel_files_socket(kernel_files *f, int64_t family, int64_t type, int64_t fd,
                                uint64_t number);

/* Describes a socket that was connected to an IPv4 address. */
kernel_file kernel_files_connected(kernel_files *f, const kernel_file *socket,
                                   const uint8_t address[4], uint64_t port);

/* Makes a name such as "fd 5 of 4242" for a descriptor of which nothing is known. Returns 0 if
   the pool of names is full. */
stele_name kernel_files_unknown(kernel_files *f, int64_t fd, uint64_t number);

#endif
