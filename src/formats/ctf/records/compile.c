/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the scopes of packet heads, event headers and event classes to programs. See
   program.h. */
#include <stdlib.h>

#include "core/hash.h"
#include "formats/ctf/records/emit.h"
#include "formats/ctf/schema/marks.h"

/* Prepares for a program. Nothing is known of the position yet: any bit is 0 modulo 1. */
static void builder_open(builder *b, ctf_programs *programs, uint32_t stream, stele_batch *batch)
{
    const struct ctf_targets *targets = programs->schema->targets;
    *b = (builder){.programs = programs,
                   .batch = batch,
                   .phase = {1, 0},
                   .need = OP_NONE,
                   .also_slot = SLOT_NONE,
                   .is_mixed = targets->has_big && targets->has_little};
    /* The packet header belongs to no stream, which the caller expresses with UINT32_MAX. */
    if (stream < programs->schema->stream_count)
        b->stream = programs->schema->streams[stream];
}
/* Ends the program with the operation `last` and makes one block of it, which can be copied as long
   as it owns no memory in an arena. Returns NULL if out of memory. */
static program *builder_finish(builder *b, op_code last)
{
    const target_walk *walk = &b->programs->walk;
    /* One operation more than there are now, for `last`. */
    const size_t size = sizeof(program) + (b->count + 1) * sizeof(op);
    program *made = NULL;
    uint32_t *picks = NULL;
    build_close(b);
    build_op(b, last);
    if (walk->pick_count != 0)
        picks = build_take(b, walk->pick_count, sizeof *picks);
    /* Errors of memory are collected while building, and show here at last. */
    if (!b->is_exhausted)
        made = calloc(1, size);
    if (made == NULL) {
        arena_free(&b->memory);
        free(b->ops);
        return NULL;
    }
    if (picks != NULL)
        memcpy(picks, walk->picks, walk->pick_count * sizeof *picks);
    *made = (program){.has_local_names = b->has_local_names,
                      .has_thread = names_thread(b),
                      .cpu_slot = names_cpu(b) ? SLOT_CPU : SLOT_NONE,
                      /* One more for the entry that counts the fields of an event with many. */
                      .entries = b->entries + 1,
                      .depth = b->depth,
                      .slots = walk->slot_count,
                      .count = b->count,
                      .size = size + b->memory.size,
                      .picks = picks,
                      .memory = b->memory};
    /* The operations follow the struct in the same block; the builder's own array is no longer
       needed. */
    memcpy(made->ops, b->ops, b->count * sizeof *b->ops);
    free(b->ops);
    return made;
}

void program_free(program *p)
{
    if (p == NULL)
        return;
    arena_free(&p->memory);
    free(p);
}

/* Makes a text of a C string that lives as long as the program. */
static ctf_text static_text(const char *text)
{
    return (ctf_text){text, (uint32_t)strlen(text)};
}

/* Whether only some fields of events are wanted. Events of Stele's writer have fields that say more
   than their names, so all of those are compiled. */
static bool chooses_fields(const builder *b)
{
    return b->programs->fields != NULL && !wants_raw(b) &&
           (b->programs->columns & DECODE_MARKS) == 0;
}

/* Compiles a scope. With a name and entries it becomes one structure, which stands beside the
   payload. */
/* Whether a request for some fields asks for none of the members of a context. */
static bool wants_none(const builder *b, const ctf_class *context)
{
    for (uint32_t i = 0; i < context->u.structure.count; i++)
        if (build_wants(b, context->u.structure.members[i].name))
            return false;
    return true;
}

