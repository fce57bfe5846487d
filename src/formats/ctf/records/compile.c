/* SPDX-License-Identifier: Apache-2.0 */
/* Classes to programs. See program.h. */
#include <stdlib.h>

#include "core/hash.h"
#include "formats/ctf/records/emit.h"
#include "formats/ctf/schema/marks.h"

static void builder_open(builder *b, ctf_programs *programs, uint32_t stream, stele_batch *batch)
{
    const struct ctf_targets *targets = programs->schema->targets;
    *b = (builder){.programs = programs,
                   .batch = batch,
                   .phase = {1, 0},
                   .need = OP_NONE,
                   .also_slot = SLOT_NONE,
                   .is_mixed = targets->has_big && targets->has_little};
    if (stream < programs->schema->stream_count)
        b->stream = programs->schema->streams[stream];
}
/* Ends the program; NULL if out of memory. */
static program *builder_finish(builder *b, op_code last)
{
    const target_walk *walk = &b->programs->walk;
    const size_t size = sizeof(program) + (b->count + 1) * sizeof(op);
    program *made = NULL;
    uint32_t *picks = NULL;
    build_close(b);
    build_op(b, last);
    if (walk->pick_count != 0)
        picks = build_take(b, walk->pick_count, sizeof *picks);
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
                      .entries = b->entries + 1,
                      .depth = b->depth,
                      .slots = walk->slot_count,
                      .count = b->count,
                      .size = size + b->memory.size,
                      .picks = picks,
                      .memory = b->memory};
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

static ctf_text static_text(const char *text)
{
    return (ctf_text){text, (uint32_t)strlen(text)};
}

/* Whether only some fields of events are wanted. What Stele wrote has some that say more than their
   names. */
static bool chooses_fields(const builder *b)
{
    return b->programs->fields != NULL && !wants_raw(b) &&
           (b->programs->columns & DECODE_MARKS) == 0;
}

/* A scope that becomes one structure beside the payload. */
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
    b->context = scope == CTF_SCOPE_COMMON_CONTEXT || scope == CTF_SCOPE_SPECIFIC_CONTEXT
                     ? (b->programs->columns & STELE_COLUMN_TRACK) != 0 ? root : NULL
                     : NULL;
    if (name != NULL && b->is_wanted) {
        emit_struct(b, root, build_name(b, static_text(name)), STELE_TYPE_STRUCT, hint, node);
        return;
    }
    build_step(b, root->alignment, 0);
    if (scope == CTF_SCOPE_PAYLOAD && b->has_event_size) {
        build_close(b);
        build_joint(b, JOINT_PAYLOAD, 0, 0, NULL);
        build_op(b, OP_PAYLOAD);
    }
    emit_members(b, root, node);
}

/* Whether a packet context has more than what places the packet. */
static bool context_has_more(const ctf_class *context)
{
    for (uint32_t i = 0; context != NULL && i < context->u.structure.count; i++)
        if (!is_placing(context->u.structure.members[i].type))
            return true;
    return false;
}

program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch)
{
    const bool is_context = scope == CTF_SCOPE_PACKET_CONTEXT;
    builder b;
    target_walk_begin(&programs->walk, stream, NULL);
    if (!target_walk_scope(&programs->walk, scope))
        return NULL;
    builder_open(&b, programs, is_context ? stream : UINT32_MAX, batch);
    b.is_wanted = (programs->columns & STELE_COLUMN_CONTEXT) != 0 &&
                  (wants_raw(&b) || (is_context && context_has_more(b.stream->packet_context)));
    emit_scope(&b, scope, is_context ? "stream.packet.context" : "trace.packet.header",
               STELE_HINT_CONTEXT);
    return builder_finish(&b, OP_END);
}

/* Whether there is more in an event header than the id and times, which every event has. */
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
    build_joint(&b, JOINT_EVENT, 0, 0, NULL);
    if (header == NULL || wants_joints(&b) || !build_either(&b, header)) {
        build_op(&b, OP_KEEP);
        b.is_wanted = (programs->columns & STELE_COLUMN_RAW) != 0 && header != NULL &&
                      header_has_more(header);
        emit_scope(&b, CTF_SCOPE_EVENT_HEADER, "stream.event.header",
                   STELE_HINT_CONTEXT | STELE_HINT_RAW);
    }
    build_close(&b);
    build_joint(&b, JOINT_HEADER_END, 0, 0, NULL);
    own->phase = b.phase;
    own->has_event_size = b.has_event_size;
    own->header_entries = b.entries;
    own->header_has_loops = b.has_loops;
    return builder_finish(&b, OP_DISPATCH);
}

/* "provider:event": the provider is the category. */
static stele_name event_name(builder *b, ctf_text name, uint16_t *category)
{
    const char *colon = name.size != 0 ? memchr(name.bytes, ':', name.size) : NULL;
    const uint32_t size = colon != NULL ? (uint32_t)(colon - name.bytes) : 0;
    uint16_t provider = 0;
    if (size != 0 && size + 1 < name.size) {
        const stele_name before = build_name(b, (ctf_text){name.bytes, size});
        if ((before & STELE_NAME_LOCAL) == 0)
            provider = stele_category_intern(b->programs->context, before);
        b->is_exhausted |= provider == 0 && (before & STELE_NAME_LOCAL) == 0 &&
                           b->programs->context->category_count <= CONTEXT_CATEGORIES_MAX;
    }
    if (provider != 0)
        name = (ctf_text){name.bytes + size + 1, name.size - size - 1};
    *category = provider;
    return build_name(b, name);
}

