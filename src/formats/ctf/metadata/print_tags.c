/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/print_tags.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/table.h"
#include "core/wide.h"
#include "formats/ctf/metadata/print_names.h"

/* Values of a field from `low` to `high`, both included. Ends are biased, so that signed values,
   too, can be compared as unsigned ones. */
typedef struct span {
    uint64_t low, high;
} span;

typedef enum entry_kind {
    ENTRY_FIELD, /* a field; holds its labels */
    ENTRY_OWN,  /* A label of the field's own; holds how it is written once it selects an option. */
    ENTRY_NAME, /* A name that is in use, without the leading `_` that readers ignore. */
    ENTRY_CHOICE /* A name and spans; holds the label that was made for them. */
} entry_kind;

typedef struct entry {
    entry_kind kind;
    const ctf_member *tag;
    ctf_text text;
    const span *spans;
    uint32_t span_count;
    bool is_shared; /* of ENTRY_NAME: several labels of the field's own have the name */
    /* Of ENTRY_CHOICE and ENTRY_OWN: the label as written; bytes are NULL before it is. */
    ctf_text label;
    /* Of ENTRY_CHOICE: the field's own label that serves; NULL for a new label. */
    struct entry *own;
    tag_label *first, **last; /* of ENTRY_FIELD: its new labels as a list */
} entry;

struct print_tags {
    arena memory;
    entry **entries;
    uint32_t count, capacity;
    hash_table numbers; /* indexes of `entries`, by all that entry_is_same() compares */
    uint32_t renamed_count;
};

print_tags *tags_new(void)
{
    return calloc(1, sizeof(print_tags));
}

void tags_free(print_tags *tags)
{
    if (tags == NULL)
        return;
    arena_free(&tags->memory);
    free(tags->entries);
    hash_table_free(&tags->numbers);
    free(tags);
}

bool tags_can(const ctf_class *type)
{
    return (type->kind == CTF_BOOL || type->kind == CTF_UINT || type->kind == CTF_INT) &&
           type->size <= 64;
}

/* ---- The table of entries ---- */

static uint32_t entry_hash(const print_tags *tags, const entry *e)
{
    const hash_key key = tags->numbers.key;
    const uint64_t text = hash_keyed_bytes(key, e->text.bytes, e->text.size);
    const uint64_t spans = hash_keyed_bytes(key, e->spans, e->span_count * sizeof *e->spans);
    return (uint32_t)hash_keyed_pair(key, hash_keyed_pair(key, text, spans),
                                     (uint64_t)(uintptr_t)e->tag + (uint64_t)e->kind);
}

static bool entry_is_same(const entry *a, const entry *b)
{
    return a->kind == b->kind && a->tag == b->tag && ctf_text_equals(a->text, b->text) &&
           a->span_count == b->span_count &&
           (a->span_count == 0 ||
            memcmp(a->spans, b->spans, a->span_count * sizeof *a->spans) == 0);
}

static entry *entry_find(const print_tags *tags, const entry *e)
{
    const uint32_t hash = entry_hash(tags, e);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&tags->numbers, hash, &at)) != HASH_NONE;) {
        if (entry_is_same(tags->entries[number], e))
            return tags->entries[number];
    }
    return NULL;
}

/* Makes room for one more entry. Returns false if out of memory. */
static bool entries_reserve(print_tags *tags)
{
    if (tags->count == tags->capacity) {
        entry **grown = array_grow(tags->entries, sizeof *grown, &tags->capacity, 64);
        if (grown == NULL)
            return false;
        tags->entries = grown;
    }
    return hash_table_reserve(&tags->numbers);
}

/* Adds a copy of the entry, including what it points to. Returns NULL if out of memory. */
static entry *entry_add(print_tags *tags, const entry *e)
{
    const size_t spans_size = e->span_count * sizeof *e->spans;
    entry *made;
    span *spans;
    char *text;
    if (!entries_reserve(tags))
        return NULL;
    made = arena_take(&tags->memory, sizeof *made);
    spans = arena_take(&tags->memory, spans_size + 1);
    text = arena_copy(&tags->memory, e->text.bytes != NULL ? e->text.bytes : "", e->text.size);
    if (made == NULL || spans == NULL || text == NULL)
        return NULL;
    if (spans_size != 0)
        memcpy(spans, e->spans, spans_size);
    *made = *e;
    made->spans = spans;
    made->text.bytes = text;
    hash_table_put(&tags->numbers, entry_hash(tags, made), tags->count);
    tags->entries[tags->count++] = made;
    return made;
}

