/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event becomes a key and a value (writer_key.h has the layout of keys). The key says what its
 * class is called, and op, width and name of each field; the value has the bytes of the fields as
 * the trace will have them. What holds throughout:
 *
 * - Events with equal keys are of one class, which the writer finds by the bytes of the key alone.
 *   What differs from event to event, such as the count of an array or a text, is in the value.
 * - Key and value grow in the same order: the bytes of a field stand in the value where its op
 * stands in the key. writer_class.c makes a class of a key from its first byte to its last.
 * - Numbers with labels have slots, counted in the order of the key. All elements of an array have
 *   the slots of its first one, as they are of one class.
 * - A loss is noted in the shape, and counted by shape_count_losses() once it is known that the
 * shape is the one that is written: an event can be shaped again, with its fields as texts.
 * - Bytes for which there is no memory set `is_lost` of their buffer, and what follows is put in
 * vain. shape_event() asks for it at its end; in between only who writes to bytes that were put
 * does.
 */
#include "formats/ctf/write/writer_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/schema/spans.h"

#define DEPTH_MAX 64u

/* ---- Runs of bytes ---- */

static void put_bytes(byte_buffer *decoder, const void *bytes, size_t size)
{
    uint8_t *at = byte_buffer_take(decoder, size);
    if (at != NULL && size != 0)
        memcpy(at, bytes, size);
}

static void put_u32(byte_buffer *decoder, uint32_t value)
{
    uint8_t *at = byte_buffer_take(decoder, 4);
    if (at != NULL)
        store_le32(at, value);
}

/* The lowest `width` bytes of a number, little end first. */
static void put_number(byte_buffer *decoder, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    put_bytes(decoder, bytes, width);
}

/* ---- Events to keys and values ---- */

/* Noted, and counted once the shape is the one that is written. */
static void lose(shape *s, const char *what, loss_extent extent)
{
    uint32_t i = 0;
    while (i < s->lost_count && s->lost[i].what != what)
        i++;
    if (i == s->lost_count) {
        if (i == SHAPE_LOSSES_MAX) {
            writer_lose(s->writer, s->kind, what, extent, 1);
            return;
        }
        s->lost[s->lost_count++] = (shape_loss){what, extent, 0};
    }
    s->lost[i].count++;
}

void shape_count_losses(shape *s)
{
    for (uint32_t i = 0; i < s->lost_count; i++)
        writer_lose(s->writer, s->kind, s->lost[i].what, s->lost[i].extent, s->lost[i].count);
    s->lost_count = 0;
}

/* A name that all batches know: names of the batch's own mean something else in the next one, and
   would make one key of different classes. */
static stele_name lasting_name(shape *s, stele_name name)
{
    stele_text text;
    stele_name interned;
    if ((name & STELE_NAME_LOCAL) == 0)
        return name;
    text = stele_name_text(s->writer->context, s->batch, name);
    interned = stele_name_intern(s->writer->context, text.bytes, text.size);
    if (interned != UINT32_MAX)
        return interned;
    s->has_unknown_name = true;
    return 0;
}

static void put_op(shape *s, shape_op op, unsigned width, unsigned display, stele_name name)
{
    uint8_t *at = byte_buffer_take(&s->key, 8);
    if (at == NULL)
        return;
    at[0] = (uint8_t)op;
    at[1] = (uint8_t)width;
    at[2] = (uint8_t)display;
    at[3] = 0;
    store_le32(at + 4, lasting_name(s, name));
}

/* Whether the member in front is called "_NAME_length", as in LTTng's traces, and holds it. */
static bool length_is_in_front(shape *s, const stele_field *field, uint64_t count)
{
    const stele_field *before = s->before;
    stele_text length, name;
    if (before == NULL || before->type != STELE_TYPE_UINT || before->u.u != count ||
        before->label_count != 0 || (before->hint & STELE_HINT_ENUM) != 0)
        return false;
    length = stele_name_text(s->writer->context, s->batch, before->name);
    name = stele_name_text(s->writer->context, s->batch, field->name);
    return length.size == name.size + 8 && length.bytes[0] == '_' &&
           memcmp(length.bytes + 1, name.bytes, name.size) == 0 &&
           memcmp(length.bytes + 1 + name.size, "_length", 7) == 0;
}

