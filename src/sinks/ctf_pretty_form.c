/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/ctf_pretty_form.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/load.h"
#include "sinks/six.h"

#define PIECES_MAX 128u /* most pieces of a form; the rest of an event is written without one */
#define NEST_MAX   64u  /* most entries of a structure whose members become pieces */

typedef enum piece_op {
    OP_SKIP, /* an entry that is not shown */
    OP_OPEN, /* a structure whose members follow */
    OP_UINT,
    OP_INT,
    OP_HEX,
    OP_REAL,
    OP_STRING,
    OP_VALUE, /* any value, decided when it is written */
    OP_REST,  /* the members that are left */
    OP_END
} piece_op;

/* A piece of a form: a text, and the entry whose value comes after it. */
typedef struct piece {
    uint64_t shape, shape_mask; /* value and mask of the entry's first 8 bytes, which must match */
    uint64_t value, value_mask; /* value and mask of its second 8 bytes, which must match */
    uint32_t text, text_size;   /* offset and size in the form's text */
    uint8_t op;
    uint8_t step; /* how many entries the value has; 0: its own length */
    bool has_names;
} piece;

struct pretty_form {
    size_t size; /* bytes of the whole form */
    stele_name name;
    uint16_t category;
    uint8_t after;
    uint32_t head_size; /* bytes of `text`, after the pieces in memory, before the packet context */
    const char *text;
    piece pieces[];
};

/* ---- Matching of events ---- */

static uint64_t shape_of(const stele_field *field)
{
    return load_native64(field);
}

static uint64_t value_of(const stele_field *field)
{
    return field->u.u;
}

_Static_assert(sizeof(stele_field) == 16 && offsetof(stele_field, u) == 8,
               "an entry is its shape and its value");

/* The bits of an entry that must be equal for its value to be written between the same texts. */
static uint64_t place_mask(void)
{
    return shape_of(
        &(stele_field){.name = UINT32_MAX, .hint = STELE_HINT_RAW | STELE_HINT_CONTEXT});
}

/*
 * Makes a piece show any type, if only the type of the value has changed. Returns false otherwise.
 */
static bool piece_widen(piece *p, const stele_field *at)
{
    if (p->op < OP_UINT || p->op > OP_STRING || ((shape_of(at) ^ p->shape) & place_mask()) != 0)
        return false;
    if (p->op == OP_HEX)
        p->text_size -= 2; /* OP_VALUE writes the "0x" itself */
    p->op = OP_VALUE;
    p->shape_mask = place_mask();
    p->step = 0;
    return true;
}

static bool form_fits(pretty_form *form, const stele_field *at, const stele_field *end)
{
    for (piece *p = form->pieces; p->op != OP_END; p++) {
        if (p->op == OP_REST)
            return true;
        if (at >= end)
            return false;
        if ((((shape_of(at) ^ p->shape) & p->shape_mask) |
             ((value_of(at) ^ p->value) & p->value_mask)) != 0 &&
            !piece_widen(p, at))
            return false;
        at += p->step != 0 ? p->step : stele_field_length(at);
    }
    return at == end;
}

/* ---- Making of a form: pieces ---- */

typedef struct builder {
    pretty_forms *forms;
    output *text;
    uint64_t text_at; /* where the text of the next piece begins */
    unsigned after;   /* PRETTY_AFTER_... */
    bool has_local;   /* some name is known in one batch only */
    uint32_t count;
    /* also room for structures that begin before PIECES_MAX and go beyond */
    piece pieces[3 * PIECES_MAX];
    const stele_field *about[PRETTY_ABOUT_COUNT];
} builder;

