/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the fields of events in JSON lines. A named integer, which most fields are, is copied
   in three parts. */
#include "sinks/json_sink.h"

/* Names of types as in the model, except that packed arrays and both kinds of strings have one
   name. */
static const char *const type_texts[STELE_TYPE_COUNT] = {
    [STELE_TYPE_NULL] = "null",       [STELE_TYPE_BOOL] = "bool",
    [STELE_TYPE_UINT] = "uint",       [STELE_TYPE_INT] = "int",
    [STELE_TYPE_FLOAT] = "float",     [STELE_TYPE_POINTER] = "pointer",
    [STELE_TYPE_KOID] = "koid",       [STELE_TYPE_STRING] = "string",
    [STELE_TYPE_NAME] = "string",     [STELE_TYPE_BYTES] = "bytes",
    [STELE_TYPE_BIGINT] = "bigint",   [STELE_TYPE_UINTS] = "uint[]",
    [STELE_TYPE_INTS] = "int[]",      [STELE_TYPE_FLOATS] = "float[]",
    [STELE_TYPE_STRUCT] = "struct",   [STELE_TYPE_ARRAY] = "array",
    [STELE_TYPE_VARIANT] = "variant",
};

/* Writes the labels of a field, all of them in escaped form if one has to be. */
static void labels_put(json_sink *json, escaped_members *escaped, const stele_field *field)
{
    output *out = json->out;
    bool are_utf8 = true;
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(json->base.context, json->batch, field + i);
        are_utf8 = are_utf8 && text_is_utf8(label.bytes, label.size);
    }
    OUTPUT_LITERAL(out, ",\"labels\":[");
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(json->base.context, json->batch, field + i);
        if (i != 1)
            output_byte(out, ',');
        if (are_utf8)
            json_string(out, label.bytes, label.size);
        else
            json_string_escaped(out, label.bytes, label.size);
    }
    output_byte(out, ']');
    if (!are_utf8)
        escaped->names[escaped->count++] = "labels";
}

static char *hints_put(char *to, const stele_field *field)
{
    static const char *const bases[] = {"", ",\"base\":16", ",\"base\":8", ",\"base\":2"};
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    if (field->width != 0)
        to = text_u64(PUT(to, ",\"bits\":"), field->width);
    if (base != 0 && base < sizeof bases / sizeof *bases)
        to = put_bytes(to, bases[base], strlen(bases[base]));
    if ((field->hint & STELE_HINT_UNRESOLVED) != 0)
        to = PUT(to, ",\"unresolved\":true");
    return to;
}

/* Writes the start of a field's object, such as `{"name":"size","type":"uint","value":`. */
static void field_head_put(json_sink *json, escaped_members *escaped, const stele_field *field,
                           bool has_name)
{
    const type_head *head = &json->types[field->type < STELE_TYPE_COUNT ? field->type : 0];
    output *out = json->out;
    char *to;
    if (has_name) {
        OUTPUT_LITERAL(out, "{\"name\":");
        value_put_name(&json->values, out, json->batch, field->name);
        escaped_note(json, escaped, "name");
    }
    to = (char *)output_reserve(out, 1 + TYPE_HEAD_SIZE);
    if (to == NULL)
        return;
    *to = has_name ? ',' : '{';
    memcpy(to + 1, head->bytes, TYPE_HEAD_SIZE);
    output_advance(out, 1 + head->size);
}

/* What the text around an integer depends on. Never 0, because types of integers are not. */
static uint64_t number_key(const stele_field *field)
{
    return field->name | (uint64_t)field->type << 32 | (uint64_t)field->width << 40 |
           (uint64_t)field->hint << 48;
}

/* Makes the text before and after the value of an integer. Returns false if the name must be
   escaped or is too long. */
static __attribute__((noinline)) bool number_part_make(json_sink *json, number_part *part,
                                                       const stele_field *field)
{
    const type_head *head = &json->types[field->type];
    const stele_text name = stele_name_text(json->base.context, NULL, field->name);
    char *to;
    if ((field->name & STELE_NAME_LOCAL) != 0 ||
        name.size + head->size + sizeof ",{\"name\":\"\"," > NUMBER_HEAD_SIZE)
        return false;
    for (size_t i = 0; i < name.size; i++) {
        const uint8_t byte = (uint8_t)name.bytes[i];
        if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
            return false;
    }
    to = put_bytes(PUT(part->head, ",{\"name\":\""), name.bytes, name.size);
    to = put_bytes(PUT(to, "\","), head->bytes, head->size);
    part->head_size = (uint8_t)(to - part->head);
    to = hints_put(part->tail, field);
    *to++ = '}';
    part->tail_size = (uint8_t)(to - part->tail);
    part->key = number_key(field);
    return true;
}

/* Writes a named integer without labels, as most fields are, after the bracket or comma
   `before`. Returns false, without writing, for any other field. */
static inline bool number_put(json_sink *json, const stele_field *field, char before)
{
    number_part *part = &json->numbers[field->name % NUMBER_SLOTS];
    char *to, *start;
    if ((field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT) ||
        field->label_count != 0)
        return false;
    if (part->key != number_key(field) && !number_part_make(json, part, field))
        return false;
    to = (char *)output_reserve(json->out, EVENT_SIZE);
    if (to == NULL)
        return true;
    start = to;
    to = put_blocks(to, part->head, part->head_size);
    *start = before;
    to = field->type == STELE_TYPE_INT ? text_i64(to, field->u.i) : text_u64(to, field->u.u);
    to = put_blocks(to, part->tail, part->tail_size);
    output_advance(json->out, (size_t)(to - (char *)json->out->at));
    return true;
}

static void field_put(json_sink *json, const stele_field *field, bool has_name)
{
    output *out = json->out;
    escaped_members escaped = {.count = 0};
    char *to;
    field_head_put(json, &escaped, field, has_name);
    if (field->type >= STELE_TYPE_RUN_FIRST) {
        const uint32_t place = (uint32_t)(field - json->batch->fields);
        json_put_fields(json, place + 1 + field->label_count, field->u.run.length,
                        field->type != STELE_TYPE_ARRAY);
    } else {
        value_put_scalar(&json->values, out, json->batch, field);
        escaped_note(json, &escaped, "value");
    }
    if (field->label_count != 0)
        labels_put(json, &escaped, field);
    to = (char *)output_reserve(out, EVENT_SIZE);
    if (to != NULL)
        output_advance(out, (size_t)(hints_put(to, field) - (char *)out->at));
    escaped_put(out, &escaped);
    output_byte(out, '}');
}

void json_put_fields(json_sink *json, uint32_t first, uint32_t count, bool have_names)
{
    const stele_field *fields = json->batch->fields + first;
    char before = '[';
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (!field_is_shown(&fields[at]))
            continue;
        if (!have_names || !number_put(json, &fields[at], before)) {
            output_byte(json->out, (uint8_t)before);
            field_put(json, &fields[at], have_names);
        }
        before = ',';
    }
    if (before == '[')
        output_byte(json->out, '[');
    output_byte(json->out, ']');
}

void json_make_types(json_sink *json)
{
    for (unsigned i = 0; i < STELE_TYPE_COUNT; i++) {
        const char *text = type_texts[i] != NULL ? type_texts[i] : "null";
        char *to = PUT(json->types[i].bytes, "\"type\":\"");
        to = PUT(put_bytes(to, text, strlen(text)), "\",\"value\":");
        json->types[i].size = (size_t)(to - json->types[i].bytes);
    }
}