/* The op of a field that has a count, and the count. */
static void put_counted(shape *s, shape_op op, unsigned width, unsigned display,
                        const stele_field *field, uint32_t count)
{
    const bool is_in_front = length_is_in_front(s, field, count);
    put_op(s, op, width, display, field->name);
    /* An op takes 8 bytes, of which the fourth says where the count is. */
    if (!is_in_front)
        put_u32(&s->value, count);
    else if (!s->key.is_lost)
        s->key.bytes[s->key.size - 5] = 1;
}

static unsigned bytes_of_width(unsigned width)
{
    return width == 0 || width > 32 ? 8 : width > 16 ? 4 : width > 8 ? 2 : 1;
}

/* Bytes for a number: as many as it was written with, if it fits. A number that does not fit makes
   another key, so that no class is too narrow for its events. */
static unsigned number_bytes(const stele_field *field)
{
    const unsigned width = bytes_of_width(field->width);
    const unsigned bits = width * 8;
    if (width == 8 ||
        (field->type == STELE_TYPE_INT ? field->u.i >> (bits - 1) == (field->u.i < 0 ? -1 : 0)
                                       : field->u.u >> bits == 0))
        return width;
    return 8;
}

static void put_label(shape *s, uint64_t value, stele_name name)
{
    if (s->label_count == s->label_capacity) {
        shape_label *grown = array_grow(s->labels, sizeof *grown, &s->label_capacity, 64);
        if (grown == NULL) {
            s->key.is_lost = true;
            return;
        }
        s->labels = grown;
    }
    s->labels[s->label_count++] = (shape_label){s->slot_count, name, value};
}

/* The labels after a number. The slot is taken also where it has none of them: the key says that
   there is one. */
static void put_labels(shape *s, const stele_field *field)
{
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text text = stele_field_text(s->writer->context, s->batch, field + i);
        const stele_name name = stele_name_intern(s->writer->context, text.bytes, text.size);
        if (name != UINT32_MAX)
            put_label(s, field->u.u, name);
        else
            lose(s, "label beyond the limit of names", true);
    }
    s->slot_count++;
}

static void put_integer(shape *s, const stele_field *field, unsigned base)
{
    const unsigned width = number_bytes(field);
    const bool is_enum = field->label_count != 0 || (field->hint & STELE_HINT_ENUM) != 0;
    put_op(s, field->type == STELE_TYPE_INT ? OP_INT : OP_UINT, width,
           base | (is_enum ? DISPLAY_ENUM : 0), field->name);
    put_number(&s->value, field->u.u, width);
    if (is_enum)
        put_labels(s, field);
}

static void put_float(shape *s, const stele_field *field)
{
    const float small = (float)field->u.f;
    const bool is_small = field->width == 32;
    uint32_t bits;
    memcpy(&bits, &small, sizeof bits);
    put_op(s, OP_FLOAT, is_small ? 4 : 8, 0, field->name);
    put_number(&s->value, is_small ? bits : store_double(field->u.f), is_small ? 4 : 8);
}

/* A text with a zero in it is bytes that are marked to be one. */
static void put_text(shape *s, const stele_field *field, stele_text text)
{
    const uint8_t *zero = text.size != 0 ? memchr(text.bytes, 0, text.size) : NULL;
    size_t size = text.size;
    if (zero != NULL && s->is_marked) {
        put_counted(s, OP_BYTES, 1, AS_TEXT, field, (uint32_t)size);
        put_bytes(&s->value, text.bytes, size);
        return;
    }
    if (zero != NULL) {
        lose(s, "text after a zero", true);
        size = (size_t)(zero - (const uint8_t *)text.bytes);
    }
    put_op(s, OP_STRING, 0, 0, field->name);
    put_bytes(&s->value, text.bytes, size);
    put_number(&s->value, 0, 1);
}

static void put_blob(shape *s, const stele_field *field)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    const bool is_big = field->type == STELE_TYPE_BIGINT;
    const bool is_signed = (field->hint & STELE_HINT_SIGNED) != 0;
    if (is_big && !s->is_marked)
        lose(s, "integer of more than 64 bits as bytes", LOSS_FORM);
    put_counted(s, OP_BYTES, 1,
                !is_big     ? 0
                : is_signed ? AS_SIGNED
                            : AS_UNSIGNED,
                field, (uint32_t)text.size);
    put_bytes(&s->value, text.bytes, text.size);
}

