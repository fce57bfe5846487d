/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/fragments.h"

#include <stdlib.h>

bool fragments_init(fragments *table, const stele_context *context)
{
    *table = (fragments){context, calloc(FRAGMENT_COUNT, sizeof *table->slots), hash_key_make()};
    return table->slots != NULL;
}

void fragments_free(fragments *table)
{
    free(table->slots);
}

void fragments_keep(fragments *table, fragment_key key, const void *bytes, size_t size)
{
    fragment *slot = fragments_slot(table, key);
    if (size == 0 || size > FRAGMENT_SIZE || (key.name & STELE_NAME_LOCAL) != 0)
        return;
    slot->key = key;
    slot->version = context_track_version(table->context);
    slot->size = (uint16_t)size;
    memcpy(slot->bytes, bytes, size);
}
