/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the metadata of the RFC v1.1 (section 7):
 *
 *    trace { major = 1; minor = 1; }
 *    section { name = NAME; event { header_type = type1; context { event_size = true; } } }
 *    type NAME { parent = struct; fields = { { uint32_t, a }, ... }; }
 *    event { name = NAME; id = 3; section = NAME; fields = NAME; }
 */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/metadata/rfc_front.h"

/* The attributes of a block: each may occur once. Bit i of `said` is set when names[i] was read. */
typedef struct block {
    const char *const *names;
    unsigned said;
} block;

/* Reads "NAME =" in a block. `*attribute` is the index of the name. */
static bool block_attribute(rfc_front *front, block *b, unsigned *attribute)
{
    ctf_text name;
    ctf_place place;
    if (!rfc_attribute(front, &name, &place))
        return false;
    for (*attribute = 0; b->names[*attribute] != NULL; ++*attribute)
        if (ctf_text_is(name, b->names[*attribute]))
            break;
    if (b->names[*attribute] == NULL || (b->said & 1u << *attribute) != 0) {
        metadata_report(front->m, &ctf_codes[b->names[*attribute] == NULL ? CTF303 : CTF302], place,
                        "an attribute of this block, each one once", "%.*s", (int)name.size,
                        name.bytes);
        return false;
    }
    b->said |= 1u << *attribute;
    return true;
}

static bool block_check(rfc_front *front, const block *b, unsigned required, ctf_place place)
{
    const unsigned missing = required & ~b->said;
    if (missing != 0)
        metadata_report(front->m, &ctf_codes[CTF301], place, "all attributes of this block",
                        "no \"%s\"", b->names[__builtin_ctz(missing)]);
    return missing == 0;
}

static bool copy_text(rfc_front *front, ctf_text text, ctf_text *copy)
{
    *copy = schema_text(front->schema, text.bytes, text.size);
    return copy->bytes != NULL;
}

/* ---- The block "trace" ---- */

static bool read_trace(rfc_front *front)
{
    static const char *const names[] = {"major", "minor", NULL};
    block b = {.names = names};
    const ctf_place place = front->place;
    unsigned attribute;
    uint64_t value;
    if (front->has_trace) {
        metadata_report(front->m, &ctf_codes[CTF302], place, "one block \"trace\"", "another one");
        return false;
    }
    front->has_trace = true;
    if (!rfc_expect(front, '{', "'{'"))
        return false;
    while (!rfc_is_mark(front, '}')) {
        if (!block_attribute(front, &b, &attribute) || !rfc_number(front, UINT32_MAX, &value) ||
            !rfc_end_value(front))
            return false;
        *(attribute == 0 ? &front->schema->major : &front->schema->minor) = (uint32_t)value;
    }
    return block_check(front, &b, 3, place) && rfc_next(front);
}

/* ---- Headers of packets and events (sections 5 and 6.1) ---- */

static ctf_member *members_take(ctf_schema *schema, ctf_class *structure, uint32_t count)
{
    ctf_member *members = schema_take(schema, count, sizeof *members);
    structure->u.structure.members = members;
    structure->u.structure.count = members != NULL ? count : 0;
    return members;
}

static ctf_class *structure_make(ctf_schema *schema, uint32_t alignment)
{
    ctf_class *type = schema_make_class(schema, CTF_STRUCT, alignment, 0);
    if (type != NULL)
        type->alignment_minimum = alignment;
    return type;
}

static bool member_set(ctf_member *member, const char *name, const ctf_class *type)
{
    member->name = member->written = (ctf_text){name, (uint32_t)strlen(name)};
    member->type = type;
    member->place = (ctf_place){UINT32_MAX};
    return type != NULL;
}

/* An unsigned member of a header. */
typedef struct header_field {
    const char *name;
    uint32_t size;
    uint16_t roles;
    uint8_t base; /* ctf_base */
} header_field;

/* Makes an unsigned integer of a header. None of the headers has padding between whole bytes. */
static bool member_integer(ctf_schema *schema, ctf_member *member, const header_field *field)
{
    ctf_class *type = rfc_integer(schema, field->size, field->size % 8 == 0 ? 8 : 1);
    if (type != NULL) {
        type->roles = field->roles;
        type->base = field->base;
        /* In packet headers, which belong to no section. */
        if ((field->roles & CTF_ROLE_TIMESTAMP) != 0)
            type->clock = schema->clocks[0];
    }
    return member_set(member, field->name, type);
}

