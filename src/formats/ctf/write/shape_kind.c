/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends what an event is besides its fields as members of its class: its kind, name and category
 * if they are not those of the class, its flags, and the values by which it is paired. They serve
 * to restore spans and flows: see schema/spans.h.
 */
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/schema/spans.h"
#include "formats/ctf/write/shape_put.h"
#include "formats/ctf/write/writer_key.h"

static uint32_t put_extra(shape *s, stele_name name, uint64_t value, unsigned base)
{
    const stele_field field = {
        .name = name, .type = STELE_TYPE_UINT, .hint = (uint8_t)base, .u.u = value};
    s->before = NULL;
    shape_put_field(s, &field);
    return 1;
}

static uint64_t track_number(const shape *s, uint64_t track)
{
    const stele_track *found =
        track <= UINT32_MAX ? stele_track_get(s->writer->context, (uint32_t)track) : NULL;
    return found != NULL ? found->number : 0;
}

/* Appends the kind as a number of one byte, whose label is the name of the kind. */
static void put_kind(shape *s, stele_kind kind, unsigned bits)
{
    shape_put_op(s, OP_UINT, 1, DISPLAY_ENUM, s->names.kind);
    put_number(&s->value, (uint64_t)kind | bits, 1);
    shape_put_label(s, (uint64_t)kind | bits, s->names.of_kinds[kind].label);
    s->slot_count++;
}

static void put_own_text(shape *s, stele_name name, stele_text text)
{
    const stele_field field = {.name = name, .type = STELE_TYPE_STRING};
    s->before = NULL;
    shape_put_text(s, &field, text);
}

/* Gives value and id as the event shows them: tracks by their numbers, ends as durations. */
static void kind_values(const shape *s, const stele_event *event, uint64_t *value, uint64_t *id)
{
    *value = event->value;
    *id = event->id;
    if (event->kind == STELE_KIND_COMPLETE)
        *value = event->id - (uint64_t)event->time_ns;
    if (event->kind == STELE_KIND_SWITCH)
        *value = track_number(s, event->value);
    if (event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE)
        *id = track_number(s, event->id);
}

static uint32_t put_track(shape *s, stele_name name, uint64_t track)
{
    const uint32_t known = track <= UINT32_MAX ? (uint32_t)track : 0;
    return put_extra(s, name, s->track_number(s->user, known), 0);
}

bool shape_is_function(const shape *s, const stele_event *event)
{
    return s->is_marked && event->id != 0 &&
           (event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_END ||
            event->kind == STELE_KIND_TAIL_EXIT);
}

bool shape_is_utf8(stele_text text)
{
    for (size_t i = 0; i < text.size;) {
        const size_t length = text_utf8_length((const uint8_t *)text.bytes + i, text.size - i);
        if (length == 0 || text.bytes[i] == 0)
            return false;
        i += length;
    }
    return true;
}

/* Whether a reader, which takes the text before the first ':' as the category, gets these two names
   back. */
static bool name_splits(stele_text category, stele_text name)
{
    const char *colon = name.size != 0 ? memchr(name.bytes, ':', name.size) : NULL;
    if (!shape_is_utf8(name) || !shape_is_utf8(category))
        return false;
    if (category.size != 0)
        return name.size != 0 && memchr(category.bytes, ':', category.size) == NULL &&
               !(name.size > category.size && name.bytes[category.size] == ':' &&
                 memcmp(name.bytes, category.bytes, category.size) == 0);
    return colon == NULL || colon == name.bytes || colon + 1 == name.bytes + name.size;
}

bool shape_name_is_plain(shape *s, stele_name name, stele_name category)
{
    shape_plain *known = &s->plain[(name ^ category * 31u) % SHAPE_PLAIN_COUNT];
    const stele_context *context = s->writer->context;
    if (!s->is_marked)
        return true;
    if (!known->is_known || known->name != name || known->category != category)
        *known = (shape_plain){name, category, true,
                               name_splits(stele_name_text(context, NULL, category),
                                           stele_name_text(context, s->batch, name))};
    return known->is_plain;
}

/* Returns the SPAN_HAS_... bits of the members that follow the kind. */
static unsigned kind_bits(shape *s, const stele_event *event, stele_name category)
{
    const bool is_named = !s->names_are_fields && !shape_is_function(s, event) &&
                          shape_name_is_plain(s, event->name, category);
    unsigned bits = 0;
    if (s->is_marked && (event->flags & SPAN_FLAGS_KEPT) != 0)
        bits |= SPAN_HAS_FLAGS;
    if (!is_named && (event->name != 0 || !shape_is_function(s, event)))
        bits |= SPAN_HAS_NAME;
    if (!is_named && category != 0)
        bits |= SPAN_HAS_CATEGORY;
    return bits;
}

static uint32_t put_flags_and_names(shape *s, const stele_event *event, unsigned bits,
                                    stele_name category)
{
    const stele_context *context = s->writer->context;
    if ((bits & SPAN_HAS_FLAGS) != 0) {
        shape_put_op(s, OP_UINT, 1, STELE_HINT_HEX, s->names.flags);
        put_number(&s->value, event->flags & SPAN_FLAGS_KEPT, 1);
    }
    if ((bits & SPAN_HAS_NAME) != 0)
        put_own_text(s, s->names.name, stele_name_text(context, s->batch, event->name));
    if ((bits & SPAN_HAS_CATEGORY) != 0)
        put_own_text(s, s->names.category, stele_name_text(context, NULL, category));
    return (uint32_t)((bits & SPAN_HAS_FLAGS) != 0) + ((bits & SPAN_HAS_NAME) != 0) +
           ((bits & SPAN_HAS_CATEGORY) != 0);
}

/* Appends the values that the kind keeps in value and id. Returns the number of members. */
static uint32_t put_values(shape *s, const stele_event *event)
{
    const shape_kind_names *names = &s->names.of_kinds[event->kind];
    const bool is_hex = span_members_of[event->kind].is_hex;
    uint32_t count = 0;
    uint64_t value, id;
    kind_values(s, event, &value, &id);
    if (names->value != 0)
        count += put_extra(s, names->value, value, 0);
    if (names->id != 0 && !shape_is_function(s, event))
        count += put_extra(s, names->id, id, is_hex ? STELE_HINT_HEX : 0);
    if (s->is_marked && event->kind == STELE_KIND_SWITCH)
        count += put_track(s, s->names.outgoing, event->value);
    if (s->is_marked && (event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE))
        count += put_track(s, s->names.incoming, event->id);
    return count;
}

uint32_t shape_put_kind_members(shape *s, const stele_event *event, bool is_needed)
{
    const stele_name category = stele_category_name(s->writer->context, event->category);
    const unsigned bits = kind_bits(s, event, category);
    uint32_t count = 1;
    if (event->kind == STELE_KIND_INSTANT && bits == 0 && !is_needed)
        return 0;
    if (event->kind != STELE_KIND_INSTANT && !s->is_marked)
        shape_lose(s, "kind as a field", LOSS_FORM);
    if (shape_is_function(s, event)) {
        s->has_function = true;
        count += put_extra(s, s->names.addr, event->id, STELE_HINT_HEX);
        count += put_extra(s, s->names.call_site, 0, STELE_HINT_HEX);
    }
    put_kind(s, (stele_kind)event->kind, bits);
    return count + put_flags_and_names(s, event, bits, category) + put_values(s, event);
}
