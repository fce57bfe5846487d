/* SPDX-License-Identifier: Apache-2.0 */
/* Random traces of the RFC, written bit by bit as its text says: metadata and packets of both
   byte orders, all alignments and both event headers. Reading gives what was written. */
#include <stele/ctf.h>

#include "ctf_notes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/schema/targets.h"

#define TRACES     300u /* default; the environment can say otherwise: TRACES=100000 */
#define SHAPES_MAX 128u
#define PACKET_MAX 8192u

static const stele_limits limits = {
    .depth_max = 64, .fields_max = 1 << 20, .metadata_size_max = 1 << 20};

typedef enum shape_kind { INTEGER, BITFIELD, ENUM, TEXT, STRUCT, ARRAY, SEQUENCE } shape_kind;

typedef struct shape {
    shape_kind kind;
    unsigned size, align, unit; /* in bits; align 0: not given */
    bool is_signed, is_big;
    unsigned count; /* number of members or elements; 0: a sequence */
    struct shape *inner[4], *length;
} shape;

typedef struct trace {
    uint64_t seed;
    stele_ctf_alignment packing;
    bool is_big;
    shape shapes[SHAPES_MAX];
    unsigned shape_count;
    uint8_t bytes[PACKET_MAX];
    size_t at; /* in bits */
    notes *expected;
    uint64_t clock;
} trace;

static uint64_t dice(trace *t, uint64_t sides)
{
    return random_next(&t->seed) % sides;
}

/* ---- Shapes of fields ---- */

static shape *integer_make(trace *t, unsigned size)
{
    shape *s = &t->shapes[t->shape_count++];
    REQUIRE(t->shape_count < SHAPES_MAX);
    *s = (shape){.kind = INTEGER, .size = size, .is_big = t->is_big};
    s->is_signed = dice(t, 2);
    if (dice(t, 3) == 0)
        s->align = size % 8 != 0 ? 1u << dice(t, 3) : 8u << dice(t, 4);
    if (size % 8 == 0 && dice(t, 3) == 0) /* the byte order must not change within a byte */
        s->is_big = !t->is_big;
    return s;
}

static shape *shape_make(trace *t, unsigned depth)
{
    static const unsigned units[] = {8, 16, 32, 64};
    shape *s = integer_make(t, dice(t, 2) ? 8u << dice(t, 4) : 1 + (unsigned)dice(t, 64));
    switch (dice(t, depth < 3 ? 9 : 5)) {
    case 0:
    case 1: break;
    case 2:
        s->kind = BITFIELD;
        s->unit = units[dice(t, 4)];
        s->size = 1 + (unsigned)dice(t, s->unit);
        s->align = (unsigned)dice(t, 2);
        s->is_big = t->is_big;
        break;
    case 3:
        s->kind = ENUM;
        s->count = 1 + (unsigned)dice(t, 3);
        break;
    case 4: *s = (shape){.kind = TEXT, .count = (unsigned)dice(t, 5)}; break;
    case 5:
    case 6:
        *s = (shape){.kind = STRUCT, .count = (unsigned)dice(t, 5)};
        s->align = dice(t, 4) == 0 ? 1u << dice(t, 7) : 0;
        for (unsigned i = 0; i < s->count; i++)
            s->inner[i] = shape_make(t, depth + 1);
        break;
    case 7:
        *s = (shape){.kind = ARRAY, .count = (unsigned)dice(t, 4)};
        s->inner[0] = shape_make(t, depth + 1);
        break;
    default:
        *s = (shape){.kind = SEQUENCE};
        s->inner[0] = shape_make(t, depth + 1);
        s->length = integer_make(t, 2 + (unsigned)dice(t, 30));
        s->length->is_signed = false;
    }
    return s;
}