static bool members_integers(ctf_schema *schema, ctf_member *members, const header_field *fields,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!member_integer(schema, &members[i], &fields[i]))
            return false;
    return true;
}

/* Makes the packet header of section 5, whose 48 bytes have the same layout on all architectures.
   See rfc_packet.h. */
static bool make_packet_header(ctf_schema *schema)
{
    static const header_field fields[] = {
        {"magic", 32, CTF_ROLE_PACKET_MAGIC, CTF_HEX},
        {"session_id", 32, 0, CTF_HEX},
        {"content_size", 32, CTF_ROLE_CONTENT_LENGTH, CTF_DECIMAL},
        {"packet_size", 32, CTF_ROLE_TOTAL_LENGTH, CTF_DECIMAL},
        {"checksum", 32, 0, CTF_HEX},
        {"section_packet_count", 32, CTF_ROLE_SEQUENCE_NUMBER, CTF_DECIMAL},
        {"timestamp_begin", 64, CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN, CTF_DECIMAL},
        {"timestamp_end", 64, CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END, CTF_DECIMAL},
        {"events_discarded", 32, CTF_ROLE_DISCARDED, CTF_DECIMAL},
        {"section_packet_count_bits", 8, 0, CTF_DECIMAL},
        {"compression_scheme", 8, 0, CTF_DECIMAL},
        {"encryption_scheme", 8, 0, CTF_DECIMAL},
        {"checksum_scheme", 8, 0, CTF_DECIMAL}};
    const uint32_t count = sizeof fields / sizeof *fields;
    ctf_class *header = structure_make(schema, 8);
    ctf_member *members = header != NULL ? members_take(schema, header, count) : NULL;
    if (members == NULL || !members_integers(schema, members, fields, count))
        return false;
    schema->packet_header = header;
    return true;
}

/* Makes the extended header: 96 bits without padding between its members, aligned to
   `end_alignment` at its end. */
static ctf_class *make_extended(ctf_schema *schema, const header_field *fields, uint32_t alignment,
                                uint32_t end_alignment)
{
    ctf_class *extended = structure_make(schema, alignment);
    ctf_member *members = extended != NULL ? members_take(schema, extended, 3) : NULL;
    if (members == NULL || !members_integers(schema, members, fields, 2) ||
        !member_set(&members[2], "end", structure_make(schema, end_alignment)))
        return NULL;
    return extended;
}

/* Makes the extended header optional: it follows if the field "id" has the value `id`. */
static ctf_class *make_optional(ctf_schema *schema, const ctf_class *extended, uint64_t id)
{
    static const ctf_text step = {"id", 2};
    ctf_class *optional = schema_take(schema, 1, sizeof *optional);
    ctf_location *selector = schema_take(schema, 1, sizeof *selector);
    ctf_range *range = schema_take(schema, 1, sizeof *range);
    if (extended == NULL || optional == NULL || selector == NULL || range == NULL)
        return NULL;
    *selector = (ctf_location){
        .scope = CTF_SCOPE_EVENT_HEADER, .steps = &step, .step_count = 1, .place = {UINT32_MAX}};
    *range = (ctf_range){id, id, false};
    *optional = (ctf_class){.kind = CTF_OPTIONAL,
                            .alignment = 1,
                            .alignment_minimum = 1,
                            .u.optional = {.element = extended,
                                           .selector = selector,
                                           .ranges = range,
                                           .range_count = 1},
                            .place = {UINT32_MAX}};
    return optional;
}

#define ID   CTF_ROLE_EVENT_CLASS_ID
#define TIME CTF_ROLE_TIMESTAMP

/*
 * Makes the event header of a type (section 6.1):
 *
 *    type 1   id:5 timestamp:27      32 bits   id 31:    id:32 timestamp:64   96 bits, no realign
 *    type 2   timestamp:32 id:16     48 bits   id 65535: timestamp:64 id:32   96 bits
 */
