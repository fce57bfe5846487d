/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/writer_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/schema/names.h"
#include "formats/ctf/schema/spans.h"

/*
 * A key: a head, then the fields.
 *
 *     head     name u32   category u32   kind u8   flags u8   members of the context u32,
 *              of the payload u32
 *     field    op u8   width in bytes u8   display u8   u8: 1 when its count is the member in front
 *              name u32
 *
 * Behind STRUCT and TUPLE follow a count u32 and so many fields, behind ARRAY one field.
 */
#define KEY_HEAD_SIZE 18

/* As the name of a key. */
#define NAME_IS_FIELD UINT32_MAX
#define NAME_IS_ENTRY (UINT32_MAX - 1) /* of a function */
#define NAME_IS_EXIT  (UINT32_MAX - 2)

typedef enum shape_op {
    OP_NONE, /* no value: nothing is written */
    OP_BOOL,
    OP_UINT,
    OP_INT,
    OP_FLOAT,
    OP_STRING, /* up to its zero */
    OP_BYTES,  /* this and the next ones: a count u32, unless it is in front; the elements */
    OP_UINTS,
    OP_INTS,
    OP_FLOATS,
    OP_EMPTY, /* of elements that are not known */
    OP_ARRAY, /* of elements of one shape */
    OP_STRUCT,
    OP_TUPLE /* elements of several shapes, one after the other */
} shape_op;

#define DISPLAY_BASE STELE_HINT_BASE_MASK
#define DISPLAY_ENUM 0x80u /* the next slot of labels is of this number */

#define DEPTH_MAX 64u

/* ---- Runs of bytes ---- */

static void put_bytes(byte_run *run, const void *bytes, size_t size)
{
    uint8_t *at = byte_run_take(run, size);
    if (at != NULL && size != 0)
        memcpy(at, bytes, size);
}

static void put_u32(byte_run *run, uint32_t value)
{
    uint8_t *at = byte_run_take(run, 4);
    if (at != NULL)
        store_le32(at, value);
}

/* The lowest `width` bytes of a number, little end first. */
static void put_number(byte_run *run, uint64_t value, unsigned width)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    put_bytes(run, bytes, width);
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

/* A name that all batches know. */
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
    uint8_t *at = byte_run_take(&s->key, 8);
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
static void put_counted(shape *s, shape_op op, unsigned width, const stele_field *field,
                        uint32_t count)
{
    const bool is_in_front = length_is_in_front(s, field, count);
    put_op(s, op, width, op == OP_UINTS || op == OP_INTS ? field->hint & DISPLAY_BASE : 0,
           field->name);
    if (!is_in_front)
        put_u32(&s->value, count);
    else if (!s->key.is_lost)
        s->key.bytes[s->key.size - 5] = 1;
}

static unsigned bytes_of_width(unsigned width)
{
    return width == 0 || width > 32 ? 8 : width > 16 ? 4 : width > 8 ? 2 : 1;
}

/* Bytes for a number: as many as it was written with, if it fits. */
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

/* The labels behind a number. */
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

static void put_string(shape *s, const stele_field *field)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    const uint8_t *zero = text.size != 0 ? memchr(text.bytes, 0, text.size) : NULL;
    const size_t size = zero != NULL ? (size_t)(zero - (const uint8_t *)text.bytes) : text.size;
    if (zero != NULL)
        lose(s, "text behind a zero", true);
    put_op(s, OP_STRING, 0, 0, field->name);
    put_bytes(&s->value, text.bytes, size);
    put_number(&s->value, 0, 1);
}

static void put_blob(shape *s, const stele_field *field)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    if (field->type == STELE_TYPE_BIGINT)
        lose(s, "integer of more than 64 bits as bytes", LOSS_FORM);
    put_counted(s, OP_BYTES, 1, field, (uint32_t)text.size);
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
                is_float ? 8 : width, field, (uint32_t)count);
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
    put_op(s, field->type == STELE_TYPE_ARRAY ? OP_TUPLE : OP_STRUCT, 0, 0, field->name);
    put_u32(&s->key, field->u.run.count);
    put_members(s, field + 1 + field->label_count, field->u.run.length);
}

