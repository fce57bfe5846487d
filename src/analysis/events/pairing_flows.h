/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads work on, as flows hand it on: a begin gives its thread a number, a flow takes the
 * number of the thread that it begins on, and gives it to the thread where it ends.
 */
#ifndef ANALYSIS_EVENTS_PAIRING_FLOWS_H
#define ANALYSIS_EVENTS_PAIRING_FLOWS_H

#include <stele/event.h>

#include "analysis/events/pair_queues.h"

/* Zeros are empty. */
typedef struct pairing_flows {
    uint64_t *works; /* by track: the number of the work that it is at; 0: none */
    uint32_t work_count;
    uint64_t last;    /* number */
    pair_queues open; /* flows: the numbers that they carry */
    bool is_out_of_memory;
} pairing_flows;

void pairing_flows_free(pairing_flows *f);
void pairing_flows_clear(pairing_flows *f);

/* Takes an event of the flow with a key; at most `open_max` are open. Returns false if out of
   memory. */
bool pairing_flows_follow(pairing_flows *f, const stele_event *event, pair_key key, uint32_t track,
                          uint32_t open_max);

/* The number of the work of a track, a new one for a begin; 0: it has none. */
uint64_t pairing_flows_work(pairing_flows *f, uint32_t track, bool is_end);

#endif
