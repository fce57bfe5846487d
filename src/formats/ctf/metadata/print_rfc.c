/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema as the metadata of the 2010 RFC. */
#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_walk.h"

/* Classes that are printed at most, as shared ones are printed again for each use. */
#define CLASSES_MAX ((uint64_t)32 << 20)
#define INDENT_MAX  64u /* deep nesting must not make long lines */

typedef struct rfc_printer {
    schema_printer *p;
    output *out;
    print_walk walk;
    unsigned indent;
    ctf_text where; /* name of the thing that losses are counted for */
} rfc_printer;

static void lose(rfc_printer *r, const char *what)
{
    print_lose(r->p, r->where, what);
}

static void line(rfc_printer *r)
{
    output_byte(r->out, '\n');
    for (unsigned i = 0; i < r->indent && i < INDENT_MAX; i++)
        output_text(r->out, "    ");
}

static void begin(rfc_printer *r, const char *what)
{
    output_text(r->out, what);
    output_text(r->out, " {");
    r->indent++;
}

static void end(rfc_printer *r, const char *what)
{
    r->indent--;
    line(r);
    output_text(r->out, what);
}

static void put_u64(rfc_printer *r, const char *name, uint64_t value)
{
    line(r);
    output_printf(r->out, "%s = %llu;", name, (unsigned long long)value);
}

static void put_word(rfc_printer *r, const char *name, const char *value)
{
    line(r);
    output_printf(r->out, "%s = %s;", name, value);
}

static bool is_identifier(ctf_text name)
{
    for (uint32_t i = 0; i < name.size; i++) {
        const char c = name.bytes[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (c >= '0' && c <= '9' && i != 0)))
            return false;
    }
    return name.size != 0;
}

/* Writes a name as it is, or in quotes, in which the RFC has no escapes. */
static void put_name(rfc_printer *r, ctf_text name)
{
    if (is_identifier(name)) {
        output_write(r->out, name.bytes, name.size);
        return;
    }
    output_byte(r->out, '"');
    for (uint32_t i = 0; i < name.size;) {
        const uint8_t *at = (const uint8_t *)name.bytes + i;
        size_t length = text_utf8_length(at, name.size - i);
        if (length == 0 || *at == '"' || *at == '\n' || *at == 0) {
            lose(r, "quotes, line ends and bytes that are no UTF-8 in names");
            output_byte(r->out, '?');
            length = 1;
        } else {
            output_write(r->out, at, length);
        }
        i += (uint32_t)length;
    }
    output_byte(r->out, '"');
}

/* ---- Types of fields ---- */

static void put_type(rfc_printer *r, const ctf_class *type);

static void put_map(rfc_printer *r, const ctf_class *type)
{
    line(r);
    begin(r, "map =");
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        const ctf_range *range = type->mappings[i].ranges;
        if (type->mappings[i].range_count != 1 || range->low != range->high) {
            lose(r, "labels of more than one value");
            continue;
        }
        line(r);
        output_text(r->out, "{ ");
        if (type->kind == CTF_INT)
            output_i64(r->out, (int64_t)range->low);
        else
            output_u64(r->out, range->low);
        output_text(r->out, ", ");
        put_name(r, type->mappings[i].name);
        output_text(r->out, " },");
    }
    end(r, "};");
}

static void put_integer(rfc_printer *r, const ctf_class *type)
{
    put_word(r, "parent",
             type->unit_size != 0 ? "gcc_bitfield"
             : type->is_enum      ? "enum"
                                  : "integer");
    put_u64(r, "size", type->size);
    put_u64(r, "align", type->alignment);
    if (type->kind == CTF_INT)
        put_word(r, "signed", "true");
    if (type->is_big_endian != r->p->schema->is_big_endian)
        put_word(r, "byte_order", type->is_big_endian ? "be" : "le");
    if (type->unit_size != 0)
        put_u64(r, "unit_size", type->unit_size);
    if (type->is_enum)
        put_map(r, type);
    if (type->is_bit_reversed)
        lose(r, "a bit order of its own");
    if (type->base != CTF_BASE_NONE && type->base != CTF_DECIMAL)
        lose(r, "bases that integers are shown in");
}

/* Returns the length of a dynamic array if it directly precedes the array, so that both are a
   sequence, or NULL. */
static const ctf_class *length_in_front(rfc_printer *r, const ctf_class *structure, uint32_t index)
{
    const ctf_member *members = structure->u.structure.members;
    const ctf_class *array = members[index].type;
    print_target target;
    if (array->kind != CTF_DYNAMIC_ARRAY || array->u.array.length_at == NULL || index == 0 ||
        !walk_resolve(&r->walk, array->u.array.length_at, &target) || !target.is_relative ||
        target.up != 0 || target.members[0] != &members[index - 1] || target.member_count != 1 ||
        target.type->kind != CTF_UINT)
        return NULL;
    return target.type;
}