static void put_numbers(shape *s, const stele_field *field)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    const unsigned width = bytes_of_width(field->width);
    const size_t count = text.size / 8;
    const bool is_float = field->type == STELE_TYPE_FLOATS;
    put_counted(s,
                is_float                         ? OP_FLOATS
                : field->type == STELE_TYPE_INTS ? OP_INTS
                                                 : OP_UINTS,
                is_float ? 8 : width, is_float ? 0 : field->hint & DISPLAY_BASE, field,
                (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_number(&s->value, load_native64(text.bytes + 8 * i), is_float ? 8 : width);
}

static void put_field(shape *s, const stele_field *field);

static void put_members(shape *s, const stele_field *first, uint32_t length)
{
    const stele_field *before = NULL;
    for (uint32_t at = 0; at < length; at += stele_field_length(first + at)) {
        s->before = before;
        put_field(s, first + at);
        before = first + at;
    }
}

static void put_structure(shape *s, const stele_field *field)
{
    if (field->type == STELE_TYPE_VARIANT && !s->is_marked)
        lose(s, "variant as a structure", LOSS_FORM);
    if (field->type == STELE_TYPE_ARRAY && !s->is_marked)
        lose(s, "array of several types as a structure", LOSS_FORM);
    put_op(s, field->type == STELE_TYPE_ARRAY ? OP_TUPLE : OP_STRUCT, 0,
           field->type == STELE_TYPE_VARIANT ? AS_VARIANT : 0, field->name);
    put_u32(&s->key, field->u.run.count);
    put_members(s, field + 1 + field->label_count, field->u.run.length);
}

/* Elements of one shape; false, and keys and values are of no use, when they have several. The key
   of the first element stays; those of the others are compared with it, and taken back. No element
   has another one in front of it that could hold its count. */
static bool put_elements(shape *s, const stele_field *first, uint32_t length)
{
    const uint32_t slots = s->slot_count;
    const size_t key = s->key.size;
    size_t key_size = 0;
    for (uint32_t at = 0; at < length; at += stele_field_length(first + at)) {
        const size_t key_here = s->key.size;
        s->slot_count = slots;
        s->before = NULL;
        put_field(s, first + at);
        if (s->key.is_lost)
            return true;
        if (at == 0) {
            key_size = s->key.size - key;
            continue;
        }
        if (s->key.size - key_here != key_size ||
            memcmp(s->key.bytes + key, s->key.bytes + key_here, key_size) != 0)
            return false;
        s->key.size = key_here;
    }
    return true;
}

static void put_array(shape *s, const stele_field *field)
{
    const stele_field *first = field + 1 + field->label_count;
    const size_t key = s->key.size, value = s->value.size;
    const uint32_t slots = s->slot_count, labels = s->label_count;
    put_counted(s, field->u.run.count == 0 ? OP_EMPTY : OP_ARRAY, 0, 0, field, field->u.run.count);
    if (put_elements(s, first, field->u.run.length))
        return;
    /* Of several shapes: all that was put since goes, and each element is put for itself. */
    s->key.size = key;
    s->value.size = value;
    s->slot_count = slots;
    s->label_count = labels;
    put_structure(s, field);
}

/* Puts one op to the key (after a STRUCT, TUPLE or ARRAY also those of what it holds), whatever the
   field is: counts of members stay true where a field cannot be written. */
static void put_field(shape *s, const stele_field *field)
{
    if (s->depth == DEPTH_MAX) {
        lose(s, "fields nested deeper than 64", true);
        put_op(s, OP_NONE, 0, 0, field->name);
        return;
    }
    s->depth++;
    switch ((stele_type)field->type) {
    case STELE_TYPE_BOOL:
        put_op(s, OP_BOOL, 1, 0, field->name);
        put_number(&s->value, field->u.u != 0, 1);
        break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT: put_integer(s, field, field->hint & DISPLAY_BASE); break;
    case STELE_TYPE_KOID:
        if (!s->is_marked)
            lose(s, "object id as a number", LOSS_FORM);
        put_integer(s, field, (field->hint & DISPLAY_BASE) | AS_KOID);
        break;
    case STELE_TYPE_POINTER:
        if (!s->is_marked)
            lose(s, "address as a number", LOSS_FORM);
        put_integer(s, field, STELE_HINT_HEX | AS_POINTER);
        break;
    case STELE_TYPE_FLOAT: put_float(s, field); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        put_text(s, field, stele_field_text(s->writer->context, s->batch, field));
        break;
    case STELE_TYPE_BYTES:
    case STELE_TYPE_BIGINT: put_blob(s, field); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_numbers(s, field); break;
    case STELE_TYPE_ARRAY: put_array(s, field); break;
    case STELE_TYPE_VARIANT:
    case STELE_TYPE_STRUCT: put_structure(s, field); break;
    default:
        if (!s->is_marked)
            lose(s, "null as an empty structure", LOSS_FORM);
        put_op(s, OP_NONE, 0, 0, field->name);
    }
    s->depth--;
}

/* ---- What an event is besides its fields ---- */

static uint32_t put_extra(shape *s, stele_name name, uint64_t value, unsigned base)
{
    const stele_field field = {
        .name = name, .type = STELE_TYPE_UINT, .hint = (uint8_t)base, .u.u = value};
    s->before = NULL;
    put_field(s, &field);
    return 1;
}

static uint64_t track_number(const shape *s, uint64_t track)
{
    const stele_track *found =
        track <= UINT32_MAX ? stele_track_get(s->writer->context, (uint32_t)track) : NULL;
    return found != NULL ? found->number : 0;
}

/* A number of one byte whose label is the kind. */
static void put_kind(shape *s, stele_kind kind, unsigned bits)
{
    put_op(s, OP_UINT, 1, DISPLAY_ENUM, s->names.kind);
    put_number(&s->value, (uint64_t)kind | bits, 1);
    put_label(s, (uint64_t)kind | bits, s->names.of_kinds[kind].label);
    s->slot_count++;
}

static void put_own_text(shape *s, stele_name name, stele_text text)
{
    const stele_field field = {.name = name, .type = STELE_TYPE_STRING};
    s->before = NULL;
    put_text(s, &field, text);
}

/* What of its value and id the event shows: tracks as their numbers, ends as durations. */
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

static bool is_function(const shape *s, const stele_event *event)
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

/* Readers take what stands before the first ':' for the category. */
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

/* Whether the name of a class tells name and category. */
static bool name_is_plain(shape *s, stele_name name, stele_name category)
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

/* SPAN_HAS_...: what stands after the kind. */
static unsigned kind_bits(shape *s, const stele_event *event, stele_name category)
{
    const bool is_named =
        !s->names_are_fields && !is_function(s, event) && name_is_plain(s, event->name, category);
    unsigned bits = 0;
    if (s->is_marked && (event->flags & SPAN_FLAGS_KEPT) != 0)
        bits |= SPAN_HAS_FLAGS;
    if (!is_named && (event->name != 0 || !is_function(s, event)))
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
        put_op(s, OP_UINT, 1, STELE_HINT_HEX, s->names.flags);
        put_number(&s->value, event->flags & SPAN_FLAGS_KEPT, 1);
    }
    if ((bits & SPAN_HAS_NAME) != 0)
        put_own_text(s, s->names.name, stele_name_text(context, s->batch, event->name));
    if ((bits & SPAN_HAS_CATEGORY) != 0)
        put_own_text(s, s->names.category, stele_name_text(context, NULL, category));
    return (uint32_t)((bits & SPAN_HAS_FLAGS) != 0) + ((bits & SPAN_HAS_NAME) != 0) +
           ((bits & SPAN_HAS_CATEGORY) != 0);
}

