/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of classes with mappings, shared by all programs that show such a class. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/records/label_order.h"
#include "formats/ctf/records/program.h"

/* Computes a mask of all bits of each flag of a bit map. */
static bool flags_make(label_table *labels, arena *memory)
{
    const ctf_class *type = labels->type;
    uint64_t *bits = arena_take(memory, type->mapping_count * sizeof *bits + 1);
    if (bits == NULL)
        return false;
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        const ctf_mapping *mapping = &type->mappings[i];
        bits[i] = 0;
        for (uint32_t k = 0; k < mapping->range_count; k++) {
            const uint64_t low = mapping->ranges[k].low, high = mapping->ranges[k].high;
            if (low < 64 && low <= high)
                bits[i] |= bits_mask((unsigned)((high < 63 ? high : 63) - low + 1)) << low;
        }
    }
    labels->bits = bits;
    return true;
}

/* Whether a value can be in two ranges, and so have several labels. */
static bool ranges_overlap(const range_table *ranges)
{
    uint64_t high = 0; /* largest end of the ranges so far */
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (i != 0 && ranges->entries[i].low <= high)
            return true;
        if (ranges->entries[i].high > high)
            high = ranges->entries[i].high;
    }
    return false;
}

/* Makes the table of ranges of an enumeration, and the order in which the labels are shown if a
   value can have several. */
static bool ranges_make(label_table *labels, arena *memory, ctf_generation generation)
{
    const ctf_class *type = labels->type;
    const uint32_t count = type->mapping_count;
    const bool is_signed = type->kind == CTF_INT || type->kind == CTF_VAR_INT;
    range_table *ranges = &labels->ranges;
    uint32_t *ranks, *shown;
    if (!range_table_make(ranges, memory, type->mappings, count, NULL, is_signed))
        return false;
    if (!ranges_overlap(ranges) || generation == CTF_RFC)
        return true;
    ranks = arena_take(memory, count * sizeof *ranks);
    shown = arena_take(memory, count * sizeof *shown);
    if (ranks == NULL || shown == NULL ||
        !label_order_find(ranks, type->mappings, count, generation))
        return false;
    for (uint32_t i = 0; i < count; i++)
        shown[ranks[i]] = i;
    for (uint32_t i = 0; i < ranges->count; i++)
        ranges->entries[i].index = ranks[ranges->entries[i].index];
    labels->shown = shown;
    return true;
}

/* Memos that hold no labels. A memo with value 0 would only be right in slot 0, so no other slot
   can match; slot 0 gets another value, which belongs elsewhere. */
static const label_memo no_memos[LABEL_MEMOS] = {{.value = 1}};

static label_table *labels_make(ctf_programs *programs, const ctf_class *type)
{
    arena *memory = &programs->memory;
    label_table *labels = arena_take(memory, sizeof *labels);
    if (labels == NULL)
        return NULL;
    *labels = (label_table){.type = type,
                            .memos = no_memos,
                            .names = arena_take(memory, type->mapping_count * sizeof(stele_name))};
    if (labels->names == NULL)
        return NULL;
    memset(labels->names, 0xff, type->mapping_count * sizeof(stele_name)); /* LABEL_UNKNOWN */
    if (type->kind == CTF_BIT_MAP ? !flags_make(labels, memory)
                                  : !ranges_make(labels, memory, programs->schema->generation))
        return NULL;
    return labels;
}

label_table *labels_get(ctf_programs *programs, const ctf_class *type)
{
    label_table *labels;
    uint32_t hash;
    if (!hash_table_reserve(&programs->label_numbers))
        return NULL;
    hash = hash_table_hash_u64(&programs->label_numbers, (uint64_t)(uintptr_t)type);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&programs->label_numbers, hash, &at)) != HASH_NONE;) {
        if (programs->labels[number]->type == type)
            return programs->labels[number];
    }
    if (programs->label_count == programs->label_capacity) {
        label_table **grown =
            array_grow(programs->labels, sizeof *grown, &programs->label_capacity, 32);
        if (grown == NULL)
            return NULL;
        programs->labels = grown;
    }
    labels = labels_make(programs, type);
    if (labels == NULL)
        return NULL;
    hash_table_put(&programs->label_numbers, hash, programs->label_count);
    programs->labels[programs->label_count++] = labels;
    return labels;
}

/* Appends a label. Its name is made when it is first needed, as a name of the batch only if the
   pool of names is full. Returns false if out of memory. */
static bool label_push(ctf_programs *programs, label_table *labels, uint32_t index,
                       stele_batch *batch)
{
    const uint32_t mapping = labels->shown != NULL ? labels->shown[index] : index;
    const ctf_text text = labels->type->mappings[mapping].name;
    stele_name name = labels->names[index];
    if (name == LABEL_UNKNOWN) {
        name = context_name(programs->context, batch, text.bytes, text.size, NULL, STELE_NO_OFFSET);
        if (name == UINT32_MAX)
            return false;
        if ((name & STELE_NAME_LOCAL) == 0)
            labels->names[index] = name;
    }
    *batch_push_field(batch) = (stele_field){.type = STELE_TYPE_NAME, .u.u = name};
    return true;
}

/* Writes the indexes of the mappings that hold the value to `hits`, in ascending order, and returns
   their count. */
static uint32_t labels_find(const label_table *labels, uint64_t value, uint32_t *hits)
{
    uint32_t count = 0;
    if (labels->bits == NULL)
        return range_table_find_all(&labels->ranges, value, hits);
    for (uint32_t i = 0; i < labels->type->mapping_count && count < RANGE_HITS_MAX; i++) {
        if ((labels->bits[i] & value) != 0)
            hits[count++] = i;
    }
    return count;
}

/* Remembers the labels of a value, as most enumerations have few values with one label each.
   Returns false if out of memory. */
static bool labels_note(ctf_programs *programs, label_table *labels, uint64_t value,
                        const uint32_t *hits, uint32_t count)
{
    label_memo memo = {.value = value, .count = count};
    if (labels->own_memos == NULL) {
        labels->own_memos = arena_take(&programs->memory, sizeof no_memos);
        if (labels->own_memos == NULL)
            return false;
        memcpy(labels->own_memos, no_memos, sizeof no_memos);
        labels->memos = labels->own_memos;
    }
    for (uint32_t i = 0; i < count; i++) {
        memo.names[i] = labels->names[hits[i]];
        if (memo.names[i] == LABEL_UNKNOWN) /* the label's name is known in its batch only */
            return true;
    }
    labels->own_memos[value % LABEL_MEMOS] = memo;
    return true;
}

bool labels_push(ctf_programs *programs, label_table *labels, uint64_t value, uint32_t reserve,
                 stele_batch *batch)
{
    uint32_t hits[RANGE_HITS_MAX + 1];
    const uint32_t entry = batch->field_count - 1;
    const uint32_t count = labels_find(labels, value, hits);
    if (!batch_reserve_fields(batch, count + reserve))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!label_push(programs, labels, hits[i], batch))
            return false;
    }
    batch->fields[entry].label_count = (uint8_t)count;
    return count > sizeof labels->memos->names / sizeof *labels->memos->names ||
           labels_note(programs, labels, value, hits, count);
}
