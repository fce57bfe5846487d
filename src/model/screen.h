/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events surely nobody will look at, by their kind, category and name alone. A decoder that
 * asks before it makes an event's fields can leave them out: the event is still given, so that it
 * is counted, and its bytes are still stepped over by their sizes.
 */
#ifndef MODEL_SCREEN_H
#define MODEL_SCREEN_H

#include <stele/event.h>

#include "core/hash.h"

/* Names of the fields that somebody looks at. They belong to whoever asks. */
typedef struct field_names {
    char **names;
    size_t count; /* not 0 */
} field_names;

#define SCREEN_SLOTS 1024u

typedef struct screen screen;

struct screen {
    /* Judges names of the pool; others are never judged. */
    bool (*passes)(screen *self, stele_kind kind, uint16_t category, stele_name name);
    hash_key secret;
    uint64_t slots[SCREEN_SLOTS]; /* what was judged before: see screen_passes(); 0: nothing */
};

bool screen_judge(screen *self, stele_kind kind, uint16_t category, stele_name name,
                  uint64_t *slot);

/* True: the event may pass. NULL lets all pass. */
static inline bool screen_passes(screen *self, unsigned kind, uint16_t category, stele_name name)
{
    const uint64_t key = name | (uint64_t)category << 32 | (uint64_t)kind << 48;
    uint64_t *slot;
    if (self == NULL)
        return true;
    slot = &self->slots[hash_mix(key ^ self->secret.first, self->secret.second) % SCREEN_SLOTS];
    return (*slot | 1) == (key << 2 | 3)
               ? (*slot & 1) != 0
               : screen_judge(self, (stele_kind)kind, category, name, slot);
}

#endif
