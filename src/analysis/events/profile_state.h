/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of profiles: profile.c counts calls, profile_parts.c joins what parts of a trace have.
 */
#ifndef ANALYSIS_EVENTS_PROFILE_STATE_H
#define ANALYSIS_EVENTS_PROFILE_STATE_H

#include "analysis/events/calls_joint.h"
#include "analysis/events/profile.h"
#include "analysis/events/samples.h"
#include "analysis/events/tally.h"
#include "core/table.h"

/* Figures that most entries do not have. */
typedef struct rare {
    uint64_t lost_count, unended_count;
    uint64_t squares_high; /* the upper half of the sum of which self_squares is the lower one */
    uint64_t repeated_ns;  /* part of sum_ns that is inside of calls of the same name further out */
    uint64_t sample;       /* number of the last sample that was counted here */
    uint64_t sample_count; /* samples that ended here */
    bool is_sampled;
} rare;

/* Figures of one name, or of one name on one track. There can be hundreds of thousands, most of a
   few calls. Calls are counted by the tally alone, so that adding a call changes few fields. */
typedef struct entry {
    stele_name name;
    uint32_t track;
    uint64_t self_ns, sum_ns, min_ns, max_ns;
    uint64_t self_squares; /* sum of the squares of the calls' self times, modulo 2^64 */
    rare *rare;            /* NULL: all are zero */
    tally durations;
    tally selves[]; /* one of self times, if options.has_self_spread is set, else none */
} entry;

#define CHUNK_ENTRIES 256u /* entries that are allocated together */

struct stele_profile {
    stele_context *context;
    stele_profile_options options;
    stele_calls *calls;
    bool is_plain;   /* see take_plain() */
    entry **by_name; /* entries by name; NULL: no call has it (unused with by_track) */
    uint32_t by_name_count;
    entry **by_node; /* entries by node of the tree of paths (with by_path) */
    uint32_t by_node_count;
    hash_table numbers; /* numbers of entries, by track and name (with by_track) */
    uint8_t **chunks;   /* all entries */
    uint32_t chunk_count, chunk_capacity;
    size_t entry_count;
    stele_profile_row *rows;
    uint64_t sample_count;
    stele_name path[SAMPLE_PATH_MAX];
    /* The profile is of a part of a trace, and what is needed to join it to those before it. */
    bool is_part;
    calls_joint joint;
};

/* The rare figures of an entry, which are made if it has none. Returns NULL if out of memory. */
rare *profile_rare(entry *of);

/* Finds or makes the entry of a name, or with by_track of a name and a track. Returns NULL if out
   of memory. */
entry *profile_entry(stele_profile *p, stele_name name, uint32_t track);

/* The entry of a number below entry_count. */
entry *profile_entry_at(const stele_profile *p, size_t number);

#endif
