/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/fragments.h"

#include <stdlib.h>

bool fragments_init(fragments *table, const stele_context *context)
{
    *table = (fragments){.context = context,
                         .slots = calloc(FRAGMENT_COUNT, sizeof *table->slots),
                         .pool = calloc(FRAGMENT_POOL, 1),
                         .secret = hash_key_make()};
    return table->slots != NULL && table->pool != NULL;
}

void fragments_free(fragments *table)
{
    free(table->slots);
    free(table->pool);
}

void fragments_keep(fragments *table, fragment_key key, const void *bytes, size_t size)
{
    const uint32_t place = fragments_slot(table, key);
    fragment *slot;
    if (size == 0 || size > FRAGMENT_SIZE || (key.names & STELE_NAME_LOCAL) != 0)
        return;
    /* Copies in blocks may read up to a block beyond the end, which must be inside of the pool. */
    if (FRAGMENT_POOL - table->pool_used < size + FRAGMENT_BLOCK) {
        memset(table->slots, 0, FRAGMENT_COUNT * sizeof *table->slots);
        table->pool_used = 0;
    }
    slot = &table->slots[place];
    /* A fragment of another version of the track names, the upper half, is not needed any more. */
    if (slot->size != 0 && slot->key.rest >> 32 == key.rest >> 32 &&
        table->slots[place ^ 1].size == 0)
        slot = &table->slots[place ^ 1];
    *slot = (fragment){key, table->pool_used, (uint32_t)size};
    memcpy(table->pool + slot->at, bytes, size);
    table->pool_used += (uint32_t)size;
}
