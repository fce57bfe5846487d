/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes arguments as Perfetto's debug annotations, with their types, and nested like the fields.
 */
#include "core/load.h"
#include "core/text.h"
#include "sinks/column.h"
#include "sinks/perfetto_sink.h"

static const char *const words[WORD_COUNT] = {
    [WORD_CPU] = "stele.cpu",
    [WORD_FLAGS] = "stele.flags",
    [WORD_NAME] = "stele.name",
    [WORD_CATEGORY] = "stele.category",
    [WORD_ID] = "stele.id",
    [WORD_VALUE] = "stele.value",
    [WORD_KIND] = "stele.kind",
    [WORD_COUNT_LOST] = "stele.count",
    [WORD_GAP] = "stele.gap_ns",
    [WORD_SIZE] = "stele.size",
    [WORD_OFFSET] = "stele.offset",
    [WORD_NUMBER] = "stele.number",
    [WORD_SEVERITY] = "stele.severity",
    [WORD_PC] = "stele.pc",
    [WORD_OPCODE] = "stele.opcode",
    [WORD_ADDRESS] = "stele.address",
    [WORD_CALLS] = "stele.calls",
    [WORD_TIME] = "stele.time",
    [WORD_THREAD] = "stele.thread",
    [WORD_DURATION] = "stele.dur_ns",
    [WORD_UNFINISHED] = "stele.unfinished",
    [WORD_CONTEXT] = "stele.context",
};

/* ---- Arguments with the sink's own names ---- */

static void put_word(perfetto_sink *p, perfetto_word word)
{
    const char *text = words[word];
    size_t mark;
    if (p->has_inline_names) {
        proto_bytes(&p->packet, ANNOTATION_NAME, text, strlen(text));
        return;
    }
    if ((p->words_told >> word & 1) == 0) {
        p->words_told |= UINT32_C(1) << word;
        mark = proto_begin(&p->interned, INTERNED_ANNOTATION_NAME);
        proto_uint(&p->interned, INTERNED_IID, (uint64_t)word + 1);
        proto_bytes(&p->interned, INTERNED_TEXT, text, strlen(text));
        proto_end(&p->interned, mark);
    }
    proto_uint(&p->packet, ANNOTATION_NAME_IID, (uint64_t)word + 1);
}

static void arg_number(perfetto_sink *p, perfetto_word word, uint32_t type, uint64_t value)
{
    const size_t mark = proto_begin(&p->packet, EVENT_ANNOTATION);
    put_word(p, word);
    proto_uint(&p->packet, type, value);
    proto_end(&p->packet, mark);
}

void perfetto_arg_u64(perfetto_sink *p, perfetto_word word, uint64_t value)
{
    arg_number(p, word, ANNOTATION_UINT, value);
}

void perfetto_arg_pointer(perfetto_sink *p, perfetto_word word, uint64_t value)
{
    arg_number(p, word, ANNOTATION_POINTER, value);
}

void perfetto_arg_bool(perfetto_sink *p, perfetto_word word, bool value)
{
    arg_number(p, word, ANNOTATION_BOOL, value);
}

void perfetto_arg_text(perfetto_sink *p, perfetto_word word, const char *bytes, size_t size)
{
    const size_t mark = proto_begin(&p->packet, EVENT_ANNOTATION);
    put_word(p, word);
    perfetto_text(p, &p->packet, ANNOTATION_STRING, bytes, size);
    proto_end(&p->packet, mark);
}

void perfetto_arg_name(perfetto_sink *p, perfetto_word word, stele_name name)
{
    const stele_text text = stele_name_text(p->base.context, p->batch, name);
    perfetto_arg_text(p, word, text.bytes, text.size);
}

void perfetto_arg_track(perfetto_sink *p, perfetto_word word, uint32_t track)
{
    const name_form *label = track_labels_get(&p->labels, track);
    perfetto_arg_text(p, word, label->bytes, label->size);
}

/* ---- Values of fields ---- */

static void put_value(perfetto_sink *p, const stele_field *field);
static void put_members(perfetto_sink *p, uint32_t kind, uint32_t first, uint32_t count,
                        stele_name skipped);

/* Writes the contents of `scratch` as a string, and clears it. */
static void put_made(perfetto_sink *p)
{
    size_t size;
    const uint8_t *made = output_memory(p->scratch, &size);
    if (p->scratch->status != STELE_OK)
        p->is_exhausted = true;
    proto_bytes(&p->packet, ANNOTATION_STRING, made, size);
    p->scratch->at = p->scratch->buffer;
}

static void put_string(perfetto_sink *p, const stele_field *field)
{
    stele_text text;
    if (field->type == STELE_TYPE_NAME &&
        perfetto_intern(p, (stele_name)field->u.u, INTERNED_ANNOTATION_STRING)) {
        proto_uint(&p->packet, ANNOTATION_STRING_IID, field->u.u + WORD_COUNT + 1);
        return;
    }
    text = stele_field_text(p->base.context, p->batch, field);
    perfetto_text(p, &p->packet, ANNOTATION_STRING, text.bytes, text.size);
}

