/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes an event: makes a key and a value of it (writer_key.h has the layout of keys). The key
 * says what the event's class is called, and op, width and name of each field; the value has the
 * bytes of the fields as they are in the trace. Invariants:
 *
 * - Events with equal keys belong to one class, which the writer finds by the bytes of the key
 *   alone. What differs from event to event, such as the count of an array or a text, is in the
 *   value.
 * - Key and value grow in the same order: the bytes of a field follow those of the field whose op
 *   precedes its own. writer_class.c makes a class from the key's first byte to its last.
 * - Numbers with labels have slots, which are counted in the order of the key. All elements of an
 *   array have the slots of its first one, as they are of one class.
 * - A loss is noted in the shape, and counted by shape_count_losses() once it is certain that the
 *   shape is written: an event may be shaped again, with its fields as texts.
 * - If there is no memory for bytes, `is_lost` of their buffer is set, and what follows has no
 *   effect. shape_event() checks it at its end.
 *
 * shape_field.c appends fields, shape_kind.c what an event is besides them, and shape_flat.c fields
 * as texts.
 */
#include <stdlib.h>

#include "formats/ctf/schema/spans.h"
#include "formats/ctf/write/shape_put.h"
#include "formats/ctf/write/writer_key.h"

/* Whether the field is what the writer makes of a context's number: of this name and width, without
   labels, and shown as a plain number. */
static bool is_number(const shape *s, const stele_field *field, const char *name, unsigned width)
{
    const stele_text text = stele_name_text(s->writer->context, s->batch, field->name);
    return field->type == STELE_TYPE_UINT && field->label_count == 0 && field->width == width &&
           (field->hint & ~STELE_HINT_RAW) == 0 && text.size == strlen(name) &&
           memcmp(text.bytes, name, text.size) == 0;
}

/* Takes a context that this writer has made: pid and tid, cpu_id. Its numbers are then written as a
   context again, and not as fields. Returns false for other contexts. */
static bool take_own_context(shape *s, const stele_field *field, unsigned *flags)
{
    const stele_field *at = field + 1;
    uint32_t left = field->u.run.length;
    unsigned own = 0;
    if (field->label_count != 0 || left != field->u.run.count)
        return false;
    if (left >= 2 && is_number(s, at, "pid", 64) && is_number(s, at + 1, "tid", 64)) {
        own |= SHAPE_THREAD;
        s->context.pid = at[0].u.u;
        s->context.tid = at[1].u.u;
        at += 2;
        left -= 2;
    }
    if (left == 1 && is_number(s, at, "cpu_id", 16)) {
        own |= SHAPE_CPU;
        s->context.cpu = (uint16_t)at->u.u;
        left = 0;
    }
    if (left != 0 || own == 0)
        return false;
    *flags = own | (*flags & SHAPE_TRACK);
    return true;
}

/* Appends the members of context fields of the event, which precede those of the payload. Returns
   their number. */
static uint32_t put_contexts(shape *s, const stele_field *fields, uint32_t length, unsigned *flags)
{
    uint32_t count = 0;
    bool has_own = false;
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at)) {
        const stele_field *field = fields + at;
        if ((field->hint & STELE_HINT_CONTEXT) == 0 || (field->hint & STELE_HINT_RAW) != 0 ||
            field->type != STELE_TYPE_STRUCT)
            continue;
        /* Only one can be taken: the record has room for one context of the writer's own. */
        if (!has_own && take_own_context(s, field, flags)) {
            has_own = true;
            continue;
        }
        shape_put_members(s, field + 1 + field->label_count, field->u.run.length);
        count += field->u.run.count;
    }
    if (count != 0 && !has_own)
        *flags &= ~SHAPE_THREAD; /* the members that were appended have the thread */
    return count;
}

/* Appends the fields of the payload. Returns their number. */
static uint32_t put_payload(shape *s, const stele_field *fields, uint32_t length)
{
    const stele_field *before = NULL;
    uint32_t count = 0;
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at)) {
        const stele_field *field = fields + at;
        const bool is_context = (field->hint & STELE_HINT_CONTEXT) != 0;
        const size_t key = s->key.size;
        if ((field->hint & STELE_HINT_RAW) != 0 || (is_context && field->type == STELE_TYPE_STRUCT))
            continue;
        /* An array may find its count in the field before it. */
        s->before = before;
        shape_put_field(s, field);
        /* `key` is an offset, as the bytes may have moved while the field was appended; its display
           byte is the third of its op. */
        if (is_context && !s->key.is_lost)
            s->key.bytes[key + 2] |= DISPLAY_CONTEXT;
        before = field;
        count++;
    }
    return count;
}