static const ctf_class *make_event_header(rfc_front *front, unsigned number)
{
    static const header_field short_fields[2][2] = {
        {{"id", 5, ID, CTF_DECIMAL}, {"timestamp", 27, TIME, CTF_DECIMAL}},
        {{"timestamp", 32, TIME, CTF_DECIMAL}, {"id", 16, ID, CTF_DECIMAL}}};
    static const header_field long_fields[2][2] = {
        {{"id", 32, ID, CTF_DECIMAL}, {"timestamp", 64, TIME, CTF_DECIMAL}},
        {{"timestamp", 64, TIME, CTF_DECIMAL}, {"id", 32, ID, CTF_DECIMAL}}};
    ctf_schema *schema = front->schema;
    const uint32_t align32 = rfc_alignment(front->m, 32), align64 = rfc_alignment(front->m, 64);
    ctf_class *header = structure_make(schema, align32);
    ctf_class *extended = number == 1 ? make_extended(schema, long_fields[0], 8, align64)
                                      : make_extended(schema, long_fields[1], align64, align32);
    ctf_member *members = header != NULL ? members_take(schema, header, 3) : NULL;
    if (members == NULL || !members_integers(schema, members, short_fields[number - 1], 2) ||
        !member_set(&members[2], "extended",
                    make_optional(schema, extended, number == 1 ? 31 : 65535)))
        return NULL;
    return header;
}

/* Returns the event header of a type, which all sections share, or NULL if out of memory. */
static const ctf_class *event_header_of(rfc_front *front, unsigned number)
{
    const ctf_class **header = &front->event_headers[number - 1];
    if (*header == NULL)
        *header = make_event_header(front, number);
    return *header;
}

/* ---- The block "section" ---- */

static bool read_context(rfc_front *front, ctf_stream_class *stream)
{
    static const char *const names[] = {"event_size", "fields", NULL};
    static const header_field event_size = {"event_size", 32, CTF_ROLE_EVENT_SIZE, CTF_DECIMAL};
    block b = {.names = names};
    const ctf_class *fields = NULL;
    ctf_class *outer;
    ctf_member *members;
    bool has_size = false;
    unsigned attribute;
    if (!rfc_expect(front, '{', "'{'"))
        return false;
    while (!rfc_is_mark(front, '}'))
        if (!block_attribute(front, &b, &attribute) ||
            (attribute == 0 ? !rfc_bool(front, &has_size) : !rfc_structure_use(front, &fields)) ||
            !rfc_end_value(front))
            return false;
    stream->event_context = fields;
    if (!has_size)
        return rfc_next(front);
    outer = structure_make(front->schema, rfc_alignment(front->m, 32));
    members = outer != NULL ? members_take(front->schema, outer, fields != NULL ? 2 : 1) : NULL;
    if (members == NULL || !member_integer(front->schema, members, &event_size) ||
        (fields != NULL && !member_set(&members[1], "fields", fields)))
        return false;
    stream->event_context = outer;
    return rfc_next(front);
}

/* Reads event { header_type = type1; context { ... } } of a section. */
static bool read_section_event(rfc_front *front, ctf_stream_class *stream)
{
    if (!rfc_next(front) || !rfc_expect(front, '{', "'{'"))
        return false;
    while (!rfc_is_mark(front, '}')) {
        static const char *const names[] = {"header_type", NULL};
        block b = {.names = names, .said = stream->event_header != NULL};
        unsigned attribute;
        if (rfc_is_name(front, "context")) {
            if (!rfc_next(front) || !read_context(front, stream) || !rfc_accept(front, ';'))
                return false;
            continue;
        }
        if (!block_attribute(front, &b, &attribute))
            return false;
        if (!rfc_is_name(front, "type1") && !rfc_is_name(front, "type2"))
            return rfc_refuse(front, &ctf_codes[CTF301], "type1 or type2");
        stream->event_header = event_header_of(front, rfc_is_name(front, "type1") ? 1 : 2);
        if (stream->event_header == NULL || !rfc_next(front) || !rfc_end_value(front))
            return false;
    }
    return rfc_next(front) && rfc_accept(front, ';');
}

