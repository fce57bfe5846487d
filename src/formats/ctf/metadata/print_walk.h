/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a schema a printer stands, and what locations mean from there. */
#ifndef CTF_PRINT_WALK_H
#define CTF_PRINT_WALK_H

#include "formats/ctf/schema/targets.h"

#define WALK_DEPTH_MAX 256
#define WALK_STEPS_MAX 64

/* The structures around the class that is being printed, outermost first. */
typedef struct print_walk {
    const ctf_schema *schema;
    const ctf_stream_class *stream; /* NULL: of no stream, of no event */
    const ctf_event_class *event;
    ctf_scope scope;
    struct {
        const ctf_class *structure;
        uint32_t index; /* of the member */
    } levels[WALK_DEPTH_MAX];
    uint32_t depth;
    uint64_t
        budget; /* classes that may still be printed: shared ones are printed again and again */
    member_table members;
    bool is_exhausted; /* memory: what was looked up may not have been found */
} print_walk;

void walk_free(print_walk *walk);

/* What a location leads to. */
typedef struct print_target {
    ctf_scope scope;  /* ... and the path from its root, or, */
    bool is_relative; /* ... from the structure `up` levels above */
    uint32_t up;      /* the one around the user */
    const ctf_member *members[WALK_STEPS_MAX];
    uint32_t member_count;
    const ctf_class *type; /* of the last member */
} print_target;

/* The root of a scope; NULL if there is none. */
const ctf_class *walk_root(const print_walk *walk, ctf_scope scope);

/* False: the location leads nowhere from here, or is a constant. */
bool walk_resolve(print_walk *walk, const ctf_location *location, print_target *target);

#endif
