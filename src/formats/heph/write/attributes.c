/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/write/attributes.h"

#include "core/text.h"

/* No attribute is begun when a packet is larger than this, so that its size fits in 32 bits. */
#define PACKET_SIZE_MAX ((size_t)1 << 30)

#define ARRAY_COUNT_MAX UINT16_MAX

static void change(attribute_writer *a, const char *what, loss_extent extent)
{
    writer_lose(a->writer, a->kind, what, extent, 1);
}

stele_heph_text attribute_text(attribute_writer *a, stele_text text)
{
    size_t size = text.size;
    if (size > UINT16_MAX) {
        size = UINT16_MAX;
        while (size > UINT16_MAX - 4 && ((uint8_t)text.bytes[size] & 0xc0) == 0x80)
            size--;
        change(a, "text cut at 65,535 bytes", LOSS_CHANGED);
    }
    return (stele_heph_text){text.bytes, (uint16_t)size};
}

static stele_heph_text name_text(const char *name)
{
    return (stele_heph_text){name, (uint16_t)strlen(name)};
}

void attribute_write_uint(attribute_writer *a, const char *name, uint64_t value)
{
    stele_heph_encode_attribute(a->to, name_text(name), STELE_HEPH_UINT, 1);
    stele_heph_encode_uint(a->to, value);
}

void attribute_write_string(attribute_writer *a, const char *name, stele_text text)
{
    stele_heph_encode_attribute(a->to, name_text(name), STELE_HEPH_STRING, 1);
    stele_heph_encode_string(a->to, attribute_text(a, text));
}

/* ---- Single values ---- */

static stele_text field_text(const attribute_writer *a, const stele_field *field)
{
    return stele_field_text(a->writer->context, a->batch, field);
}

/* Writes bytes as hexadecimal digits: the first byte first, but numbers in the order of their
   digits. */
static void write_hex(attribute_writer *a, stele_heph_text name, stele_text bytes, bool is_number)
{
    char digits[UINT16_MAX];
    size_t size = bytes.size, count = 0;
    if (size > sizeof digits / 2) {
        size = sizeof digits / 2;
        change(a, "bytes cut at 32,767", LOSS_CHANGED);
    }
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)bytes.bytes[is_number ? size - 1 - i : i];
        count = (size_t)(text_hex(digits + count, byte, 2) - digits);
    }
    stele_heph_encode_attribute(a->to, name, STELE_HEPH_STRING, 1);
    stele_heph_encode_string(a->to, (stele_heph_text){digits, (uint16_t)count});
}

static void write_number(attribute_writer *a, stele_heph_text name, uint8_t type, uint64_t bits)
{
    stele_heph_encode_attribute(a->to, name, type, 1);
    stele_heph_encode_uint(a->to, bits);
}

static void write_numbers(attribute_writer *a, stele_heph_text name, uint8_t type, stele_text array)
{
    size_t count = array.size / 8;
    if (count > ARRAY_COUNT_MAX) {
        count = ARRAY_COUNT_MAX;
        change(a, "array cut at 65,535 values", LOSS_CHANGED);
    }
    stele_heph_encode_attribute(a->to, name, type | STELE_HEPH_ARRAY, (uint16_t)count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, array.bytes + 8 * i, sizeof bits);
        stele_heph_encode_uint(a->to, bits);
    }
}

static void write_scalar(attribute_writer *a, const stele_field *field, stele_heph_text name)
{
    switch (field->type) {
    case STELE_TYPE_BOOL:
        change(a, "boolean as a number", LOSS_FORM);
        write_number(a, name, STELE_HEPH_UINT, field->u.u);
        break;
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID:
        change(a, "pointer or object id as a number", LOSS_FORM); /* fall through */
    case STELE_TYPE_UINT: write_number(a, name, STELE_HEPH_UINT, field->u.u); break;
    case STELE_TYPE_INT: write_number(a, name, STELE_HEPH_INT, field->u.u); break;
    case STELE_TYPE_FLOAT: write_number(a, name, STELE_HEPH_FLOAT, field->u.u); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        stele_heph_encode_attribute(a->to, name, STELE_HEPH_STRING, 1);
        stele_heph_encode_string(a->to, attribute_text(a, field_text(a, field)));
        break;
    case STELE_TYPE_BYTES:
        change(a, "bytes as hexadecimal text", LOSS_FORM);
        write_hex(a, name, field_text(a, field), false);
        break;
    case STELE_TYPE_BIGINT:
        change(a, "integer over 64 bits as hexadecimal text", LOSS_FORM);
        write_hex(a, name, field_text(a, field), true);
        break;
    case STELE_TYPE_UINTS: write_numbers(a, name, STELE_HEPH_UINT, field_text(a, field)); break;
    case STELE_TYPE_INTS: write_numbers(a, name, STELE_HEPH_INT, field_text(a, field)); break;
    case STELE_TYPE_FLOATS: write_numbers(a, name, STELE_HEPH_FLOAT, field_text(a, field)); break;
    default:
        change(a, "null as an empty text", LOSS_CHANGED);
        stele_heph_encode_attribute(a->to, name, STELE_HEPH_STRING, 1);
        stele_heph_encode_string(a->to, (stele_heph_text){NULL, 0});
        break;
    }
}