static bool read_section_name(rfc_front *front, ctf_stream_class *stream)
{
    static const char *const names[] = {"name", NULL};
    block b = {.names = names, .said = stream->identity.name.bytes != NULL};
    const ctf_place place = front->place;
    unsigned attribute;
    ctf_text name;
    if (!block_attribute(front, &b, &attribute) || !rfc_text(front, &name) || !rfc_end_value(front))
        return false;
    if (name_register_find(&front->sections, name) != NULL) {
        metadata_report(front->m, &ctf_codes[CTF302], place, "every section once", "%.*s",
                        (int)name.size, name.bytes);
        return false;
    }
    return copy_text(front, name, &stream->identity.name) &&
           name_register_put(&front->sections, name, stream);
}

static bool read_section(rfc_front *front)
{
    const ctf_place place = front->place;
    ctf_stream_class *stream = schema_add_stream(front->schema);
    if (stream == NULL || !rfc_expect(front, '{', "'{'"))
        return false;
    stream->place = place;
    stream->id = front->schema->stream_count - 1;
    stream->clock = front->schema->clocks[0];
    while (!rfc_is_mark(front, '}')) {
        bool is_ok;
        if (rfc_is_name(front, "event"))
            is_ok = read_section_event(front, stream);
        else if (rfc_is_name(front, "type") || rfc_is_name(front, "abstract_type")) {
            const bool is_abstract = rfc_is_name(front, "abstract_type");
            is_ok = rfc_next(front) && rfc_type_declare(front, is_abstract);
        } else
            is_ok = read_section_name(front, stream);
        if (!is_ok)
            return false;
    }
    if (stream->identity.name.bytes != NULL && stream->event_header != NULL)
        return rfc_next(front);
    metadata_report(front->m, &ctf_codes[CTF301], place, "a section with its name and header_type",
                    "no \"%s\"", stream->identity.name.bytes == NULL ? "name" : "header_type");
    return false;
}

/* ---- The block "event" ---- */

enum { E_NAME, E_ID, E_SECTION, E_FIELDS };

static bool read_event_value(rfc_front *front, unsigned attribute, ctf_event_class *event,
                             const ctf_stream_class **stream)
{
    ctf_text text;
    switch (attribute) {
    case E_NAME: return rfc_text(front, &text) && copy_text(front, text, &event->name);
    case E_ID: return rfc_number(front, UINT32_MAX, &event->id);
    case E_SECTION:
        *stream = front->word == RFC_NAME || front->word == RFC_STRING
                      ? name_register_find(&front->sections, front->text)
                      : NULL;
        return *stream != NULL ? rfc_next(front) : rfc_refuse_name(front, "the name of a section");
    default: return rfc_structure_use(front, &event->payload);
    }
}

static bool read_event(rfc_front *front)
{
    static const char *const names[] = {"name", "id", "section", "fields", NULL};
    block b = {.names = names};
    ctf_event_class event = {.place = front->place, .extra = &schema_no_extra}, *added;
    const ctf_stream_class *stream = NULL;
    unsigned attribute;
    if (!rfc_expect(front, '{', "'{'"))
        return false;
    while (!rfc_is_mark(front, '}'))
        if (!block_attribute(front, &b, &attribute) ||
            !read_event_value(front, attribute, &event, &stream) || !rfc_end_value(front))
            return false;
    if (!block_check(front, &b, 1u << E_NAME | 1u << E_ID | 1u << E_SECTION, event.place))
        return false;
    if (event.payload == NULL)
        event.payload = structure_make(front->schema, 1);
    added = schema_add_event((ctf_stream_class *)stream);
    if (added == NULL || event.payload == NULL)
        return false;
    *added = event;
    return rfc_next(front);
}

/* ---- The whole text ---- */

/* Reads a block. Types and events may use names that are declared later. */
static bool read_block(rfc_front *front)
{
    static const struct {
        const char *name;
        bool (*read)(rfc_front *front);
    } blocks[] = {{"event", read_event}, {"section", read_section}, {"trace", read_trace}};
    const bool is_abstract = rfc_is_name(front, "abstract_type");
    size_t i = 0;
    if (is_abstract || rfc_is_name(front, "type"))
        return rfc_next(front) && rfc_type_declare(front, is_abstract);
    while (i < sizeof blocks / sizeof *blocks && !rfc_is_name(front, blocks[i].name))
        i++;
    if (i == sizeof blocks / sizeof *blocks)
        return rfc_refuse(front, &ctf_codes[CTF300],
                          "trace, section, event, type or abstract_type");
    if (i != 0)
        front->may_wait = false;
    return rfc_next(front) && blocks[i].read(front) && rfc_accept(front, ';');
}

