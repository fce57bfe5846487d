/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/kernel_disks.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"

#define ALIKE 8u /* how many slots one hash has */

bool kernel_disks_init(kernel_disks *d, stele_context *context)
{
    d->context = context;
    d->key = hash_key_make();
    d->requests = calloc(KERNEL_REQUESTS, sizeof *d->requests);
    d->tags = calloc(KERNEL_REQUESTS, sizeof *d->tags);
    return d->requests != NULL && d->tags != NULL;
}

void kernel_disks_free(kernel_disks *d)
{
    free(d->requests);
    free(d->tags);
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

/* Returns the first slot of a hash. */
static size_t first_of(uint64_t hash)
{
    return hash % (KERNEL_REQUESTS / ALIKE) * ALIKE;
}

/* Tags of one hash lie side by side, so that one line of the cache is looked at as a rule. */
kernel_request *kernel_disks_find(kernel_disks *d, uint64_t device, uint64_t sector)
{
    const uint64_t hash = hash_of(d, device, sector);
    const size_t first = first_of(hash);
    for (size_t i = first; i != first + ALIKE; i++)
        if (d->tags[i] == (hash | 1) && d->requests[i].device == device &&
            d->requests[i].sector == sector)
            return &d->requests[i];
    return NULL;
}

kernel_request *kernel_disks_place(kernel_disks *d, uint64_t device, uint64_t sector,
                                   bool *is_taken)
{
    kernel_request *chosen = kernel_disks_find(d, device, sector);
    size_t first;
    *is_taken = true;
    if (chosen != NULL)
        return chosen;
    first = first_of(hash_of(d, device, sector));
    chosen = &d->requests[first];
    for (size_t i = first; i != first + ALIKE; i++) {
        if (d->tags[i] == 0) {
            *is_taken = false;
            return &d->requests[i];
        }
        if (d->requests[i].begun.ns < chosen->begun.ns)
            chosen = &d->requests[i];
    }
    return chosen;
}

void kernel_disks_take(kernel_disks *d, const kernel_request *r)
{
    d->tags[r - d->requests] = hash_of(d, r->device, r->sector) | 1;
}

void kernel_disks_leave(kernel_disks *d, const kernel_request *r)
{
    d->tags[r - d->requests] = 0;
}

kernel_request *kernel_disks_next(kernel_disks *d, const kernel_request *before)
{
    size_t i = before != NULL ? (size_t)(before - d->requests) + 1 : 0;
    while (i != KERNEL_REQUESTS && d->tags[i] == 0)
        i++;
    return i != KERNEL_REQUESTS ? &d->requests[i] : NULL;
}