static void emit_scope(builder *b, ctf_scope scope, const char *name, unsigned hint)
{
    const ctf_class *root = target_scope_root(&b->programs->walk, scope);
    uint32_t node;
    b->scope = scope;
    b->tree = target_scope_tree(&b->programs->walk, scope, &node);
    if (root == NULL)
        return;
    /* A context that is asked for by its own name is wanted with all of its members. */
    b->chooses = b->is_wanted && scope >= CTF_SCOPE_COMMON_CONTEXT && chooses_fields(b) &&
                 (name == NULL || !build_wants(b, static_text(name)));
    /* Only the two event contexts name threads, and only if tracks are wanted. */
    b->context = scope == CTF_SCOPE_COMMON_CONTEXT || scope == CTF_SCOPE_SPECIFIC_CONTEXT
                     ? (b->programs->columns & STELE_COLUMN_TRACK) != 0 ? root : NULL
                     : NULL;
    if (name != NULL && b->is_wanted && !(b->chooses && wants_none(b, root))) {
        emit_struct(b, root, build_name(b, static_text(name)), STELE_TYPE_STRUCT, hint, node);
        return;
    }
    /* The members become entries of the event itself, or none of them does, so only the alignment
       of the structure is left to do. */
    build_step(b, root->alignment, 0);
    /* The event header gives the size of the payload; this operation begins the part that it
       measures. */
    if (scope == CTF_SCOPE_PAYLOAD && b->has_event_size) {
        build_close(b);
        build_joint(b, JOINT_PAYLOAD, 0, 0, NULL);
        build_op(b, OP_PAYLOAD);
    }
    emit_members(b, root, node);
}

/* Whether a packet context has members that do not only serve to read the packet. */
static bool context_has_more(const ctf_class *context)
{
    for (uint32_t i = 0; context != NULL && i < context->u.structure.count; i++)
        if (!is_placing(context->u.structure.members[i].type))
            return true;
    return false;
}

/* The packet header does not depend on a stream class; the packet context does. */
program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch)
{
    /* Targets in the scope must be known before the program is built, because fields refer to
       earlier ones. */
    const bool is_context = scope == CTF_SCOPE_PACKET_CONTEXT;
    builder b;
    target_walk_begin(&programs->walk, stream, NULL);
    if (!target_walk_scope(&programs->walk, scope))
        return NULL;
    builder_open(&b, programs, is_context ? stream : UINT32_MAX, batch);
    /* Most packet contexts hold only what is needed to read the packet, so they are shown only if
       there is more, or raw fields are asked for. */
    b.is_wanted = (programs->columns & STELE_COLUMN_CONTEXT) != 0 &&
                  (wants_raw(&b) || (is_context && context_has_more(b.stream->packet_context)));
    emit_scope(&b, scope, is_context ? "stream.packet.context" : "trace.packet.header",
               STELE_HINT_CONTEXT);
    return builder_finish(&b, OP_END);
}

/* Whether an event header has fields besides the id and the time, which every event has. */
static bool header_has_more(const ctf_class *type)
{
    switch (type->kind) {
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++) {
            if (header_has_more(type->u.structure.members[i].type))
                return true;
        }
        return false;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            if (header_has_more(type->u.variant.options[i].type))
                return true;
        }
        return false;
    case CTF_OPTIONAL: return header_has_more(type->u.optional.element);
    default: return (type->roles & (CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIMESTAMP)) == 0;
    }
}

program *compile_event_header(ctf_programs *programs, uint32_t stream, stele_batch *batch)
{
    const ctf_class *header = programs->schema->streams[stream]->event_header;
    stream_programs *own = &programs->streams[stream];
    builder b;
    target_walk_begin(&programs->walk, stream, NULL);
    if (!target_walk_scope(&programs->walk, CTF_SCOPE_EVENT_HEADER))
        return NULL;
    builder_open(&b, programs, stream, batch);
    b.scope = CTF_SCOPE_EVENT_HEADER;
    /* The joint marks where the record begins, for those who copy records. */
    build_joint(&b, JOINT_EVENT, 0, 0, NULL);
    /* LTTng's headers are one operation, which notes no joints. */
    if (header == NULL || wants_joints(&b) || !build_either(&b, header)) {
        /* OP_KEEP saves the state that the header changes, so that event_undo() can restore it. */
        build_op(&b, OP_KEEP);
        b.is_wanted = (programs->columns & STELE_COLUMN_RAW) != 0 && header != NULL &&
                      header_has_more(header);
        emit_scope(&b, CTF_SCOPE_EVENT_HEADER, "stream.event.header",
                   STELE_HINT_CONTEXT | STELE_HINT_RAW);
    }
    build_close(&b);
    build_joint(&b, JOINT_HEADER_END, 0, 0, NULL);
    /* Programs of event classes continue where the header's program ends. */
    own->phase = b.phase;
    own->has_event_size = b.has_event_size;
    own->header_entries = b.entries;
    own->header_has_loops = b.has_loops;
    return builder_finish(&b, OP_DISPATCH);
}

