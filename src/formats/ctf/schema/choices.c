/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/choices.h"

#include <stdlib.h>

#include "core/table.h"

/*
 * Finds options by name, as it is written and without its escape. Numbers are twice the index of
 * the option, plus 1 for the name without escape.
 */
typedef struct option_table {
    const ctf_member *options;
    hash_table numbers;
} option_table;

static ctf_text name_of(const option_table *table, uint32_t number)
{
    const ctf_member *option = &table->options[number / 2];
    return number % 2 == 0 ? option->written : option->name;
}

static uint32_t name_find(const option_table *table, ctf_text name)
{
    const uint32_t hash = hash_table_hash_bytes(&table->numbers, name.bytes, name.size);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&table->numbers, hash, &at)) != HASH_NONE;) {
        if (ctf_text_equals(name_of(table, number), name))
            return number / 2;
    }
    return RANGE_NONE;
}

/* Enters all options. Written names are entered first, so they are found before names without
   escape. Returns false if out of memory. */
static bool table_make(option_table *table, const ctf_class *variant)
{
    const uint32_t count = variant->u.variant.count;
    *table = (option_table){.options = variant->u.variant.options};
    if (!hash_table_make_room(&table->numbers, (size_t)count * 2))
        return false;
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < count; i++) {
            const ctf_text name = name_of(table, 2 * i + kind);
            if (name_find(table, name) == RANGE_NONE)
                hash_table_put(&table->numbers,
                               hash_table_hash_bytes(&table->numbers, name.bytes, name.size),
                               2 * i + kind);
        }
    }
    return true;
}

uint32_t *choices_of_labels(const ctf_class *variant, const ctf_class *tag)
{
    uint32_t *indexes = malloc(tag->mapping_count * sizeof *indexes + 1);
    option_table table;
    if (indexes == NULL || !table_make(&table, variant)) {
        free(indexes);
        return NULL;
    }
    for (uint32_t i = 0; i < tag->mapping_count; i++) {
        const ctf_text label = tag->mappings[i].name;
        indexes[i] = name_find(&table, label);
        if (indexes[i] == RANGE_NONE && label.size != 0 && label.bytes[0] == '_')
            indexes[i] = name_find(&table, (ctf_text){label.bytes + 1, label.size - 1});
    }
    hash_table_free(&table.numbers);
    return indexes;
}

bool choices_make(range_table *table, arena *memory, const ctf_class *variant,
                  const target_user *tag)
{
    uint32_t *indexes;
    bool is_made;
    if (!variant->selects_by_name)
        return range_table_make(table, memory, variant->mappings, variant->mapping_count, NULL,
                                tag->is_signed);
    indexes = choices_of_labels(variant, tag->target);
    is_made =
        indexes != NULL && range_table_make(table, memory, tag->target->mappings,
                                            tag->target->mapping_count, indexes, tag->is_signed);
    free(indexes);
    return is_made;
}
