/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/choices.h"

#include <stdlib.h>

#include "core/hash.h"

/*
 * A hash table of the names of options, each as it is written and without its escape. A slot is 0
 * if it is free, otherwise twice the option's index, plus 1 for the written name or 2 for the
 * other.
 */
typedef struct option_table {
    const ctf_member *options;
    uint32_t *slots;
    uint32_t mask;
    hash_key key;
} option_table;

static ctf_text slot_name(const option_table *table, uint32_t slot)
{
    const ctf_member *option = &table->options[(slot - 1) / 2];
    return slot % 2 != 0 ? option->written : option->name;
}

static uint32_t *table_slot(const option_table *table, ctf_text name)
{
    uint32_t at = (uint32_t)hash_keyed_bytes(table->key, name.bytes, name.size) & table->mask;
    while (table->slots[at] != 0 && !ctf_text_equals(slot_name(table, table->slots[at]), name))
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

/* Enters all options. Written names are entered first, so they are found before names without
   escape. Returns false if out of memory. */
static bool table_make(option_table *table, const ctf_class *variant)
{
    const uint32_t count = variant->u.variant.count;
    size_t size = 16;
    while (size < (size_t)count * 4)
        size *= 2;
    *table =
        (option_table){.options = variant->u.variant.options,
                       .slots = count < UINT32_MAX / 8 ? calloc(size, sizeof *table->slots) : NULL,
                       .mask = (uint32_t)(size - 1),
                       .key = hash_key_make()};
    for (uint32_t kind = 1; table->slots != NULL && kind <= 2; kind++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t *slot = table_slot(table, slot_name(table, 2 * i + kind));
            if (*slot == 0)
                *slot = 2 * i + kind;
        }
    }
    return table->slots != NULL;
}

static uint32_t name_find(const option_table *table, ctf_text label)
{
    const uint32_t slot = *table_slot(table, label);
    return slot != 0 ? (slot - 1) / 2 : RANGE_NONE;
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
    free(table.slots);
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
