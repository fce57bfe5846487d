/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/writer_schema.h"

#include "core/load.h"
#include "formats/ctf/schema/spans.h"

#define PACKET_MAGIC UINT32_C(0xc1fc1fc1)
#define ID_EXTENDED  65535u

/* ---- Packet and event headers as bytes ---- */

void writer_packet_header(uint8_t *bytes, const writer_packet *packet)
{
    store_le32(bytes, PACKET_MAGIC);
    memcpy(bytes + 4, packet->uuid, 16);
    store_le32(bytes + 20, packet->stream_class_id);
    store_le64(bytes + 24, packet->stream_id);
    store_le64(bytes + 32, packet->begin);
    store_le64(bytes + 40, packet->end);
    store_le64(bytes + 48, packet->size * 8);
    store_le64(bytes + 56, packet->size * 8);
    store_le64(bytes + 64, packet->sequence_number);
    store_le64(bytes + 72, packet->discarded);
}

static bool align(byte_buffer *packet, size_t alignment)
{
    const size_t padding = (alignment - packet->size % alignment) % alignment;
    uint8_t *at = byte_buffer_take(packet, padding);
    return at != NULL && memset(at, 0, padding) != NULL;
}

#define RFC_TYPE_1_EXTENDED 31u
#define RFC_TYPE_1_TIME_MAX 0x7ffffffu /* the largest time of 27 bits */

static bool rfc_type_1(byte_buffer *packet, uint32_t id, uint64_t ticks, bool is_short,
                       size_t alignment64)
{
    uint8_t *at = byte_buffer_take(packet, is_short ? 4 : 16);
    if (at == NULL)
        return false;
    store_le32(at, (uint32_t)ticks << 5 | (is_short ? id : RFC_TYPE_1_EXTENDED));
    if (is_short)
        return true;
    store_le32(at + 4, id);
    store_le64(at + 8, ticks);
    return align(packet, alignment64);
}

static bool rfc_type_2(byte_buffer *packet, uint32_t id, uint64_t ticks, bool is_short,
                       size_t alignment64)
{
    uint8_t *at = byte_buffer_take(packet, 6);
    if (at == NULL)
        return false;
    store_le32(at, (uint32_t)ticks);
    store_le16(at + 4, is_short ? (uint16_t)id : ID_EXTENDED);
    if (is_short)
        return true;
    if (!align(packet, alignment64) || (at = byte_buffer_take(packet, 12)) == NULL)
        return false;
    store_le64(at, ticks);
    store_le32(at + 8, id);
    return true; /* it ends aligned to 32 bits, as 96 bits from an aligned begin */
}

static bool rfc_event_header(byte_buffer *packet, const rfc_layout *rfc, uint32_t id,
                             uint64_t ticks, uint64_t last)
{
    static const uint8_t alignments[][2] = {[STELE_CTF_NATURAL_64] = {4, 8},
                                            [STELE_CTF_NATURAL_32] = {4, 4},
                                            [STELE_CTF_PACKED] = {1, 1}};
    const size_t alignment64 = alignments[rfc->packing][1];
    const uint64_t passed = ticks - last;
    if (!align(packet, alignments[rfc->packing][0]))
        return false;
    return rfc->event_header == RFC_TYPE_1
               ? rfc_type_1(packet, id, ticks,
                            id < RFC_TYPE_1_EXTENDED && passed <= RFC_TYPE_1_TIME_MAX, alignment64)
               : rfc_type_2(packet, id, ticks, id < ID_EXTENDED && passed <= UINT32_MAX,
                            alignment64);
}

