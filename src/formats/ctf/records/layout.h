/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the sizes and places of fields before any is read. Everything is in bits. */
#ifndef CTF_LAYOUT_H
#define CTF_LAYOUT_H

#include "formats/ctf/schema/schema.h"

static inline uint64_t align_up(uint64_t at, uint64_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

/* Where the next field begins, as far as it is known: at `rest` modulo `modulus`, a power of two.
 */
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

/* What is known where two ways meet. */
layout_phase phase_join(layout_phase a, layout_phase b);

/* What is known after any number of steps that are multiples of `step` (a power of two, or 0). */
layout_phase phase_blur(layout_phase phase, uint64_t step);

/* The size of a field that begins aligned, when it is always the same (and no more than 2^56). */
bool layout_is_fixed(const ctf_class *type, uint64_t *size);

/* No field of the class is smaller. */
uint64_t layout_size_min(const ctf_class *type);

/* The largest power of two, at most 64, so that a field that begins at a multiple of it always ends
   at one. */
uint64_t layout_step(const ctf_class *type);

/* Whether elements of the class are plain numbers: all bits of each are its value. */
bool layout_is_plain(const ctf_class *element);

/* Whether they can be kept in one packed array, too: nothing else has to be known of each. */
bool layout_is_packed(const ctf_class *element);

#endif
