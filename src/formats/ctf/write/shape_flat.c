/* SPDX-License-Identifier: Apache-2.0 */
/* Appends fields as texts, each with the path of its name. All events then have one class, for
   traces that would need too many classes otherwise. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/ctf/write/shape_put.h"
#include "formats/ctf/write/writer_key.h"

static void put_flat_text(shape *s, const char *path, const char *bytes, size_t size)
{
    put_bytes(&s->value, path, strlen(path));
    put_number(&s->value, 0, 1);
    if (size != 0 && memchr(bytes, 0, size) != NULL)
        shape_lose(s, "text after a zero", true);
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
        shape_lose(s, "bytes after the 64th of a field as text", true);
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
    if (s->depth == SHAPE_DEPTH_MAX) {
        shape_lose(s, "fields nested deeper than 64", true);
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

uint32_t shape_put_all_flat(shape *s, const stele_field *fields, uint32_t length)
{
    const stele_field array = {.name = s->names.fields, .type = STELE_TYPE_ARRAY};
    size_t count_at;
    shape_lose(s, "fields as texts, beyond the limit of classes", LOSS_FORM);
    s->before = NULL;
    shape_put_counted(s, OP_ARRAY, 0, 0, &array, 0);
    shape_put_op(s, OP_STRUCT, 0, 0, 0);
    put_u32(&s->key, 2);
    shape_put_op(s, OP_STRING, 0, 0, s->names.flat_name);
    shape_put_op(s, OP_STRING, 0, 0, s->names.flat_value);
    /* shape_put_counted() appended it last, as 0; it is known at the end. */
    count_at = s->value.size - 4;
    s->flat_count = 0;
    put_flat(s, fields, length, "");
    if (!s->value.is_lost)
        store_le32(s->value.bytes + count_at, s->flat_count);
    return 1;
}
