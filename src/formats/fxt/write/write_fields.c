/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields of events as arguments of records. */
#include <inttypes.h>

#include "core/text.h"
#include "core/text_double.h"
#include "formats/fxt/write/writer.h"

/* ---- Fields that are not arguments ---- */

/* Fields that the reader makes of something else than arguments, by kind, name, type and width: see
   fxt_name. */
static const struct {
    uint8_t kind; /* kind of the event; 0 for all */
    uint8_t name, type, width;
} own_fields[] = {
    {STELE_KIND_LOG, FXT_NAME_MESSAGE, STELE_TYPE_STRING, 0},
    {STELE_KIND_BLOB, FXT_NAME_DATA, STELE_TYPE_BYTES, 8},
    {STELE_KIND_BLOB, FXT_NAME_BLOB_TYPE, STELE_TYPE_UINT, 8},
    {STELE_KIND_METADATA, FXT_NAME_RECORD, STELE_TYPE_BYTES, 64},
    {0, FXT_NAME_EXTENSION, STELE_TYPE_BYTES, 64},
    {STELE_KIND_SWITCH, FXT_NAME_OUTGOING_STATE, STELE_TYPE_UINT, 4},
    {STELE_KIND_SWITCH, FXT_NAME_OUTGOING_PRIORITY, STELE_TYPE_UINT, 8},
    {STELE_KIND_SWITCH, FXT_NAME_INCOMING_PRIORITY, STELE_TYPE_UINT, 8},
    {STELE_KIND_METADATA, FXT_NAME_BUILD_ID, STELE_TYPE_BYTES, 8},
    {STELE_KIND_METADATA, FXT_NAME_START, STELE_TYPE_UINT, 64},
    {STELE_KIND_METADATA, FXT_NAME_RANGE, STELE_TYPE_UINT, 64},
    {STELE_KIND_METADATA, FXT_NAME_VADDR, STELE_TYPE_UINT, 64},
    {STELE_KIND_METADATA, FXT_NAME_ACCESS, STELE_TYPE_UINT, 3},
    {STELE_KIND_SAMPLE, FXT_NAME_FRAMES, STELE_TYPE_UINTS, 64},
};

/* Whether the field has this width. Other formats return numbers of few bits as whole bytes, and
   bytes without a width. */
static bool has_width(const stele_field *field, uint8_t width)
{
    return field->width == width ||
           (field->type == STELE_TYPE_UINT && width < 8 && field->width == 8 &&
            field->u.u >> width == 0) ||
           (field->type == STELE_TYPE_BYTES && width == 8 && field->width == 0);
}

void fxt_writer_note_own_fields(fxt_writer *w)
{
    w->own_names = UINT64_C(1) << w->names[FXT_NAME_SCOPE] % 64;
    for (size_t i = 0; i < sizeof own_fields / sizeof *own_fields; i++)
        w->own_names |= UINT64_C(1) << w->names[own_fields[i].name] % 64;
}

static bool is_own_field(const fxt_making *m, const stele_field *field)
{
    if ((field->hint & STELE_HINT_RAW) != 0)
        return true;
    if ((m->w->own_names >> field->name % 64 & 1) == 0)
        return false;
    if (field->name == m->w->names[FXT_NAME_SCOPE] && m->event->kind == STELE_KIND_INSTANT &&
        field->type == STELE_TYPE_UINT && field->label_count == 1)
        return true;
    for (size_t i = 0; i < sizeof own_fields / sizeof *own_fields; i++) {
        if (field->name == m->w->names[own_fields[i].name] && field->type == own_fields[i].type &&
            has_width(field, own_fields[i].width) &&
            (own_fields[i].kind == 0 || own_fields[i].kind == m->event->kind))
            return true;
    }
    return false;
}

static bool is_undecoded(const fxt_making *m, const stele_field *field)
{
    return field->name == m->w->names[FXT_NAME_UNDECODED] && field->type == STELE_TYPE_BYTES &&
           field->width == 64;
}

