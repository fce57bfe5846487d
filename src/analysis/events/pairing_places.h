/* SPDX-License-Identifier: Apache-2.0 */
/* Follows which thread runs on each CPU and where binaries are loaded, to find the threads and
   functions of events. */
#ifndef ANALYSIS_EVENTS_PAIRING_PLACES_H
#define ANALYSIS_EVENTS_PAIRING_PLACES_H

#include <stele/spans.h>

#include "core/table.h"
#include "model/context.h"

/* A binary that is loaded in a process, with its address range. */
typedef struct loaded_binary {
    uint32_t process; /* track of the process */
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
    stele_place_fn *place; /* NULL: the user has no names for addresses */
    void *place_user;
    /* track of the thread that runs on a CPU, by the CPU's track; 0: not known */
    uint32_t *running;
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

/* Drops everything that is known of the current trace. */
void pairing_places_clear(pairing_places *p);

/* Notes what an event says of threads and binaries. Returns false if out of memory. */
bool pairing_places_see(pairing_places *p, const stele_batch *batch, const stele_event *event);

/* Notes that a CPU runs a thread, by their tracks, or that a binary is loaded. Return false if out
   of memory. */
bool pairing_places_run(pairing_places *p, uint32_t cpu, uint32_t thread);
bool pairing_places_load(pairing_places *p, const loaded_binary *binary);

/* The track of the thread of an event; if that is not known, the event's own track. */
uint32_t pairing_places_thread(const pairing_places *p, const stele_event *event);

/* The name of the function whose address is in the event's field `addr`. Returns 0 if there is
   none. */
stele_name pairing_places_function(pairing_places *p, const stele_batch *batch,
                                   const stele_event *event);

#endif