/* What the kind keeps in value and id. Gives how many members that is. */
static uint32_t put_values(shape *s, const stele_event *event)
{
    const shape_kind_names *names = &s->names.of_kinds[event->kind];
    const bool is_hex = span_members_of[event->kind].is_hex;
    uint32_t count = 0;
    uint64_t value, id;
    kind_values(s, event, &value, &id);
    if (names->value != 0)
        count += put_extra(s, names->value, value, 0);
    if (names->id != 0 && !is_function(s, event))
        count += put_extra(s, names->id, id, is_hex ? STELE_HINT_HEX : 0);
    if (s->is_marked && event->kind == STELE_KIND_SWITCH)
        count += put_track(s, s->names.outgoing, event->value);
    if (s->is_marked && (event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE))
        count += put_track(s, s->names.incoming, event->id);
    return count;
}

/* CTF knows moments only: see spans.h. `is_needed`: also for an instant of a plain name. Gives how
   many members say the rest. */
static uint32_t put_kind_members(shape *s, const stele_event *event, bool is_needed)
{
    const stele_name category = stele_category_name(s->writer->context, event->category);
    const unsigned bits = kind_bits(s, event, category);
    uint32_t count = 1;
    if (event->kind == STELE_KIND_INSTANT && bits == 0 && !is_needed)
        return 0;
    if (event->kind != STELE_KIND_INSTANT && !s->is_marked)
        lose(s, "kind as a field", LOSS_FORM);
    if (is_function(s, event)) {
        s->has_function = true;
        count += put_extra(s, s->names.addr, event->id, STELE_HINT_HEX);
        count += put_extra(s, s->names.call_site, 0, STELE_HINT_HEX);
    }
    put_kind(s, (stele_kind)event->kind, bits);
    return count + put_flags_and_names(s, event, bits, category) + put_values(s, event);
}

