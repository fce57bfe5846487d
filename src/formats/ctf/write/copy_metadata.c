/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/copy_metadata.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/saturate.h"
#include "core/wide.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/write/writer.h"

#define NS_PER_S    1000000000
#define WHOLE_WIDTH 64u

bool ctf_version_find(const char *version, ctf_generation *generation)
{
    /* Without a version, CTF 1.8 is written. */
    *generation = CTF_1;
    if (version == NULL || strcmp(version, "1.8") == 0 || strcmp(version, "1") == 0)
        return true;
    *generation = CTF_2;
    if (strcmp(version, "2") == 0 || strcmp(version, "2.0") == 0)
        return true;
    *generation = CTF_RFC;
    return strcmp(version, "rfc") == 0 || strcmp(version, "RFC v1.1") == 0;
}

/* Returns the generation of the copy of a schema. */
static ctf_generation generation_of(const ctf_schema *schema, const char *version)
{
    /* A version that is not known leaves the generation as it is. */
    ctf_generation wanted = schema->generation;
    if (version != NULL && !ctf_version_find(version, &wanted))
        return schema->generation;
    return wanted;
}

bool copy_metadata_changes(const ctf_trace *trace, const ctf_subtrace *subtrace,
                           const char *version, int64_t shift_ns)
{
    const ctf_schema *schema = &ctf_schema_subtrace(trace, subtrace->number)->schema;
    const bool is_shifted = shift_ns != 0 || trace->clock_offset_ns != 0;
    return generation_of(schema, version) != schema->generation ||
           (is_shifted && schema->clock_count != 0);
}

/* ---- Shifts of clocks ---- */

/* A clock's offset before it was shifted. */
typedef struct clock_offset {
    int64_t seconds, cycles;
} clock_offset;

/* Adds a shift to a clock's offset, in seconds and ticks, without rounding if possible. Returns
   false if it is not a whole number of ticks and was rounded down. */
static bool shift_clock(ctf_clock *clock, int64_t shift_ns)
{
    /* Seconds are rounded down, so that the rest of the shift is not negative. */
    const int64_t seconds = shift_ns / NS_PER_S - (shift_ns % NS_PER_S < 0);
    const uint64_t part_ns = (uint64_t)(shift_ns - seconds * NS_PER_S);
    uint64_t rest;
    const wide_u128 cycles =
        u128_divide(u128_multiply(part_ns, clock->frequency_hz), NS_PER_S, &rest);
    clock->offset_s = add_saturated(clock->offset_s, seconds);
    clock->offset_cycles = add_saturated(clock->offset_cycles, (int64_t)u128_low(cycles));
    return rest == 0;
}

/* Shifts all clocks of the schema, and remembers their offsets in `before`. */
static void shift_clocks(const ctf_schema *schema, int64_t shift_ns, clock_offset *before,
                         loss_table *losses)
{
    for (uint32_t i = 0; i < schema->clock_count; i++) {
        /* All clocks move by the same time, so that events of different clocks keep their order. */
        ctf_clock *clock = schema->clocks[i];
        before[i] = (clock_offset){clock->offset_s, clock->offset_cycles};
        if (!shift_clock(clock, shift_ns))
            losses_add(losses, STELE_KIND_NONE, "shift of less than a tick of the clock", true, 1);
    }
}

/* Undoes shift_clocks(): the schema still serves to read the trace. */
static void restore_clocks(const ctf_schema *schema, const clock_offset *before)
{
    for (uint32_t i = 0; i < schema->clock_count; i++) {
        schema->clocks[i]->offset_s = before[i].seconds;
        schema->clocks[i]->offset_cycles = before[i].cycles;
    }
}

/* ---- Printing of the text ---- */

/* Counts what the printed generation cannot express. */
static void keep_loss(void *user, ctf_text where, const char *what)
{
    (void)where;
    losses_add(user, STELE_KIND_NONE, what, false, 1);
}

/* Prints the schema as the metadata text of a generation. */
static void print(schema_printer *printer, ctf_generation generation)
{
    static void (*const printers[])(schema_printer *) = {
        [CTF_RFC] = print_rfc, [CTF_1] = print_tsdl, [CTF_2] = print_json};
    printers[generation](printer);
}

stele_status copy_metadata_print(const ctf_trace *trace, const ctf_subtrace *subtrace,
                                 const char *version, int64_t shift_ns, loss_table *losses,
                                 output *out)
{
    const ctf_schema *schema = &ctf_schema_subtrace(trace, subtrace->number)->schema;
    schema_printer printer = {.out = out, .schema = schema, .lose = keep_loss, .user = losses};
    /* One entry more than there are clocks, because calloc() may give NULL for none. */
    clock_offset *before = calloc((size_t)schema->clock_count + 1, sizeof *before);
    if (before == NULL)
        return STELE_ERR_MEMORY;
    shift_clocks(schema, shift_ns, before, losses);
    /* The printers read clocks from the schema, so it is changed while they work. */
    print(&printer, generation_of(schema, version));
    restore_clocks(schema, before);
    free(before);
    return out->status;
}

