/* SPDX-License-Identifier: Apache-2.0 */
/* Writes types in the metadata of CTF 1.8. A class of CTF 2 that TSDL does not have becomes a type
   with the same bits, or is counted as a loss if there is none. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_tags.h"
#include "formats/ctf/metadata/print_tsdl_type.h"
#include "formats/ctf/metadata/print_walk.h"

/* Returns the reserved name that gives a field its role in this scope, or NULL if it has none. */
static const char *role_name(const tsdl_printer *t, const ctf_class *type)
{
    static const struct {
        ctf_scope scope;
        uint16_t role;
        const char *name;
    } names[] = {{CTF_SCOPE_PACKET_HEADER, CTF_ROLE_PACKET_MAGIC, "magic"},
                 {CTF_SCOPE_PACKET_HEADER, CTF_ROLE_UUID, "uuid"},
                 {CTF_SCOPE_PACKET_HEADER, CTF_ROLE_STREAM_CLASS_ID, "stream_id"},
                 {CTF_SCOPE_PACKET_HEADER, CTF_ROLE_STREAM_ID, "stream_instance_id"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_TOTAL_LENGTH, "packet_size"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_CONTENT_LENGTH, "content_size"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_PACKET_END, "timestamp_end"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_TIMESTAMP, "timestamp_begin"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_DISCARDED, "events_discarded"},
                 {CTF_SCOPE_PACKET_CONTEXT, CTF_ROLE_SEQUENCE_NUMBER, "packet_seq_num"},
                 {CTF_SCOPE_EVENT_HEADER, CTF_ROLE_EVENT_CLASS_ID, "id"},
                 {CTF_SCOPE_EVENT_HEADER, CTF_ROLE_TIMESTAMP, "timestamp"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (t->walk.scope == names[i].scope && (type->roles & names[i].role) != 0)
            return names[i].name;
    return NULL;
}

static void member_name(tsdl_printer *t, const ctf_member *member)
{
    const char *reserved = t->p->schema->generation != CTF_1 ? role_name(t, member->type) : NULL;
    if (reserved == NULL) {
        ctf1_identifier(t, member->written);
        return;
    }
    output_text(t->out, reserved);
    if (!ctf_text_is(member->name, reserved))
        ctf1_lose(t, "names of fields with a role");
}

static const char *const scope_prefixes[CTF_SCOPE_COUNT] = {
    [CTF_SCOPE_PACKET_HEADER] = "trace.packet.header.",
    [CTF_SCOPE_PACKET_CONTEXT] = "stream.packet.context.",
    [CTF_SCOPE_EVENT_HEADER] = "stream.event.header.",
    [CTF_SCOPE_COMMON_CONTEXT] = "stream.event.context.",
    [CTF_SCOPE_SPECIFIC_CONTEXT] = "event.context.",
    [CTF_SCOPE_PAYLOAD] = "event.fields."};

/* Reports references that a nearer member of the same name hides: CTF 1.8 searches names outwards,
   while CTF 2 counts structures. */
static void check_hidden(tsdl_printer *t, const ctf_location *at)
{
    ctf_location name = {.scope = CTF_SCOPE_LEXICAL};
    print_target meant, found;
    uint32_t up = 0;
    while (up < at->step_count && at->steps[up].bytes == NULL)
        up++;
    name.steps = at->steps + up;
    name.step_count = at->step_count - up;
    if (walk_resolve(&t->walk, at, &meant) &&
        (!walk_resolve(&t->walk, &name, &found) || found.up != meant.up ||
         found.members[0] != meant.members[0]))
        ctf1_lose_layout(t, "fields that others of their name hide");
}

/* Whether the path finds the field without naming the scope, which is all that babeltrace2 allows
   for a tag. References of CTF 1.8 stay as they were written. */
static bool is_found_without_scope(tsdl_printer *t, const ctf_location *at)
{
    const ctf_location name = {
        .scope = CTF_SCOPE_LEXICAL, .steps = at->steps, .step_count = at->step_count};
    print_target meant, found;
    return t->p->schema->generation != CTF_1 && at->scope == t->walk.scope &&
           walk_resolve(&t->walk, at, &meant) && walk_resolve(&t->walk, &name, &found) &&
           found.is_relative && found.up + 1 == t->walk.depth &&
           found.members[0] == meant.members[0];
}

static void location(tsdl_printer *t, const ctf_location *at)
{
    const char *dot = "";
    if (at->scope == CTF_SCOPE_RELATIVE)
        check_hidden(t, at);
    if (at->scope < CTF_SCOPE_COUNT && !is_found_without_scope(t, at))
        output_text(t->out, scope_prefixes[at->scope]);
    for (uint32_t i = 0; i < at->step_count; i++) {
        if (at->steps[i].bytes == NULL)
            continue; /* a step up needs no word: names are searched outwards anyway */
        output_text(t->out, dot);
        ctf1_identifier(t, at->steps[i]);
        dot = ".";
    }
}

static void order_and_alignment(tsdl_printer *t, const ctf_class *type)
{
    output_printf(t->out, " align = %" PRIu32 ";", type->alignment);
    if (type->is_big_endian != t->p->schema->is_big_endian)
        output_printf(t->out, " byte_order = %s;", ctf1_byte_order(type->is_big_endian));
    if (type->is_bit_reversed)
        ctf1_lose_layout(t, "order of bits");
}

/* Returns the clock of the field, which CTF 2 gives by the role. */
static const ctf_clock *clock_of(const tsdl_printer *t, const ctf_class *type)
{
    const bool is_time = (type->roles & CTF_ROLE_TIMESTAMP) != 0;
    return type->clock != NULL                 ? type->clock
           : is_time && t->walk.stream != NULL ? t->walk.stream->clock
                                               : NULL;
}

static void integer(tsdl_printer *t, const ctf_class *type, ctf_base base)
{
    const ctf_clock *clock = clock_of(t, type);
    output_printf(t->out, "integer { size = %" PRIu32 ";", type->size);
    order_and_alignment(t, type);
    if (type->kind == CTF_INT)
        output_text(t->out, " signed = true;");
    if (base != CTF_DECIMAL && base != CTF_BASE_NONE)
        output_printf(t->out, " base = %u;", base);
    if (type->encoding != CTF_NO_TEXT)
        output_printf(t->out, " encoding = %s;", type->encoding == CTF_ASCII ? "ASCII" : "UTF8");
    if (clock != NULL) {
        output_text(t->out, " map = clock.");
        ctf1_identifier(t, clock->id);
        output_text(t->out, ".value;");
    }
    output_text(t->out, " }");
}

/* Writes an end of a range. A value that the field cannot have was written with a minus: see
   CTF111. */
static void range_end(tsdl_printer *t, const ctf_class *type, uint64_t value)
{
    if (type->kind == CTF_INT || (type->size < 64 && value >> type->size != 0))
        output_i64(t->out, (int64_t)value);
    else
        output_u64(t->out, value);
}

/*
 * Gives the part of a label's range that CTF 1.8 can express: values that the field can have.
 * Labels that were read from CTF 1.8 stay as their tracer wrote them. Returns false if nothing is
 * left.
 */
static bool clip(const tsdl_printer *t, const ctf_class *type, const ctf_range *range,
                 ctf_range *said)
{
    *said = *range;
    return t->p->schema->generation == CTF_1 || !tags_can(type) || tags_clip(type, range, said);
}

static bool has_labels(const tsdl_printer *t, const ctf_class *type)
{
    ctf_range said;
    for (uint32_t i = 0; i < type->mapping_count; i++)
        for (uint32_t k = 0; k < type->mappings[i].range_count; k++)
            if (clip(t, type, &type->mappings[i].ranges[k], &said))
                return true;
    return false;
}

static void label_print(tsdl_printer *t, const ctf_class *type, ctf_text name,
                        const ctf_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ctf_range said;
        const bool is_some = clip(t, type, &ranges[i], &said);
        if (!is_some || said.low != ranges[i].low || said.high != ranges[i].high)
            ctf1_lose(t, "labels beyond their field");
        if (!is_some)
            continue;
        ctf1_line(t);
        ctf1_quoted(t, name);
        output_text(t->out, " = ");
        range_end(t, type, said.low);
        if (said.low != said.high) {
            output_text(t->out, " ... ");
            range_end(t, type, said.high);
        }
        output_byte(t->out, ',');
    }
}

/* Writes a label of the field's own. If it selects an option, both are written alike. */
static void own_label_print(tsdl_printer *t, const ctf_class *type, const ctf_member *tag,
                            const ctf_mapping *label)
{
    const ctf_text written = tag != NULL ? tags_own_label(t->tags, tag, label->name) : label->name;
    if (!ctf_text_equals(written, label->name))
        ctf1_lose(t, "names of labels");
    label_print(t, type, written, label->ranges, label->range_count);
}

/* Writes an enumeration with its labels and those that select options. `tag` is the member, or NULL
   if the type is not one. */
static void enumeration(tsdl_printer *t, const ctf_class *type, ctf_base base,
                        const ctf_member *tag)
{
    const tag_label *more = tag != NULL ? tags_of(t->tags, tag) : NULL;
    output_text(t->out, "enum : ");
    integer(t, type, base);
    output_text(t->out, " {");
    t->indent++;
    for (uint32_t i = 0; i < type->mapping_count; i++)
        own_label_print(t, type, tag, &type->mappings[i]);
    if (more != NULL)
        ctf1_lose(t, "fields that select (labels are added)");
    for (; more != NULL; more = more->next)
        label_print(t, type, more->name, more->ranges, more->range_count);
    t->indent--;
    ctf1_line(t);
    output_byte(t->out, '}');
}

static void number(tsdl_printer *t, const ctf_class *type, const ctf_member *tag)
{
    const bool is_tag = tag != NULL && tags_of(t->tags, tag) != NULL;
    if (type->unit_size != 0)
        ctf1_lose_layout(t, "units of bit fields");
    switch (type->kind) {
    case CTF_BIT_ARRAY:
        ctf1_lose(t, "bit arrays (shown as integers)");
        integer(t, type, type->base != CTF_BASE_NONE ? (ctf_base)type->base : CTF_HEX);
        break;
    case CTF_BIT_MAP:
        ctf1_lose(t, "names of flags");
        integer(t, type, CTF_BINARY);
        break;
    case CTF_BOOL:
        ctf1_lose(t, "Booleans (shown as integers)");
        if (is_tag)
            enumeration(t, type, CTF_DECIMAL, tag);
        else
            integer(t, type, CTF_DECIMAL);
        break;
    default:
        if (is_tag || has_labels(t, type)) {
            enumeration(t, type, (ctf_base)type->base, tag);
            break;
        }
        if (type->mapping_count != 0)
            ctf1_lose(t, "labels beyond their field");
        integer(t, type, (ctf_base)type->base);
    }
}

static bool has_length(const ctf_class *type)
{
    return type != NULL && type->kind >= CTF_STATIC_STRING && type->kind <= CTF_DYNAMIC_ARRAY &&
           type->kind != CTF_STRUCT;
}

/* Whether an array is aligned more than its elements, which needs a structure around it. No
   location leads into that structure, so nothing refers to it. */
static bool needs_box(const ctf_class *type)
{
    return (type->kind == CTF_STATIC_ARRAY || type->kind == CTF_DYNAMIC_ARRAY) &&
           type->alignment_minimum > type->u.array.element->alignment;
}

/* Writes the name of the member that holds the length of an RFC sequence, which precedes the
   elements. */
static void length_name(tsdl_printer *t, ctf_text name)
{
    output_text(t->out, "__"); /* readers remove one `_` */
    ctf1_name_characters(t, name);
    output_text(t->out, "_length");
}

static void sequence_length(tsdl_printer *t, const ctf_member *member)
{
    ctf1_line(t);
    ctf1_type(t, member->type->u.array.length_class);
    output_byte(t->out, ' ');
    length_name(t, member->name);
    output_byte(t->out, ';');
}

/* Writes the members of a structure or variant, each level indented further. */
static void ctf1_members(tsdl_printer *t, const ctf_class *type, const ctf_member *member,
                         uint32_t count)
{
    const bool is_deep = t->indent > WALK_DEPTH_MAX;
    const bool is_level = type->kind == CTF_STRUCT && !is_deep;
    const uint32_t level = t->walk.depth;
    output_byte(t->out, '{');
    t->indent++;
    if (is_deep)
        ctf1_lose_layout(t, "types that nest deeper than 256 levels");
    t->walk.depth += is_level;
    if (is_level)
        t->walk.levels[level].structure = type;
    for (uint32_t i = 0; i < count && !is_deep; i++) {
        const ctf_class *inner = member[i].type;
        const bool is_sequence =
            inner->kind == CTF_DYNAMIC_ARRAY && inner->u.array.length_class != NULL;
        if (is_level)
            t->walk.levels[level].index = i;
        ctf1_lose_extra(t, member[i].extra);
        if (is_sequence)
            sequence_length(t, &member[i]);
        ctf1_line(t);
        if (tags_can(inner))
            number(t, inner, &member[i]);
        else
            ctf1_type(t, is_sequence ? inner->u.array.element : inner);
        output_byte(t->out, ' ');
        if (type->kind == CTF_VARIANT)
            ctf1_name_characters(t, member[i].written);
        else
            member_name(t, &member[i]);
        if (is_sequence) {
            output_byte(t->out, '[');
            length_name(t, member[i].name);
            output_byte(t->out, ']');
            inner = inner->u.array.element;
        }
        for (; has_length(inner) && !needs_box(inner); inner = inner->u.array.element) {
            output_byte(t->out, '[');
            if (inner->u.array.length_at != NULL)
                location(t, inner->u.array.length_at);
            else
                output_u64(t->out, inner->u.array.length);
            output_byte(t->out, ']');
        }
        output_byte(t->out, ';');
    }
    t->walk.depth -= is_level;
    t->indent--;
    if (count != 0)
        ctf1_line(t);
    output_byte(t->out, '}');
}

/* Writes a comment instead of a type whose layout CTF 1.8 does not have: the text does not describe
   the trace then. */
static void leave_out(tsdl_printer *t, const char *what)
{
    ctf1_lose_layout(t, what);
    output_printf(t->out, "/* not in CTF 1.8: %s */ struct { }", what);
}

/* Returns the field that selects, or NULL if CTF 1.8 cannot select by it. */
static const ctf_member *tag_of(tsdl_printer *t, const ctf_location *selector)
{
    print_target target;
    if (!walk_resolve(&t->walk, selector, &target) || !tags_can(target.type))
        return NULL;
    return target.members[target.member_count - 1];
}

void ctf1_out_of_memory(tsdl_printer *t)
{
    t->p->out->status = STELE_ERR_MEMORY;
}

static void variant_print(tsdl_printer *t, const ctf_class *type, const ctf_location *selector,
                          const ctf_member *options, uint32_t count)
{
    output_text(t->out, "variant ");
    if (selector != NULL) {
        output_byte(t->out, '<');
        location(t, selector);
        output_text(t->out, "> ");
    }
    ctf1_members(t, type, options, count);
}

/* Adds an option with a label and a type, unless no value selects it. */
static void add_option(tsdl_printer *t, ctf_member *options, uint32_t *count, ctf_text name,
                       const ctf_member *option)
{
    if (name.bytes == NULL) {
        ctf1_lose(t, "options that no value selects");
        return;
    }
    options[*count] = *option;
    options[*count].name = options[*count].written = name;
    if (*name.bytes == '_')
        options[*count].name = (ctf_text){name.bytes + 1, name.size - 1};
    if (option->name.bytes != NULL && !ctf_text_equals(options[*count].name, option->name))
        ctf1_lose(t, "names of options");
    (*count)++;
}

/* Writes a variant that is selected by ranges. Its options have the names of the labels that select
   them. */
static void variant_of_ranges(tsdl_printer *t, const ctf_class *type)
{
    const ctf_member *tag = tag_of(t, type->u.variant.selector);
    ctf_member *options;
    uint32_t count = 0;
    if (tag == NULL) {
        leave_out(t, "variants that such a field selects: nothing instead");
        return;
    }
    options = malloc(type->u.variant.count * sizeof *options + 1);
    if (options == NULL)
        ctf1_out_of_memory(t);
    for (uint32_t i = 0; options != NULL && i < type->u.variant.count; i++) {
        const ctf_mapping *m = &type->mappings[i];
        const ctf_member *option = &type->u.variant.options[i];
        ctf_text name;
        if (!tags_select(t->tags, tag, option->name, m->ranges, m->range_count, &name))
            ctf1_out_of_memory(t);
        else
            add_option(t, options, &count, name, option);
    }
    if (count != 0)
        variant_print(t, type, type->u.variant.selector, options, count);
    else
        leave_out(t, "variants that no value selects: nothing instead");
    free(options);
}

static void variant(tsdl_printer *t, const ctf_class *type)
{
    if (type->u.variant.selector != NULL && !type->selects_by_name)
        variant_of_ranges(t, type);
    else
        variant_print(t, type, type->u.variant.selector, type->u.variant.options,
                      type->u.variant.count);
}

/* Writes an optional field as a variant with one empty option. */
static void optional(tsdl_printer *t, const ctf_class *type)
{
    static const ctf_class nothing = {.kind = CTF_STRUCT, .alignment = 1, .alignment_minimum = 1};
    static const ctf_class made = {.kind = CTF_VARIANT, .alignment = 1, .alignment_minimum = 1};
    static const ctf_range not_zero[] = {{(uint64_t)INT64_MIN, UINT64_MAX, true},
                                         {1, UINT64_MAX, false}};
    static const ctf_text absent = {"absent", 6}, present = {"present", 7};
    const bool is_bool = type->u.optional.range_count == 0;
    const ctf_range *ranges = is_bool ? not_zero : type->u.optional.ranges;
    const uint32_t range_count = is_bool ? 2 : type->u.optional.range_count;
    const ctf_member *tag = tag_of(t, type->u.optional.selector);
    ctf_member options[2];
    uint32_t count = 0;
    ctf_text without, with;
    if (tag == NULL) {
        leave_out(t, "optional fields that such a field selects: nothing instead");
        return;
    }
    ctf1_lose(t, "optional fields (shown as variants)");
    if (!tags_select_rest(t->tags, tag, absent, ranges, range_count, &without) ||
        !tags_select(t->tags, tag, present, ranges, range_count, &with)) {
        ctf1_out_of_memory(t);
        return;
    }
    add_option(t, options, &count, without, &(ctf_member){.type = &nothing});
    add_option(t, options, &count, with, &(ctf_member){.type = type->u.optional.element});
    variant_print(t, &made, type->u.optional.selector, options, count);
}

static void boxed(tsdl_printer *t, const ctf_class *type)
{
    /* Not a level that relative locations count. */
    static const ctf_class box = {.kind = CTF_VARIANT};
    static const ctf_text name = {"elements", 8};
    ctf_class bare = *type;
    bare.alignment_minimum = 1;
    ctf1_lose(t, "alignment of arrays (shown as structures)");
    output_text(t->out, "struct ");
    ctf1_members(t, &box, &(ctf_member){.name = name, .written = name, .type = &bare}, 1);
    output_printf(t->out, " align(%" PRIu32 ")", type->alignment_minimum);
}

/* Writes the type of an element of a text or of bytes. */
static void text_element(tsdl_printer *t, const ctf_class *type)
{
    const bool is_uuid = (type->roles & CTF_ROLE_UUID) != 0; /* bytes in all generations */
    const bool is_blob =
        !is_uuid && type->kind != CTF_STATIC_STRING && type->kind != CTF_DYNAMIC_STRING;
    const bool is_text = type->encoding == CTF_UTF8 || type->encoding == CTF_ASCII;
    if (!is_blob && !is_text && !is_uuid)
        ctf1_lose(t, "encodings other than UTF-8 (shown as bytes)");
    if (is_blob)
        ctf1_lose(t, "BLOBs (shown as arrays of bytes)");
    if (type->u.array.length_class != NULL)
        ctf1_lose(t, "lengths inside of sequences");
    output_printf(t->out, "integer { size = 8; align = 8;%s }",
                  is_blob                       ? " base = 16;"
                  : type->encoding == CTF_ASCII ? " encoding = ASCII;"
                  : is_text                     ? " encoding = UTF8;"
                                                : "");
}

void ctf1_type(tsdl_printer *t, const ctf_class *type)
{
    if (t->walk.budget == 0)
        return;
    if (--t->walk.budget == 0)
        ctf1_lose_layout(t, "types beyond 33,554,432");
    ctf1_lose_extra(t, type->extra);
    switch (type->kind) {
    case CTF_BIT_ARRAY:
    case CTF_BIT_MAP:
    case CTF_BOOL:
    case CTF_UINT:
    case CTF_INT: number(t, type, NULL); break;
    case CTF_FLOAT:
        output_printf(t->out, "floating_point { exp_dig = %u; mant_dig = %u;", type->exponent_bits,
                      type->mantissa_bits);
        order_and_alignment(t, type);
        output_text(t->out, " }");
        break;
    case CTF_VAR_UINT:
    case CTF_VAR_INT: leave_out(t, "integers of variable length: nothing instead"); break;
    case CTF_STRING:
        if (type->encoding > CTF_ASCII)
            ctf1_lose_layout(t, "encodings other than UTF-8");
        output_printf(t->out, "string%s",
                      type->encoding == CTF_ASCII     ? " { encoding = ASCII; }"
                      : type->encoding == CTF_NO_TEXT ? " { encoding = none; }"
                                                      : "");
        break;
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_BLOB:
    case CTF_DYNAMIC_BLOB: text_element(t, type); break;
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY:
        if (type->u.array.length_class != NULL)
            ctf1_lose(t, "lengths inside of sequences");
        if (needs_box(type))
            boxed(t, type);
        else
            ctf1_type(t, type->u.array.element);
        break;
    case CTF_STRUCT:
        output_text(t->out, "struct ");
        ctf1_members(t, type, type->u.structure.members, type->u.structure.count);
        if (type->alignment_minimum > 1)
            output_printf(t->out, " align(%" PRIu32 ")", type->alignment_minimum);
        break;
    case CTF_OPTIONAL: optional(t, type); break;
    default: variant(t, type); break;
    }
}
