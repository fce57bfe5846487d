/* SPDX-License-Identifier: Apache-2.0 */
/* Screens say which events surely no consumer needs, by kind, category and name alone. A decoder
   that asks one before it makes an event's fields can leave them out: the event is still delivered,
   so that it is counted, and its bytes are skipped by their size. */
#ifndef MODEL_SCREEN_H
#define MODEL_SCREEN_H

#include <stele/event.h>

#include "core/hash.h"

/* Names of the fields that a consumer needs. They are owned by whoever made the request. */
typedef struct field_names {
    char **names;
    size_t count; /* not 0 */
} field_names;

#define SCREEN_SLOTS 1024u

typedef struct screen screen;

struct screen {
    /* Judges an event by its kind, category and name, which is in the context's pool. */
    bool (*passes)(screen *self, stele_kind kind, uint16_t category, stele_name name);
    uint64_t kinds; /* kinds of which an event may pass, as bits: others need not be judged */
    hash_key secret;
    /* Verdicts by hash of the key, as screen_judge() stores them; 0: unused. */
    uint64_t slots[SCREEN_SLOTS];
};

bool screen_judge(screen *self, stele_kind kind, uint16_t category, stele_name name,
                  uint64_t *slot);

/* Whether an event may be needed. `self` NULL: all events may. */
static inline bool screen_passes(screen *self, unsigned kind, uint16_t category, stele_name name)
{
    const uint64_t key = name | (uint64_t)category << 32 | (uint64_t)kind << 48;
    uint64_t *slot;
    if (self == NULL)
        return true;
    if ((self->kinds & STELE_KIND_BIT(kind)) == 0)
        return false;
    slot = &self->slots[hash_mix(key ^ self->secret.first, self->secret.second) % SCREEN_SLOTS];
    return (*slot | 1) == (key << 2 | 3)
               ? (*slot & 1) != 0
               : screen_judge(self, (stele_kind)kind, category, name, slot);
}

/* Leaves out the fields of events of other kinds, besides those that a screen below leaves out. */
typedef struct kind_screen {
    screen base;   /* its `kinds` are those whose fields are needed */
    screen *below; /* NULL: it leaves out none */
} kind_screen;

/* Sets up a screen in `made`, which is also the one that it returns. */
screen *kind_screen_begin(kind_screen *made, uint64_t kinds, screen *below);

#endif