/* Whether the field is an argument of an unknown type, as its words. */
static bool is_unknown_argument(const fxt_making *m, const stele_field *field)
{
    return field->type == STELE_TYPE_BYTES && field->width == 64 && !is_undecoded(m, field) &&
           !is_own_field(m, field);
}

const stele_field *fxt_writer_field(const fxt_making *m, fxt_name name, stele_type type,
                                    uint8_t width)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(m->batch, m->event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&m->batch->fields[first + i])) {
        const stele_field *field = &m->batch->fields[first + i];
        if (field->name == m->w->names[name] && field->type == type && has_width(field, width) &&
            (field->hint & STELE_HINT_RAW) == 0)
            return field;
    }
    return NULL;
}

/* ---- Nested values as text ---- */

static void text_value(fxt_making *m, const stele_field *field, unsigned depth);

static void text_number(output *out, uint8_t type, uint64_t value)
{
    char number[TEXT_DOUBLE_SIZE];
    char *end = type == STELE_TYPE_FLOAT || type == STELE_TYPE_FLOATS
                    ? text_double(number, load_double(value))
                : type == STELE_TYPE_INT || type == STELE_TYPE_INTS
                    ? text_i64(number, (int64_t)value)
                    : text_u64(number, value);
    output_write(out, number, (size_t)(end - number));
}

static void text_array(fxt_making *m, const stele_field *field)
{
    output *out = m->w->text;
    const uint8_t *at = m->batch->bytes + field->u.bytes.offset;
    output_byte(out, '[');
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++) {
        output_text(out, i != 0 ? ", " : "");
        text_number(out, field->type, load_native64(at + i * 8));
    }
    output_byte(out, ']');
}

/* Writes the labels of a number as text, such as " (GREEN)". */
static void text_labels(fxt_making *m, const stele_field *field)
{
    for (uint32_t i = 0; i < field->label_count; i++) {
        const stele_text label = stele_field_text(m->w->base.context, m->batch, &field[1 + i]);
        output_text(m->w->text, i == 0 ? " (" : ", ");
        text_visible(m->w->text, label.bytes, label.size);
    }
    output_text(m->w->text, field->label_count != 0 ? ")" : "");
}

static void text_run(fxt_making *m, const stele_field *field, unsigned depth)
{
    const bool is_array = field->type == STELE_TYPE_ARRAY;
    output *out = m->w->text;
    const stele_field *end = field + 1 + field->u.run.length;
    bool is_first = true;
    output_byte(out, is_array ? '[' : '{');
    for (const stele_field *at = field + 1 + field->label_count; at < end;
         at += stele_field_length(at)) {
        output_text(out, is_first ? "" : ", ");
        is_first = false;
        if (!is_array) {
            const stele_text name = stele_name_text(m->w->base.context, m->batch, at->name);
            output_write(out, name.bytes, name.size);
            output_byte(out, '=');
        }
        text_value(m, at, depth + 1);
    }
    output_byte(out, is_array ? ']' : '}');
}

static void text_value(fxt_making *m, const stele_field *field, unsigned depth)
{
    stele_text text;
    if (depth > m->w->base.context->limits.depth_max) {
        output_text(m->w->text, "...");
        return;
    }
    switch (field->type) {
    case STELE_TYPE_NULL: output_text(m->w->text, "null"); break;
    case STELE_TYPE_BOOL: output_text(m->w->text, field->u.u != 0 ? "true" : "false"); break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT:
    case STELE_TYPE_FLOAT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID:
        text_number(m->w->text, field->type, field->u.u);
        text_labels(m, field);
        break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: text_array(m, field); break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT: text_run(m, field, depth); break;
    default:
        text = stele_field_text(m->w->base.context, m->batch, field);
        text_visible(m->w->text, text.bytes, text.size);
        break;
    }
}