/* Splits the name "provider:event", whose provider becomes the event's category. A name that only
   one batch knows cannot be a category; the event then keeps its whole name. */
static stele_name event_name(builder *b, ctf_text name, uint16_t *category)
{
    /* Only the first colon splits the name; what follows it can hold more. */
    const char *colon = name.size != 0 ? memchr(name.bytes, ':', name.size) : NULL;
    const uint32_t size = colon != NULL ? (uint32_t)(colon - name.bytes) : 0;
    uint16_t provider = 0;
    if (size != 0 && size + 1 < name.size) {
        const stele_name before = build_name(b, (ctf_text){name.bytes, size});
        if ((before & STELE_NAME_LOCAL) == 0)
            provider = stele_category_intern(b->programs->context, before);
        /* Without a category, either memory is exhausted or there are too many categories, which is
           no error. */
        b->is_exhausted |= provider == 0 && (before & STELE_NAME_LOCAL) == 0 &&
                           b->programs->context->category_count <= CONTEXT_CATEGORIES_MAX;
    }
    if (provider != 0)
        name = (ctf_text){name.bytes + size + 1, name.size - size - 1};
    *category = provider;
    return build_name(b, name);
}

/* Appends an entry with a constant value, which is shown only if raw fields are asked for. */
static void emit_raw(builder *b, const char *name, stele_type type, unsigned hint, uint64_t value,
                     bool has_label)
{
    const stele_field field = {.name = build_name(b, static_text(name)),
                               .type = (uint8_t)type,
                               .hint = (uint8_t)(hint | STELE_HINT_RAW),
                               .label_count = has_label};
    /* The operation holds the first 8 bytes of the field as one number, which is quick to copy. */
    op *at = build_op(b, OP_ENTRY);
    at->head = load_native64(&field);
    at->u.size = value;
    b->entries++;
}

/* Appends what the event class says besides its fields, if raw fields are asked for. */
static void emit_about(builder *b, const ctf_event_class *event)
{
    static const char *const levels[] = {
        "TRACE_EMERG",          "TRACE_ALERT",         "TRACE_CRIT",         "TRACE_ERR",
        "TRACE_WARNING",        "TRACE_NOTICE",        "TRACE_INFO",         "TRACE_DEBUG_SYSTEM",
        "TRACE_DEBUG_PROGRAM",  "TRACE_DEBUG_PROCESS", "TRACE_DEBUG_MODULE", "TRACE_DEBUG_UNIT",
        "TRACE_DEBUG_FUNCTION", "TRACE_DEBUG_LINE",    "TRACE_DEBUG"};
    /* The labels stand for the levels of LTTng; other numbers are shown without a label. */
    const bool is_known = event->log_level >= 0 && event->log_level < 15;
    if (!wants_raw(b))
        return;
    build_close(b);
    if (event->has_log_level)
        emit_raw(b, "loglevel", STELE_TYPE_INT, 0, (uint64_t)event->log_level, is_known);
    if (event->has_log_level && is_known)
        emit_raw(b, "", STELE_TYPE_NAME, 0, build_name(b, static_text(levels[event->log_level])),
                 false);
    if (event->extra->emf_uri.bytes != NULL)
        emit_raw(b, "model.emf.uri", STELE_TYPE_NAME, 0, build_name(b, event->extra->emf_uri),
                 false);
    if (event->payload != NULL)
        emit_raw(b, "event.fields", STELE_TYPE_NULL, STELE_HINT_CONTEXT, 0, false);
}