/* Tries to read the block at `start`. If it uses a name that is not known, `*is_waiting` is true
   and nothing has changed. */
static bool try_block(rfc_front *front, uint32_t start, bool *is_waiting)
{
    bool is_ok;
    front->may_wait = true;
    front->is_waiting = false;
    front->at = start;
    front->level = front->member_count = 0;
    is_ok = rfc_next(front) && read_block(front);
    *is_waiting = front->is_waiting;
    front->may_wait = front->is_waiting = false;
    return is_ok;
}

/* Steps over a block and remembers it, to be read again when the rest of the text is known. */
static bool wait_block(rfc_front *front, uint32_t start)
{
    if (front->waiting_count == front->waiting_capacity) {
        uint32_t *grown = array_grow(front->waiting, sizeof *grown, &front->waiting_capacity, 64);
        if (grown == NULL)
            return false;
        front->waiting = grown;
    }
    front->waiting[front->waiting_count++] = start;
    front->at = start;
    do {
        if (!rfc_next(front))
            return false;
    } while (!rfc_is_mark(front, '{'));
    return rfc_skip_block(front) && rfc_accept(front, ';');
}

/* Passes over blocks that wait for names, so that metadata in any order take linear time. */
#define WAITING_PASSES 16u

/* Reads the blocks that wait for names, alternately from the last to the first and from the first
   to the last. When a pass gets no further, the rest is read with errors reported. */
static bool read_waiting(rfc_front *front)
{
    const uint32_t count = front->waiting_count;
    uint32_t left = count, before = count + 1;
    bool is_waiting;
    for (unsigned pass = 0; left != 0 && left < before && pass < WAITING_PASSES; pass++) {
        before = left;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t *start = &front->waiting[pass % 2 == 0 ? count - 1 - i : i];
            if (*start == UINT32_MAX)
                continue;
            if (try_block(front, *start, &is_waiting)) {
                *start = UINT32_MAX;
                left--;
            } else if (!is_waiting) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < count && left != 0; i++) {
        if (front->waiting[i] == UINT32_MAX)
            continue;
        front->at = front->waiting[i];
        if (!rfc_next(front) || !read_block(front))
            return false;
    }
    return true;
}

static bool read_blocks(rfc_front *front)
{
    while (front->word != RFC_END) {
        const uint32_t start = front->place.offset;
        bool is_waiting;
        metadata_pass(front->m, start);
        if (!try_block(front, start, &is_waiting) && (!is_waiting || !wait_block(front, start)))
            return false;
    }
    return read_waiting(front);
}

static bool prepare(rfc_front *front)
{
    ctf_schema *schema = front->schema;
    ctf_clock *clock;
    schema->generation = CTF_RFC;
    schema->length_unit = 8;
    schema->discarded_at_begin = true;
    schema->is_big_endian = front->m->is_big_endian;
    schema->session_id = front->m->session_id;
    schema->major = schema->minor = 1;
    clock = schema_add_clock(schema);
    if (clock == NULL)
        return false;
    clock->place = (ctf_place){UINT32_MAX};
    return make_packet_header(schema);
}

bool rfc_parse(metadata *m, ctf_schema *schema)
{
    rfc_front front = {.m = m, .schema = schema};
    bool is_ok;
    if (m->size >= UINT32_MAX) {
        metadata_report(m, &ctf_codes[CTF207], (ctf_place){0}, "metadata of less than 4 GiB",
                        "more");
        return false;
    }
    is_ok = name_register_init(&front.types) && name_register_init(&front.sections) &&
            prepare(&front) && rfc_next(&front) && read_blocks(&front) && schema_finish(schema) &&
            metadata_check_events(m, schema, &ctf_codes[CTF302]);
    name_register_free(&front.types);
    name_register_free(&front.sections);
    text_set_free(&front.names);
    free(front.members);
    free(front.mappings);
    free(front.waiting);
    return is_ok;
}