/* Elements of one shape; false, and keys and values are of no use, when they have several. */
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
    put_counted(s, field->u.run.count == 0 ? OP_EMPTY : OP_ARRAY, 0, field, field->u.run.count);
    if (put_elements(s, first, field->u.run.length))
        return;
    s->key.size = key;
    s->value.size = value;
    s->slot_count = slots;
    s->label_count = labels;
    put_structure(s, field);
}

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
        lose(s, "object id as a number", LOSS_FORM);
        put_integer(s, field, field->hint & DISPLAY_BASE);
        break;
    case STELE_TYPE_POINTER:
        lose(s, "address as a number", LOSS_FORM);
        put_integer(s, field, STELE_HINT_HEX);
        break;
    case STELE_TYPE_FLOAT: put_float(s, field); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME: put_string(s, field); break;
    case STELE_TYPE_BYTES:
    case STELE_TYPE_BIGINT: put_blob(s, field); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_numbers(s, field); break;
    case STELE_TYPE_ARRAY: put_array(s, field); break;
    case STELE_TYPE_VARIANT:
        lose(s, "variant as a structure", LOSS_FORM);
        put_structure(s, field);
        break;
    case STELE_TYPE_STRUCT: put_structure(s, field); break;
    default:
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

static void put_text(shape *s, stele_name name, stele_text text)
{
    const uint8_t *zero = text.size != 0 ? memchr(text.bytes, 0, text.size) : NULL;
    const size_t size = zero != NULL ? (size_t)(zero - (const uint8_t *)text.bytes) : text.size;
    if (zero != NULL)
        lose(s, "text behind a zero", true);
    put_op(s, OP_STRING, 0, 0, name);
    put_bytes(&s->value, text.bytes, size);
    put_number(&s->value, 0, 1);
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

static bool is_utf8(stele_text text)
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
    if (!is_utf8(name) || !is_utf8(category))
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

/* SPAN_HAS_...: what stands behind the kind. */
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
        put_text(s, s->names.name, stele_name_text(context, s->batch, event->name));
    if ((bits & SPAN_HAS_CATEGORY) != 0)
        put_text(s, s->names.category, stele_name_text(context, NULL, category));
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
        lose(s, "bytes behind the 64th of a field as text", true);
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
    put_counted(s, OP_ARRAY, 0, &array, 0);
    put_op(s, OP_STRUCT, 0, 0, 0);
    put_u32(&s->key, 2);
    put_op(s, OP_STRING, 0, 0, s->names.flat_name);
    put_op(s, OP_STRING, 0, 0, s->names.flat_value);
    count_at = s->value.size - 4;
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
        if ((field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) != 0)
            continue;
        s->before = before;
        put_field(s, field);
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
    s->batch = batch;
    s->kind = (stele_kind)event->kind;
    s->key.size = s->value.size = s->depth = 0;
    s->label_count = s->slot_count = s->lost_count = 0;
    s->has_unknown_name = false;
    s->key.is_lost = s->value.is_lost = false;
    if (byte_run_take(&s->key, KEY_HEAD_SIZE) == NULL)
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

unsigned shape_key_flags(const uint8_t *key)
{
    return key[9];
}

/* ---- Keys to classes ---- */

typedef struct class_maker {
    const uint8_t *at;
    stele_writer *writer;
    ctf_schema *schema;
    const shape_enum *enums; /* the next ones */
} class_maker;

static ctf_class *class_take(class_maker *c, ctf_kind kind, uint32_t size)
{
    return schema_make_class(c->schema, kind, 8, size);
}

static ctf_class *make_integer(class_maker *c, const uint8_t *key)
{
    static const uint8_t bases[] = {CTF_DECIMAL, CTF_HEX, CTF_OCTAL, CTF_BINARY};
    const bool is_signed = key[0] == OP_INT || key[0] == OP_INTS;
    ctf_class *type = class_take(c, is_signed ? CTF_INT : CTF_UINT, key[1] * 8u);
    if (type == NULL)
        return NULL;
    type->base = bases[key[2] & 3];
    if ((key[2] & DISPLAY_ENUM) != 0) {
        type->is_enum = c->enums->count != 0;
        type->mappings = c->enums->mappings;
        type->mapping_count = c->enums->count;
        c->enums++;
    }
    return type;
}

static ctf_class *make_float(class_maker *c, unsigned bytes)
{
    ctf_class *type = class_take(c, CTF_FLOAT, bytes * 8);
    if (type != NULL) {
        type->exponent_bits = bytes == 4 ? 8 : 11;
        type->mantissa_bits = bytes == 4 ? 24 : 53;
    }
    return type;
}

/* "NAME_length": CTF 1.8 and 2 have the length in a field of its own. */
static ctf_text length_name(class_maker *c, ctf_text name)
{
    char *text = schema_take(c->schema, name.size + 9, 1);
    if (text == NULL)
        return (ctf_text){0};
    memcpy(text, "_", 1);
    memcpy(text + 1, name.bytes, name.size);
    memcpy(text + 1 + name.size, "_length", 7);
    return (ctf_text){text, name.size + 8};
}

static ctf_class *make_class(class_maker *c);

#define SUFFIX_SIZE 12u /* of "_4294967295", with its zero */

/* How CTF 1.8 writes names: '_' in front, which readers take away, and letters only. With room for
   a suffix; NULL: memory. */
static char *written_name(class_maker *c, ctf_text name)
{
    char *text = schema_take(c->schema, 1 + name.size + SUFFIX_SIZE, 1);
    bool is_changed = false;
    if (text == NULL)
        return NULL;
    text[0] = '_';
    for (uint32_t i = 0; i < name.size; i++) {
        const char b = name.bytes[i];
        const bool is_fine =
            (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
        text[i + 1] = is_fine ? b : '_';
        is_changed = is_changed || !is_fine;
    }
    if (is_changed)
        writer_lose(c->writer, STELE_KIND_NONE, "characters of a field's name as '_'", false, 1);
    return text;
}

#define NUMBERS_FEW 9u

/*
 * Names a member; when the name is taken, with a number behind it: one of the first few, else the
 * member's position, which none of its name had before, so that many of one name take linear time.
 */
static bool member_name(class_maker *c, name_set *taken, ctf_member *member, ctf_text name,
                        uint32_t position)
{
    const bool is_escaped = c->schema->generation == CTF_1;
    char *text = schema_take(c->schema, name.size + SUFFIX_SIZE, 1);
    char *written = is_escaped ? written_name(c, name) : text;
    if (name.bytes == NULL || text == NULL || written == NULL)
        return false;
    memcpy(text, name.bytes, name.size);
    member->place = (ctf_place){UINT32_MAX};
    member->name = (ctf_text){text, name.size};
    member->written = (ctf_text){written, name.size + is_escaped};
    for (uint32_t n = 2; !name_set_add(taken, member->written); n++) {
        const unsigned number = n <= NUMBERS_FEW ? n : position + n;
        const int size = snprintf(text + name.size, SUFFIX_SIZE, "_%u", number);
        if (is_escaped)
            memcpy(written + 1 + name.size, text + name.size, (size_t)size + 1);
        member->name.size = name.size + (uint32_t)size;
        member->written.size = member->name.size + is_escaped;
    }
    return true;
}

/* What its elements are. NULL with a BLOB, which has none; false: memory. */
static bool make_element(class_maker *c, const uint8_t *key, ctf_class *type)
{
    static const uint8_t byte_key[] = {OP_UINT, 1, STELE_HINT_HEX, 0};
    switch (key[0]) {
    case OP_FLOATS: type->u.array.element = make_float(c, key[1]); break;
    case OP_ARRAY: type->u.array.element = make_class(c); break;
    case OP_BYTES:
        if (c->schema->generation == CTF_2) {
            type->kind = CTF_DYNAMIC_BLOB;
            return true;
        }
        writer_lose(c->writer, STELE_KIND_NONE, "bytes as an array of numbers", LOSS_FORM, 1);
        type->u.array.element = make_integer(c, byte_key);
        break;
    case OP_EMPTY: type->u.array.element = make_integer(c, byte_key); break;
    default: type->u.array.element = make_integer(c, key);
    }
    return type->u.array.element != NULL;
}

/* The class of what has a length, which is the member `length`; in the RFC it stands inside. */
static ctf_class *make_counted(class_maker *c, const uint8_t *key, const ctf_member *length)
{
    ctf_class *type = class_take(c, CTF_DYNAMIC_ARRAY, 0);
    ctf_location *at = schema_take(c->schema, 1, sizeof *at);
    ctf_text *step = schema_take(c->schema, 1, sizeof *step);
    if (type == NULL || at == NULL || step == NULL || !make_element(c, key, type))
        return NULL;
    if (c->schema->generation == CTF_RFC) {
        type->u.array.length_class = length->type;
        return type;
    }
    *step = length->written;
    *at = (ctf_location){.scope = c->schema->generation == CTF_1 ? CTF_SCOPE_LEXICAL
                                                                 : CTF_SCOPE_RELATIVE,
                         .steps = step,
                         .step_count = 1,
                         .place = {UINT32_MAX}};
    type->u.array.length_at = at;
    return type;
}

static bool is_counted(uint8_t op)
{
    return op >= OP_BYTES && op <= OP_ARRAY;
}

/* The member that holds the length of the next one. */
static bool make_length(class_maker *c, name_set *taken, ctf_member *member, ctf_text name,
                        uint32_t position)
{
    member->type = class_take(c, CTF_UINT, 32);
    return member->type != NULL && member_name(c, taken, member, length_name(c, name), position);
}

/* What the field at hand is called; elements of tuples have numbers. */
static ctf_text field_name(class_maker *c, uint32_t number, bool is_tuple)
{
    const stele_text known = stele_name_text(c->writer->context, NULL, load_le32(c->at + 4));
    char text[16];
    const int size = snprintf(text, sizeof text, "_%u", number);
    return known.size != 0 && !is_tuple ? schema_text(c->schema, known.bytes, known.size)
                                        : schema_text(c->schema, text, (size_t)size);
}

/* The member of the next field, and that of its length in front, which it may need. */
static bool make_member(class_maker *c, name_set *taken, ctf_member *members, uint32_t *made,
                        ctf_text name)
{
    const uint8_t *key = c->at;
    ctf_member member = {.type = NULL};
    if (!member_name(c, taken, &member, name, *made))
        return false;
    if (is_counted(key[0])) {
        if (key[3] == 0) {
            if (!make_length(c, taken, &members[*made], member.name, *made))
                return false;
            ++*made;
        }
        c->at += 8;
        member.type = make_counted(c, key, &members[*made - 1]);
        *made -= c->schema->generation == CTF_RFC;
    } else {
        member.type = make_class(c);
    }
    members[(*made)++] = member;
    return member.type != NULL;
}

/* `count` members; lengths are members of their own. */
static ctf_class *make_structure(class_maker *c, uint32_t count, bool is_tuple)
{
    ctf_class *type = class_take(c, CTF_STRUCT, 0);
    ctf_member *members = schema_take(c->schema, (size_t)count * 2, sizeof *members);
    name_set taken = {0};
    uint32_t made = 0;
    bool is_ok = type != NULL && members != NULL && name_set_start(&taken, (size_t)count * 2);
    for (uint32_t i = 0; i < count && is_ok; i++)
        is_ok = make_member(c, &taken, members, &made, field_name(c, i, is_tuple));
    name_set_free(&taken);
    if (!is_ok)
        return NULL;
    type->alignment = 1;
    for (uint32_t i = 0; i < made; i++)
        if (type->alignment < members[i].type->alignment)
            type->alignment = members[i].type->alignment;
    type->u.structure.members = members;
    type->u.structure.count = made;
    return type;
}

static ctf_class *make_class(class_maker *c)
{
    const uint8_t *key = c->at;
    ctf_class *type;
    if (is_counted(key[0])) /* what has a length and is no member gets a structure around it */
        return make_structure(c, 1, true);
    c->at += 8;
    switch (key[0]) {
    case OP_BOOL:
        if (c->schema->generation != CTF_2)
            writer_lose(c->writer, STELE_KIND_NONE, "boolean as a number", LOSS_FORM, 1);
        type = class_take(c, c->schema->generation == CTF_2 ? CTF_BOOL : CTF_UINT, 8);
        break;
    case OP_UINT:
    case OP_INT: type = make_integer(c, key); break;
    case OP_FLOAT: type = make_float(c, key[1]); break;
    case OP_STRING:
        type = class_take(c, CTF_STRING, 0);
        if (type != NULL)
            type->encoding = CTF_UTF8;
        break;
    case OP_STRUCT:
    case OP_TUPLE:
        c->at += 4;
        type = make_structure(c, load_le32(key + 8), key[0] == OP_TUPLE);
        break;
    default: type = make_structure(c, 0, false); break;
    }
    return type;
}

/* "CATEGORY:NAME", unless the name has it. */
static bool event_name(const stele_context *context, const uint8_t *key, ctf_schema *schema,
                       ctf_text *name_of)
{
    const stele_text name = stele_name_text(context, NULL, load_le32(key));
    const stele_text category = stele_name_text(context, NULL, load_le32(key + 4));
    const bool has_it = name.size > category.size && name.bytes[category.size] == ':' &&
                        memcmp(name.bytes, category.bytes, category.size) == 0;
    char *made;
    if (load_le32(key) == NAME_IS_ENTRY || load_le32(key) == NAME_IS_EXIT) {
        static const ctf_text entry = {"lttng_ust_cyg_profile:func_entry", 32},
                              leave = {"lttng_ust_cyg_profile:func_exit", 31};
        *name_of = load_le32(key) == NAME_IS_ENTRY ? entry : leave;
        return true;
    }
    if (load_le32(key) == NAME_IS_FIELD) {
        char text[32];
        const int size = snprintf(text, sizeof text, "stele:%s", stele_kind_text(key[8]));
        *name_of = schema_text(schema, text, (size_t)size);
        return name_of->bytes != NULL;
    }
    if (name.size == 0 && category.size == 0 && schema->generation == CTF_2)
        return true; /* CTF 1.8 wants one, and be it empty */
    if (category.size == 0 || has_it) {
        *name_of = schema_text(schema, name.bytes, name.size);
        return name_of->bytes != NULL;
    }
    made = schema_take(schema, category.size + name.size + 2, 1);
    if (made == NULL)
        return false;
    memcpy(made, category.bytes, category.size);
    made[category.size] = ':';
    memcpy(made + category.size + 1, name.bytes, name.size);
    *name_of = (ctf_text){made, (uint32_t)(category.size + name.size + 1)};
    return true;
}

bool shape_class(const uint8_t *key, stele_writer *writer, ctf_schema *schema,
                 const shape_enum *enums, ctf_event_class *event)
{
    class_maker c = {.at = key + KEY_HEAD_SIZE, .writer = writer, .schema = schema, .enums = enums};
    uint32_t context_count = load_le32(key + 10), payload_count = load_le32(key + 14);
    if (schema->generation == CTF_RFC) { /* which has none of single events */
        payload_count += context_count;
        context_count = 0;
    }
    if (!event_name(writer->context, key, schema, &event->name))
        return false;
    if (context_count != 0) {
        event->context = make_structure(&c, context_count, false);
        if (event->context == NULL)
            return false;
    }
    event->payload = make_structure(&c, payload_count, false);
    return event->payload != NULL;
}