bool writer_event_header(byte_buffer *packet, ctf_generation generation, const rfc_layout *rfc,
                         uint32_t id, uint64_t ticks, uint64_t last)
{
    const bool is_short = id < ID_EXTENDED && ticks - last <= UINT32_MAX;
    uint8_t *at;
    if (generation == CTF_RFC)
        return rfc_event_header(packet, rfc, id, ticks, last);
    at = byte_buffer_take(packet, is_short ? 6 : 14);
    if (at == NULL)
        return false;
    store_le16(at, is_short ? (uint16_t)id : ID_EXTENDED);
    if (is_short) {
        store_le32(at + 2, (uint32_t)ticks);
    } else {
        store_le32(at + 2, id);
        store_le64(at + 6, ticks);
    }
    return true;
}

const char *writer_stream_name(unsigned flags)
{
    static const char *const names[SHAPE_FLAGS] = {"events", "threads", "cpus", "cpu_threads",
                                                   "tracks", "threads", "cpus", "cpu_threads"};
    return names[flags];
}

/* ---- Packet and event headers as classes ---- */

typedef struct maker {
    ctf_schema *schema;
    const rfc_layout *rfc;
    const ctf_clock *clock;
} maker;

static ctf_class *integer(maker *k, uint32_t size, uint16_t roles)
{
    ctf_class *type = schema_make_class(k->schema, CTF_UINT, 8, size);
    if (type != NULL) {
        type->roles = roles;
        type->clock = (roles & CTF_ROLE_TIMESTAMP) != 0 ? k->clock : NULL;
    }
    return type;
}

static ctf_text name_of(const char *name)
{
    return (ctf_text){name, (uint32_t)strlen(name)};
}

static bool member(ctf_member *to, const char *name, const ctf_class *type)
{
    to->name = to->written = name_of(name);
    to->type = type;
    to->place = (ctf_place){UINT32_MAX};
    return type != NULL;
}

/* Makes a structure of `count` members, which the caller fills in. Returns NULL if out of
   memory. */
static ctf_class *structure(maker *k, uint32_t count, ctf_member **members)
{
    ctf_class *type = schema_make_class(k->schema, CTF_STRUCT, 8, 0);
    *members = schema_take(k->schema, count, sizeof **members);
    if (type == NULL || *members == NULL)
        return NULL;
    type->u.structure.members = *members;
    type->u.structure.count = count;
    return type;
}

/* Makes the class of a UUID: 16 integers in CTF 1.8, a BLOB in CTF 2. Returns NULL if out of
   memory. */
static ctf_class *uuid_class(maker *k)
{
    ctf_class *type = integer(k, 0, CTF_ROLE_UUID);
    if (type == NULL)
        return NULL;
    type->kind = k->schema->generation == CTF_2 ? CTF_STATIC_BLOB : CTF_STATIC_ARRAY;
    type->u.array.length = 16;
    if (k->schema->generation != CTF_2)
        type->u.array.element = integer(k, 8, 0);
    return type;
}

static bool make_packet_header(maker *k)
{
    ctf_member *m;
    ctf_class *magic = integer(k, 32, CTF_ROLE_PACKET_MAGIC), *header = structure(k, 4, &m);
    if (header == NULL || magic == NULL)
        return false;
    magic->base = CTF_HEX;
    k->schema->packet_header = header;
    return member(m, "magic", magic) && member(m + 1, "uuid", uuid_class(k)) &&
           member(m + 2, "stream_id", integer(k, 32, CTF_ROLE_STREAM_CLASS_ID)) &&
           member(m + 3, "stream_instance_id", integer(k, 64, CTF_ROLE_STREAM_ID));
}

static const ctf_class *make_packet_context(maker *k)
{
    static const struct {
        const char *name;
        uint16_t roles;
    } fields[] = {{"timestamp_begin", CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN},
                  {"timestamp_end", CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END},
                  {"content_size", CTF_ROLE_CONTENT_LENGTH},
                  {"packet_size", CTF_ROLE_TOTAL_LENGTH},
                  {"packet_seq_num", CTF_ROLE_SEQUENCE_NUMBER},
                  {"events_discarded", CTF_ROLE_DISCARDED}};
    const uint32_t count = sizeof fields / sizeof *fields;
    ctf_member *m;
    ctf_class *context = structure(k, count, &m);
    for (uint32_t i = 0; i < count && context != NULL; i++)
        if (!member(&m[i], fields[i].name, integer(k, 64, fields[i].roles)))
            return NULL;
    return context;
}

