/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the position of a printer in the schema, and resolves locations from there. */
#ifndef CTF_PRINT_WALK_H
#define CTF_PRINT_WALK_H

#include "formats/ctf/schema/targets.h"

#define WALK_DEPTH_MAX 256
#define WALK_STEPS_MAX 64

/* The structures around the class that is being printed, outermost first. */
typedef struct print_walk {
    const ctf_schema *schema;
    /* NULL outside of a stream class, as `event` is outside of an event class. */
    const ctf_stream_class *stream;
    const ctf_event_class *event;
    ctf_scope scope;
    struct {
        const ctf_class *structure;
        uint32_t index; /* index of the member that is printed */
    } levels[WALK_DEPTH_MAX];
    uint32_t depth;
    uint64_t
        /* Classes that may still be printed: a shared class is printed each time it is used. */
        budget;
    member_table members;
    bool is_exhausted; /* Out of memory: a location may not have been found for that reason. */
} print_walk;

void walk_free(print_walk *walk);

/* The field that a location refers to. */
typedef struct print_target {
    /* Scope that contains the field; the path begins at its root unless `is_relative`. */
    ctf_scope scope;
    /* The path begins at the structure that is `up` levels above the innermost one. */
    bool is_relative;
    uint32_t up; /* 0 is the structure around the user */
    const ctf_member *members[WALK_STEPS_MAX];
    uint32_t member_count;
    const ctf_class *type; /* class of the last member */
} print_target;

/* The root of a scope; NULL if there is none. */
const ctf_class *walk_root(const print_walk *walk, ctf_scope scope);

/* Finds the field that a location refers to. Returns false if it refers to no field from here, or
   is a constant. */
bool walk_resolve(print_walk *walk, const ctf_location *location, print_target *target);

#endif