/* ---- Arrays and structures ---- */

/* Gives the type of all elements, if they are of one type that arrays can have and without labels;
   otherwise 0. */
static uint8_t array_type(const stele_field *elements, uint32_t count)
{
    uint8_t type = STELE_HEPH_STRING;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t element =
            elements[i].type == STELE_TYPE_UINT    ? STELE_HEPH_UINT
            : elements[i].type == STELE_TYPE_INT   ? STELE_HEPH_INT
            : elements[i].type == STELE_TYPE_FLOAT ? STELE_HEPH_FLOAT
            : elements[i].type == STELE_TYPE_STRING || elements[i].type == STELE_TYPE_NAME
                ? STELE_HEPH_STRING
                : 0;
        if (element == 0 || elements[i].label_count != 0 || (i != 0 && element != type))
            return 0;
        type = element;
    }
    return type;
}

static void write_array(attribute_writer *a, const stele_field *elements, uint32_t count,
                        uint8_t type, stele_heph_text name)
{
    if (count > ARRAY_COUNT_MAX) {
        count = ARRAY_COUNT_MAX;
        change(a, "array cut at 65,535 values", LOSS_CHANGED);
    }
    stele_heph_encode_attribute(a->to, name, type | STELE_HEPH_ARRAY, (uint16_t)count);
    for (uint32_t i = 0; i < count; i++) {
        if (type == STELE_HEPH_STRING)
            stele_heph_encode_string(a->to, attribute_text(a, field_text(a, &elements[i])));
        else
            stele_heph_encode_uint(a->to, elements[i].u.u);
    }
}

/* Appends ".name" to the path, or the number of an element without a name, and gives the path's new
   length. */
static size_t path_append(attribute_writer *a, size_t length, stele_text name, uint32_t number)
{
    char digits[TEXT_U64_SIZE];
    size_t room;
    if (name.size == 0 && length != 0)
        name = (stele_text){digits, (size_t)(text_u64(digits, number) - digits)};
    if (length != 0 && length < sizeof a->path)
        a->path[length++] = '.';
    room = sizeof a->path - length;
    if (name.size > room) {
        name.size = room;
        change(a, "text cut at 65,535 bytes", LOSS_CHANGED);
    }
    memcpy(a->path + length, name.bytes, name.size);
    return length + name.size;
}

/*
 * Writes entries of the tape. The members of a run become attributes with the run's name in front.
 * The recursion is as deep as the tape, which readers limit, and the path is as long as the names
 * on it.
 */
static void write_entries(attribute_writer *a, uint32_t first, uint32_t count, size_t path_length)
{
    uint32_t number = 0;
    for (uint32_t i = first; i < first + count; number++) {
        const stele_field *field = &a->batch->fields[i];
        const uint32_t members = i + 1 + field->label_count;
        const stele_text own = stele_name_text(a->writer->context, a->batch, field->name);
        const size_t length = path_append(a, path_length, own, number);
        const stele_heph_text name = {a->path, (uint16_t)length};
        uint8_t type;
        i += stele_field_length(field);
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        if (a->to->size > PACKET_SIZE_MAX) {
            writer_lose(a->writer, a->kind, "attributes after 1 GiB of others", true, 1);
            continue;
        }
        if (field->label_count != 0)
            writer_lose(a->writer, a->kind, "labels of values", true, field->label_count);
        if (field->type < STELE_TYPE_RUN_FIRST) {
            write_scalar(a, field, name);
            continue;
        }
        type = field->type == STELE_TYPE_ARRAY
                   ? array_type(&a->batch->fields[members], field->u.run.length)
                   : 0;
        if (type != 0) {
            write_array(a, &a->batch->fields[members], field->u.run.length, type, name);
            continue;
        }
        if (field->u.run.length == 0)
            writer_lose(a->writer, a->kind, "structures without members", true, 1);
        else
            change(a, "nested fields as attributes with dotted names", LOSS_FORM);
        write_entries(a, members, field->u.run.length, length);
    }
}

void attribute_write_fields(attribute_writer *a, uint32_t first, uint32_t count)
{
    write_entries(a, first, count, 0);
}