static piece *build_piece(builder *b, piece_op op, const stele_field *at)
{
    piece *made = &b->pieces[b->count++];
    const uint64_t text_end = output_offset(b->text);
    *made = (piece){.op = (uint8_t)op,
                    .text = (uint32_t)b->text_at,
                    .text_size = (uint32_t)(text_end - b->text_at)};
    b->text_at = text_end;
    if (at != NULL) {
        b->has_local |= (at->name & STELE_NAME_LOCAL) != 0;
        made->shape = shape_of(at);
        made->shape_mask = op == OP_VALUE ? place_mask() : UINT64_MAX;
        made->step = op != OP_VALUE && op != OP_SKIP;
    }
    return made;
}

static piece_op value_op(const builder *b, const stele_field *at)
{
    const unsigned base = at->hint & STELE_HINT_BASE_MASK;
    if (at->label_count != 0 || b->forms->values->colors.end.size != 0 ||
        (at->hint & (STELE_HINT_ENUM | STELE_HINT_OPTIONAL)) != 0)
        return OP_VALUE;
    switch (at->type) {
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT:
        return base == STELE_HINT_HEX       ? OP_HEX
               : base != 0                  ? OP_VALUE
               : at->type == STELE_TYPE_INT ? OP_INT
                                            : OP_UINT;
    case STELE_TYPE_FLOAT: return OP_REAL;
    case STELE_TYPE_STRING: return OP_STRING;
    default: return OP_VALUE;
    }
}

static void build_members(builder *b, const stele_field *at, const stele_field *end, bool has_names,
                          bool is_nested);

static void build_value(builder *b, const stele_field *at, bool has_names)
{
    piece *made;
    if (at->type == STELE_TYPE_STRUCT && at->u.run.length <= NEST_MAX &&
        (at->hint & STELE_HINT_OPTIONAL) == 0) {
        static const stele_field counted = {.u.run.count = UINT32_MAX};
        OUTPUT_LITERAL(b->text, "{");
        made = build_piece(b, OP_OPEN, at);
        made->value = value_of(at);
        made->value_mask = value_of(&counted);
        build_members(b, at + 1, at + 1 + at->u.run.length, has_names, true);
        OUTPUT_LITERAL(b->text, " }");
        return;
    }
    if (value_op(b, at) == OP_HEX)
        OUTPUT_LITERAL(b->text, "0x");
    made = build_piece(b, value_op(b, at), at);
    made->has_names = has_names;
    if (made->op == OP_HEX)
        made->value = pretty_hex_bits(at);
}

static void build_members(builder *b, const stele_field *at, const stele_field *end, bool has_names,
                          bool is_nested)
{
    uint64_t count = 0;
    for (; at < end; at += stele_field_length(at)) {
        if (b->count >= PIECES_MAX && !is_nested) {
            piece *rest = build_piece(b, OP_REST, NULL);
            rest->has_names = has_names;
            rest->value = count;
            return;
        }
        if (!pretty_is_shown(at)) {
            build_piece(b, OP_SKIP, at);
            continue;
        }
        output_put(b->text, ", ", count != 0 ? 2 : 0);
        if (count++ == 0)
            OUTPUT_LITERAL(b->text, " ");
        if (has_names)
            name_forms_put(&b->forms->values->keys, b->text, b->forms->values->batch, at->name);
        build_value(b, at, has_names);
    }
}

/* ---- Making of a form: head and scopes ---- */

void pretty_add_key(const pretty_forms *forms, output *out, const char *key)
{
    const pretty_colors *colors = &forms->values->colors;
    output_put(out, colors->key.bytes, colors->key.size);
    output_text(out, key);
    output_put(out, colors->end.bytes, colors->end.size);
    OUTPUT_LITERAL(out, " = ");
}

void pretty_add_item(const pretty_forms *forms, output *out, const char *key, unsigned *after)
{
    if ((*after & PRETTY_AFTER_TIME) != 0)
        OUTPUT_LITERAL(out, ", ");
    if ((forms->names & STELE_PRETTY_NAME_HEADER) != 0)
        pretty_add_key(forms, out, key);
    else if ((*after & PRETTY_AFTER_ENV) != 0)
        output_byte(out, ':');
    *after |= PRETTY_AFTER_ENV;
}