/* ---- Ranges of values ---- */

static uint64_t bias_of(const ctf_class *type)
{
    return type->kind == CTF_INT ? UINT64_C(1) << 63 : 0;
}

/* Returns the span of all values of the field. */
static span whole_of(const ctf_class *type)
{
    const uint64_t most = UINT64_MAX >> (64 - type->size) >> (type->kind == CTF_INT);
    const uint64_t least = type->kind == CTF_INT ? ~most : 0;
    return (span){least ^ bias_of(type), most ^ bias_of(type)};
}

static int span_compare(const void *a, const void *b)
{
    const span *left = a, *right = b;
    return (left->low > right->low) - (left->low < right->low);
}

/* Whether the second span, which does not begin before the first, leaves no gap after it. */
static bool span_goes_on(const span *first, const span *second)
{
    return second->low <= first->high || second->low == first->high + 1;
}

/* Converts ranges to the spans of the field's values in them: sorted, and with a gap between any
   two. `spans` must have room for as many as there are ranges. */
static uint32_t spans_make(const ctf_class *type, const ctf_range *ranges, uint32_t count,
                           span *spans)
{
    const uint64_t bias = bias_of(type);
    const span whole = whole_of(type);
    const bool is_signed = bias != 0;
    const wide_i128 least = i128_of_bits(whole.low ^ bias, is_signed),
                    most = i128_of_bits(whole.high ^ bias, is_signed);
    uint32_t used = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const wide_i128 low = i128_of_bits(ranges[i].low, ranges[i].is_signed),
                        high = i128_of_bits(ranges[i].high, ranges[i].is_signed);
        if (!i128_less(most, low) && !i128_less(high, least))
            spans[used++] = (span){i128_low(i128_less(least, low) ? low : least) ^ bias,
                                   i128_low(i128_less(high, most) ? high : most) ^ bias};
    }
    if (used != 0)
        qsort(spans, used, sizeof *spans, span_compare);
    for (uint32_t i = 0; i < used; i++) {
        if (kept == 0 || !span_goes_on(&spans[kept - 1], &spans[i]))
            spans[kept++] = spans[i];
        else if (spans[i].high > spans[kept - 1].high)
            spans[kept - 1].high = spans[i].high;
    }
    return kept;
}

bool tags_clip(const ctf_class *type, const ctf_range *range, ctf_range *clipped)
{
    span of_it;
    if (spans_make(type, range, 1, &of_it) == 0)
        return false;
    *clipped =
        (ctf_range){of_it.low ^ bias_of(type), of_it.high ^ bias_of(type), type->kind == CTF_INT};
    return true;
}

/* Replaces the spans by those of all other values of the field. There must be room for one span
   more. */
static uint32_t spans_invert(const ctf_class *type, span *spans, uint32_t count)
{
    const span whole = whole_of(type);
    uint64_t next = whole.low;
    uint32_t made = 0;
    bool is_more = true;
    for (uint32_t i = 0; i < count; i++) {
        const span s = spans[i];
        if (s.low > next)
            spans[made++] = (span){next, s.low - 1};
        is_more = s.high < whole.high;
        next = s.high + is_more;
    }
    if (is_more)
        spans[made++] = (span){next, whole.high};
    return made;
}

/* ---- Names of labels ---- */

static ctf_text without_escape(ctf_text name)
{
    while (name.size != 0 && *name.bytes == '_')
        name = (ctf_text){name.bytes + 1, name.size - 1};
    return name;
}

static bool is_name_character(uint8_t c)
{
    return c >= 0x80 || name_has_character(c);
}

static bool is_name(ctf_text text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!is_name_character((uint8_t)text.bytes[i]))
            return false;
    return text.size != 0;
}

/* Makes a name that is a valid identifier but for an escape. Its bytes are NULL if out of
   memory. */