static void put_array(rfc_printer *r, const ctf_class *type, const ctf_class *length)
{
    const ctf_location *at = type->u.array.length_at;
    if (length == NULL)
        length = type->u.array.length_class;
    put_word(r, "parent", length != NULL ? "sequence" : "array");
    line(r);
    if (length != NULL) {
        output_text(r->out, "length_type = ");
        put_type(r, length);
        output_byte(r->out, ';');
    } else {
        if (at != NULL && at->scope != CTF_SCOPE_ENV)
            lose(r, "lengths that do not stand in front of their array");
        output_printf(r->out, "length = %llu;",
                      (unsigned long long)(at != NULL ? at->constant : type->u.array.length));
    }
    if (type->alignment_minimum > 1)
        put_u64(r, "align", type->alignment_minimum);
    line(r);
    output_text(r->out, "elem_type = ");
    put_type(r, type->u.array.element);
    output_byte(r->out, ';');
}

static void put_member(rfc_printer *r, const ctf_class *structure, uint32_t index)
{
    const ctf_member *members = structure->u.structure.members;
    const ctf_class *length = length_in_front(r, structure, index);
    if (index + 1 < structure->u.structure.count) {
        r->walk.levels[r->walk.depth - 1].index = index + 1;
        if (length_in_front(r, structure, index + 1) != NULL)
            return; /* written with the array after it */
        r->walk.levels[r->walk.depth - 1].index = index;
    }
    line(r);
    output_text(r->out, "{ ");
    if (length != NULL) {
        begin(r, "type");
        put_array(r, members[index].type, length);
        end(r, "}");
    } else {
        put_type(r, members[index].type);
    }
    output_text(r->out, ", ");
    put_name(r, members[index].name);
    output_text(r->out, " },");
}

static void put_structure(rfc_printer *r, const ctf_class *type)
{
    const uint32_t depth = r->walk.depth;
    put_word(r, "parent", "struct");
    if (type->alignment_minimum > 1)
        put_u64(r, "align", type->alignment_minimum);
    if (depth == WALK_DEPTH_MAX) {
        lose(r, "structures nested so deep");
        return;
    }
    line(r);
    begin(r, "fields =");
    r->walk.levels[depth].structure = type;
    r->walk.depth++;
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        r->walk.levels[depth].index = i;
        put_member(r, type, i);
    }
    r->walk.depth--;
    end(r, "};");
}

/* Writes bytes or bits that the RFC has no type for as integers of the same layout. */
static void put_bytes(rfc_printer *r, const ctf_class *type, const char *what)
{
    static const ctf_class byte = {.kind = CTF_UINT, .alignment = 8, .size = 8};
    ctf_class array = {.kind = CTF_STATIC_ARRAY, .alignment = 8, .alignment_minimum = 1};
    lose(r, what);
    array.u.array = type->u.array;
    array.u.array.element = &byte;
    put_array(r, &array, NULL);
}

static void put_type(rfc_printer *r, const ctf_class *type)
{
    begin(r, "type");
    if (r->walk.budget == 0) {
        lose(r, "more types than the limit");
        end(r, "}");
        return;
    }
    r->walk.budget--;
    switch ((ctf_kind)type->kind) {
    case CTF_UINT:
    case CTF_INT: put_integer(r, type); break;
    case CTF_BIT_ARRAY:
    case CTF_BIT_MAP:
    case CTF_BOOL:
    case CTF_FLOAT:
        lose(r, "floating point numbers, Booleans and bits: integers instead");
        put_integer(r, type);
        break;
    case CTF_STRING:
        put_word(r, "parent", "string");
        put_word(r, "encoding", type->encoding == CTF_ASCII ? "ASCII" : "UTF8");
        if (type->alignment > 8)
            put_u64(r, "align", type->alignment);
        if (type->encoding > CTF_ASCII)
            lose(r, "UTF-16 and UTF-32");
        break;
    case CTF_STRUCT: put_structure(r, type); break;
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY: put_array(r, type, NULL); break;
    case CTF_STATIC_STRING:
    case CTF_STATIC_BLOB: put_bytes(r, type, "texts and BLOBs with a length: bytes instead"); break;
    default:
        lose(r, "variants, optional fields, LEB128 and dynamic bytes: nothing instead");
        put_word(r, "parent", "struct");
        line(r);
        output_text(r->out, "fields = { };");
    }
    end(r, "}");
}

