/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events tell of places: which thread runs on a CPU, where binaries are loaded, what functions
 * at addresses are called.
 */
#ifndef ANALYSIS_EVENTS_PAIRING_PLACES_H
#define ANALYSIS_EVENTS_PAIRING_PLACES_H

#include <stele/spans.h>

#include "core/table.h"
#include "model/context.h"

/* A binary at its place in a process. */
typedef struct loaded_binary {
    uint32_t process; /* track */
    uint64_t base, size;
    stele_name path;
} loaded_binary;

typedef struct named_address {
    uint32_t process;
    uint64_t address;
    stele_name name;
} named_address;

typedef struct pairing_places {
    stele_context *context;
    stele_resolve_fn *resolve;
    void *resolve_user;
    stele_place_fn *place; /* NULL: there is none */
    void *place_user;
    uint32_t *running; /* by track of a CPU: track of the thread; 0: not known */
    uint32_t running_count;
    loaded_binary *binaries;
    uint32_t binary_count, binary_capacity;
    named_address *addresses;
    uint32_t address_count, address_capacity;
    hash_table address_numbers;
    stele_name sched_switch, bin_info, dlopen, load, statedump, dl, lib;
    stele_name next_tid, next_pid, next_comm, baddr, memsz, path, addr;
} pairing_places;

void pairing_places_init(pairing_places *p, stele_context *context);
void pairing_places_free(pairing_places *p);

/* Forgets what holds for one trace. */
void pairing_places_clear(pairing_places *p);

/* Takes what an event says about places. Returns false if out of memory. */
bool pairing_places_see(pairing_places *p, const stele_batch *batch, const stele_event *event);

/* The thread that an event is of, as far as it is known; else its own track. */
uint32_t pairing_places_thread(const pairing_places *p, const stele_event *event);

/* The name of the function that the event's field `addr` has the address of; 0: none. */
stele_name pairing_places_function(pairing_places *p, const stele_batch *batch,
                                   const stele_event *event);

#endif