static ctf_text name_make(print_tags *tags, ctf_text wanted)
{
    static const ctf_text nameless = {"option", 6};
    const ctf_text from = without_escape(wanted).size != 0 ? without_escape(wanted) : nameless;
    char *text = arena_copy(&tags->memory, from.bytes, from.size);
    for (uint32_t i = 0; text != NULL && i < from.size; i++)
        if (!is_name_character((uint8_t)text[i]))
            text[i] = '_';
    return (ctf_text){text, from.size};
}

/* Adds the escape if the name needs one. Its bytes are NULL if out of memory. */
static ctf_text name_escape(print_tags *tags, ctf_text name)
{
    const bool is_more = name_needs_escape(name);
    char *text = arena_take(&tags->memory, (size_t)name.size + 2);
    if (text != NULL)
        snprintf(text, (size_t)name.size + 2, "%s%.*s", is_more ? "_" : "", (int)name.size,
                 name.bytes);
    return (ctf_text){text, name.size + is_more};
}

/* Changes the name to one that no label of the field has, and marks it as used. Returns false if
   out of memory. */
static bool name_take(print_tags *tags, const ctf_member *tag, ctf_text *name)
{
    entry wanted = {.kind = ENTRY_NAME, .tag = tag, .text = *name};
    const ctf_text base = *name;
    while (entry_find(tags, &wanted) != NULL) {
        const size_t room = base.size + sizeof "_4294967295";
        char *text = arena_take(&tags->memory, room);
        if (text == NULL)
            return false;
        snprintf(text, room, "%.*s_%" PRIu32, (int)base.size, base.bytes, ++tags->renamed_count);
        wanted.text = *name = (ctf_text){text, (uint32_t)strlen(text)};
    }
    return entry_add(tags, &wanted) != NULL;
}

/* ---- Labels of fields ---- */

/* Lets a label of the field's own serve for its values, if no other label has the same name without
   the escape. */
static bool take_own_label(print_tags *tags, const ctf_member *tag, const ctf_mapping *own,
                           span *room)
{
    const ctf_text plain = without_escape(own->name);
    const entry name = {.kind = ENTRY_NAME, .tag = tag, .text = plain};
    const entry label = {.kind = ENTRY_OWN, .tag = tag, .text = own->name};
    entry choice = {.kind = ENTRY_CHOICE,
                    .tag = tag,
                    .text = own->name,
                    .spans = room,
                    .span_count = spans_make(tag->type, own->ranges, own->range_count, room)};
    if (!is_name(plain) || entry_find(tags, &name)->is_shared)
        return true;
    choice.own = entry_add(tags, &label);
    if (choice.own == NULL || entry_add(tags, &choice) == NULL)
        return false;
    choice.text = plain;
    return plain.size == own->name.size || entry_add(tags, &choice) != NULL;
}

/* Marks the names of the field's own labels as used, and lets labels with unique names serve. */
static bool take_own(print_tags *tags, const ctf_member *tag, span *room)
{
    const ctf_class *type = tag->type;
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        const entry name = {
            .kind = ENTRY_NAME, .tag = tag, .text = without_escape(type->mappings[i].name)};
        entry *found = entry_find(tags, &name);
        if (found != NULL)
            found->is_shared = true;
        else if (entry_add(tags, &name) == NULL)
            return false;
    }
    for (uint32_t i = 0; i < type->mapping_count; i++)
        if (!take_own_label(tags, tag, &type->mappings[i], room))
            return false;
    return true;
}

/* Returns the field's entry, making it if necessary, or NULL if out of memory. */
static entry *field_of(print_tags *tags, const ctf_member *tag)
{
    const entry wanted = {.kind = ENTRY_FIELD, .tag = tag};
    entry *field = entry_find(tags, &wanted);
    uint32_t most = 0;
    span *room;
    bool is_taken;
    if (field != NULL)
        return field;
    field = entry_add(tags, &wanted);
    for (uint32_t i = 0; i < tag->type->mapping_count; i++)
        if (tag->type->mappings[i].range_count > most)
            most = tag->type->mappings[i].range_count;
    room = calloc((size_t)most + 1, sizeof *room);
    is_taken = field != NULL && room != NULL && take_own(tags, tag, room);
    free(room);
    if (!is_taken)
        return NULL;
    field->last = &field->first;
    return field;
}