static void emit_raw(builder *b, const char *name, stele_type type, unsigned hint, uint64_t value,
                     bool has_label)
{
    const stele_field field = {.name = build_name(b, static_text(name)),
                               .type = (uint8_t)type,
                               .hint = (uint8_t)(hint | STELE_HINT_RAW),
                               .label_count = has_label};
    op *at = build_op(b, OP_ENTRY);
    at->head = load_native64(&field);
    at->u.size = value;
    b->entries++;
}

/* What the event class says besides its fields, for those who want it raw. */
static void emit_about(builder *b, const ctf_event_class *event)
{
    static const char *const levels[] = {
        "TRACE_EMERG",          "TRACE_ALERT",         "TRACE_CRIT",         "TRACE_ERR",
        "TRACE_WARNING",        "TRACE_NOTICE",        "TRACE_INFO",         "TRACE_DEBUG_SYSTEM",
        "TRACE_DEBUG_PROGRAM",  "TRACE_DEBUG_PROCESS", "TRACE_DEBUG_MODULE", "TRACE_DEBUG_UNIT",
        "TRACE_DEBUG_FUNCTION", "TRACE_DEBUG_LINE",    "TRACE_DEBUG"};
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

/* An entry may have so many labels. */
#define ENTRIES_FEW (STELE_FIELDS_MANY / (RANGE_HITS_MAX + 1))

/* See OP_DONE. */
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

/* A stretch is stepped over if it is of no more than STRETCH_SIZE_MAX and nothing is to be done
   before it. */
event_entry event_entry_make(program *made)
{
    const op *const need = &made->ops[0];
    const bool is_short = need->code == OP_NEED && need->u.size <= STRETCH_SIZE_MAX * 8;
    return (event_entry){made, is_short ? need + 1 : need, is_short ? need->u.size : 0};
}

/* ---- Event classes ---- */

/* Whether somebody may look at the fields of its events. Of those that Stele wrote, the names are
   among the fields. */
static bool event_passes(builder *b, const ctf_event_class *event)
{
    screen *asked = b->programs->screen;
    uint16_t category;
    stele_name name;
    if (asked == NULL || (b->programs->columns & DECODE_MARKS) != 0)
        return true;
    name = event_name(b, event->name, &category);
    return screen_passes(asked, STELE_KIND_INSTANT, category, name);
}

/* The fields of an event class; NULL if out of memory. */
static program *compile_fields(builder *b, const ctf_event_class *event, bool is_wanted)
{
    const stream_programs *own = &b->programs->streams[b->stream->number];
    target_walk *walk = &b->programs->walk;
    target_walk_begin(walk, b->stream->number, event);
    if (!target_walk_scope(walk, CTF_SCOPE_COMMON_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_SPECIFIC_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_PAYLOAD))
        return NULL;
    b->phase = own->phase;
    b->has_event_size = own->has_event_size;
    b->has_loops = own->header_has_loops;
    b->entries = own->header_entries * 2;
    b->is_wanted = is_wanted;
    emit_scope(b, CTF_SCOPE_COMMON_CONTEXT, "stream.event.context", STELE_HINT_CONTEXT);
    if (b->is_wanted)
        emit_marks_begin(b, event);
    emit_scope(b, CTF_SCOPE_SPECIFIC_CONTEXT, "event.context", STELE_HINT_CONTEXT);
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

/* Half a million event classes have some hundred kinds of fields: those of one kind are compiled
   once. */
#define PATTERNS         1024u
#define PATTERN_SIZE_MAX 2048u

typedef struct pattern {
    const ctf_class *context, *payload;
    program *made; /* without the event's name; NULL: none yet */
    uint32_t stream;
} pattern;

/* Where the fields' program is kept; NULL: it cannot be. */
static pattern *pattern_of(builder *b, const ctf_event_class *event)
{
    ctf_programs *programs = b->programs;
    const uint64_t hash = hash_u64(hash_u64((uint64_t)(uintptr_t)event->payload) ^
                                   (uint64_t)(uintptr_t)event->context ^ b->stream->number);
    if (b->stream->event_count < PATTERNS || wants_raw(b) || programs->mark_count != 0)
        return NULL;
    if (programs->patterns == NULL) {
        programs->patterns = arena_take(&programs->memory, PATTERNS * sizeof *programs->patterns);
        if (programs->patterns == NULL)
            return NULL;
        memset(programs->patterns, 0, PATTERNS * sizeof *programs->patterns);
    }
    return &programs->patterns[hash % PATTERNS];
}

static program *program_copy(const program *p)
{
    program *copy = malloc(p->size);
    if (copy != NULL)
        memcpy(copy, p, p->size);
    return copy;
}

/* One that has memory of its own is none to copy. */
static void pattern_keep(ctf_programs *programs, pattern *kept, const program *made,
                         const pattern *key)
{
    program *room = kept->made;
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
    passes = event_passes(&b, event);
    kept = passes ? pattern_of(&b, event) : NULL;
    if (kept != NULL && kept->made != NULL && kept->context == key.context &&
        kept->payload == key.payload && kept->stream == stream) {
        made = program_copy(kept->made);
    } else {
        made = compile_fields(&b, event, passes && (programs->columns & STELE_COLUMN_FIELDS) != 0);
        if (made != NULL && kept != NULL)
            pattern_keep(programs, kept, made, &key);
    }
    if (made == NULL)
        return NULL;
    made->event = event;
    made->name = event_name(&b, event->name, &category);
    made->rest = event_rest(0, category, 0, STELE_KIND_INSTANT, 0);
    made->has_local_names = b.has_local_names;
    if (b.is_exhausted) {
        program_free(made);
        return NULL;
    }
    return made;
}