/* ---- Arguments of records ---- */

static void set_string(fxt_making *m, stele_fxt_argument *a, const void *bytes, size_t size)
{
    if (size > STELE_FXT_STRING_SIZE_MAX) {
        size = STELE_FXT_STRING_SIZE_MAX;
        fxt_writer_lose(m, "text beyond 32000 bytes", false);
    }
    a->type = STELE_FXT_ARGUMENT_STRING;
    a->string = (stele_fxt_string){(uint16_t)(STELE_FXT_INLINE | size), bytes};
}

static void set_nested(fxt_making *m, stele_fxt_argument *a, const stele_field *field)
{
    size_t before, after;
    output_memory(m->w->text, &before);
    text_value(m, field, 0);
    output_memory(m->w->text, &after);
    set_string(m, a, NULL, after - before);
    a->value = before;
    fxt_writer_lose(m, "nested values and arrays as text", LOSS_FORM);
}

/* Pointers and koids have the name of their object as a label, by its record alone. Those that gain
   one here were read before their object was named, or beside another provider's. */
static void check_labels(fxt_making *m, const stele_field *field)
{
    const bool is_pointer = field->type == STELE_TYPE_POINTER;
    const bool is_object = is_pointer || field->type == STELE_TYPE_KOID;
    const bool is_named = is_object && fxt_writer_has_named(m, is_pointer, field->u.u);
    if (field->label_count != 0 && !is_named)
        fxt_writer_lose(m, "labels of values", true);
    else if (field->label_count == 0 && is_named)
        fxt_writer_lose(m, "labels of objects, which their records give", LOSS_FORM);
}

/* Sets an integer: with 32 bits if it was written so, or has no width and fits. */
static void set_integer(stele_fxt_argument *a, const stele_field *field)
{
    const bool is_signed = field->type == STELE_TYPE_INT;
    const bool fits = is_signed ? field->u.i == (int32_t)field->u.i : field->u.u <= UINT32_MAX;
    const bool is_short = fits && field->width <= 32;
    a->value = field->u.u;
    if (is_signed)
        a->type = is_short ? STELE_FXT_ARGUMENT_INT32 : STELE_FXT_ARGUMENT_INT64;
    else
        a->type = is_short ? STELE_FXT_ARGUMENT_UINT32 : STELE_FXT_ARGUMENT_UINT64;
}

static void set_value(fxt_making *m, stele_fxt_argument *a, const stele_field *field)
{
    stele_text text;
    if (field->type < STELE_TYPE_RUN_FIRST)
        check_labels(m, field);
    switch (field->type) {
    case STELE_TYPE_NULL: a->type = STELE_FXT_ARGUMENT_NULL; break;
    case STELE_TYPE_BOOL:
        a->type = STELE_FXT_ARGUMENT_BOOL;
        a->value = field->u.u != 0;
        break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT: set_integer(a, field); break;
    case STELE_TYPE_FLOAT:
        a->type = STELE_FXT_ARGUMENT_DOUBLE;
        a->value = field->u.u;
        break;
    case STELE_TYPE_POINTER:
        a->type = STELE_FXT_ARGUMENT_POINTER;
        a->value = field->u.u;
        break;
    case STELE_TYPE_KOID:
        a->type = STELE_FXT_ARGUMENT_KOID;
        a->value = field->u.u;
        break;
    case STELE_TYPE_NAME:
        a->type = STELE_FXT_ARGUMENT_STRING;
        a->string = fxt_writer_string(m, (stele_name)field->u.u, true);
        break;
    case STELE_TYPE_STRING:
        text = stele_field_text(m->w->base.context, m->batch, field);
        set_string(m, a, text.bytes, text.size);
        break;
    case STELE_TYPE_BIGINT:
        fxt_writer_lose(m, "integers over 64 bits as bytes", LOSS_FORM);
        /* fall through */
    case STELE_TYPE_BYTES:
        text = stele_field_text(m->w->base.context, m->batch, field);
        a->type = STELE_FXT_ARGUMENT_BLOB;
        a->blob = (const uint8_t *)text.bytes;
        a->value = text.size;
        break;
    default: set_nested(m, a, field); break;
    }
}