/* Writes a text for an empty array or structure, which Perfetto would leave out. */
static void put_empty(perfetto_sink *p, const char *text)
{
    p->changes |= VALUE_EMPTY;
    proto_bytes(&p->packet, ANNOTATION_STRING, text, strlen(text));
}

static void put_numbers(perfetto_sink *p, const stele_field *field)
{
    const uint8_t *bytes = p->batch->bytes + field->u.bytes.offset;
    const size_t count = field->u.bytes.size / 8;
    if (count == 0)
        put_empty(p, "[]");
    for (size_t i = 0; i < count; i++) {
        const uint64_t element = load_native64(bytes + i * 8);
        const size_t mark = proto_begin(&p->packet, ANNOTATION_ELEMENT);
        if (field->type == STELE_TYPE_FLOATS)
            proto_double(&p->packet, ANNOTATION_DOUBLE, load_double(element));
        else
            proto_uint(&p->packet,
                       field->type == STELE_TYPE_INTS ? ANNOTATION_INT : ANNOTATION_UINT, element);
        proto_end(&p->packet, mark);
    }
}

static void put_labels(perfetto_sink *p, const stele_field *field)
{
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text text = stele_field_text(p->base.context, p->batch, field + i);
        if (i != 1)
            output_write(p->scratch, ", ", 2);
        output_write(p->scratch, text.bytes, text.size);
    }
    if (p->scratch->status == STELE_OK) {
        size_t size;
        const uint8_t *made = output_memory(p->scratch, &size);
        perfetto_text(p, &p->packet, ANNOTATION_STRING, made, size);
        p->scratch->at = p->scratch->buffer;
    } else {
        p->is_exhausted = true;
    }
}

/* Writes an element of an array. Labels cannot be beside it, as those of members are, so it
   becomes a structure of value and label. */
static void put_element(perfetto_sink *p, const stele_field *field)
{
    const size_t mark = proto_begin_far(&p->packet, ANNOTATION_ELEMENT);
    if (field->label_count == 0 || field->type >= STELE_TYPE_RUN_FIRST) {
        put_value(p, field);
    } else {
        size_t inner = proto_begin_far(&p->packet, ANNOTATION_MEMBER);
        proto_bytes(&p->packet, ANNOTATION_NAME, "value", 5);
        put_value(p, field);
        proto_end_far(&p->packet, inner);
        inner = proto_begin_far(&p->packet, ANNOTATION_MEMBER);
        proto_bytes(&p->packet, ANNOTATION_NAME, "label", 5);
        put_labels(p, field);
        proto_end_far(&p->packet, inner);
    }
    proto_end_far(&p->packet, mark);
}

static void put_run(perfetto_sink *p, const stele_field *field)
{
    const stele_field *member = field + 1 + field->label_count;
    const size_t before = p->packet.size;
    if (field->type != STELE_TYPE_ARRAY) {
        put_members(p, ANNOTATION_MEMBER, (uint32_t)(member - p->batch->fields),
                    field->u.run.length, 0);
    } else {
        for (uint32_t at = 0; at < field->u.run.length; at += stele_field_length(member + at))
            put_element(p, member + at);
    }
    if (p->packet.size == before)
        put_empty(p, field->type == STELE_TYPE_ARRAY ? "[]" : "{}");
}

/* Writes bytes, for which Perfetto has no type: as text if they are printable, otherwise as
   hexadecimal digits. */
static void put_bytes_of_field(perfetto_sink *p, const stele_field *field)
{
    const uint8_t *bytes = p->batch->bytes + field->u.bytes.offset;
    const size_t size = field->u.bytes.size;
    if (text_is_printable(bytes, size))
        output_write(p->scratch, bytes, size);
    else
        hex_put(p->scratch, bytes, size);
    p->changes |= VALUE_AS_HEX;
    put_made(p);
}

static void put_value(perfetto_sink *p, const stele_field *field)
{
    proto *to = &p->packet;
    switch (field->type) {
    case STELE_TYPE_BOOL: proto_uint(to, ANNOTATION_BOOL, field->u.u != 0); break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_KOID: proto_uint(to, ANNOTATION_UINT, field->u.u); break;
    case STELE_TYPE_INT: proto_uint(to, ANNOTATION_INT, field->u.u); break;
    case STELE_TYPE_FLOAT: proto_double(to, ANNOTATION_DOUBLE, field->u.f); break;
    case STELE_TYPE_POINTER: proto_uint(to, ANNOTATION_POINTER, field->u.u); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME: put_string(p, field); break;
    case STELE_TYPE_BYTES: put_bytes_of_field(p, field); break;
    case STELE_TYPE_BIGINT:
        bigint_put(p->scratch, p->batch, field);
        p->changes |= VALUE_AS_HEX;
        put_made(p);
        break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_numbers(p, field); break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT: put_run(p, field); break;
    default: put_empty(p, "null"); break;
    }
}

