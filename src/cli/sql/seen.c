/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/seen.h"

#include <search.h>
#include <stdlib.h>
#include <sys/random.h>

/* Mixes a value into a hash with a random factor, so that no input can be made of which two
   findings have one hash. */
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
    return hash;
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

bool seen_add(seen *s, const stele_diag *diag)
{
    uint64_t *key = malloc(sizeof *key);
    void *node;
    if (key == NULL || (s->factor == 0 &&
                        getrandom(&s->factor, sizeof s->factor, 0) != (ssize_t)sizeof s->factor)) {
        free(key);
        return true;
    }
    s->factor |= 1;
    *key = key_of(s, diag);
    node = tsearch(key, &s->tree, compare_keys);
    if (node != NULL && *(uint64_t **)node == key)
        return true;
    free(key);
    return node == NULL;
}

void seen_free(seen *s)
{
    while (s->tree != NULL) {
        uint64_t *key = *(uint64_t **)s->tree;
        tdelete(key, &s->tree, compare_keys);
        free(key);
    }
}
