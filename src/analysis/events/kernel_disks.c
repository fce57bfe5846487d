/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/kernel_disks.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"

#define ALIKE 8u /* how many tags one hash has */

/* A tag has the number of a request in its lowest bits, a 1 above it, and bits of the hash. */
#define NUMBER_BITS 12u
_Static_assert(KERNEL_REQUESTS == 1u << NUMBER_BITS, "a tag can hold each number");

bool kernel_disks_init(kernel_disks *d, stele_context *context)
{
    d->context = context;
    d->key = hash_key_make();
    d->requests = calloc(KERNEL_REQUESTS, sizeof *d->requests);
    d->tags = calloc(KERNEL_REQUESTS, sizeof *d->tags);
    d->spare = malloc(KERNEL_REQUESTS * sizeof *d->spare);
    for (d->spare_count = 0; d->spare != NULL && d->spare_count < KERNEL_REQUESTS; d->spare_count++)
        d->spare[d->spare_count] = (uint16_t)(KERNEL_REQUESTS - 1 - d->spare_count);
    return d->requests != NULL && d->tags != NULL && d->spare != NULL;
}

void kernel_disks_free(kernel_disks *d)
{
    free(d->requests);
    free(d->tags);
    free(d->spare);
    free(d->devices);
}

/* ---- Devices ---- */

/* Makes a name such as "8:0" from a device's number. Linux has the major number in the upper 12
   bits. */
static stele_name number_name(stele_context *context, uint64_t number)
{
    char text[48];
    const int size = snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)(number >> 20),
                              (unsigned long long)(number & 0xfffff));
    const stele_name name = stele_name_intern(context, text, (size_t)size);
    return name != UINT32_MAX ? name : 0;
}

bool kernel_disks_name(kernel_disks *d, uint64_t number, stele_name given, stele_name *name)
{
    kernel_device *at = d->devices;
    if (given == 0 && d->device_count != 0 && at->number == number) {
        *name = at->name;
        return true;
    }
    while (at != d->devices + d->device_count && at->number != number)
        at++;
    if (at == d->devices + d->device_count) {
        if (d->device_count == d->device_capacity) {
            kernel_device *grown = array_grow(d->devices, sizeof *grown, &d->device_capacity, 16);
            if (grown == NULL)
                return false;
            d->devices = grown;
        }
        at = &d->devices[d->device_count++];
        *at = (kernel_device){number, given != 0 ? given : number_name(d->context, number)};
    }
    if (given != 0)
        at->name = given;
    *name = at->name;
    return true;
}

/* ---- Requests ---- */

static uint64_t hash_of(const kernel_disks *d, uint64_t device, uint64_t sector)
{
    return hash_keyed_pair(d->key, device, sector);
}

/* The tag of a request with this hash and the number 0. */
static uint64_t tag_of(uint64_t hash)
{
    return (hash | 1) << NUMBER_BITS;
}

static uint32_t number_of(uint64_t tag)
{
    return (uint32_t)(tag % KERNEL_REQUESTS);
}

/* The tags of a hash, which lie side by side, so that one line of the cache is looked at. */
static uint64_t *tags_of(const kernel_disks *d, uint64_t hash)
{
    return &d->tags[(hash >> 32) % (KERNEL_REQUESTS / ALIKE) * ALIKE];
}

/* Finds the tag of a request in use. Returns NULL if there is none. */
static uint64_t *find_tag(const kernel_disks *d, uint64_t device, uint64_t sector)
{
    const uint64_t hash = hash_of(d, device, sector);
    uint64_t *const tags = tags_of(d, hash);
    for (size_t i = 0; i != ALIKE; i++) {
        const kernel_request *r;
        /* Tags that differ in their numbers only are of one hash. */
        if ((tags[i] ^ tag_of(hash)) >= KERNEL_REQUESTS)
            continue;
        r = &d->requests[number_of(tags[i])];
        if (r->device == device && r->sector == sector)
            return &tags[i];
    }
    return NULL;
}

kernel_request *kernel_disks_find(kernel_disks *d, uint64_t device, uint64_t sector)
{
    const uint64_t *tag = find_tag(d, device, sector);
    return tag != NULL ? &d->requests[number_of(*tag)] : NULL;
}

kernel_request *kernel_disks_place(kernel_disks *d, uint64_t device, uint64_t sector,
                                   bool *is_taken)
{
    kernel_request *chosen = kernel_disks_find(d, device, sector);
    const uint64_t *tags = tags_of(d, hash_of(d, device, sector));
    *is_taken = true;
    if (chosen != NULL)
        return chosen;
    for (size_t i = 0; i != ALIKE; i++) {
        kernel_request *r = &d->requests[number_of(tags[i])];
        if (tags[i] == 0) {
            *is_taken = false;
            return &d->requests[d->spare[d->spare_count - 1]];
        }
        if (chosen == NULL || r->begun.ns < chosen->begun.ns)
            chosen = r;
    }
    return chosen;
}

/* The request is the one that is spare next. If it was not just left, its place has a free tag. */
void kernel_disks_take(kernel_disks *d, kernel_request *r)
{
    const uint64_t hash = hash_of(d, r->device, r->sector);
    uint64_t *tag = tags_of(d, hash);
    while (*tag != 0)
        tag++;
    r->tag = (uint32_t)(tag - d->tags);
    *tag = tag_of(hash) | d->spare[--d->spare_count];
}

void kernel_disks_leave(kernel_disks *d, kernel_request *r)
{
    d->spare[d->spare_count++] = (uint16_t)(r - d->requests);
    d->tags[r->tag] = 0;
    r->begun.is_there = false;
}

kernel_request *kernel_disks_next(kernel_disks *d, const kernel_request *before)
{
    size_t i = before != NULL ? (size_t)(before - d->requests) + 1 : 0;
    while (i != KERNEL_REQUESTS && !d->requests[i].begun.is_there)
        i++;
    return i != KERNEL_REQUESTS ? &d->requests[i] : NULL;
}
