/* SPDX-License-Identifier: Apache-2.0 */
/* Random metadata of CTF 2, translated to CTF 1.8: what is printed can be read, prints the same
   again, and has every field at the same bits, unless a loss says that it cannot. */
#include "core/input.h"
#include "ctf_random.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"

#define SCHEMAS     200u /* default; the environment can say otherwise: SCHEMAS=100000 */
#define PACKET_SIZE 400u

static const stele_limits limits = {
    .depth_max = 64, .fields_max = 1 << 20, .metadata_size_max = 1 << 24};

static notes told;

static void see(void *user, const stele_diag *diag)
{
    (void)user;
    note(&told, "%s:%u %s: %s\n", diag->code->code, diag->line, diag->found,
         diag->excerpt != NULL ? diag->excerpt : "");
}

/* ---- Random schemas ---- */

static void make_schema(ctf_schema *schema, uint64_t seed)
{
    schema_maker g = {.schema = schema, .seed = seed, .is_sound = true, .is_plain = seed % 4 != 0};
    make_stream(&g, false);
}

/* ---- Positions of fields ---- */

typedef struct layout {
    const uint8_t *bytes;
    uint64_t at;
    bool is_bad;
    uint64_t values[1024]; /* by the number of the field's name */
    const ctf_class *types[1024];
    notes *to;
} layout;

static void lay_class(layout *l, const ctf_class *type, unsigned name);

static bool lay_bits(layout *l, uint64_t size)
{
    l->is_bad = l->is_bad || size > (uint64_t)PACKET_SIZE * 8 - l->at;
    if (l->is_bad)
        return false;
    note(l->to, "%llu+%llu ", (unsigned long long)l->at, (unsigned long long)size);
    l->at += size;
    return true;
}

/*
 * Reads a fixed-length field. Its bits may be taken in any order that is the same for both schemas.
 */