/* Makes the variant after the id, with the options compact and extended. Returns NULL if out of
   memory. */
static ctf_class *make_header_variant(maker *k, const ctf_mapping *mappings)
{
    static const ctf_text step = {"id", 2};
    ctf_member *compact, *extended, *options = schema_take(k->schema, 2, sizeof *options);
    ctf_class *variant = integer(k, 0, 0);
    ctf_class *small = structure(k, 1, &compact), *large = structure(k, 2, &extended);
    ctf_location *selector = schema_take(k->schema, 1, sizeof *selector);
    if (variant == NULL || small == NULL || large == NULL || options == NULL || selector == NULL ||
        !member(compact, "timestamp", integer(k, 32, CTF_ROLE_TIMESTAMP)) ||
        !member(extended, "id", integer(k, 32, CTF_ROLE_EVENT_CLASS_ID)) ||
        !member(extended + 1, "timestamp", integer(k, 64, CTF_ROLE_TIMESTAMP)))
        return NULL;
    member(options, "compact", small);
    member(options + 1, "extended", large);
    *selector = (ctf_location){.scope = k->schema->generation == CTF_1 ? CTF_SCOPE_LEXICAL
                                                                       : CTF_SCOPE_RELATIVE,
                               .steps = &step,
                               .step_count = 1,
                               .place = {UINT32_MAX}};
    variant->kind = CTF_VARIANT;
    variant->alignment = 1;
    variant->selects_by_name = k->schema->generation == CTF_1;
    variant->mappings = mappings;
    variant->mapping_count = 2;
    variant->u.variant.options = options;
    variant->u.variant.count = 2;
    variant->u.variant.selector = selector;
    return variant;
}

static const ctf_class *make_event_header(maker *k)
{
    static const ctf_range ranges[] = {{0, ID_EXTENDED - 1, false},
                                       {ID_EXTENDED, ID_EXTENDED, false}};
    static const ctf_mapping mappings[] = {{{"compact", 7}, &ranges[0], 1, {UINT32_MAX}},
                                           {{"extended", 8}, &ranges[1], 1, {UINT32_MAX}}};
    ctf_member *m;
    ctf_class *header = structure(k, 2, &m), *id = integer(k, 16, CTF_ROLE_EVENT_CLASS_ID);
    if (header == NULL || id == NULL)
        return NULL;
    if (k->schema->generation == CTF_RFC) { /* the RFC's grammar only names the type of header */
        const bool is_first = k->rfc->event_header == RFC_TYPE_1;
        return member(m + !is_first, "id", id) &&
                       member(m + is_first, "timestamp", integer(k, 32, CTF_ROLE_TIMESTAMP))
                   ? header
                   : NULL;
    }
    id->is_enum = true;
    id->mappings = mappings;
    id->mapping_count = 2;
    return member(m, "id", id) && member(m + 1, "v", make_header_variant(k, mappings)) ? header
                                                                                       : NULL;
}

static ctf_class *text_class(maker *k)
{
    ctf_class *type = integer(k, 0, 0);
    if (type == NULL)
        return NULL;
    type->kind = CTF_STRING;
    type->encoding = CTF_UTF8;
    return type;
}

