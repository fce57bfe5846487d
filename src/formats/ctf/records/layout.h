/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what is known of the sizes and positions of fields before any is read. Everything is in
   bits. */
#ifndef CTF_LAYOUT_H
#define CTF_LAYOUT_H

#include "formats/ctf/schema/schema.h"

static inline uint64_t align_up(uint64_t at, uint64_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

/* What is known of the position of the next field: it is `rest` modulo `modulus`, a power of
   two. */
typedef struct layout_phase {
    uint64_t modulus, rest;
} layout_phase;

static inline layout_phase phase_align(layout_phase phase, uint64_t alignment)
{
    if (phase.modulus <= alignment)
        return (layout_phase){alignment, 0};
    return (layout_phase){phase.modulus, align_up(phase.rest, alignment) & (phase.modulus - 1)};
}

static inline layout_phase phase_step(layout_phase phase, uint64_t size)
{
    return (layout_phase){phase.modulus, (phase.rest + size) & (phase.modulus - 1)};
}

/* Returns what is known after two branches with these phases. */
layout_phase phase_join(layout_phase a, layout_phase b);

/* Returns what is known after any number of steps that are multiples of `step`, a power of two or
   0. */
layout_phase phase_blur(layout_phase phase, uint64_t step);

/* Whether a field of the class that begins aligned always has the same size, of at most 2^56. */
bool layout_is_fixed(const ctf_class *type, uint64_t *size);

/* Returns a lower bound for the size of fields of the class. */
uint64_t layout_size_min(const ctf_class *type);

/* Returns the largest power of two, at most 64, such that a field that begins at a multiple of it
   always ends at a multiple of it. */
uint64_t layout_step(const ctf_class *type);

/* Whether elements of the class are plain numbers: all bits of each are its value. */
bool layout_is_plain(const ctf_class *element);

/* Whether such elements can also be kept in one packed array, as nothing else must be known of
   each. */
bool layout_is_packed(const ctf_class *element);

#endif