static void lay_fixed(layout *l, const ctf_class *type, unsigned name)
{
    const uint64_t from = l->at;
    uint64_t value = 0;
    if (!lay_bits(l, type->size))
        return;
    for (uint32_t i = 0; i < type->size && i < 64; i++)
        value |= (uint64_t)(l->bytes[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    l->values[name] = value;
    l->types[name] = type;
}

static bool is_labelled(const ctf_class *tag, uint64_t value, ctf_text name)
{
    for (uint32_t i = 0; i < tag->mapping_count; i++) {
        const ctf_mapping *label = &tag->mappings[i];
        const bool is_escaped = label->name.size > 0 && label->name.bytes[0] == '_';
        const ctf_text plain = {label->name.bytes + is_escaped, label->name.size - is_escaped};
        for (uint32_t k = 0; k < label->range_count; k++)
            if (label->ranges[k].low <= value && value <= label->ranges[k].high &&
                (ctf_text_equals(label->name, name) || ctf_text_equals(plain, name)))
                return true;
    }
    return false;
}

static void lay_variant(layout *l, const ctf_class *type)
{
    const ctf_location *at = type->u.variant.selector;
    const unsigned name = ref_number_of(at->steps[at->step_count - 1]);
    for (uint32_t i = 0; i < type->u.variant.count; i++) {
        const ctf_member *option = &type->u.variant.options[i];
        bool is_it = false;
        if (type->selects_by_name)
            is_it = l->types[name] != NULL &&
                    is_labelled(l->types[name], l->values[name], option->name);
        for (uint32_t k = 0; !type->selects_by_name && k < type->mappings[i].range_count; k++)
            is_it |= type->mappings[i].ranges[k].low <= l->values[name] &&
                     l->values[name] <= type->mappings[i].ranges[k].high;
        if (is_it) {
            lay_class(l, option->type, 1023);
            return;
        }
    }
    l->is_bad = true;
}

static void lay_optional(layout *l, const ctf_class *type)
{
    const ctf_location *at = type->u.optional.selector;
    const uint64_t value = l->values[ref_number_of(at->steps[at->step_count - 1])];
    bool is_there = type->has_bool_selector && value != 0;
    for (uint32_t i = 0; i < type->u.optional.range_count; i++)
        is_there |=
            type->u.optional.ranges[i].low <= value && value <= type->u.optional.ranges[i].high;
    if (is_there)
        lay_class(l, type->u.optional.element, 1023);
}

static void lay_elements(layout *l, const ctf_class *type)
{
    const ctf_location *at = type->u.array.length_at;
    const uint64_t length =
        at == NULL ? type->u.array.length : l->values[ref_number_of(at->steps[at->step_count - 1])];
    for (uint64_t i = 0; i < length && !l->is_bad; i++)
        if (type->u.array.element != NULL)
            lay_class(l, type->u.array.element, 1023);
        else
            lay_bits(l, 8);
}

static void lay_members(layout *l, const ctf_class *type)
{
    for (uint32_t i = 0; i < type->u.structure.count && !l->is_bad; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        lay_class(l, member->type,
                  ctf_text_is(member->name, "id") ? 1023 : ref_number_of(member->name));
    }
}

static void lay_class(layout *l, const ctf_class *type, unsigned name)
{
    l->at = (l->at + type->alignment - 1) / type->alignment * type->alignment;
    if (l->is_bad || l->at > (uint64_t)PACKET_SIZE * 8) {
        l->is_bad = true;
        return;
    }
    switch (type->kind) {
    case CTF_VAR_UINT:
    case CTF_VAR_INT:
        while (lay_bits(l, 8) && (l->bytes[l->at / 8 - 1] & 0x80) != 0)
            continue;
        break;
    case CTF_STRING:
        while (lay_bits(l, ref_unit(type) * 8) &&
               !ref_is_zero(l->bytes + l->at / 8 - ref_unit(type), ref_unit(type)))
            continue;
        break;
    case CTF_STRUCT: lay_members(l, type); break;
    case CTF_OPTIONAL: lay_optional(l, type); break;
    case CTF_VARIANT: lay_variant(l, type); break;
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_BLOB:
    case CTF_DYNAMIC_BLOB:
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY: lay_elements(l, type); break;
    default: lay_fixed(l, type, name); break;
    }
}

/* Reads both events one after the other, whatever their ids. */
static void lay_all(const ctf_schema *schema, const uint8_t *bytes, notes *to)
{
    const ctf_stream_class *stream = schema->streams[0];
    static layout l;
    l = (layout){.bytes = bytes, .to = to};
    to->size = 0;
    if (stream->packet_context != NULL)
        lay_class(&l, stream->packet_context, 1023);
    for (uint32_t i = 0; i < stream->event_count && !l.is_bad; i++) {
        const ctf_class *scopes[] = {stream->event_header, stream->event_context,
                                     stream->events[i].context, stream->events[i].payload};
        for (size_t k = 0; k < 4 && !l.is_bad; k++)
            if (scopes[k] != NULL)
                lay_class(&l, scopes[k], 1023);
        note(to, "\n");
    }
    note(to, l.is_bad ? "bad" : "end");
}

/* ---- Printing and reading ---- */

typedef struct losses {
    uint64_t count, hard; /* number of losses that change the layout */
} losses;

static void count_loss(void *user, ctf_text where, const char *what)
{
    losses *lost = user;
    (void)where;
    (void)what;
    lost->count++;
}

static char *print(const ctf_schema *schema, void (*printer)(schema_printer *), losses *lost)
{
    schema_printer p = {.schema = schema, .lose = count_loss, .user = lost};
    diag_sink diag = {.fn = see};
    char *text;
    size_t size;
    REQUIRE(output_open_memory(&diag, &p.out) == STELE_OK);
    printer(&p);
    REQUIRE(p.out->status == STELE_OK);
    lost->hard += p.layout_loss_count;
    output_byte(p.out, 0);
    text = strdup((const char *)output_memory(p.out, &size));
    output_close(p.out);
    return text;
}

static bool parse(const char *text, ctf_schema *schema)
{
    diag_sink diag = {.fn = see};
    metadata m;
    input *in;
    bool is_ok;
    told.size = 0;
    told.text[0] = '\0';
    *schema = (ctf_schema){.length_unit = 1};
    REQUIRE(input_open_memory(&diag, "metadata", text, strlen(text), &in) == STELE_OK);
    REQUIRE(metadata_read(&m, &diag, &limits, in) == STELE_OK);
    is_ok = metadata_parse(&m, schema);
    metadata_free(&m);
    input_close(in);
    return is_ok;
}

/* ---- Trying one schema ---- */

static void fail_with(uint64_t seed, const char *what, const char *text, const char *other)
{
    printf("    schema %llu: %s\n%s\n%s\n", (unsigned long long)seed, what, text, other);
    CHECK(false);
}

static void check_layout(uint64_t seed, const ctf_schema *a, const ctf_schema *b, const char *text)
{
    static notes of_a, of_b;
    uint8_t bytes[PACKET_SIZE];
    uint64_t random = seed + 1;
    for (unsigned round = 0; round < 8; round++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(random_next(&random) >> 17) & (round % 2 ? 0xff : 0x33);
        lay_all(a, bytes, &of_a);
        lay_all(b, bytes, &of_b);
        if (strcmp(of_a.text, of_b.text) != 0) {
            size_t same = 0;
            while (of_a.text[same] == of_b.text[same])
                same++;
            same -= same > 40 ? 40 : same;
            printf("    ...%.80s, and now %.80s\n", of_a.text + same, of_b.text + same);
            fail_with(seed, "another layout", text, "");
            return;
        }
    }
}

static void try_schema(uint64_t seed, unsigned *layouts)
{
    ctf_schema made = {0}, json, tsdl = {0}, again = {0};
    losses lost = {0}, none = {0};
    char *text, *second = NULL, *third = NULL;
    make_schema(&made, seed);
    /* loses some floating point numbers, which become bits */
    text = print(&made, print_json, &lost);
    if (!parse(text, &json))
        fail_with(seed, "CTF 2 cannot be read", text, told.text);
    else
        check_layout(seed, &made, &json, text);
    free(text);
    lost = (losses){0};
    text = print(&json, print_tsdl, &lost);
    if (!parse(text, &tsdl)) {
        fail_with(seed, "CTF 1.8 cannot be read", text, told.text);
    } else {
        second = print(&tsdl, print_tsdl, &none);
        if (!parse(second, &again))
            fail_with(seed, "CTF 1.8 cannot be read again", second, told.text);
        third = print(&again, print_tsdl, &none);
        CHECK_EQ_STR(second, third);
        CHECK_EQ_U64(none.count, 0);
        if (lost.hard == 0)
            check_layout(seed, &json, &tsdl, text);
        *layouts += lost.hard == 0;
    }
    free(text);
    free(second);
    free(third);
    schema_free(&made);
    schema_free(&json);
    schema_free(&tsdl);
    schema_free(&again);
}

TEST(metadata_of_ctf_2_reads_and_lies_the_same_in_ctf_1_8)
{
    const char *wanted = getenv("SCHEMAS"), *first = getenv("FIRST");
    const uint64_t from = first != NULL ? strtoull(first, NULL, 10) : 0;
    const uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : SCHEMAS;
    unsigned layouts = 0;
    for (uint64_t seed = from; seed < from + count; seed++)
        try_schema(seed, &layouts);
    printf("    %llu schemas, %u with all that CTF 1.8 can lay out\n", (unsigned long long)count,
           layouts);
}