static stele_text name_text(const builder *b, stele_name name)
{
    stele_text text = stele_name_text(b->forms->values->context, b->forms->values->batch, name);
    const char *zero = text.size != 0 ? memchr(text.bytes, 0, text.size) : NULL;
    if (zero != NULL)
        text.size = (uint32_t)(zero - text.bytes); /* babeltrace2 ends texts at a zero */
    return text;
}

static stele_text field_text(const builder *b, const stele_field *field)
{
    return stele_field_text(b->forms->values->context, b->forms->values->batch, field);
}

static void build_color(builder *b, stele_text color)
{
    output_put(b->text, color.bytes, color.size);
}

/* Names come from the trace: what they hold of control characters is shown, not obeyed. */
static void build_text(builder *b, stele_text text)
{
    text_visible(b->text, text.bytes, text.size);
}

static void build_name(builder *b, const stele_event *event)
{
    const pretty_colors *colors = &b->forms->values->colors;
    const stele_text name = name_text(b, event->name);
    const stele_text category =
        name_text(b, stele_category_name(b->forms->values->context, event->category));
    b->has_local |= (event->name & STELE_NAME_LOCAL) != 0;
    build_color(b, name.size != 0 ? colors->event : colors->unknown);
    if (category.size != 0) {
        build_text(b, category);
        output_byte(b->text, ':');
    }
    if (name.size != 0)
        build_text(b, name);
    else
        OUTPUT_LITERAL(b->text, "<unknown>");
    build_color(b, colors->end);
}

static void build_head(builder *b, const stele_event *event)
{
    const pretty_forms *forms = b->forms;
    const bool has_names = (forms->names & STELE_PRETTY_NAME_HEADER) != 0;
    const stele_field *level = b->about[PRETTY_ABOUT_LOG_LEVEL];
    const stele_field *uri = b->about[PRETTY_ABOUT_EMF_URI];
    if (level != NULL) {
        pretty_add_item(forms, b->text, "loglevel", &b->after);
        build_text(b, field_text(b, level + 1));
        output_printf(b->text, " (%lld)", (long long)level->u.i);
    }
    if (uri != NULL) {
        pretty_add_item(forms, b->text, "model.emf.uri", &b->after);
        build_text(b, field_text(b, uri));
    }
    if ((b->after & PRETTY_AFTER_ENV) != 0 && !has_names)
        output_byte(b->text, ' ');
    if ((b->after & PRETTY_AFTER_TIME) != 0)
        OUTPUT_LITERAL(b->text, ", ");
    if (has_names)
        pretty_add_key(forms, b->text, "name");
    build_name(b, event);
    output_put(b->text, has_names ? ", " : ": ", 2);
}

static void build_scope(builder *b, const char *name)
{
    if ((b->after & PRETTY_AFTER_PACKET) != 0)
        OUTPUT_LITERAL(b->text, ", ");
    b->after |= PRETTY_AFTER_PACKET;
    if ((b->forms->names & STELE_PRETTY_NAME_SCOPE) != 0)
        pretty_add_key(b->forms, b->text, name);
}

/* ---- Making of a form: the whole ---- */

/* Finds the entries before the payload by name. Returns where the payload begins. */
static const stele_field *take_about(builder *b, const stele_field *at, const stele_field *end)
{
    static const uint8_t types[PRETTY_ABOUT_COUNT] = {
        STELE_TYPE_INT, STELE_TYPE_NAME, STELE_TYPE_STRUCT, STELE_TYPE_STRUCT, STELE_TYPE_NULL};
    memset(b->about, 0, sizeof b->about);
    for (uint32_t count = 0; at < end && !pretty_is_shown(at) && count < PIECES_MAX; count++) {
        for (size_t i = 0; i < PRETTY_ABOUT_COUNT; i++) {
            if (at->name == b->forms->about[i] && at->type == types[i])
                b->about[i] = at;
        }
        at += stele_field_length(at);
    }
    if ((b->forms->fields & STELE_PRETTY_FIELD_LOG_LEVEL) == 0 ||
        (b->about[PRETTY_ABOUT_LOG_LEVEL] != NULL &&
         b->about[PRETTY_ABOUT_LOG_LEVEL]->label_count == 0))
        b->about[PRETTY_ABOUT_LOG_LEVEL] = NULL;
    if ((b->forms->fields & STELE_PRETTY_FIELD_EMF) == 0)
        b->about[PRETTY_ABOUT_EMF_URI] = NULL;
    return at;
}

