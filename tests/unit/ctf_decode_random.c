/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schemas and random bytes: the decoder finds the same events with the same fields as a
 * decoder that reads bit by bit, whatever pieces the packet comes in and whichever fields are
 * wanted.
 */
#include "ctf_notes.h"
#include "formats/ctf/schema/targets.h"

#define SCHEMAS    100u /* default; the environment can say otherwise: SCHEMAS=100000 */
#define PACKET_MAX 1500u

static const stele_limits limits = {.depth_max = 64, .fields_max = 1 << 20};

/* What a decoder made of a packet. */
typedef struct result {
    notes to;
    decode_outcome outcome;
    unsigned events;
} result;

static void make_schema(ctf_schema *schema, uint64_t seed)
{
    schema_maker g = {.schema = schema, .seed = seed};
    make_stream(&g, true);
}

/* ---- Decoding bit by bit ---- */

static void ref_scope(reference *f, const char *name, const ctf_class *type)
{
    if (type == NULL || f->is_bad)
        return;
    if (f->to != NULL && name != NULL)
        note(f->to, "%s=", name);
    if (name != NULL) {
        ref_class(f, type, 1023);
        if (f->to != NULL)
            note(f->to, ";");
    } else {
        ref_align(f, type->alignment);
        ref_members(f, type);
    }
}

static void decode_by_bits(const ctf_schema *schema, const uint8_t *bytes, uint64_t bits,
                           result *out)
{
    const ctf_stream_class *stream = schema->streams[0];
    static reference f;
    f = (reference){.bytes = bytes, .end = bits, .order = -1};
    out->events = 0;
    out->to.size = 0;
    out->outcome = DECODE_BAD;
    ref_scope(&f, "stream.packet.context", stream->packet_context);
    while (!f.is_bad && f.at < f.end) {
        const size_t kept = out->to.size;
        const uint64_t begin = f.at;
        f.to = NULL;
        f.id = 0;
        ref_scope(&f, "header", stream->event_header);
        if (f.is_bad || f.id > 1)
            return;
        note(&out->to, "%s %llu: ", stream->events[f.id].name.bytes, (unsigned long long)f.clock);
        f.to = &out->to;
        ref_scope(&f, "stream.event.context", stream->event_context);
        ref_scope(&f, "event.context", stream->events[f.id].context);
        ref_scope(&f, NULL, stream->events[f.id].payload);
        if (f.is_bad || f.at == begin) {
            out->to.size = kept;
            return;
        }
        note(&out->to, "@%llu\n", (unsigned long long)((f.at + 7) / 8));
        out->events++;
    }
    out->outcome = f.is_bad ? DECODE_BAD : DECODE_END;
}

/* ---- Decoding by programs ---- */

static void note_events(result *out, const stele_context *context, const stele_batch *batch,
                        bool has_fields)
{
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        uint32_t first;
        const uint32_t count = stele_event_fields(batch, event, &first);
        const stele_text name = stele_name_text(context, batch, event->name);
        note(&out->to, "%.*s %llu: ", (int)name.size, name.bytes, (unsigned long long)event->ticks);
        if (has_fields)
            note_fields(&out->to, context, batch, first, first + count, ";", true);
        out->events++;
        if (has_fields)
            note(&out->to, "@%llu\n", (unsigned long long)(event->offset + event->size));
    }
}

/* Makes a view of the packet that has `size` bytes loaded from `at` on, at the end of an
   allocation. */
static packet_view load_view(const uint8_t *bytes, size_t total, uint64_t at, uint64_t size,
                             uint8_t **copy)
{
    if (size > total - at)
        size = total - at;
    free(*copy);
    *copy = malloc((size_t)size + 1);
    REQUIRE(*copy != NULL);
    memcpy(*copy + 1, bytes + at, (size_t)size);
    return (packet_view){*copy + 1, (size_t)size, at};
}