/* Returns the alignment of integers that state none, by section 4.1.2. */
static unsigned natural(const trace *t, unsigned size)
{
    const unsigned word = t->packing == STELE_CTF_NATURAL_64 ? 64 : 32;
    if (size % 8 != 0)
        return 1;
    if (t->packing == STELE_CTF_PACKED || (size != 8 && size != 16 && size != 32 && size != 64))
        return 8;
    return size < word ? size : word;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned alignment(const trace *t, const shape *s)
{
    unsigned most = 1;
    switch (s->kind) {
    case BITFIELD: return s->align != 0 ? s->align : 1;
    case TEXT: return 8;
    case ARRAY:
    case SEQUENCE: return alignment(t, s->inner[0]);
    case STRUCT:
        for (unsigned i = 0; i < s->count; i++) {
            const shape *member = s->inner[i];
            most = larger(most, alignment(t, member));
            if (member->kind == BITFIELD)
                most = larger(most, natural(t, member->unit));
            for (; member->kind == ARRAY || member->kind == SEQUENCE; member = member->inner[0])
                if (member->kind == SEQUENCE)
                    most = larger(most, alignment(t, member->length));
        }
        return larger(most, s->align);
    default: return s->align != 0 ? s->align : natural(t, s->size);
    }
}

/* ---- Printing metadata ---- */

static void print_fields(notes *text, const shape *s);

static void print_shape(notes *text, const shape *s)
{
    static const char *const parents[] = {"integer", "gcc_bitfield", "enum",    "string",
                                          "struct",  "array",        "sequence"};
    note(text, "type { parent = %s; ", parents[s->kind]);
    if (s->kind <= ENUM)
        note(text, "size = %u; signed = %s; byte_order = %s; ", s->size,
             s->is_signed ? "true" : "false", s->is_big ? "network" : "le");
    if (s->align != 0)
        note(text, "align = %u; ", s->align);
    if (s->kind == BITFIELD)
        note(text, "unit_size = %u; ", s->unit);
    if (s->kind == ENUM) {
        note(text, ".map = { ");
        for (unsigned i = 0; i < s->count; i++)
            note(text, "{ %u, \"l%u\" } ", i, i);
        note(text, "}; ");
    }
    if (s->kind == STRUCT) {
        note(text, "fields = ");
        print_fields(text, s);
        note(text, "; ");
    }
    if (s->kind == ARRAY)
        note(text, "length = %u; ", s->count);
    if (s->kind == SEQUENCE) {
        note(text, "length_type = ");
        print_shape(text, s->length);
        note(text, "; ");
    }
    if (s->kind == ARRAY || s->kind == SEQUENCE) {
        note(text, "elem_type = ");
        print_shape(text, s->inner[0]);
        note(text, "; ");
    }
    note(text, "}");
}

static void print_fields(notes *text, const shape *s)
{
    note(text, "{ ");
    for (unsigned i = 0; i < s->count; i++) {
        note(text, "{ ");
        print_shape(text, s->inner[i]);
        note(text, ", f%u }%s ", i, i % 2 == 0 ? "," : "");
    }
    note(text, "}");
}

/* ---- Writing packets ---- */

static void align(trace *t, unsigned to)
{
    while (t->at % to != 0)
        t->at++;
}

/* Writes an integer bit by bit, by section 4.1.5. */
static void put_bits(trace *t, unsigned size, bool is_big, uint64_t value)
{
    REQUIRE(t->at + size <= PACKET_MAX * 8);
    for (unsigned i = 0; i < size; i++, t->at++) {
        const unsigned bit = is_big ? size - 1 - i : i;
        const unsigned place = (unsigned)(is_big ? 7 - t->at % 8 : t->at % 8);
        t->bytes[t->at / 8] &= (uint8_t) ~(1u << place);
        t->bytes[t->at / 8] |= (uint8_t)((value >> bit & 1) << place);
    }
}

static void write_integer(trace *t, const shape *s)
{
    uint64_t value = random_next(&t->seed) >> dice(t, 64);
    if (s->kind == ENUM && dice(t, 2))
        value = dice(t, 3);
    align(t, alignment(t, s));
    if (s->kind == BITFIELD && t->at % s->unit + s->size > s->unit)
        align(t, s->unit);
    put_bits(t, s->size, s->is_big, value);
    value &= UINT64_MAX >> (64 - s->size);
    if (s->is_signed)
        note(t->expected, "%lld", (long long)stele_ctf_bits_signed(value, s->size));
    else
        note(t->expected, "%llu", (unsigned long long)value);
    if (s->kind == ENUM && value < s->count &&
        (!s->is_signed || stele_ctf_bits_signed(value, s->size) >= 0))
        note(t->expected, "(l%llu)", (unsigned long long)value);
}

static void write_shape(trace *t, const shape *s);

static void write_elements(trace *t, const shape *s, unsigned count)
{
    note(t->expected, "[");
    align(t, alignment(t, s->inner[0]));
    for (unsigned i = 0; i < count; i++) {
        write_shape(t, s->inner[0]);
        note(t->expected, ",");
    }
    note(t->expected, "]");
}

static void write_text(trace *t, const shape *s)
{
    uint8_t letters[8];
    align(t, 8);
    for (unsigned i = 0; i < s->count; i++) {
        letters[i] = (uint8_t)('a' + dice(t, 26));
        put_bits(t, 8, false, letters[i]);
    }
    put_bits(t, 8, false, 0);
    note_bytes(t->expected, letters, s->count);
}

static void write_shape(trace *t, const shape *s)
{
    unsigned count;
    switch (s->kind) {
    case TEXT: write_text(t, s); break;
    case STRUCT:
        align(t, alignment(t, s));
        note(t->expected, "{");
        for (unsigned i = 0; i < s->count; i++) {
            note(t->expected, "f%u=", i);
            write_shape(t, s->inner[i]);
            note(t->expected, ";");
        }
        note(t->expected, "}");
        break;
    case ARRAY: write_elements(t, s, s->count); break;
    case SEQUENCE:
        count = (unsigned)dice(t, 4);
        align(t, alignment(t, s->length));
        put_bits(t, s->length->size, s->length->is_big, count);
        write_elements(t, s, count);
        break;
    default: write_integer(t, s); break;
    }
}

typedef struct section {
    unsigned header_type;
    bool has_size;
    shape *context; /* NULL: no context */
    shape *payloads[2];
    uint64_t ids[2];
} section;

/* Writes the header of an event, by section 6.1. */
static void write_header(trace *t, const section *s, uint64_t id)
{
    const unsigned natural32 = natural(t, 32), natural64 = natural(t, 64);
    const uint64_t escape = s->header_type == 1 ? 31 : 65535;
    const bool is_long = id >= escape || dice(t, 3) == 0;
    t->clock += is_long ? dice(t, UINT64_C(1) << 40) : dice(t, 1 << 26);
    align(t, natural32);
    if (s->header_type == 1) {
        put_bits(t, 5, t->is_big, is_long ? escape : id);
        put_bits(t, 27, t->is_big, t->clock);
    } else {
        put_bits(t, 32, t->is_big, t->clock);
        put_bits(t, 16, t->is_big, is_long ? escape : id);
    }
    if (!is_long)
        return;
    if (s->header_type == 1) {
        put_bits(t, 32, t->is_big, id);
        put_bits(t, 64, t->is_big, t->clock);
        align(t, natural64);
    } else {
        align(t, natural64);
        put_bits(t, 64, t->is_big, t->clock);
        put_bits(t, 32, t->is_big, id);
        align(t, natural32);
    }
}

static void write_context(trace *t, const section *s, uint64_t event_size)
{
    if (!s->has_size && s->context == NULL)
        return;
    note(t->expected, "stream.event.context=");
    if (!s->has_size) {
        write_shape(t, s->context);
        note(t->expected, ";");
        return;
    }
    align(t, natural(t, 32));
    put_bits(t, 32, t->is_big, event_size);
    note(t->expected, "{event_size=%llu;", (unsigned long long)event_size);
    if (s->context != NULL) {
        note(t->expected, "fields=");
        write_shape(t, s->context);
        note(t->expected, ";");
    }
    note(t->expected, "};");
}

/* Writes the context and payload of an event. Returns the size of the payload in bytes. */
static uint64_t write_body(trace *t, const section *s, unsigned which, uint64_t event_size)
{
    const shape *payload = s->payloads[which];
    size_t begin;
    write_context(t, s, event_size);
    align(t, alignment(t, payload));
    begin = t->at;
    for (unsigned i = 0; i < payload->count; i++) {
        note(t->expected, "f%u=", i);
        write_shape(t, payload->inner[i]);
        note(t->expected, ";");
    }
    if (s->has_size) /* the size is in bytes */
        t->at = begin + (t->at - begin + 7) / 8 * 8;
    return (t->at - begin + 7) / 8;
}

static void write_event(trace *t, const section *s)
{
    const unsigned which = (unsigned)dice(t, 2);
    uint64_t seed, event_size;
    size_t at, noted;
    write_header(t, s, s->ids[which]);
    note(t->expected, "e%u %llu: ", which, (unsigned long long)t->clock);
    seed = t->seed;
    at = t->at;
    noted = t->expected->size;
    /* written once to learn the size, which is before the payload */
    event_size = write_body(t, s, which, 0);
    t->seed = seed;
    t->at = at;
    t->expected->size = noted;
    write_body(t, s, which, event_size);
    note(t->expected, "\n");
}

static void write_packet(trace *t, const section *s)
{
    stele_ctf_rfc_header header = {.is_big_endian = t->is_big, .packet_count_bits = 32};
    const unsigned count = 1 + (unsigned)dice(t, 4);
    random_fill(t->bytes, sizeof t->bytes, random_next(&t->seed)); /* padding may be anything */
    t->clock = random_next(&t->seed) >> 8;
    header.timestamp_begin = t->clock;
    t->at = STELE_CTF_RFC_HEADER_SIZE * 8;
    for (unsigned i = 0; i < count; i++)
        write_event(t, s);
    header.timestamp_end = t->clock;
    header.content_size = header.packet_size = (uint32_t)((t->at + 7) / 8);
    stele_ctf_rfc_header_write(t->bytes, &header);
}

static section section_make(trace *t)
{
    section s = {.header_type = 1 + (unsigned)dice(t, 2), .has_size = dice(t, 2)};
    if (dice(t, 2)) {
        s.context = &t->shapes[t->shape_count++];
        *s.context = (shape){.kind = STRUCT, .count = 2};
        s.context->inner[0] = shape_make(t, 2);
        s.context->inner[1] = shape_make(t, 2);
    }
    for (unsigned i = 0; i < 2; i++) {
        s.payloads[i] = &t->shapes[t->shape_count++];
        *s.payloads[i] = (shape){.kind = STRUCT, .count = (unsigned)dice(t, 5)};
        for (unsigned k = 0; k < s.payloads[i]->count; k++)
            s.payloads[i]->inner[k] = shape_make(t, 0);
        s.ids[i] = i == 0 ? dice(t, 31) : 31 + dice(t, 100000);
    }
    return s;
}

static void print_section(notes *text, const section *s)
{
    note(text, "section { name = s; event { header_type = type%u; context { event_size = %s;",
         s->header_type, s->has_size ? "true" : "false");
    if (s->context != NULL) {
        note(text, " fields = ");
        print_fields(text, s->context);
        note(text, ";");
    }
    note(text, " } } }\n");
    for (unsigned i = 0; i < 2; i++) {
        note(text, "event { name = e%u; id = %llu; section = s; fields = ", i,
             (unsigned long long)s->ids[i]);
        print_fields(text, s->payloads[i]);
        note(text, "; }\n");
    }
}

/* ---- Reading and comparing ---- */

static void read_packet(const trace *t, const ctf_schema *schema, stele_context *context,
                        uint32_t columns, notes *got, unsigned *events)
{
    const packet_view view = {t->bytes, (t->at + 7) / 8, 0};
    ctf_programs *programs = programs_new(schema, context, 0, columns);
    ctf_decoder *run = decoder_new(programs);
    stele_batch *batch;
    packet_head head;
    decode_outcome outcome = decoder_packet(run, &view, "packet", 0, NULL, &head);
    REQUIRE(stele_batch_new(16, &batch) == STELE_OK);
    got->size = 0;
    *events = 0;
    if (outcome == DECODE_OK) {
        const uint64_t at = decoder_position(run) / 8;
        const packet_view rest = {t->bytes + at, view.size - (size_t)at, at};
        outcome = decoder_events(run, &rest, batch);
    }
    CHECK_EQ_U64(outcome, DECODE_END);
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        uint32_t first;
        const uint32_t count = stele_event_fields(batch, event, &first);
        const stele_text name = stele_name_text(context, batch, event->name);
        note(got, "%.*s %llu: ", (int)name.size, name.bytes, (unsigned long long)event->ticks);
        note_fields(got, context, batch, first, first + count, ";", true);
        note(got, "\n");
        ++*events;
    }
    stele_batch_free(batch);
    decoder_free(run);
    programs_free(programs);
}