/* ---- Members of structures ---- */

/* Writes a name with a suffix: `after`, or the member's number for a repeated name. */
static void put_name_with(perfetto_sink *p, stele_name name, const char *after, uint32_t place)
{
    const stele_text text = stele_name_text(p->base.context, p->batch, name);
    size_t size;
    const uint8_t *made;
    output_write(p->scratch, text.bytes, text.size);
    if (place != 0) {
        output_byte(p->scratch, '#');
        output_u64(p->scratch, place);
    }
    output_text(p->scratch, after);
    made = output_memory(p->scratch, &size);
    if (p->scratch->status != STELE_OK)
        p->is_exhausted = true;
    perfetto_text(p, &p->packet, ANNOTATION_NAME, made, size);
    p->scratch->at = p->scratch->buffer;
}

static void put_member_name(perfetto_sink *p, stele_name name, uint32_t place)
{
    stele_text text;
    if (place != 0) {
        p->changes |= VALUE_RENAMED;
        put_name_with(p, name, "", place);
    } else if (perfetto_intern(p, name, INTERNED_ANNOTATION_NAME)) {
        proto_uint(&p->packet, ANNOTATION_NAME_IID, (uint64_t)name + WORD_COUNT + 1);
    } else {
        text = stele_name_text(p->base.context, p->batch, name);
        perfetto_text(p, &p->packet, ANNOTATION_NAME, text.bytes, text.size);
    }
}

static void put_member(perfetto_sink *p, uint32_t kind, const stele_field *field, uint32_t place)
{
    const bool is_run = field->type >= STELE_TYPE_RUN_FIRST;
    size_t mark = is_run ? proto_begin_far(&p->packet, kind) : proto_begin(&p->packet, kind);
    put_member_name(p, field->name, place);
    put_value(p, field);
    if (is_run)
        proto_end_far(&p->packet, mark);
    else
        proto_end(&p->packet, mark);
    if (field->label_count != 0 && !is_run) {
        mark = proto_begin(&p->packet, kind);
        put_name_with(p, field->name, ".label", place);
        put_labels(p, field);
        proto_end(&p->packet, mark);
    }
}

static void put_members(perfetto_sink *p, uint32_t kind, uint32_t first, uint32_t count,
                        stele_name skipped)
{
    const stele_field *members = p->batch->fields + first;
    const uint64_t repeated = members_find_repeated(&p->marks, p->base.context, members, count);
    uint32_t place = 0;
    for (uint32_t at = 0; at < count; at += stele_field_length(members + at)) {
        const unsigned bit = place < 63 ? place : 63;
        place++;
        if (!field_is_shown(members + at) || (skipped != 0 && members[at].name == skipped))
            continue;
        put_member(p, kind, members + at, (repeated >> bit & 1) != 0 ? place : 0);
    }
}

void perfetto_arg_field(perfetto_sink *p, const stele_field *field)
{
    put_member(p, EVENT_ANNOTATION, field, 0);
}

/* ---- Arguments of an event ---- */

#define FLAGS_SHOWN \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

static void put_context(perfetto_sink *p)
{
    const size_t mark = proto_begin_far(&p->packet, EVENT_ANNOTATION);
    put_word(p, WORD_CONTEXT);
    put_members(p, ANNOTATION_MEMBER, p->batch->context_first, p->batch->context_count, 0);
    proto_end_far(&p->packet, mark);
}

static bool has_context(const perfetto_sink *p)
{
    const stele_field *fields = p->batch->fields + p->batch->context_first;
    for (uint32_t at = 0; at < p->batch->context_count; at += stele_field_length(fields + at))
        if (field_is_shown(&fields[at]))
            return true;
    return false;
}

void perfetto_args(perfetto_sink *p, const stele_event *event, stele_name skipped)
{
    char text[CELL_SIZE];
    uint32_t first;
    const uint32_t count = stele_event_fields(p->batch, event, &first);
    if (count != 0)
        put_members(p, EVENT_ANNOTATION, first, count, skipped);
    if (p->batch->context_count != 0 && has_context(p))
        put_context(p);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        perfetto_arg_u64(p, WORD_CPU, event->cpu);
    if ((event->flags & FLAGS_SHOWN) != 0)
        perfetto_arg_text(p, WORD_FLAGS, text,
                          (size_t)(cell_flags(text, event->flags & FLAGS_SHOWN) - text));
}

void perfetto_count_changes(perfetto_sink *p, const stele_event *event)
{
    static const struct {
        uint32_t change;
        const char *what;
    } texts[] = {{VALUE_ESCAPED, "bytes that are no UTF-8, as \\xHH"},
                 {VALUE_RENAMED, "second field of one name, renamed"},
                 {VALUE_EMPTY, "null or empty field, as text"},
                 {VALUE_AS_HEX, "bytes, or integer over 64 bits, as text"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((p->changes & texts[i].change) != 0)
            perfetto_lose(p, event, texts[i].what, LOSS_FORM);
    p->changes = 0;
}
