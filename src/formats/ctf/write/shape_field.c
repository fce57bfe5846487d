/* SPDX-License-Identifier: Apache-2.0 */
/* Appends fields of an event to its shape: ops to the key, bytes to the value. Structures and
   arrays nest; their members follow them in both. */
#include "core/array.h"
#include "core/load.h"
#include "core/text.h"
#include "formats/ctf/write/shape_put.h"
#include "formats/ctf/write/writer_key.h"

void shape_lose(shape *s, const char *what, loss_extent extent)
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

stele_name shape_lasting_name(shape *s, stele_name name)
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

void shape_put_op(shape *s, shape_op op, unsigned width, unsigned display, stele_name name)
{
    uint8_t *at = byte_buffer_take(&s->key, 8);
    if (at == NULL)
        return;
    at[0] = (uint8_t)op;
    at[1] = (uint8_t)width;
    at[2] = (uint8_t)display;
    at[3] = 0;
    store_le32(at + 4, shape_lasting_name(s, name));
}

/* Whether the member before the field is called "_NAME_length", as in LTTng's traces, and holds the
   count. */
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

void shape_put_counted(shape *s, shape_op op, unsigned width, unsigned display,
                       const stele_field *field, uint32_t count)
{
    const bool is_in_front = length_is_in_front(s, field, count);
    shape_put_op(s, op, width, display, field->name);
    /* An op takes 8 bytes, whose fourth says where the count is. */
    if (!is_in_front)
        put_u32(&s->value, count);
    else if (!s->key.is_lost)
        s->key.bytes[s->key.size - 5] = 1;
}

/* Returns the bytes for a number: as many as it was written with, if it fits. A number that does
   not fit gives another key, so no class is too narrow for its events. */
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

void shape_put_label(shape *s, uint64_t value, stele_name name)
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

/* Notes the labels after a number. It takes a slot even if it has no labels, as the key says that
   it has a slot. */
static void put_labels(shape *s, const stele_field *field)
{
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text text = stele_field_text(s->writer->context, s->batch, field + i);
        const stele_name name = stele_name_intern(s->writer->context, text.bytes, text.size);
        if (name != UINT32_MAX)
            shape_put_label(s, field->u.u, name);
        else
            shape_lose(s, "label beyond the limit of names", true);
    }
    s->slot_count++;
}