/* Whether the first field has the name of a member that the writer puts there, so that the kind
   must be written to distinguish them. */
static bool begins_like_ours(const shape *s, const stele_field *fields, uint32_t length)
{
    for (uint32_t at = 0; at < length; at += stele_field_length(fields + at))
        if ((fields[at].hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) == 0)
            return s->is_marked &&
                   (fields[at].name == s->names.kind || fields[at].name == s->names.addr);
    return false;
}

/* Writes name and category to the head of a key: those of the event if its class has the name, or
   else a special name. */
static void put_class_name(shape *s, const stele_event *event, uint8_t *head)
{
    const stele_name category = stele_category_name(s->writer->context, event->category);
    const bool is_exit = event->kind != STELE_KIND_BEGIN;
    store_le32(head, NAME_IS_FIELD);
    store_le32(head + 4, 0);
    if (shape_is_function(s, event)) {
        store_le32(head, is_exit ? NAME_IS_EXIT : NAME_IS_ENTRY);
    } else if (!s->names_are_fields && shape_name_is_plain(s, event->name, category)) {
        store_le32(head, shape_lasting_name(s, event->name));
        store_le32(head + 4, category);
    }
}

bool shape_event(shape *s, const stele_batch *batch, const stele_event *event, unsigned *flags)
{
    uint32_t first;
    const uint32_t length = stele_event_fields(batch, event, &first);
    uint32_t context_count, payload_count;
    uint8_t *head;
    /* The head is filled in at the end, when the members are counted. Its address is taken then, as
       the bytes may have moved. */
    s->batch = batch;
    s->kind = (stele_kind)event->kind;
    s->key.size = s->value.size = s->depth = 0;
    s->label_count = s->slot_count = s->lost_count = 0;
    s->has_unknown_name = false;
    s->key.is_lost = s->value.is_lost = false;
    if (byte_buffer_take(&s->key, KEY_HEAD_SIZE) == NULL)
        return false;
    context_count = s->is_flat ? 0 : put_contexts(s, batch->fields + first, length, flags);
    payload_count =
        shape_put_kind_members(s, event, begins_like_ours(s, batch->fields + first, length));
    payload_count += s->is_flat ? shape_put_all_flat(s, batch->fields + first, length)
                                : put_payload(s, batch->fields + first, length);
    if (s->key.is_lost)
        return false;
    head = s->key.bytes;
    put_class_name(s, event, head);
    head[8] = event->kind;
    head[9] = (uint8_t)*flags;
    store_le32(head + 10, context_count);
    store_le32(head + 14, payload_count);
    return !s->key.is_lost && !s->value.is_lost;
}

/* Interns a name; NULL becomes 0. Returns false if out of memory. */
static bool name_take(stele_context *context, const char *text, stele_name *name)
{
    *name = 0;
    if (text != NULL)
        *name = stele_name_intern(context, text, strlen(text));
    return *name != UINT32_MAX;
}

bool shape_open(shape *s, stele_writer *writer)
{
    shape_names *names = &s->names;
    stele_context *context = writer->context;
    bool is_ok = name_take(context, SPAN_KIND, &names->kind) &&
                 name_take(context, SPAN_NAME, &names->name) &&
                 name_take(context, SPAN_CATEGORY, &names->category) &&
                 name_take(context, SPAN_FLAGS, &names->flags) &&
                 name_take(context, SPAN_ADDR, &names->addr) &&
                 name_take(context, SPAN_CALL_SITE, &names->call_site) &&
                 name_take(context, SPAN_OUTGOING, &names->outgoing) &&
                 name_take(context, SPAN_INCOMING, &names->incoming) &&
                 name_take(context, "fields", &names->fields) &&
                 name_take(context, "name", &names->flat_name) &&
                 name_take(context, "value", &names->flat_value);
    s->writer = writer;
    for (unsigned kind = 0; kind < STELE_KIND_COUNT && is_ok; kind++)
        is_ok = name_take(context, span_members_of[kind].value, &names->of_kinds[kind].value) &&
                name_take(context, span_members_of[kind].id, &names->of_kinds[kind].id) &&
                name_take(context, stele_kind_text((stele_kind)kind), &names->of_kinds[kind].label);
    return is_ok;
}

void shape_free(shape *s)
{
    free(s->key.bytes);
    free(s->value.bytes);
    free(s->labels);
}
