/* SPDX-License-Identifier: Apache-2.0 */
/* Makes event classes of the keys of events, and the marks that say what their fields were. */
#include <stdio.h>

#include "core/load.h"
#include "formats/ctf/schema/marks.h"
#include "formats/ctf/schema/names.h"
#include "formats/ctf/write/writer_key.h"

unsigned shape_key_flags(const uint8_t *key)
{
    return key[9];
}

typedef struct class_maker {
    const uint8_t *at;
    stele_writer *writer;
    ctf_schema *schema;
    const shape_enum *enums; /* labels of the next slots */
    byte_buffer *marks;      /* NULL if the trace has no marks */
    uint32_t special_count;  /* marks and names so far that differ from what the class says */
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

/* Returns the name "_NAME_length" of the field that holds the length in CTF 1.8 and 2. */
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

static bool is_counted(uint8_t op)
{
    return op >= OP_BYTES && op <= OP_ARRAY;
}

#define SUFFIX_SIZE 12u /* bytes of "_4294967295" and the zero after it */

/* Returns the name as CTF 1.8 writes it: after a '_', which readers remove, and with letters only.
   There is room for a suffix. Returns NULL if out of memory. */
static char *written_name(class_maker *c, ctf_text name)
{
    char *text = schema_take(c->schema, 1 + name.size + SUFFIX_SIZE, 1);
    if (text == NULL)
        return NULL;
    text[0] = '_';
    for (uint32_t i = 0; i < name.size; i++) {
        const char b = name.bytes[i];
        const bool is_fine =
            (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
        text[i + 1] = is_fine ? b : '_';
    }
    return text;
}

#define NUMBERS_FEW 9u

/*
 * Names a member. If another member has the name, a number is added: one of the first few, or else
 * the member's position, which no member before it can have got, so that many equal names take
 * linear time.
 */
static bool member_name(class_maker *c, text_set *taken, ctf_member *member, ctf_text name,
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
    for (uint32_t n = 2; !text_set_add(taken, member->written.bytes, member->written.size); n++) {
        if (n == 2 && c->marks == NULL)
            writer_lose(c->writer, STELE_KIND_NONE, "second field of one name, renamed", false, 1);
        const unsigned number = n <= NUMBERS_FEW ? n : position + n;
        const int size = snprintf(text + name.size, SUFFIX_SIZE, "_%u", number);
        if (is_escaped)
            memcpy(written + 1 + name.size, text + name.size, (size_t)size + 1);
        member->name.size = name.size + (uint32_t)size;
        member->written.size = member->name.size + is_escaped;
    }
    return true;
}

/* ---- Marks that say what fields were ---- */

static void put_mark_byte(class_maker *c, char byte)
{
    uint8_t *at = byte_buffer_take(c->marks, 1);
    if (at != NULL)
        *at = (uint8_t)byte;
}

static field_mark mark_of(const class_maker *c, const uint8_t *key)
{
    const bool is_plain = c->schema->generation == CTF_2;
    const unsigned as = key[2] & DISPLAY_AS;
    switch (key[0]) {
    case OP_NONE: return MARK_NULL;
    case OP_BOOL: return is_plain ? MARK_PLAIN : MARK_BOOL;
    case OP_UINT: return as == AS_POINTER ? MARK_POINTER : as == AS_KOID ? MARK_KOID : MARK_PLAIN;
    case OP_BYTES:
        return as == AS_TEXT       ? MARK_TEXT
               : as == AS_SIGNED   ? MARK_SIGNED
               : as == AS_UNSIGNED ? MARK_UNSIGNED
               : is_plain          ? MARK_PLAIN
                                   : MARK_BYTES;
    case OP_UINTS:
    case OP_INTS: return (key[2] & DISPLAY_BASE) != 0 ? MARK_NUMBERS : MARK_PLAIN;
    case OP_EMPTY: return MARK_EMPTY;
    case OP_ARRAY: return MARK_ARRAY;
    case OP_STRUCT: return as == AS_VARIANT ? MARK_VARIANT : MARK_STRUCT;
    case OP_TUPLE: return MARK_TUPLE;
    default: return MARK_PLAIN;
    }
}

/* Whether the text only has characters that metadata of any generation can have as they are. */
static bool is_plain_text(ctf_text text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

/* Adds the name that the member had, if it is read as another one. */
static void put_mark_name(class_maker *c, ctf_text name, const ctf_member *member)
{
    const uint32_t escape = c->schema->generation == CTF_1;
    const ctf_text read = {member->written.bytes + escape, member->written.size - escape};
    const size_t room = (size_t)name.size * 3;
    uint8_t *at;
    if (ctf_text_equals(read, name) && is_plain_text(name))
        return;
    c->special_count++;
    put_mark_byte(c, MARK_NAME);
    at = byte_buffer_take(c->marks, room);
    if (at != NULL)
        c->marks->size -= room - marks_escape((char *)at, room, name.bytes, name.size, NULL);
    put_mark_byte(c, MARK_NAME_END);
}

/* Adds the mark of the key's field, which may be a member. The marks of what it contains follow.
   Returns the position of the mark. */
static size_t put_mark(class_maker *c, const uint8_t *key, ctf_text name, const ctf_member *member)
{
    const field_mark mark = mark_of(c, key);
    size_t place;
    if (c->marks == NULL)
        return 0;
    if ((key[2] & DISPLAY_CONTEXT) != 0) {
        c->special_count++;
        put_mark_byte(c, MARK_CONTEXT);
    }
    place = c->marks->size;
    c->special_count += mark != MARK_PLAIN && mark != MARK_STRUCT && mark != MARK_ARRAY;
    put_mark_byte(c, (char)mark);
    if (member != NULL)
        put_mark_name(c, name, member);
    return place;
}

/* Ends the marks of a structure or array. If nothing in it needs a mark, everything after `end`,
   the end of its own mark, is removed. */
static void end_mark(class_maker *c, size_t place, size_t end, uint32_t special_count)
{
    uint8_t *at;
    if (c->marks == NULL || c->marks->is_lost)
        return;
    at = c->marks->bytes + place;
    if (c->special_count == special_count && (*at == MARK_STRUCT || *at == MARK_ARRAY)) {
        *at = MARK_PLAIN;
        c->marks->size = end;
    } else if (*at != MARK_ARRAY) {
        put_mark_byte(c, MARK_CLOSE);
    }
}

/* Makes the class of elements that are one field each, regardless of the class of the array. */
static ctf_class *make_array_element(class_maker *c)
{
    const uint8_t *key = c->at;
    if (c->marks == NULL)
        return make_class(c);
    if (is_counted(key[0])) { /* needs a structure around it */
        c->special_count++;
        put_mark_byte(c, MARK_WRAPPER);
    } else {
        const bool is_number = key[0] >= OP_BOOL && key[0] <= OP_FLOAT;
        const uint32_t special_count = c->special_count += is_number;
        const size_t place = put_mark(c, key, (ctf_text){0}, NULL), end = c->marks->size;
        ctf_class *type = make_class(c);
        if (key[0] == OP_STRUCT || key[0] == OP_TUPLE)
            end_mark(c, place, end, special_count);
        return type;
    }
    {
        ctf_class *type = make_class(c);
        put_mark_byte(c, MARK_CLOSE);
        return type;
    }
}

/* Makes the class of an array's elements, which stays NULL for BLOBs. Returns false if out of
   memory. */
static bool make_element(class_maker *c, const uint8_t *key, ctf_class *type)
{
    static const uint8_t byte_key[] = {OP_UINT, 1, STELE_HINT_HEX, 0};
    switch (key[0]) {
    case OP_FLOATS: type->u.array.element = make_float(c, key[1]); break;
    case OP_ARRAY: type->u.array.element = make_array_element(c); break;
    case OP_BYTES:
        if (c->schema->generation == CTF_2) {
            type->kind = CTF_DYNAMIC_BLOB;
            return true;
        }
        if (c->marks == NULL)
            writer_lose(c->writer, STELE_KIND_NONE, "bytes as an array of numbers", LOSS_FORM, 1);
        type->u.array.element = make_integer(c, byte_key);
        break;
    case OP_EMPTY: type->u.array.element = make_integer(c, byte_key); break;
    default: type->u.array.element = make_integer(c, key);
    }
    return type->u.array.element != NULL;
}

/* Makes the class of a field with a length, which is the member `length`; in the RFC the length
   precedes the elements. */
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

/* Makes the member that holds the length of the next one. */
static bool make_length(class_maker *c, text_set *taken, ctf_member *member, ctf_text name,
                        uint32_t position)
{
    member->type = class_take(c, CTF_UINT, 32);
    if (c->marks != NULL) {
        c->special_count++;
        put_mark_byte(c, MARK_HIDDEN);
    }
    return member->type != NULL && member_name(c, taken, member, length_name(c, name), position);
}

/* Returns the name of the current field; elements of tuples have none. */
static ctf_text known_name(class_maker *c, bool is_tuple)
{
    const stele_text known = stele_name_text(c->writer->context, NULL, load_le32(c->at + 4));
    return is_tuple ? (ctf_text){"", 0} : (ctf_text){known.bytes, (uint32_t)known.size};
}

/* Returns the name of the field's member: a number if the field has no name. */
static ctf_text field_name(class_maker *c, uint32_t number, ctf_text known)
{
    char text[16];
    const int size = snprintf(text, sizeof text, "_%u", number);
    return known.size != 0 ? schema_text(c->schema, known.bytes, known.size)
                           : schema_text(c->schema, text, (size_t)size);
}

/* Makes the member of the next field, and before it that of its length if it needs one. */
static bool make_member(class_maker *c, text_set *taken, ctf_member *members, uint32_t *made,
                        ctf_text name, ctf_text known)
{
    const uint8_t *key = c->at;
    ctf_member member = {.type = NULL};
    const uint32_t special_count = c->special_count;
    size_t place, end;
    if (!member_name(c, taken, &member, name, *made))
        return false;
    if (is_counted(key[0]) && key[3] == 0) {
        if (!make_length(c, taken, &members[*made], member.name, *made))
            return false;
        ++*made;
    }
    place = put_mark(c, key, known, &member);
    end = c->marks != NULL ? c->marks->size : 0;
    if (is_counted(key[0])) {
        c->at += 8;
        member.type = make_counted(c, key, &members[*made - 1]);
        *made -= c->schema->generation == CTF_RFC;
    } else {
        member.type = make_class(c);
    }
    if (key[0] == OP_ARRAY || key[0] == OP_STRUCT || key[0] == OP_TUPLE)
        end_mark(c, place, end, special_count);
    members[(*made)++] = member;
    return member.type != NULL;
}

/* Makes a structure of `count` fields; lengths are additional members. */
static ctf_class *make_structure(class_maker *c, uint32_t count, bool is_tuple)
{
    ctf_class *type = class_take(c, CTF_STRUCT, 0);
    ctf_member *members = schema_take(c->schema, (size_t)count * 2, sizeof *members);
    text_set taken = {0};
    uint32_t made = 0;
    bool is_ok = type != NULL && members != NULL && text_set_start(&taken, (size_t)count * 2);
    for (uint32_t i = 0; i < count && is_ok; i++) {
        const ctf_text known = known_name(c, is_tuple);
        is_ok = make_member(c, &taken, members, &made, field_name(c, i, known), known);
    }
    text_set_free(&taken);
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
    if (is_counted(
            key[0])) /* a field with a length that is not a member gets a structure around it */
        return make_structure(c, 1, true);
    c->at += 8;
    switch (key[0]) {
    case OP_BOOL:
        if (c->marks == NULL)
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

/* Gives the class the name "CATEGORY:NAME", unless the name begins with the category already. */
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
        return true; /* CTF 1.8 needs a name, even an empty one */
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

static void end_marks(const class_maker *c)
{
    byte_buffer *marks = c->marks;
    if (marks == NULL || marks->is_lost)
        return;
    while (marks->size != 0 &&
           (c->special_count == 0 || marks->bytes[marks->size - 1] == MARK_PLAIN))
        marks->size--;
}

bool shape_class(const shape *s, const uint8_t *key, ctf_schema *schema, const shape_enum *enums,
                 ctf_event_class *event, byte_buffer *marks)
{
    class_maker c = {.at = key + KEY_HEAD_SIZE,
                     .writer = s->writer,
                     .schema = schema,
                     .enums = enums,
                     .marks = s->is_marked ? marks : NULL};
    uint32_t context_count = load_le32(key + 10), payload_count = load_le32(key + 14);
    marks->size = 0;
    if (schema->generation == CTF_RFC) { /* the RFC has no contexts of single event classes */
        payload_count += context_count;
        context_count = 0;
    }
    if (!event_name(s->writer->context, key, schema, &event->name))
        return false;
    if (context_count != 0) {
        event->context = make_structure(&c, context_count, false);
        if (event->context == NULL)
            return false;
    }
    if (c.marks != NULL)
        put_mark_byte(&c, MARK_PAYLOAD);
    event->payload = make_structure(&c, payload_count, false);
    end_marks(&c);
    return event->payload != NULL && !marks->is_lost;
}
