/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the work of threads over flows. Work has a number: a begin gives its thread a new one,
   and a flow carries the number from the thread on which it begins to the one on which it ends. */
#ifndef ANALYSIS_EVENTS_PAIRING_FLOWS_H
#define ANALYSIS_EVENTS_PAIRING_FLOWS_H

#include <stele/event.h>

#include "analysis/events/pair_queues.h"

/* State of the works; zeros are valid and empty. */
typedef struct pairing_flows {
    uint64_t *works; /* number of each track's current work, by track; 0: none */
    uint32_t work_count;
    uint64_t last;    /* number that was given last */
    pair_queues open; /* open flows, with the numbers that they carry */
    bool is_out_of_memory;
} pairing_flows;

void pairing_flows_free(pairing_flows *f);
void pairing_flows_clear(pairing_flows *f);

/* Takes an event of the flow that `key` identifies. While `open_max` flows are open, no more are
   followed. Returns false if out of memory. */
bool pairing_flows_follow(pairing_flows *f, const stele_event *event, pair_key key, uint32_t track,
                          uint32_t open_max);

/* The number of a track's work; a begin gives it a new one. Returns 0 if the track has none. */
uint64_t pairing_flows_work(pairing_flows *f, uint32_t track, bool is_end);

#endif