/* Checks that the metadata, translated to CTF 1.8, can be read. */
static void translate(const ctf_schema *schema, uint64_t seed)
{
    findings found;
    diag_sink *sink = findings_sink(&found);
    schema_printer p = {.schema = schema};
    ctf_schema again = {.length_unit = 1};
    const uint8_t *text;
    size_t size;
    metadata m;
    input *in;
    REQUIRE(output_open_memory(sink, &p.out) == STELE_OK);
    print_tsdl(&p);
    text = output_memory(p.out, &size);
    REQUIRE(input_open_memory(sink, "metadata", text, size, &in) == STELE_OK);
    REQUIRE(metadata_read(&m, sink, &limits, in) == STELE_OK);
    if (!metadata_parse(&m, &again)) {
        printf("seed %llu: %s %s\n%.*s\n", (unsigned long long)seed, found.code, found.found,
               (int)size, (const char *)text);
        CHECK(false); /* the translation can be read */
    }
    metadata_free(&m);
    schema_free(&again);
    input_close(in);
    output_close(p.out);
}

static void compare(uint64_t seed)
{
    static trace t;
    static notes text, expected, got;
    const rfc_options options = {.packing = (stele_ctf_alignment)(seed >> 8) % 3};
    ctf_schema schema = {0};
    stele_context *context;
    findings found;
    diag_sink *sink = findings_sink(&found);
    unsigned events, fewer;
    metadata m;
    section s;
    input *in;
    t = (trace){
        .seed = seed, .packing = options.packing, .is_big = (seed & 1) != 0, .expected = &expected};
    text.size = expected.size = 0;
    s = section_make(&t);
    print_section(&text, &s);
    write_packet(&t, &s);
    REQUIRE(stele_context_new(&(stele_context_options){.diag = findings_keep, .diag_user = &found},
                              &context) == STELE_OK);
    REQUIRE(input_open_memory(sink, "metadata", text.text, text.size, &in) == STELE_OK);
    REQUIRE(metadata_read_rfc(&m, sink, &limits, in, &options) == STELE_OK);
    m.is_big_endian = t.is_big;
    if (!rfc_parse(&m, &schema) || !schema_check(&m, &schema)) {
        printf("seed %llu: %s %s\n%.*s\n", (unsigned long long)seed, found.code, found.found,
               (int)text.size, text.text);
        CHECK(false); /* the metadata can be read */
    } else {
        read_packet(&t, &schema, context, STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW, &got, &events);
        if (got.size != expected.size || memcmp(got.text, expected.text, got.size) != 0) {
            printf("seed %llu, %s\n%.*sgot\n%.*swant\n%.*s\n", (unsigned long long)seed, found.code,
                   (int)text.size, text.text, (int)got.size, got.text, (int)expected.size,
                   expected.text);
            CHECK(false); /* the events are the same */
        }
        read_packet(&t, &schema, context, STELE_COLUMN_TIME, &got, &fewer);
        CHECK_EQ_U64(fewer, events);
        translate(&schema, seed);
    }
    metadata_free(&m);
    schema_free(&schema);
    input_close(in);
    stele_context_free(context);
}

TEST(rfc_traces_read_as_they_were_written)
{
    const char *wanted = getenv("TRACES");
    const uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : TRACES;
    for (uint64_t i = 1; i <= count; i++)
        compare(i * UINT64_C(0x9e3779b97f4a7c15));
}
