/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to block devices that are under way, and what devices are called. */
#ifndef ANALYSIS_EVENTS_KERNEL_DISKS_H
#define ANALYSIS_EVENTS_KERNEL_DISKS_H

#include "core/hash.h"
#include "model/context.h"

/* How many requests are followed at a time: eight tags for each hash. */
#define KERNEL_REQUESTS 4096u

/* Something that has begun and has not ended: an interrupt, a request. */
typedef struct kernel_begun {
    int64_t ns;
    uint64_t offset; /* where the record that says so is in its stream */
    uint32_t stream;
    stele_name name;
    uint64_t number;
    bool is_there;
} kernel_begun;

typedef struct kernel_request {
    kernel_begun begun;
    uint64_t device, sector, byte_count;
    uint32_t thread; /* track of the thread that made the request */
    uint32_t tag;    /* index of its tag */
} kernel_request;

typedef struct kernel_device {
    uint64_t number;
    stele_name name;
} kernel_device;

typedef struct kernel_disks {
    stele_context *context;
    kernel_request
        *requests;   /* the lowest numbers are used first, so that they stay in the cache */
    uint16_t *spare; /* numbers of requests that are not in use; the last one is next */
    uint32_t spare_count;
    uint64_t *tags; /* hash table of requests in use: see tag_of(); 0: free */
    hash_key key;
    kernel_device *devices;
    uint32_t device_count, device_capacity;
} kernel_disks;

/* Returns false if out of memory. */
bool kernel_disks_init(kernel_disks *d, stele_context *context);
void kernel_disks_free(kernel_disks *d);

/* Gives the name of a device: the one in the trace, or else its numbers, such as "8:0". `given` is
   the name in the current event; 0 if it has none. Returns false if out of memory. */
bool kernel_disks_name(kernel_disks *d, uint64_t number, stele_name given, stele_name *name);

/* Finds the request in progress for a device and sector. Returns NULL if there is none. */
kernel_request *kernel_disks_find(kernel_disks *d, uint64_t device, uint64_t sector);

/* Gives the slot for a new request, to be filled in and taken. With `*is_taken` set, the slot is in
   use by a request whose end was not seen, which the caller must leave first. */
kernel_request *kernel_disks_place(kernel_disks *d, uint64_t device, uint64_t sector,
                                   bool *is_taken);

/* Takes a request into use, with its device and sector, or ends its use. */
void kernel_disks_take(kernel_disks *d, kernel_request *r);
void kernel_disks_leave(kernel_disks *d, kernel_request *r);

/* Returns the next request in progress after `before`, which is NULL at first. Returns NULL after
   the last one. */
kernel_request *kernel_disks_next(kernel_disks *d, const kernel_request *before);

#endif