/* ---- Blocks of the text ---- */

/* Returns which of the RFC's two event headers a section has, or would have. */
static unsigned header_type(rfc_printer *r, const ctf_stream_class *stream)
{
    if (r->p->schema->generation == CTF_RFC)
        return ctf_text_is(stream->event_header->u.structure.members[0].name, "id") ? 1 : 2;
    lose(r, "event headers other than type 1 and type 2");
    for (uint32_t i = 0; i < stream->event_count; i++)
        if (stream->events[i].id > 30)
            return 2;
    return 1;
}

static void put_section_name(rfc_printer *r, const ctf_stream_class *stream)
{
    if (stream->identity.name.bytes != NULL)
        put_name(r, stream->identity.name);
    else
        output_printf(r->out, "stream_%llu", (unsigned long long)stream->id);
}

/* Writes the event context of a section. A size of events at its begin is an attribute of its
   own. */
static void put_context(rfc_printer *r, const ctf_stream_class *stream)
{
    const ctf_class *context = stream->event_context;
    const bool has_size = context->u.structure.count != 0 &&
                          (context->u.structure.members[0].type->roles & CTF_ROLE_EVENT_SIZE) != 0;
    line(r);
    begin(r, "context");
    if (has_size) {
        put_word(r, "event_size", "true");
        context = context->u.structure.count > 1 ? context->u.structure.members[1].type : NULL;
    }
    if (context != NULL) {
        line(r);
        output_text(r->out, "fields = ");
        put_type(r, context);
        output_byte(r->out, ';');
    }
    end(r, "}");
}

static void put_section(rfc_printer *r, const ctf_stream_class *stream)
{
    r->where = stream->identity.name;
    r->walk.stream = stream;
    begin(r, "section");
    line(r);
    output_text(r->out, "name = ");
    put_section_name(r, stream);
    output_byte(r->out, ';');
    line(r);
    begin(r, "event");
    put_word(r, "header_type", header_type(r, stream) == 1 ? "type1" : "type2");
    r->walk.scope = CTF_SCOPE_COMMON_CONTEXT;
    if (stream->event_context != NULL)
        put_context(r, stream);
    end(r, "}");
    end(r, "}\n");
    if (stream->packet_context != NULL)
        lose(r, "packet contexts");
}

static void put_event(rfc_printer *r, const ctf_event_class *event)
{
    r->where = event->name;
    r->walk.event = event;
    begin(r, "event");
    line(r);
    output_text(r->out, "name = ");
    put_name(r, event->name);
    output_byte(r->out, ';');
    put_u64(r, "id", event->id);
    line(r);
    output_text(r->out, "section = ");
    put_section_name(r, r->walk.stream);
    output_byte(r->out, ';');
    r->walk.scope = CTF_SCOPE_PAYLOAD;
    if (event->payload != NULL &&
        (event->payload->u.structure.count != 0 || event->payload->alignment > 1)) {
        line(r);
        output_text(r->out, "fields = ");
        put_type(r, event->payload);
        output_byte(r->out, ';');
    }
    end(r, "}\n");
    if (event->id > UINT32_MAX)
        lose(r, "ids of more than 32 bits");
    if (event->context != NULL)
        lose(r, "contexts of single events");
    if (event->has_log_level || event->extra->emf_uri.bytes != NULL ||
        event->extra->attributes.bytes != NULL)
        lose(r, "log levels, URIs and attributes of events");
    r->walk.event = NULL;
}

void print_rfc(schema_printer *p)
{
    const ctf_schema *schema = p->schema;
    rfc_printer r = {.p = p, .out = p->out, .walk = {.schema = schema, .budget = CLASSES_MAX}};
    output_text(p->out, "trace {\n    major = 1;\n    minor = 1;\n}\n");
    if (schema->generation != CTF_RFC) {
        for (uint32_t i = 0; i < schema->env_count; i++)
            print_lose(p, schema->env[i].name, "the environment");
        for (uint32_t i = 0; i < schema->clock_count; i++)
            print_lose(p, schema->clocks[i]->id, "clocks");
        print_lose(p, (ctf_text){0}, "packet headers other than its own");
    }
    for (uint32_t s = 0; s < schema->stream_count; s++)
        put_section(&r, schema->streams[s]);
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        r.walk.stream = schema->streams[s];
        for (uint32_t i = 0; i < schema->streams[s]->event_count; i++)
            put_event(&r, &schema->streams[s]->events[i]);
    }
    if (r.walk.is_exhausted)
        p->out->status = STELE_ERR_MEMORY;
    walk_free(&r.walk);
}
