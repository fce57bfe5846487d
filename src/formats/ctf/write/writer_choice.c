/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the class of an event, and the labels of its numbers. Events with equal keys share a class.
 * Keys are kept until the trace ends, so their bytes are bounded: beyond the bound an event goes to
 * a class that takes its name, or all of its fields, as values.
 */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/write/writer_choice.h"
#include "formats/ctf/write/writer_shape.h"

/* Levels of classes: those with the names of their events, those whose events have their names as
   fields, and those whose events have all fields as texts, of which there are few. */
#define CLASSES_NAMED  0u
#define CLASSES_SHAPES 1u
#define CLASSES_FLAT   2u

/* Most bytes of keys on each level: one byte costs some 40 while the metadata is made. */
static const size_t key_size_max[] = {[CLASSES_NAMED] = (size_t)256 << 10,
                                      [CLASSES_SHAPES] = (size_t)128 << 10,
                                      [CLASSES_FLAT] = SIZE_MAX};

#define CLASSES_ANYWAY 16u /* classes that may be made even if their keys are larger than that */

/* Returns the class with the shape's key, making it if it is new. Returns CLASS_NONE if there can
   be no more classes on this level, or CLASS_MEMORY. */
static uint32_t class_find(ctf_writer *w, unsigned level)
{
    const char *key = (const char *)w->shape.key.bytes;
    const size_t size = w->shape.key.size;
    const bool has_room =
        w->key_sizes[level] + size <= key_size_max[level] || w->class_count < CLASSES_ANYWAY;
    const uint32_t number =
        has_room ? intern_add(&w->keys, key, size) : intern_find(&w->keys, key, size);
    if (number == INTERN_NONE)
        return has_room ? CLASS_MEMORY : CLASS_NONE;
    w->key_sizes[level] += number >= w->class_count ? size : 0;
    if (number >= w->class_count) { /* no class has the empty key, which is number 0 */
        if (number >= w->class_capacity) {
            writer_class *grown =
                array_reserve(w->classes, sizeof *grown, &w->class_capacity, (size_t)number + 64);
            if (grown == NULL)
                return CLASS_MEMORY;
            w->classes = grown;
        }
        w->class_count = number + 1;
        w->classes[number] =
            (writer_class){.id = w->id_counts[shape_key_flags(w->shape.key.bytes)]++,
                           .slot_count = w->shape.slot_count};
        if (w->slots_max < w->shape.slot_count)
            w->slots_max = w->shape.slot_count;
    }
    return number;
}

uint32_t writer_class_choose(ctf_writer *w, const stele_batch *batch, const stele_event *event,
                             unsigned *flags)
{
    const shape_context context = w->shape.context;
    const unsigned own_flags = *flags;
    uint32_t number = CLASS_NONE;
    const unsigned first = (event->name & STELE_NAME_LOCAL) != 0 ? CLASSES_SHAPES : CLASSES_NAMED;
    for (unsigned level = first; level <= CLASSES_FLAT && number == CLASS_NONE; level++) {
        w->shape.names_are_fields = level != CLASSES_NAMED;
        w->shape.is_flat = level == CLASSES_FLAT;
        w->shape.context = context;
        *flags = own_flags;
        if (!shape_event(&w->shape, batch, event, flags))
            return CLASS_MEMORY;
        if (!w->shape.has_unknown_name || level == CLASSES_FLAT)
            number = class_find(w, level);
    }
    shape_count_losses(&w->shape);
    return number;
}

static bool label_add(ctf_writer *w, const writer_label *label)
{
    const uint32_t known = w->label_keys.count;
    uint8_t key[20];
    store_le32(key, label->class_number);
    store_le32(key + 4, label->slot);
    store_le64(key + 8, label->value);
    store_le32(key + 16, label->name);
    if (intern_add(&w->label_keys, (const char *)key, sizeof key) == INTERN_NONE) {
        writer_lose(&w->base, STELE_KIND_NONE, "label beyond 2 MiB of them", true, 1);
        return true;
    }
    if (w->label_keys.count == known)
        return true;
    if (w->label_count == w->label_capacity) {
        writer_label *grown = array_grow(w->labels, sizeof *grown, &w->label_capacity, 64);
        if (grown == NULL)
            return false;
        w->labels = grown;
    }
    w->labels[w->label_count++] = *label;
    return true;
}

bool writer_labels_add(ctf_writer *w, uint32_t class_number)
{
    for (uint32_t i = 0; i < w->shape.label_count; i++) {
        const shape_label *from = &w->shape.labels[i];
        const writer_label label = {class_number, from->slot, from->value, from->name,
                                    w->event_number};
        if (!label_add(w, &label))
            return false;
    }
    return true;
}