/* Makes pieces of the entries before the payload. */
static void build_about(builder *b, const stele_field *at, const stele_field *payload)
{
    const bool has_names = (b->forms->names & STELE_PRETTY_NAME_CONTEXT) != 0;
    for (; at < payload; at += stele_field_length(at)) {
        const bool is_common = at == b->about[PRETTY_ABOUT_COMMON_CONTEXT];
        if (is_common || at == b->about[PRETTY_ABOUT_SPECIFIC_CONTEXT]) {
            build_scope(b, is_common ? "stream.event.context" : "event.context");
            build_value(b, at, has_names);
        } else {
            piece *made = build_piece(b, OP_SKIP, at);
            if (at == b->about[PRETTY_ABOUT_LOG_LEVEL] || at == b->about[PRETTY_ABOUT_EMF_URI]) {
                /* the head of the form contains the value, so it must be equal */
                made->value = value_of(at);
                made->value_mask = UINT64_MAX;
                b->has_local |= (made->value & STELE_NAME_LOCAL) != 0;
            }
        }
    }
}

static void build_all(builder *b, const stele_event *event, const stele_field *at,
                      const stele_field *end)
{
    const stele_field *payload = take_about(b, at, end);
    build_head(b, event);
    b->text_at = output_offset(b->text);
    build_about(b, at, payload);
    if (b->about[PRETTY_ABOUT_PAYLOAD] != NULL || payload < end) {
        build_scope(b, "event.fields");
        OUTPUT_LITERAL(b->text, "{");
        build_members(b, payload, end, (b->forms->names & STELE_PRETTY_NAME_PAYLOAD) != 0, false);
        OUTPUT_LITERAL(b->text, " }");
    }
    output_byte(b->text, '\n');
    build_piece(b, OP_END, NULL);
}

static pretty_form *form_make(pretty_forms *forms, const stele_event *event, const stele_field *at,
                              const stele_field *end, unsigned after, bool *has_local)
{
    output *text = forms->scratch;
    pretty_form *form;
    size_t pieces_size, text_size, size;
    uint8_t *bytes;
    builder b;
    text->at = text->buffer;
    b.forms = forms;
    b.text = text;
    b.after = after;
    b.has_local = false;
    b.count = 0;
    build_all(&b, event, at, end);
    pieces_size = b.count * sizeof *b.pieces;
    text_size = (size_t)output_offset(text);
    size = sizeof *form + pieces_size + text_size + PRETTY_CHUNK;
    form = text->status == STELE_OK ? malloc(size) : NULL;
    if (form == NULL)
        return NULL;
    *form = (pretty_form){
        .size = size, .name = event->name, .category = event->category, .after = (uint8_t)after};
    memcpy(form->pieces, b.pieces, pieces_size);
    bytes = (uint8_t *)form->pieces + pieces_size;
    memcpy(bytes, text->buffer, text_size);
    memset(bytes + text_size, 0, PRETTY_CHUNK);
    form->text = (const char *)bytes;
    form->head_size = form->pieces[0].text;
    *has_local = b.has_local;
    return form;
}

static void form_drop(pretty_forms *forms, pretty_form **form)
{
    if (*form != NULL)
        forms->size -= (*form)->size;
    free(*form);
    *form = NULL;
}

