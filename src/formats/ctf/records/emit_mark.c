/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of classes that stand for others, in traces that Stele's writer made: see
 * schema/marks.h. Marks are text from a file, so each is checked: one that does not suit its class
 * is ignored, and the field is shown as its class says.
 */
#include <stdlib.h>

#include "formats/ctf/records/emit.h"
#include "formats/ctf/schema/marks.h"

/* ---- Marks in the environment ---- */

/* The marks of one event class. */
typedef struct class_marks {
    uint64_t stream, event; /* ids of the stream class and of the event class */
    ctf_text marks;
} class_marks;

/* Compares marks by their ids, for qsort() and bsearch(). */
static int class_marks_compare(const void *a, const void *b)
{
    const class_marks *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Reads a decimal number of at most 19 digits, so that it cannot overflow, and moves `*at` after
   it. Returns false if there is no digit. */
static bool take_id(const char **at, const char *end, uint64_t *id)
{
    const char *const first = *at;
    *id = 0;
    while (*at != end && **at >= '0' && **at <= '9' && *at - first < 19)
        *id = *id * 10 + (uint64_t)(*(*at)++ - '0');
    return *at != first;
}

/* Reads an entry "stele_fields_STREAM_EVENT". Returns false if the entry is another one. */
static bool class_marks_read(const ctf_env *env, class_marks *made)
{
    const char *at = env->name.bytes, *const end = at + env->name.size;
    const size_t size = sizeof MARKS_ENV - 1;
    if (!env->is_text || env->name.size <= size || memcmp(at, MARKS_ENV, size) != 0)
        return false;
    at += size;
    made->marks = env->text;
    return take_id(&at, end, &made->stream) && at != end && *at++ == '_' &&
           take_id(&at, end, &made->event) && at == end;
}

bool class_marks_make(ctf_programs *programs)
{
    const ctf_schema *schema = programs->schema;
    class_marks made;
    uint32_t count = 0;
    /* Other traces may have entries of the same name, which mean nothing there. */
    if ((programs->columns & DECODE_MARKS) == 0)
        return true;
    for (uint32_t i = 0; i < schema->env_count; i++)
        /* The first pass only counts, so that the arena gives one block that does not move. */
        count += class_marks_read(&schema->env[i], &made);
    if (count == 0)
        return true;
    programs->marks = arena_take(&programs->memory, count * sizeof *programs->marks);
    if (programs->marks == NULL)
        return false;
    for (uint32_t i = 0; i < schema->env_count; i++)
        if (class_marks_read(&schema->env[i], &made))
            programs->marks[programs->mark_count++] = made;
    /* There is an entry for each event class, so they are searched by halving. */
    qsort(programs->marks, count, sizeof *programs->marks, class_marks_compare);
    return true;
}

/* Without an entry `marks` stays empty, and all members are what their classes say. */
void emit_marks_begin(builder *b, const ctf_event_class *event)
{
    const ctf_programs *programs = b->programs;
    /* The ids are those of the metadata, since the environment was written together with them. */
    const class_marks key = {.stream = b->stream->id, .event = event->id};
    const class_marks *found = NULL;
    if (programs->mark_count != 0)
        found =
            bsearch(&key, programs->marks, programs->mark_count, sizeof key, class_marks_compare);
    if (found != NULL)
        b->marks = found->marks;
}

/* ---- Members with marks ---- */

/* Returns the number of a name in a mark; 0 for an empty name or if out of memory. */
static stele_name mark_name(builder *b, ctf_text escaped)
{
    char *text;
    if (escaped.size == 0)
        return 0;
    /* An escaped name is never shorter than the name itself. */
    text = build_take(b, escaped.size, 1);
    if (text == NULL)
        return 0;
    return build_name(
        b, (ctf_text){text, (uint32_t)marks_unescape(text, escaped.bytes, escaped.size)});
}

/* Compiles a field that is only stepped over. Its value is kept in its slot if it is a length, so
   it is compiled like any other field, but without entries. Members inside have no marks. */
static void emit_unseen(builder *b, const ctf_class *type, uint32_t node)
{
    const bool is_wanted = b->is_wanted;
    const uint32_t hidden = b->hidden;
    const ctf_text marks = b->marks;
    /* All that the members change is saved above and restored below. */
    b->is_wanted = false;
    b->marks = (ctf_text){0};
    emit_class(b, type, 0, node);
    b->is_wanted = is_wanted;
    b->hidden = hidden;
    b->marks = marks;
}

/* Compiles a field as its class says, except that a mark may change the type of a number. Members
   inside have no marks. */
static void emit_plain(builder *b, const ctf_class *type, stele_name name, uint32_t node,
                       uint8_t mark)
{
    const ctf_text marks = b->marks;
    b->marks = (ctf_text){0};
    b->number_mark = mark;
    emit_class(b, type, name, node);
    b->number_mark = 0;
    b->marks = marks;
}

/* Compiles a structure whose members have marks. For MARK_WRAPPER its only member stands for the
   structure, so no run is begun. */
static void emit_members_marked(builder *b, const ctf_class *type, stele_name name, field_mark mark,
                                uint32_t node)
{
    const uint32_t hidden = b->hidden;
    if (mark == MARK_WRAPPER) {
        build_step(b, type->alignment, 0);
        b->hint = 0;
        emit_members(b, type, node);
    } else {
        emit_struct(b, type, name,
                    mark == MARK_TUPLE     ? STELE_TYPE_ARRAY
                    : mark == MARK_VARIANT ? STELE_TYPE_VARIANT
                                           : STELE_TYPE_STRUCT,
                    0, node);
    }
    /* Members that were hidden inside do not count for the structure around this one. */
    b->hidden = hidden;
    marks_pass(&b->marks, MARK_CLOSE);
}

/* Whether the class is an array whose length is an earlier field, as the writer makes them. */
static bool is_array(const ctf_class *type)
{
    return type->kind == CTF_DYNAMIC_ARRAY && type->u.array.element != NULL;
}

/* Whether the class holds bytes: a BLOB, or an array of plain unsigned integers of 8 bits. */
static bool is_bytes(const ctf_class *type)
{
    const ctf_class *element = is_array(type) ? type->u.array.element : NULL;
    return type->kind == CTF_DYNAMIC_BLOB ||
           (element != NULL && element->kind == CTF_UINT && element->size == 8 &&
            element->alignment <= 8 && element->roles == 0 && element->mapping_count == 0);
}

/* Whether the structure has one member that is a field: it is the only one, or follows a hidden
   length. `marks` stands at the marks of its members. */
static bool has_one_field(const builder *b, const ctf_class *type)
{
    /* The marks are a copy, so looking ahead takes nothing from them. */
    const ctf_text marks = b->marks;
    const bool is_hidden = marks.size != 0 && marks.bytes[0] == MARK_HIDDEN;
    if (type->kind != CTF_STRUCT)
        return false;
    return type->u.structure.count == 1 ? !is_hidden
           : type->u.structure.count == 2
               ? is_hidden && marks.size > 1 && marks.bytes[1] != MARK_HIDDEN
               : false;
}

/* Whether the mark can be applied to the class. A length can be hidden, but not an element of an
   array. */
static bool mark_fits(const builder *b, field_mark mark, const ctf_class *type, bool is_element)
{
    switch (mark) {
    /* Each mark asks for the class that Stele's writer uses for it. */
    case MARK_HIDDEN: return !is_element;
    case MARK_POINTER:
    case MARK_KOID: return type->kind == CTF_UINT && type->size <= 64;
    case MARK_BOOL: return type->kind == CTF_UINT && type->size <= 64 && type->mapping_count == 0;
    case MARK_NULL: return type->kind == CTF_STRUCT && type->u.structure.count == 0;
    case MARK_BYTES:
    case MARK_TEXT:
    case MARK_SIGNED:
    case MARK_UNSIGNED: return is_bytes(type);
    case MARK_EMPTY:
    case MARK_ARRAY: return is_array(type);
    case MARK_NUMBERS:
        return is_array(type) && type->u.array.element->mapping_count == 0 &&
               (type->u.array.element->kind == CTF_UINT || type->u.array.element->kind == CTF_INT);
    case MARK_VARIANT:
    case MARK_WRAPPER: return has_one_field(b, type);
    case MARK_STRUCT:
    case MARK_TUPLE: return type->kind == CTF_STRUCT;
    default: return false;
    }
}

/* Compiles a field by its mark, which fits its class. */
static void emit_by_mark(builder *b, const ctf_class *type, stele_name name, field_mark mark,
                         uint32_t node)
{
    switch (mark) {
    case MARK_HIDDEN:
        emit_unseen(b, type, node);
        b->hint = 0;
        b->hidden++;
        break;
    /* The field has bits, such as the length of an empty array, which are stepped over. */
    case MARK_NULL:
    case MARK_EMPTY:
        emit_unseen(b, type, node);
        build_close(b);
        emit_entry(b, name, mark == MARK_NULL ? STELE_TYPE_NULL : STELE_TYPE_ARRAY);
        break;
    case MARK_BYTES: emit_blob(b, type, name, STELE_TYPE_BYTES, 0); break;
    case MARK_TEXT: emit_blob(b, type, name, STELE_TYPE_STRING, 0); break;
    case MARK_SIGNED: emit_blob(b, type, name, STELE_TYPE_BIGINT, STELE_HINT_SIGNED); break;
    case MARK_UNSIGNED: emit_blob(b, type, name, STELE_TYPE_BIGINT, 0); break;
    case MARK_ARRAY: emit_elements(b, type, name, node); break;
    case MARK_STRUCT:
    case MARK_TUPLE:
    case MARK_VARIANT:
    case MARK_WRAPPER: emit_members_marked(b, type, name, mark, node); break;
    default: emit_plain(b, type, name, node, (uint8_t)mark); break;
    }
}

/* Takes the mark of the next member even if it does not fit, so that later marks stay with their
   members. */
void emit_marked(builder *b, const ctf_class *type, const ctf_member *member, uint32_t node)
{
    /* The members have their marks in the order of their declaration. */
    const member_mark mark = marks_take(&b->marks);
    const bool fits = mark_fits(b, mark.mark, type, member == NULL);
    const stele_name name = mark.has_name    ? mark_name(b, mark.name)
                            : member != NULL ? build_name(b, member->name)
                                             : 0;
    if (mark.is_context)
        b->hint = STELE_HINT_CONTEXT;
    emit_by_mark(b, type, name, fits ? mark.mark : MARK_PLAIN, node);
}