/* ---- Fields as texts ---- */

static void put_flat_text(shape *s, const char *path, const char *bytes, size_t size)
{
    put_bytes(&s->value, path, strlen(path));
    put_number(&s->value, 0, 1);
    if (size != 0 && memchr(bytes, 0, size) != NULL)
        lose(s, "text after a zero", true);
    size = size != 0 && memchr(bytes, 0, size) != NULL
               ? (size_t)((const char *)memchr(bytes, 0, size) - bytes)
               : size;
    put_bytes(&s->value, bytes, size);
    put_number(&s->value, 0, 1);
    s->flat_count++;
}

static void put_flat_hex(shape *s, const char *path, stele_text bytes)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * 64];
    size_t at = 0;
    for (; at < bytes.size && at < sizeof text / 2; at++) {
        text[2 * at] = digits[(uint8_t)bytes.bytes[at] >> 4];
        text[2 * at + 1] = digits[(uint8_t)bytes.bytes[at] & 15];
    }
    if (at < bytes.size)
        lose(s, "bytes after the 64th of a field as text", true);
    put_flat_text(s, path, text, 2 * at);
}

#define FLAT_PATH_MAX 512

static void put_flat(shape *s, const stele_field *first, uint32_t length, const char *path);

static void put_flat_field(shape *s, const stele_field *field, const char *path)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    char number[32];
    int size = 0;
    switch ((stele_type)field->type) {
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME: put_flat_text(s, path, text.bytes, text.size); return;
    case STELE_TYPE_FLOAT: size = snprintf(number, sizeof number, "%.17g", field->u.f); break;
    case STELE_TYPE_INT: size = snprintf(number, sizeof number, "%" PRId64, field->u.i); break;
    case STELE_TYPE_POINTER:
        size = snprintf(number, sizeof number, "0x%" PRIx64, field->u.u);
        break;
    case STELE_TYPE_NULL: break;
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
    case STELE_TYPE_KOID: size = snprintf(number, sizeof number, "%" PRIu64, field->u.u); break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT:
        put_flat(s, field + 1 + field->label_count, field->u.run.length, path);
        return;
    default: put_flat_hex(s, path, text); return;
    }
    put_flat_text(s, path, number, (size_t)size);
}

static void put_flat(shape *s, const stele_field *first, uint32_t length, const char *path)
{
    char inner[FLAT_PATH_MAX];
    if (s->depth == DEPTH_MAX) {
        lose(s, "fields nested deeper than 64", true);
        return;
    }
    s->depth++;
    for (uint32_t at = 0; at < length; at += stele_field_length(first + at)) {
        const stele_text name = stele_name_text(s->writer->context, s->batch, first[at].name);
        if ((first[at].hint & STELE_HINT_RAW) != 0)
            continue;
        snprintf(inner, sizeof inner, "%s%s%.*s", path, *path != 0 && name.size != 0 ? "." : "",
                 (int)(name.size < FLAT_PATH_MAX ? name.size : FLAT_PATH_MAX), name.bytes);
        put_flat_field(s, first + at, inner);
    }
    s->depth--;
}

