/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text_set.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

struct text_of_set {
    const char *bytes;
    size_t size;
    uint32_t hash;
};

bool text_set_start(text_set *set, size_t count)
{
    struct text_of_set *grown;
    /* Texts are removed one by one, since the table may have room for many more than a group has.
     */
    while (set->count != 0) {
        set->count--;
        hash_table_remove(&set->numbers, set->texts[set->count].hash, set->count);
    }
    grown = array_reserve(set->texts, sizeof *grown, &set->capacity, count);
    if (grown == NULL)
        return false;
    set->texts = grown;
    return hash_table_make_room(&set->numbers, count);
}

bool text_set_add(text_set *set, const char *bytes, size_t size)
{
    const uint32_t hash = hash_table_hash_bytes(&set->numbers, bytes, size);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&set->numbers, hash, &at)) != HASH_NONE;) {
        const struct text_of_set *there = &set->texts[number];
        if (there->size == size && (size == 0 || memcmp(there->bytes, bytes, size) == 0))
            return false;
    }
    set->texts[set->count] = (struct text_of_set){bytes, size, hash};
    hash_table_put(&set->numbers, hash, set->count++);
    return true;
}

void text_set_free(text_set *set)
{
    free(set->texts);
    hash_table_free(&set->numbers);
    *set = (text_set){.count = 0};
}