static void put_integer(shape *s, const stele_field *field, unsigned base)
{
    const unsigned width = number_bytes(field);
    const bool is_enum = field->label_count != 0 || (field->hint & STELE_HINT_ENUM) != 0;
    shape_put_op(s, field->type == STELE_TYPE_INT ? OP_INT : OP_UINT, width,
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
    shape_put_op(s, OP_FLOAT, is_small ? 4 : 8, 0, field->name);
    put_number(&s->value, is_small ? bits : store_double(field->u.f), is_small ? 4 : 8);
}

void shape_put_text(shape *s, const stele_field *field, stele_text text)
{
    const uint8_t *zero = text.size != 0 ? memchr(text.bytes, 0, text.size) : NULL;
    size_t size = text.size;
    if (zero != NULL && s->is_marked) {
        shape_put_counted(s, OP_BYTES, 1, AS_TEXT, field, (uint32_t)size);
        put_bytes(&s->value, text.bytes, size);
        return;
    }
    if (zero != NULL) {
        shape_lose(s, "text after a zero", true);
        size = (size_t)(zero - (const uint8_t *)text.bytes);
    }
    shape_put_op(s, OP_STRING, 0, 0, field->name);
    put_bytes(&s->value, text.bytes, size);
    put_number(&s->value, 0, 1);
}

static void put_blob(shape *s, const stele_field *field)
{
    const stele_text text = stele_field_text(s->writer->context, s->batch, field);
    const bool is_big = field->type == STELE_TYPE_BIGINT;
    const bool is_signed = (field->hint & STELE_HINT_SIGNED) != 0;
    if (is_big && !s->is_marked)
        shape_lose(s, "integer of more than 64 bits as bytes", LOSS_FORM);
    shape_put_counted(s, OP_BYTES, 1,
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
    shape_put_counted(s,
                      is_float                         ? OP_FLOATS
                      : field->type == STELE_TYPE_INTS ? OP_INTS
                                                       : OP_UINTS,
                      is_float ? 8 : width, is_float ? 0 : field->hint & DISPLAY_BASE, field,
                      (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_number(&s->value, load_native64(text.bytes + 8 * i), is_float ? 8 : width);
}

void shape_put_members(shape *s, const stele_field *first, uint32_t length)
{
    const stele_field *before = NULL;
    for (uint32_t at = 0; at < length; at += stele_field_length(first + at)) {
        s->before = before;
        shape_put_field(s, first + at);
        before = first + at;
    }
}

static void put_structure(shape *s, const stele_field *field)
{
    if (field->type == STELE_TYPE_VARIANT && !s->is_marked)
        shape_lose(s, "variant as a structure", LOSS_FORM);
    if (field->type == STELE_TYPE_ARRAY && !s->is_marked)
        shape_lose(s, "array of several types as a structure", LOSS_FORM);
    shape_put_op(s, field->type == STELE_TYPE_ARRAY ? OP_TUPLE : OP_STRUCT, 0,
                 field->type == STELE_TYPE_VARIANT ? AS_VARIANT : 0, field->name);
    put_u32(&s->key, field->u.run.count);
    shape_put_members(s, field + 1 + field->label_count, field->u.run.length);
}

/*
 * Appends the elements of an array that all have one shape. Returns false if they have several; key
 * and value are then of no use. The key of the first element is kept, and those of the others are
 * compared with it and removed. No element has a member before it that could hold its count.
 */
static bool put_elements(shape *s, const stele_field *first, uint32_t length)
{
    const uint32_t slots = s->slot_count;
    const size_t key = s->key.size;
    size_t key_size = 0;
    for (uint32_t at = 0; at < length; at += stele_field_length(first + at)) {
        const size_t key_here = s->key.size;
        s->slot_count = slots;
        s->before = NULL;
        shape_put_field(s, first + at);
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
    shape_put_counted(s, field->u.run.count == 0 ? OP_EMPTY : OP_ARRAY, 0, 0, field,
                      field->u.run.count);
    if (put_elements(s, first, field->u.run.length))
        return;
    /* If the elements have several shapes, what was appended is removed, and each element is
       appended with its own key. */
    s->key.size = key;
    s->value.size = value;
    s->slot_count = slots;
    s->label_count = labels;
    put_structure(s, field);
}

void shape_put_field(shape *s, const stele_field *field)
{
    if (s->depth == SHAPE_DEPTH_MAX) {
        shape_lose(s, "fields nested deeper than 64", true);
        shape_put_op(s, OP_NONE, 0, 0, field->name);
        return;
    }
    s->depth++;
    switch ((stele_type)field->type) {
    case STELE_TYPE_BOOL:
        shape_put_op(s, OP_BOOL, 1, 0, field->name);
        put_number(&s->value, field->u.u != 0, 1);
        break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT: put_integer(s, field, field->hint & DISPLAY_BASE); break;
    case STELE_TYPE_KOID:
        if (!s->is_marked)
            shape_lose(s, "object id as a number", LOSS_FORM);
        put_integer(s, field, (field->hint & DISPLAY_BASE) | AS_KOID);
        break;
    case STELE_TYPE_POINTER:
        if (!s->is_marked)
            shape_lose(s, "address as a number", LOSS_FORM);
        put_integer(s, field, STELE_HINT_HEX | AS_POINTER);
        break;
    case STELE_TYPE_FLOAT: put_float(s, field); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        shape_put_text(s, field, stele_field_text(s->writer->context, s->batch, field));
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
            shape_lose(s, "null as an empty structure", LOSS_FORM);
        shape_put_op(s, OP_NONE, 0, 0, field->name);
    }
    s->depth--;
}