/* All fields as one array of names and texts: every event of a kind has the same shape then. */
static uint32_t put_all_flat(shape *s, const stele_field *fields, uint32_t length)
{
    const stele_field array = {.name = s->names.fields, .type = STELE_TYPE_ARRAY};
    size_t count_at;
    lose(s, "fields as texts, beyond the limit of classes", LOSS_FORM);
    s->before = NULL;
    put_counted(s, OP_ARRAY, 0, 0, &array, 0);
    put_op(s, OP_STRUCT, 0, 0, 0);
    put_u32(&s->key, 2);
    put_op(s, OP_STRING, 0, 0, s->names.flat_name);
    put_op(s, OP_STRING, 0, 0, s->names.flat_value);
    count_at = s->value.size - 4; /* put_counted() put it last, as 0: it is known at the end */
    s->flat_count = 0;
    put_flat(s, fields, length, "");
    if (!s->value.is_lost)
        store_le32(s->value.bytes + count_at, s->flat_count);
    return 1;
}

static bool is_number(const shape *s, const stele_field *field, const char *name, unsigned width)
{
    const stele_text text = stele_name_text(s->writer->context, s->batch, field->name);
    return field->type == STELE_TYPE_UINT && field->label_count == 0 && field->width == width &&
           (field->hint & ~STELE_HINT_RAW) == 0 && text.size == strlen(name) &&
           memcmp(text.bytes, name, text.size) == 0;
}

/* A context that this writer made: pid and tid, cpu_id. Its numbers are written like those. */
static bool take_own_context(shape *s, const stele_field *field, unsigned *flags)
{
    const stele_field *at = field + 1;
    uint32_t left = field->u.run.length;
    unsigned own = 0;
    if (field->label_count != 0 || left != field->u.run.count)
        return false;
    if (left >= 2 && is_number(s, at, "pid", 64) && is_number(s, at + 1, "tid", 64)) {
        own |= SHAPE_THREAD;
        s->context.pid = at[0].u.u;
        s->context.tid = at[1].u.u;
        at += 2;
        left -= 2;
    }
    if (left == 1 && is_number(s, at, "cpu_id", 16)) {
        own |= SHAPE_CPU;
        s->context.cpu = (uint16_t)at->u.u;
        left = 0;
    }
    if (left != 0 || own == 0)
        return false;
    *flags = own | (*flags & SHAPE_TRACK);
    return true;
}

/* Members of the contexts that the event has as fields; they stand in front of the others. */
static uint32_t put_contexts(shape *s, const stele_field *fields, uint32_t length, unsigned *flags)
{
    uint32_t count = 0;
    bool has_own = false;
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at)) {
        const stele_field *field = fields + at;
        if ((field->hint & STELE_HINT_CONTEXT) == 0 || (field->hint & STELE_HINT_RAW) != 0 ||
            field->type != STELE_TYPE_STRUCT)
            continue;
        if (!has_own && take_own_context(s, field, flags)) {
            has_own = true;
            continue;
        }
        put_members(s, field + 1 + field->label_count, field->u.run.length);
        count += field->u.run.count;
    }
    if (count != 0 && !has_own)
        *flags &= ~SHAPE_THREAD; /* they have it */
    return count;
}

static uint32_t put_payload(shape *s, const stele_field *fields, uint32_t length)
{
    const stele_field *before = NULL;
    uint32_t count = 0;
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at)) {
        const stele_field *field = fields + at;
        const bool is_context = (field->hint & STELE_HINT_CONTEXT) != 0;
        const size_t key = s->key.size;
        if ((field->hint & STELE_HINT_RAW) != 0 || (is_context && field->type == STELE_TYPE_STRUCT))
            continue;
        s->before = before;
        put_field(s, field);
        if (is_context && !s->key.is_lost)
            s->key.bytes[key + 2] |= DISPLAY_CONTEXT;
        before = field;
        count++;
    }
    return count;
}

