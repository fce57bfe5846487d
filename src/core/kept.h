/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a source that stay open between readings: opening a file takes longer than reading the
   few bytes that a short range of a trace needs of it. Usable on several threads. */
#ifndef CORE_KEPT_H
#define CORE_KEPT_H

#include <stdatomic.h>

#include "core/input.h"

typedef struct kept_inputs {
    _Atomic(input *) *at; /* by number of the member; NULL: nothing is kept */
    size_t count;
    atomic_size_t held;
    size_t held_max;
} kept_inputs;

/* Prepares for so many members. Without memory for that, nothing is kept. */
void kept_inputs_begin(kept_inputs *kept, size_t count);

/* Closes what is kept. */
void kept_inputs_end(kept_inputs *kept);

/* Takes a member that is kept. Returns NULL if it is not, or if its path now has another file, or
   one of another size. */
input *kept_inputs_take(kept_inputs *kept, size_t index);

/* Keeps an input of a member for kept_inputs_take(), or closes it. */
void kept_inputs_give(kept_inputs *kept, size_t index, input *in);

#endif