static void decode_by_programs(const ctf_schema *schema, stele_context *context,
                               const uint8_t *bytes, uint64_t bits, uint32_t columns, uint64_t seed,
                               result *out)
{
    const size_t total = (size_t)(bits + 7) / 8;
    ctf_programs *programs = programs_new(schema, context, 0, columns);
    ctf_decoder *run = decoder_new(programs);
    uint8_t *copy = NULL;
    stele_batch *batch;
    packet_head head;
    packet_view view = load_view(bytes, total, 0, total, &copy);
    out->events = 0;
    out->to.size = 0;
    REQUIRE(stele_batch_new(1 + (uint32_t)(seed % 5), &batch) == STELE_OK);
    out->outcome = decoder_packet(run, &view, "packet", 0, NULL, &head);
    if (out->outcome == DECODE_MORE)
        out->outcome = DECODE_BAD; /* there are no more bytes */
    while (out->outcome == DECODE_OK || out->outcome == DECODE_MORE) {
        const uint64_t least = out->outcome == DECODE_MORE ? decoder_want_size(run) : 1;
        const uint64_t at = decoder_position(run) / 8, extra = random_next(&seed) % 40;
        decoder_set_content(run, bits);
        view = load_view(bytes, total, at, seed % 7 == 0 ? total : least + extra, &copy);
        stele_batch_clear(batch);
        out->outcome = decoder_events(run, &view, batch);
        note_events(out, context, batch, (columns & STELE_COLUMN_FIELDS) != 0);
        REQUIRE(out->outcome != DECODE_MEMORY);
        REQUIRE(out->outcome != DECODE_MORE ||
                decoder_want_size(run) > view.size - (decoder_position(run) / 8 - at));
    }
    free(copy);
    stele_batch_free(batch);
    decoder_free(run);
    programs_free(programs);
}

static void compare(uint64_t seed)
{
    static result by_bits, all, few;
    static uint8_t bytes[PACKET_MAX];
    ctf_schema schema = {0};
    stele_context *context;
    findings found;
    metadata m = {.diag = findings_sink(&found), .limits = &limits, .name = "metadata", .text = ""};
    uint64_t dice = seed;
    REQUIRE(stele_context_new(&(stele_context_options){.diag = findings_keep, .diag_user = &found},
                              &context) == STELE_OK);
    make_schema(&schema, seed);
    REQUIRE(schema_check(&m, &schema));
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t bits = random_next(&dice) % (PACKET_MAX * 8);
        random_fill(bytes, sizeof bytes, random_next(&dice));
        if (i % 2 == 0) { /* with smaller numbers, decoding gets further */
            for (size_t k = 0; k < sizeof bytes; k++)
                bytes[k] &= (uint8_t)random_next(&dice) & (uint8_t)random_next(&dice) & 0x9f;
        }
        decode_by_bits(&schema, bytes, bits, &by_bits);
        decode_by_programs(&schema, context, bytes, bits, STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
                           random_next(&dice), &all);
        decode_by_programs(&schema, context, bytes, bits, STELE_COLUMN_TIME | STELE_COLUMN_NAME,
                           random_next(&dice), &few);
        if (all.outcome != by_bits.outcome || all.events != by_bits.events ||
            all.to.size != by_bits.to.size ||
            memcmp(all.to.text, by_bits.to.text, all.to.size) != 0) {
            printf("seed %llu, packet %u: %u events (%d), expected %u (%d)\n",
                   (unsigned long long)seed, i, all.events, (int)all.outcome, by_bits.events,
                   (int)by_bits.outcome);
            size_t at = 0;
            while (at < all.to.size && at < by_bits.to.size &&
                   all.to.text[at] == by_bits.to.text[at])
                at++;
            printf("  %s at %llu: %s\n", found.code, (unsigned long long)found.offset, found.found);
            printf("  got  %.*s\n  want %.*s\n", 200, all.to.text + (at > 100 ? at - 100 : 0), 200,
                   by_bits.to.text + (at > 100 ? at - 100 : 0));
            CHECK(false); /* both decoders find the same events */
            break;
        }
        CHECK_EQ_U64(few.events, by_bits.events);
        CHECK_EQ_U64(few.outcome, by_bits.outcome);
    }
    stele_context_free(context);
    schema_free(&schema);
}

TEST(programs_read_what_is_read_bit_by_bit)
{
    const char *wanted = getenv("SCHEMAS");
    const uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : SCHEMAS;
    for (uint64_t seed = 1; seed <= count; seed++)
        compare(seed * UINT64_C(0x9e3779b97f4a7c15));
}