/* Adds a new label to the field. Returns false if out of memory. */
static bool label_add(print_tags *tags, entry *field, const entry *choice)
{
    const ctf_class *type = field->tag->type;
    tag_label *label = arena_take(&tags->memory, sizeof *label);
    ctf_range *ranges = arena_take(&tags->memory, choice->span_count * sizeof *ranges + 1);
    if (label == NULL || ranges == NULL)
        return false;
    for (uint32_t i = 0; i < choice->span_count; i++)
        ranges[i] = (ctf_range){choice->spans[i].low ^ bias_of(type),
                                choice->spans[i].high ^ bias_of(type), type->kind == CTF_INT};
    *label =
        (tag_label){.name = choice->label, .ranges = ranges, .range_count = choice->span_count};
    *field->last = label;
    field->last = &label->next;
    return true;
}

/*
 * Sets how a label of the field's own is written: like the first option that it selects, as some
 * readers compare the names without removing escapes. The label may have the option's escape
 * already.
 */
static bool own_write(print_tags *tags, const entry *choice)
{
    entry *own = choice->own;
    if (own->label.bytes == NULL)
        own->label = choice->text.size < own->text.size ? own->text : name_escape(tags, own->text);
    return own->label.bytes != NULL;
}

static bool select_spans(print_tags *tags, const ctf_member *tag, ctf_text wanted,
                         const span *spans, uint32_t count, ctf_text *name)
{
    entry *field = field_of(tags, tag);
    entry choice = {
        .kind = ENTRY_CHOICE, .tag = tag, .text = wanted, .spans = spans, .span_count = count};
    const entry *found = field != NULL ? entry_find(tags, &choice) : NULL;
    if (found == NULL)
        choice.text = name_make(tags, wanted);
    if (field == NULL || choice.text.bytes == NULL)
        return false;
    if (found == NULL)
        found = entry_find(tags, &choice);
    if (found == NULL) {
        choice.label = choice.text;
        if (!name_take(tags, tag, &choice.label))
            return false;
        choice.label = name_escape(tags, choice.label);
        if (choice.label.bytes == NULL || !label_add(tags, field, &choice))
            return false;
        found = entry_add(tags, &choice);
    }
    if (found == NULL || (found->own != NULL && !own_write(tags, found)))
        return false;
    *name = found->own != NULL ? found->own->label : found->label;
    return true;
}

static bool select_ranges(print_tags *tags, const ctf_member *tag, ctf_text wanted,
                          const ctf_range *ranges, uint32_t count, bool is_rest, ctf_text *name)
{
    span *spans = calloc((size_t)count + 1, sizeof *spans);
    uint32_t made;
    bool is_done;
    if (spans == NULL)
        return false;
    made = spans_make(tag->type, ranges, count, spans);
    if (is_rest)
        made = spans_invert(tag->type, spans, made);
    *name = (ctf_text){NULL, 0};
    is_done = made == 0 || select_spans(tags, tag, wanted, spans, made, name);
    free(spans);
    return is_done;
}

bool tags_select(print_tags *tags, const ctf_member *tag, ctf_text wanted, const ctf_range *ranges,
                 uint32_t count, ctf_text *name)
{
    return select_ranges(tags, tag, wanted, ranges, count, false, name);
}

bool tags_select_rest(print_tags *tags, const ctf_member *tag, ctf_text wanted,
                      const ctf_range *ranges, uint32_t count, ctf_text *name)
{
    return select_ranges(tags, tag, wanted, ranges, count, true, name);
}

const tag_label *tags_of(const print_tags *tags, const ctf_member *tag)
{
    const entry wanted = {.kind = ENTRY_FIELD, .tag = tag};
    const entry *field = entry_find(tags, &wanted);
    return field != NULL ? field->first : NULL;
}

ctf_text tags_own_label(const print_tags *tags, const ctf_member *tag, ctf_text name)
{
    const entry wanted = {.kind = ENTRY_OWN, .tag = tag, .text = name};
    const entry *own = entry_find(tags, &wanted);
    return own != NULL && own->label.bytes != NULL ? own->label : name;
}