static void drop_all(pretty_forms *forms)
{
    for (size_t i = 0; i < PRETTY_FORM_SETS; i++) {
        for (size_t way = 0; way < PRETTY_FORM_WAYS; way++)
            form_drop(forms, &forms->sets[i][way]);
    }
}

/* Puts a form first in its set, in place of the oldest one. */
static void form_keep(pretty_forms *forms, pretty_form **set, pretty_form *made)
{
    if (forms->size + made->size > PRETTY_FORMS_MAX)
        drop_all(forms);
    form_drop(forms, &set[PRETTY_FORM_WAYS - 1]);
    memmove(set + 1, set, (PRETTY_FORM_WAYS - 1) * sizeof *set);
    set[0] = made;
    forms->size += made->size;
}

const pretty_form *pretty_form_find(pretty_forms *forms, const stele_event *event, unsigned after)
{
    const uint32_t hash = (event->name ^ (uint32_t)event->category << 20) * 2654435761u;
    pretty_form **set = forms->sets[hash >> 16 & (PRETTY_FORM_SETS - 1)], *made;
    uint32_t first;
    const uint32_t count = stele_event_fields(forms->values->batch, event, &first);
    const stele_field *at = forms->values->batch->fields + first, *end = at + count;
    bool has_local;
    for (unsigned way = 0; way < PRETTY_FORM_WAYS; way++) {
        pretty_form *form = set[way];
        if (form != NULL && form->name == event->name && form->category == event->category &&
            form->after == after && form_fits(form, at, end))
            return form;
    }
    made = form_make(forms, event, at, end, after, &has_local);
    if (made == NULL)
        return NULL;
    if (has_local) {
        free(forms->passing);
        return forms->passing = made;
    }
    form_keep(forms, set, made);
    return made;
}

/* ---- Writing ---- */

char *pretty_form_put_head(const pretty_form *form, output *out, char *to)
{
    return pretty_put_chunks(out, to, form->text, form->head_size);
}

char *pretty_form_put_fields(const pretty_form *form, pretty_values *values, char *to,
                             const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(values->batch, event, &first);
    const stele_field *at = values->batch->fields + first, *end = at + count;
    for (const piece *p = form->pieces;; p++) {
        to = pretty_put_chunks(values->out, to, form->text + p->text, p->text_size);
        switch ((piece_op)p->op) {
        case OP_SKIP:
        case OP_OPEN: break;
        case OP_UINT: to = text_u64(to, at->u.u); break;
        case OP_INT: to = text_i64(to, at->u.i); break;
        case OP_HEX: to = text_hex_upper(to, at->u.u & p->value); break;
        case OP_REAL: to = six_put(to, at->u.f); break;
        case OP_STRING:
            to =
                pretty_put_string(values, to, stele_field_text(values->context, values->batch, at));
            break;
        case OP_VALUE: to = pretty_put_value(values, to, at, p->has_names); break;
        case OP_REST:
            to = pretty_put_members(values, to, at, end, (size_t)p->value, p->has_names);
            at = end;
            continue;
        case OP_END: return to;
        }
        at += p->step != 0 ? p->step : stele_field_length(at);
    }
}

/* ---- Making and freeing ---- */

stele_status pretty_forms_init(pretty_forms *forms, pretty_values *values,
                               const stele_pretty_options *options)
{
    static const char *const names[PRETTY_ABOUT_COUNT] = {
        "loglevel", "model.emf.uri", "stream.event.context", "event.context", "event.fields"};
    forms->values = values;
    forms->fields = options->fields;
    forms->names = options->names;
    for (size_t i = 0; i < PRETTY_ABOUT_COUNT; i++) {
        forms->about[i] = context_own_name(values->context, names[i]);
        if (forms->about[i] == UINT32_MAX)
            return STELE_ERR_MEMORY;
    }
    return output_open_memory(&values->context->diag, &forms->scratch);
}

void pretty_forms_free(pretty_forms *forms)
{
    drop_all(forms);
    free(forms->passing);
    output_close(forms->scratch);
}
