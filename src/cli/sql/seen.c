/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/seen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Mixes a value into a hash with a random factor, so that no input can be made whose keys all
   fall into one slot. */
static uint64_t mix(const seen *s, uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * s->factor;
    return hash ^ hash >> 32;
}

static uint64_t hash_text(const seen *s, uint64_t hash, const char *text)
{
    for (; text != NULL && *text != 0; text++)
        hash = mix(s, hash, (uint8_t)*text);
    return mix(s, hash, 0x100);
}

static uint64_t key_of(const seen *s, const stele_diag *diag)
{
    uint64_t hash = mix(s, s->factor, diag->offset);
    hash = hash_text(s, hash, diag->code->code);
    hash = hash_text(s, hash, diag->source);
    hash = hash_text(s, hash, diag->found);
    return hash != 0 ? hash : 1;
}

static bool insert(seen *s, uint64_t key)
{
    size_t at = (size_t)key & (s->capacity - 1);
    for (; s->keys[at] != 0; at = (at + 1) & (s->capacity - 1)) {
        if (s->keys[at] == key)
            return false;
    }
    s->keys[at] = key;
    s->count++;
    return true;
}

static bool grow(seen *s)
{
    seen larger = {.capacity = s->capacity != 0 ? s->capacity * 2 : 64, .factor = s->factor};
    if (larger.factor == 0 &&
        getrandom(&larger.factor, sizeof larger.factor, 0) != (ssize_t)sizeof larger.factor)
        return false;
    larger.factor |= 1;
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    if (larger.keys == NULL)
        return false;
    for (size_t i = 0; i < s->capacity; i++) {
        if (s->keys[i] != 0)
            insert(&larger, s->keys[i]);
    }
    free(s->keys);
    *s = larger;
    return true;
}

bool seen_add(seen *s, const stele_diag *diag)
{
    if (s->count * 2 >= s->capacity && !grow(s))
        return true;
    return insert(s, key_of(s, diag));
}

void seen_free(seen *s)
{
    free(s->keys);
    *s = (seen){.count = 0};
}