/* ---- Whether packets can keep their bytes ---- */

#define WHERE_SIZE 80

/* The first class whose packets would be read differently. */
typedef struct first_harm {
    const schema_printer *printer;
    const char *what; /* what the class would lose; NULL: no class was found */
    char where[WHERE_SIZE];
} first_harm;

/* Remembers the first loss that changes the layout of packets. */
static void keep_harm(void *user, ctf_text where, const char *what)
{
    first_harm *harm = user;
    /* Losses of other kinds do not change how packets are read. */
    if (harm->what != NULL || harm->printer->layout_loss_count == 0)
        return;
    harm->what = what;
    snprintf(harm->where, sizeof harm->where, "%.*s",
             (int)(where.size < WHERE_SIZE ? where.size : WHERE_SIZE), where.bytes);
}

/* Whether packets are read the same with metadata of the other generation. If not, the reason is
   reported. The text is printed to memory for that and thrown away. */
static bool prints_without_harm(const ctf_trace *trace, const ctf_subtrace *subtrace,
                                ctf_generation generation)
{
    schema_printer printer = {.schema = &subtrace->schema, .lose = keep_harm};
    first_harm harm = {.printer = &printer};
    bool is_fine;
    printer.user = &harm;
    if (output_open_memory(NULL, &printer.out) != STELE_OK)
        return false;
    print(&printer, generation);
    is_fine = printer.layout_loss_count == 0 && printer.out->status == STELE_OK;
    output_close(printer.out);
    if (harm.what != NULL)
        diag_report(&trace->base.context->diag, &ctf_codes[CTF484], subtrace->text.name,
                    STELE_NO_OFFSET, 0, "classes that lie in the same bits in both generations",
                    "in '%s': %s", harm.where, harm.what);
    return is_fine;
}

bool ctf_copies_as(stele_trace *base, const char *version, bool is_shifted)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    for (uint32_t i = 0; i < trace->subtrace_count; i++) {
        const ctf_schema *schema = &trace->subtraces[i].schema;
        const ctf_generation to = generation_of(schema, version);
        /* Subtraces that cannot be read are not copied, and those that share a schema are judged
           once. */
        if (!trace->subtraces[i].is_open || trace->subtraces[i].same_as != CTF_NONE)
            continue;
        if (schema->generation == CTF_RFC || to == CTF_RFC) {
            /* The RFC's packets and clocks differ from those of CTF 1.8 and 2. */
            if (is_shifted || to != schema->generation)
                return false;
        } else if (to != schema->generation &&
                   !prints_without_harm(trace, &trace->subtraces[i], to)) {
            return false;
        }
    }
    return true;
}

/* ---- Times that have no whole begin ---- */

/* Returns the fewest bits that a timestamp in the class has; 64 if it has none. */
static unsigned fewest_bits(const ctf_class *type)
{
    unsigned fewest = WHOLE_WIDTH;
    switch (type->kind) {
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++) {
            const unsigned bits = fewest_bits(type->u.structure.members[i].type);
            fewest = bits < fewest ? bits : fewest;
        }
        return fewest;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            const unsigned bits = fewest_bits(type->u.variant.options[i].type);
            fewest = bits < fewest ? bits : fewest;
        }
        return fewest;
    /* An optional counts as if its element were there. */
    case CTF_OPTIONAL: return fewest_bits(type->u.optional.element);
    case CTF_UINT:
    case CTF_INT:
        return (type->roles & CTF_ROLE_TIMESTAMP) != 0 && (type->roles & CTF_ROLE_PACKET_END) == 0
                   ? type->size
                   : WHOLE_WIDTH;
    default: return WHOLE_WIDTH;
    }
}

/* Whether the head has the packet's begin with all of its bits. `*bits` becomes at least the number
   of bits that it has. */
static bool has_whole_begin(const ctf_class *head, unsigned *bits)
{
    bool is_whole = false;
    for (uint32_t i = 0; head != NULL && i < head->u.structure.count; i++) {
        const ctf_class *type = head->u.structure.members[i].type;
        if ((type->roles & CTF_ROLE_TIMESTAMP) == 0 || (type->roles & CTF_ROLE_PACKET_END) != 0)
            continue;
        is_whole = is_whole || type->kind == CTF_VAR_UINT || type->size >= WHOLE_WIDTH;
        if (type->size > *bits)
            *bits = type->size;
    }
    return is_whole;
}

unsigned copy_times_differ(const ctf_schema *schema, const ctf_stream_class *type,
                           const char *version)
{
    unsigned begin_bits = 0, event_bits;
    if (generation_of(schema, version) == schema->generation || type->clock == NULL ||
        type->event_header == NULL || has_whole_begin(type->packet_context, &begin_bits) ||
        has_whole_begin(schema->packet_header, &begin_bits))
        return 0;
    event_bits = fewest_bits(type->event_header);
    if (event_bits >= WHOLE_WIDTH)
        return 0;
    /* The begin and the first event together give as many low bits of the time as the wider of
       both. */
    return begin_bits > event_bits ? begin_bits : event_bits;
}
