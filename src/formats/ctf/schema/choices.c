/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/choices.h"

#include <stdlib.h>

/* A name of an option: as it is written, or without its escape. */
typedef struct option_name {
    ctf_text text;
    bool is_written;
    uint32_t index;
} option_name;

static int text_order(ctf_text a, ctf_text b)
{
    const uint32_t size = a.size < b.size ? a.size : b.size;
    const int order = size != 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Names as written come before others. */
static int name_compare(const void *a, const void *b)
{
    const option_name *x = a, *y = b;
    const int order = text_order(x->text, y->text);
    if (order != 0)
        return order;
    if (x->is_written != y->is_written)
        return x->is_written ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static uint32_t name_find(const option_name *names, uint32_t count, ctf_text label)
{
    uint32_t first = 0, left = count;
    while (left != 0) {
        const uint32_t half = left / 2;
        if (text_order(names[first + half].text, label) < 0) {
            first += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return first < count && ctf_text_equals(names[first].text, label) ? names[first].index
                                                                      : RANGE_NONE;
}

uint32_t *choices_of_labels(const ctf_class *variant, const ctf_class *tag)
{
    const uint32_t count = variant->u.variant.count;
    uint32_t *indexes = malloc(tag->mapping_count * sizeof *indexes + 1);
    option_name *names = malloc((size_t)count * 2 * sizeof *names + 1);
    if (indexes == NULL || names == NULL) {
        free(indexes);
        free(names);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ctf_member *option = &variant->u.variant.options[i];
        names[2 * (size_t)i] = (option_name){option->written, true, i};
        names[2 * (size_t)i + 1] = (option_name){option->name, false, i};
    }
    qsort(names, (size_t)count * 2, sizeof *names, name_compare);
    for (uint32_t i = 0; i < tag->mapping_count; i++) {
        const ctf_text label = tag->mappings[i].name;
        indexes[i] = name_find(names, count * 2, label);
        if (indexes[i] == RANGE_NONE && label.size != 0 && label.bytes[0] == '_')
            indexes[i] = name_find(names, count * 2, (ctf_text){label.bytes + 1, label.size - 1});
    }
    free(names);
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
