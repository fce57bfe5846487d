/* SPDX-License-Identifier: Apache-2.0 */
/* What descriptors of processes are of, as far as system calls and the tracer tell. */
#ifndef ANALYSIS_EVENTS_KERNEL_FILES_H
#define ANALYSIS_EVENTS_KERNEL_FILES_H

#include "core/table.h"
#include "model/context.h"

/* Descriptors that are known at a time; what is opened beyond them is not. */
#define KERNEL_FILES_MAX 262144u

/* Whose a descriptor is: a process, or a thread whose process is not known. Their numbers are of
   one kind: a process has that of its first thread. */
typedef struct kernel_owner {
    uint64_t number;
    uint32_t source; /* trace */
} kernel_owner;

typedef struct kernel_file {
    kernel_owner owner;
    int32_t fd;
    stele_name name; /* 0: it is closed */
    bool is_socket;
    uint8_t protocol; /* of a socket: see kernel_files.c */
} kernel_file;

typedef struct kernel_files {
    stele_context *context;
    kernel_file *items;
    uint32_t count, capacity;
    hash_table numbers;
} kernel_files;

void kernel_files_free(kernel_files *f);

/* The descriptor, if it is open; NULL: nothing tells what it is. */
const kernel_file *kernel_files_find(const kernel_files *f, kernel_owner owner, int64_t fd);

/* Says what a descriptor is of from now on. Returns false if out of memory. */
bool kernel_files_set(kernel_files *f, kernel_owner owner, int64_t fd, const kernel_file *what);

/* It is of nothing from now on. */
void kernel_files_close(kernel_files *f, kernel_owner owner, int64_t fd);

/* What a new socket is, by the numbers of its family and type; `number` is that of its owner. */
kernel_file kernel_files_socket(kernel_files *f, int64_t family, int64_t type, int64_t fd,
                                uint64_t number);

/* The same socket, connected to an IPv4 address. */
kernel_file kernel_files_connected(kernel_files *f, const kernel_file *socket,
                                   const uint8_t address[4], uint64_t port);

/* "fd 5 of 4242": what nothing is known of. 0: there is no room for its name. */
stele_name kernel_files_unknown(kernel_files *f, int64_t fd, uint64_t number);

#endif