/* With fewer entries than this, an event has fewer than STELE_FIELDS_MANY entries even if each has
   RANGE_HITS_MAX labels. */
#define ENTRIES_FEW (STELE_FIELDS_MANY / (RANGE_HITS_MAX + 1))

/* Whether events of the class can be pushed by OP_DONE: they have at least one bit, few entries and
   no CPU of their own. */
static bool is_usual(const builder *b)
{
    static const ctf_scope scopes[] = {CTF_SCOPE_EVENT_HEADER, CTF_SCOPE_COMMON_CONTEXT,
                                       CTF_SCOPE_SPECIFIC_CONTEXT, CTF_SCOPE_PAYLOAD};
    bool has_bits = false;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes && !has_bits; i++) {
        const ctf_class *root = target_scope_root(&b->programs->walk, scopes[i]);
        has_bits = root != NULL && layout_size_min(root) != 0;
    }
    return has_bits && b->entries < ENTRIES_FEW && !names_cpu(b);
}

/* Makes the entry of a program. The first stretch can be entered without its NEED if it is aligned,
   its bytes fit in the scratch, and no operation precedes it. */
event_entry event_entry_make(program *made)
{
    const op *const need = &made->ops[0];
    const bool is_short = need->code == OP_NEED && need->u.size <= STRETCH_SIZE_MAX * 8;
    return (event_entry){made, is_short ? need + 1 : need, is_short ? need->u.size : 0};
}

/* ---- Programs of event classes ---- */

/* Whether the request may want the fields of the class's events. Events of Stele's writer have
   their names in fields, so the class does not decide. */
static bool event_passes(builder *b, const ctf_event_class *event)
{
    screen *asked = b->programs->screen;
    uint16_t category;
    stele_name name;
    /* Without a screen, everything passes. */
    if (asked == NULL || (b->programs->columns & DECODE_MARKS) != 0)
        return true;
    /* The screen compares with the name and the category that the events will have. */
    name = event_name(b, event->name, &category);
    return screen_passes(asked, STELE_KIND_INSTANT, category, name);
}

/* Compiles the fields of an event class. Returns NULL if out of memory. */
static program *compile_fields(builder *b, const ctf_event_class *event, bool is_wanted)
{
    const stream_programs *own = &b->programs->streams[b->stream->number];
    target_walk *walk = &b->programs->walk;
    /* The walk finds the fields that others refer to, in the order of the scopes. */
    target_walk_begin(walk, b->stream->number, event);
    if (!target_walk_scope(walk, CTF_SCOPE_COMMON_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_SPECIFIC_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_PAYLOAD))
        return NULL;
    /* The program continues the header's, so it begins with the header's knowledge of the
       position. */
    b->phase = own->phase;
    b->has_event_size = own->has_event_size;
    b->has_loops = own->header_has_loops;
    /* The header's entries count twice: for this event, and for the next one, whose header is read
       before its class, and so its room, is known. */
    b->entries = own->header_entries * 2;
    b->is_wanted = is_wanted;
    emit_scope(b, CTF_SCOPE_COMMON_CONTEXT, "stream.event.context", STELE_HINT_CONTEXT);
    if (b->is_wanted)
        emit_marks_begin(b, event);
    emit_scope(b, CTF_SCOPE_SPECIFIC_CONTEXT, "event.context", STELE_HINT_CONTEXT);
    /* Both contexts are compiled now, and the stretch with their numbers may still be open. */
    emit_thread(b);
    emit_about(b, event);
    marks_pass(&b->marks, MARK_PAYLOAD);
    emit_scope(b, CTF_SCOPE_PAYLOAD, NULL, 0);
    if (b->has_event_size) {
        build_close(b);
        build_op(b, OP_PAYLOAD_END);
    }
    return builder_finish(b, !is_usual(b) ? OP_DONE_ANY : b->has_loops ? OP_DONE_LOOPS : OP_DONE);
}