/* Whether the first field is called as what the writer puts there. */
static bool begins_like_ours(const shape *s, const stele_field *fields, uint32_t length)
{
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at))
        if ((fields[at].hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) == 0)
            return s->is_marked &&
                   (fields[at].name == s->names.kind || fields[at].name == s->names.addr);
    return false;
}

/* Name and category in the head of a key: of a class that has the name, or of one for many. */
static void put_class_name(shape *s, const stele_event *event, uint8_t *head)
{
    const stele_name category = stele_category_name(s->writer->context, event->category);
    const bool is_exit = event->kind != STELE_KIND_BEGIN;
    store_le32(head, NAME_IS_FIELD);
    store_le32(head + 4, 0);
    if (is_function(s, event)) {
        store_le32(head, is_exit ? NAME_IS_EXIT : NAME_IS_ENTRY);
    } else if (!s->names_are_fields && name_is_plain(s, event->name, category)) {
        store_le32(head, lasting_name(s, event->name));
        store_le32(head + 4, category);
    }
}

bool shape_event(shape *s, const stele_batch *batch, const stele_event *event, unsigned *flags)
{
    uint32_t first;
    const uint32_t length = stele_event_fields(batch, event, &first);
    uint32_t context_count, payload_count;
    uint8_t *head;
    /* The head is filled when the members are counted; the bytes may have moved by then. */
    s->batch = batch;
    s->kind = (stele_kind)event->kind;
    s->key.size = s->value.size = s->depth = 0;
    s->label_count = s->slot_count = s->lost_count = 0;
    s->has_unknown_name = false;
    s->key.is_lost = s->value.is_lost = false;
    if (byte_buffer_take(&s->key, KEY_HEAD_SIZE) == NULL)
        return false;
    context_count = s->is_flat ? 0 : put_contexts(s, batch->fields + first, length, flags);
    payload_count = put_kind_members(s, event, begins_like_ours(s, batch->fields + first, length));
    payload_count += s->is_flat ? put_all_flat(s, batch->fields + first, length)
                                : put_payload(s, batch->fields + first, length);
    if (s->key.is_lost)
        return false;
    head = s->key.bytes;
    put_class_name(s, event, head);
    head[8] = event->kind;
    head[9] = (uint8_t)*flags;
    store_le32(head + 10, context_count);
    store_le32(head + 14, payload_count);
    return !s->key.is_lost && !s->value.is_lost;
}

static bool name_take(stele_context *context, const char *text, stele_name *name)
{
    *name = 0;
    if (text != NULL)
        *name = stele_name_intern(context, text, strlen(text));
    return *name != UINT32_MAX;
}

bool shape_open(shape *s, stele_writer *writer)
{
    shape_names *names = &s->names;
    stele_context *context = writer->context;
    bool is_ok = name_take(context, SPAN_KIND, &names->kind) &&
                 name_take(context, SPAN_NAME, &names->name) &&
                 name_take(context, SPAN_CATEGORY, &names->category) &&
                 name_take(context, SPAN_FLAGS, &names->flags) &&
                 name_take(context, SPAN_ADDR, &names->addr) &&
                 name_take(context, SPAN_CALL_SITE, &names->call_site) &&
                 name_take(context, SPAN_OUTGOING, &names->outgoing) &&
                 name_take(context, SPAN_INCOMING, &names->incoming) &&
                 name_take(context, "fields", &names->fields) &&
                 name_take(context, "name", &names->flat_name) &&
                 name_take(context, "value", &names->flat_value);
    s->writer = writer;
    for (unsigned kind = 0; kind < STELE_KIND_COUNT && is_ok; kind++)
        is_ok = name_take(context, span_members_of[kind].value, &names->of_kinds[kind].value) &&
                name_take(context, span_members_of[kind].id, &names->of_kinds[kind].id) &&
                name_take(context, stele_kind_text((stele_kind)kind), &names->of_kinds[kind].label);
    return is_ok;
}

void shape_free(shape *s)
{
    free(s->key.bytes);
    free(s->value.bytes);
    free(s->labels);
}