/* Cuts the argument to what is left of the record. Returns false if nothing of it fits. */
static bool fit(fxt_making *m, stele_fxt_argument *a)
{
    size_t size = fxt_argument_size(a);
    const size_t fixed = FXT_WORD + (size_t)fxt_padded(fxt_string_size(a->name.ref));
    const size_t room = m->left > fixed ? m->left - fixed : 0;
    if (size == 0 || size > m->left) {
        if (a->type == STELE_FXT_ARGUMENT_BLOB && room != 0)
            a->value = room;
        else if (a->type == STELE_FXT_ARGUMENT_STRING && room != 0)
            a->string.ref = (uint16_t)(STELE_FXT_INLINE | room);
        else
            return false;
        fxt_writer_lose(m, "values cut at the end of the record", false);
        size = fxt_argument_size(a);
    }
    m->left -= size;
    return true;
}

/* Sets the next argument, if the record has one more. Returns false if it does not fit in. */
static bool put_argument(fxt_making *m, const stele_field *field)
{
    stele_fxt_argument *a = &m->arguments[m->record.argument_count];
    *a = (stele_fxt_argument){.name = fxt_writer_string(m, field->name, false)};
    set_value(m, a, field);
    if (!fit(m, a))
        return false;
    m->record.argument_count++;
    return true;
}

static void add_argument(fxt_making *m, const stele_field *field)
{
    if (m->record.argument_count == STELE_FXT_ARGUMENTS_MAX)
        fxt_writer_lose(m, "fields beyond 15", true);
    else if (!put_argument(m, field))
        fxt_writer_lose(m, "fields beyond the size of a record", true);
}

/* Sets the addresses of nested texts at the end, as their memory may have moved while it grew. */
static void place_texts(fxt_making *m)
{
    size_t size;
    const uint8_t *text = output_memory(m->w->text, &size);
    for (unsigned i = 0; i < m->record.argument_count; i++) {
        stele_fxt_argument *a = &m->arguments[i];
        if (fxt_string_is_inline(a->string.ref) && a->string.bytes == NULL)
            a->string.bytes = text + a->value;
    }
}

void fxt_writer_arguments(fxt_making *m)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(m->batch, m->event, &first);
    m->w->text->at = m->w->text->buffer;
    for (uint32_t i = 0; i < count; i += stele_field_length(&m->batch->fields[first + i])) {
        const stele_field *field = &m->batch->fields[first + i];
        if (is_undecoded(m, field))
            fxt_writer_lose(m, "bytes that could not be decoded", true);
        else if (!is_own_field(m, field))
            add_argument(m, field);
        if (is_unknown_argument(m, field))
            fxt_writer_lose(m, "arguments of unknown types, as bytes", LOSS_FORM);
    }
    /* The context fields apply to each event of the batch. */
    for (uint32_t i = 0; i < m->batch->context_count;
         i += stele_field_length(&m->batch->fields[m->batch->context_first + i]))
        add_argument(m, &m->batch->fields[m->batch->context_first + i]);
    place_texts(m);
}

void fxt_writer_cpu(fxt_making *m)
{
    if ((m->event->flags & STELE_FLAG_HAS_CPU) == 0)
        return;
    m->keeps_cpu = m->record.argument_count != STELE_FXT_ARGUMENTS_MAX &&
                   put_argument(m, &(stele_field){.name = m->w->names[FXT_NAME_CPU],
                                                  .type = STELE_TYPE_UINT,
                                                  .width = 32,
                                                  .u.u = m->event->cpu});
    if (m->keeps_cpu)
        fxt_writer_lose(m, "CPU as an argument", LOSS_FORM);
}