/* Traces can have half a million event classes with some hundred different sets of fields: programs
   of equal fields are compiled once and copied. */
#define PATTERNS 1024u
/* In bytes; a larger program is compiled for each of its classes. */
#define PATTERN_SIZE_MAX 2048u

typedef struct pattern {
    /* The classes of the fields and the stream, which identify the pattern. */
    const ctf_class *context, *payload;
    program *made; /* program without name and category of an event; NULL if there is none yet */
    uint32_t stream;
} pattern;

/* Returns the slot of the program for the fields of an event class, or NULL if it is not worth
   keeping: the stream has few classes, or the program depends on more than the fields' classes. */
static pattern *pattern_of(builder *b, const ctf_event_class *event)
{
    ctf_programs *programs = b->programs;
    /* Classes that are alike are one (class_pool.h), so their addresses identify them. */
    const uint64_t hash = hash_u64(hash_u64((uint64_t)(uintptr_t)event->payload) ^
                                   (uint64_t)(uintptr_t)event->context ^ b->stream->number);
    /* Raw fields tell the class's own name and levels, and marks depend on each class. */
    if (b->stream->event_count < PATTERNS || wants_raw(b) || programs->mark_count != 0)
        return NULL;
    if (programs->patterns == NULL) {
        programs->patterns = arena_take(&programs->memory, PATTERNS * sizeof *programs->patterns);
        if (programs->patterns == NULL)
            return NULL;
        /* An empty slot has no program. */
        memset(programs->patterns, 0, PATTERNS * sizeof *programs->patterns);
    }
    return &programs->patterns[hash % PATTERNS];
}

/* Copies a program that owns no memory besides its own block. */
static program *program_copy(const program *p)
{
    program *copy = malloc(p->size);
    if (copy != NULL)
        memcpy(copy, p, p->size);
    return copy;
}

/* Keeps a copy of the program, replacing the one in the slot, if it is small and neither owns
   memory in an arena nor has names of a batch: both could not be copied. */
static void pattern_keep(ctf_programs *programs, pattern *kept, const program *made,
                         const pattern *key)
{
    program *room = kept->made;
    /* The block of a slot is reused for each program that it gets, so all blocks have the same
       size. */
    if (made->size > PATTERN_SIZE_MAX || made->memory.size != 0 || made->has_local_names)
        return;
    if (room == NULL)
        room = arena_take(&programs->memory, PATTERN_SIZE_MAX);
    if (room == NULL)
        return;
    memcpy(room, made, made->size);
    *kept = *key;
    kept->made = room;
}

program *compile_event(ctf_programs *programs, uint32_t stream, const ctf_event_class *event,
                       stele_batch *batch)
{
    const pattern key = {.context = event->context, .payload = event->payload, .stream = stream};
    pattern *kept;
    program *made;
    uint16_t category;
    bool passes;
    builder b;
    builder_open(&b, programs, stream, batch);
    /* An event that the request cannot want is compiled without its fields, since the program must
       still find its end. */
    passes = event_passes(&b, event);
    kept = passes ? pattern_of(&b, event) : NULL;
    if (kept != NULL && kept->made != NULL && kept->context == key.context &&
        kept->payload == key.payload && kept->stream == stream) {
        /* A copy differs only in what is set below: event, name, category. */
        made = program_copy(kept->made);
    } else {
        made = compile_fields(&b, event, passes && (programs->columns & STELE_COLUMN_FIELDS) != 0);
        if (made != NULL && kept != NULL)
            pattern_keep(programs, kept, made, &key);
    }
    if (made == NULL)
        return NULL;
    /* What follows belongs to this class alone, and is set in copies as well. */
    made->event = event;
    made->name = event_name(&b, event->name, &category);
    made->rest = event_rest(0, category, 0, STELE_KIND_INSTANT, 0);
    made->has_local_names = b.has_local_names;
    /* Only now is it known whether the names could be made. */
    if (b.is_exhausted) {
        program_free(made);
        return NULL;
    }
    return made;
}