/* Makes the class of the context. Returns NULL without flags, or if out of memory. */
static const ctf_class *make_event_context(maker *k, unsigned flags)
{
    const bool is_rfc = k->schema->generation == CTF_RFC;
    const uint32_t count = ((flags & SHAPE_THREAD) != 0 ? (is_rfc ? 2u : 3u) : 0u) +
                           ((flags & SHAPE_CPU) != 0) + ((flags & SHAPE_TRACK) != 0);
    ctf_member *m;
    ctf_class *context = structure(k, count, &m);
    if (context == NULL)
        return NULL;
    if ((flags & SHAPE_TRACK) != 0 && !member(m++, SPAN_TRACK_FIELD, integer(k, 32, 0)))
        return NULL;
    if ((flags & SHAPE_THREAD) != 0 && (!member(m++, is_rfc ? "pid" : "vpid", integer(k, 64, 0)) ||
                                        !member(m++, is_rfc ? "tid" : "vtid", integer(k, 64, 0))))
        return NULL;
    if ((flags & SHAPE_THREAD) != 0 && !is_rfc && !member(m++, "procname", text_class(k)))
        return NULL;
    if ((flags & SHAPE_CPU) != 0 && !member(m, "cpu_id", integer(k, 16, 0)))
        return NULL;
    return context;
}

static ctf_stream_class *make_stream(maker *k, unsigned flags)
{
    ctf_stream_class *stream = schema_add_stream(k->schema);
    if (stream == NULL)
        return NULL;
    stream->id = flags;
    stream->has_id = true;
    if (k->schema->generation != CTF_1) /* CTF 1.8 has no names of streams */
        stream->identity.name = name_of(writer_stream_name(flags));
    stream->clock = k->clock;
    stream->event_header = make_event_header(k);
    if (k->schema->generation != CTF_RFC)
        stream->packet_context = make_packet_context(k);
    if (flags != 0)
        stream->event_context = make_event_context(k, flags);
    return stream->event_header != NULL &&
                   (stream->packet_context != NULL || k->schema->generation == CTF_RFC) &&
                   (stream->event_context != NULL || flags == 0)
               ? stream
               : NULL;
}

static bool make_clock(maker *k, const stele_clock *from, int64_t base_ns)
{
    ctf_clock *clock = schema_add_clock(k->schema);
    const int64_t offset = from->has_wall ? from->wall_ns : 0;
    if (clock == NULL)
        return false;
    clock->id = clock->identity.name = name_of("trace_clock");
    clock->is_unix_epoch = from->has_wall;
    clock->offset_s = offset / 1000000000 + base_ns / 1000000000;
    clock->offset_cycles = offset % 1000000000 + base_ns % 1000000000;
    clock->place = (ctf_place){UINT32_MAX};
    k->clock = clock;
    return true;
}

bool writer_schema_env(ctf_schema *schema, const char *name, const char *text, uint64_t value)
{
    ctf_env *env = schema_add_env(schema);
    if (env == NULL)
        return false;
    env->name = schema_text(schema, name, strlen(name));
    env->value = value;
    env->is_text = text != NULL;
    if (text != NULL)
        env->text = schema_text(schema, text, strlen(text));
    return env->name.bytes != NULL && (text == NULL || env->text.bytes != NULL);
}

bool writer_schema_make(ctf_schema *schema, ctf_generation generation, const rfc_layout *rfc,
                        const uint8_t *uuid, const stele_clock *clock, int64_t base_ns,
                        const bool *has, ctf_stream_class **streams)
{
    maker k = {.schema = schema, .rfc = rfc};
    schema->generation = generation;
    schema->major = generation == CTF_2 ? 2 : 1;
    schema->minor = generation == CTF_2 ? 0 : generation == CTF_1 ? 8 : 1;
    schema->length_unit = generation == CTF_RFC ? 8 : 1;
    schema->has_byte_order = generation == CTF_1;
    schema->has_uuid = generation != CTF_RFC;
    memcpy(schema->uuid, uuid, 16);
    if (!make_clock(&k, clock, base_ns))
        return false;
    if (generation != CTF_RFC) {
        if (!writer_schema_env(schema, "tracer_name", "stele", 0) ||
            !writer_schema_env(schema, SPAN_MARK, NULL, SPAN_VERSION) || !make_packet_header(&k))
            return false;
    }
    for (unsigned flags = 0; flags < SHAPE_FLAGS; flags++)
        if (has[flags] && (streams[flags] = make_stream(&k, flags)) == NULL)
            return false;
    return true;
}
