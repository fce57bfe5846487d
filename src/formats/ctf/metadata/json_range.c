/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/json_range.h"

#include <stdlib.h>

#include "core/wide.h"

static bool range_end_check(json_front *front, const json_value *end, range_values values)
{
    if (end->kind != JSON_INTEGER)
        return json_refuse_value(front, end, "an integer of 64 bits");
    if (values == RANGE_UNSIGNED && end->is_negative)
        return json_refuse_value(front, end, "an integer that is not negative");
    if (values == RANGE_SIGNED && !end->is_negative && end->integer > INT64_MAX)
        return json_refuse_value(front, end, "an integer of up to 9,223,372,036,854,775,807");
    return true;
}

/* Reads [low, high]. A range from below 0 to above INT64_MAX becomes two, as its ends have no
   common type. */
static bool read_range(json_front *front, const json_value *pair, range_values values,
                       ctf_range *ranges, uint32_t *count)
{
    const json_value *low, *high;
    if (pair->kind != JSON_ARRAY || pair->size != 2)
        return json_refuse_value(front, pair, "a range: [lowest, highest]");
    low = json_first(&front->tree, pair);
    high = json_next(&front->tree, low);
    if (!range_end_check(front, low, values) || !range_end_check(front, high, values))
        return false;
    if (low->is_negative ? high->is_negative && low->integer > high->integer
                         : high->is_negative || low->integer > high->integer)
        return json_refuse_value(front, pair, "a range whose first end is not above the second");
    if (low->is_negative && !high->is_negative && high->integer > INT64_MAX) {
        ranges[(*count)++] = (ctf_range){low->integer, UINT64_MAX, true};
        ranges[(*count)++] = (ctf_range){0, high->integer, false};
        return true;
    }
    ranges[(*count)++] =
        (ctf_range){low->integer, high->integer, values == RANGE_SIGNED || low->is_negative};
    return true;
}

bool json_ranges(json_front *front, const json_value *set, range_values values,
                 const ctf_range **ranges, uint32_t *count)
{
    ctf_range *made;
    if (set->kind != JSON_ARRAY || set->size == 0)
        return json_refuse_value(front, set, "an array of at least one range");
    made =
        schema_take(front->schema, (size_t)set->size * (values == RANGE_ANY ? 2 : 1), sizeof *made);
    *ranges = made;
    *count = 0;
    if (made == NULL)
        return false;
    for (const json_value *pair = json_first(&front->tree, set); pair != NULL;
         pair = json_next(&front->tree, pair))
        if (!read_range(front, pair, values, made, count))
            return false;
    return true;
}

bool json_mappings(json_front *front, const json_value *object, range_values values,
                   ctf_class *type)
{
    ctf_mapping *mapping = schema_take(front->schema, object->size, sizeof *mapping);
    type->mappings = mapping;
    type->mapping_count = object->size;
    if (mapping == NULL)
        return false;
    for (const json_value *set = json_first(&front->tree, object); set != NULL;
         set = json_next(&front->tree, set), mapping++) {
        mapping->place = (ctf_place){set[-1].place};
        if (!json_copy_text(front, set - 1, &mapping->name) ||
            !json_ranges(front, set, values, &mapping->ranges, &mapping->range_count))
            return false;
    }
    return true;
}

/* ---- Overlap of ranges that select options ---- */

/* A range of an option, to find ranges that overlap. */
typedef struct option_range {
    wide_i128 low, high;
    uint32_t option;
} option_range;

static int option_range_compare(const void *a, const void *b)
{
    return i128_compare(((const option_range *)a)->low, ((const option_range *)b)->low);
}

static option_range *option_ranges(const ctf_class *type, size_t *count)
{
    option_range *all;
    *count = 0;
    for (uint32_t i = 0; i < type->mapping_count; i++)
        *count += type->mappings[i].range_count;
    all = malloc(*count * sizeof *all);
    *count = 0;
    for (uint32_t i = 0; i < type->mapping_count && all != NULL; i++) {
        for (uint32_t k = 0; k < type->mappings[i].range_count; k++) {
            const ctf_range *range = &type->mappings[i].ranges[k];
            all[(*count)++] = (option_range){i128_of_bits(range->low, range->is_signed),
                                             i128_of_bits(range->high, range->is_signed), i};
        }
    }
    return all;
}

bool json_options_check(json_front *front, const ctf_class *type)
{
    size_t count;
    option_range *all = option_ranges(type, &count);
    const option_range *reach = all; /* the range that reaches highest so far */
    bool is_ok = all != NULL;
    if (is_ok)
        qsort(all, count, sizeof *all, option_range_compare);
    for (size_t i = 1; i < count && is_ok; i++) {
        if (!i128_less(reach->high, all[i].low) && all[i].option != reach->option) {
            metadata_report(front->m, &ctf_codes[CTF202], type->mappings[all[i].option].place,
                            "options whose ranges have no value in common",
                            "a value that selects two options");
            is_ok = false;
        }
        if (i128_less(reach->high, all[i].high))
            reach = &all[i];
    }
    free(all);
    return is_ok;
}
