/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernel.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lines of the description files ---- */

typedef enum line_type {
    LINE_MODEL,
    LINE_EVENT,
    LINE_KIND,
    LINE_FIELD,
    LINE_STATE,
    LINE_LABEL,
    LINE_BYTES,
    LINE_CALL
} line_type;

typedef struct line {
    const char *text; /* name of the event, field, state or label */
    uint16_t type;    /* line_type */
    uint16_t what;    /* an action, role, state or call, depending on `type` */
    uint32_t value, mask;
} line;

#define KERNEL_MODEL(name, title)              {name, LINE_MODEL, 0, 0, 0},
#define KERNEL_EVENT(action, name)             {name, LINE_EVENT, KERNEL_##action, 0, 0},
#define KERNEL_KIND(action, kind)              {"", LINE_KIND, KERNEL_##action, kind, 0},
#define KERNEL_FIELD(role, name)               {name, LINE_FIELD, KERNEL_##role, 0, 0},
#define KERNEL_STATE(mask, value, state, text) {text, LINE_STATE, KERNEL_##state, value, mask},
#define KERNEL_LABEL(action, number, text)     {text, LINE_LABEL, KERNEL_##action, number, 0},
#define KERNEL_CALL(what, call)                {call, LINE_CALL, KERNEL_CALL_##what, 0, 0},
#define KERNEL_BYTES(call)                     {call, LINE_BYTES, 0, 0, 0},
static const line lines[] = {
#include "model/kernel_models.def"
};

#define LINE_COUNT (sizeof lines / sizeof lines[0])

/* Limit of the number of description files, including 0, which stands for none. */
#define MODELS_MAX 16u

/* Limit of fits. It is more than tracers have names of events, even with two or four for each
   system call. */
#define FITTING_MAX 8192u

/* ---- Description files compiled for a context ---- */

/* A field that a rule needs. */
typedef struct wanted {
    stele_name name;
    uint8_t role;
    uint16_t at; /* index of the entry where it was last, from the event's first field */
} wanted;

/* A rule: one event of a description file. */
typedef struct rule {
    const char *name; /* of the event; "" for rules by kind */
    size_t size;      /* bytes of the name, without '*' */
    /* The name ended with '*'. */
    bool is_prefix;
    bool is_call; /* not an event: describes what a system call does */
    uint8_t action;
    uint32_t model;
    uint32_t first, count; /* range of the rule's fields in kernel.fields */
    /* The last event that was read by the rule; fields that it does not name are NULL. */
    kernel_event last;
} rule;

/* The verdict on a name of the context: which fits are its own; they are next to each other. */
typedef struct verdict {
    uint16_t first; /* index of its first fit, plus 1; 0: not judged yet */
    uint16_t count; /* number of fits; 0: no rule matches the name */
} verdict;

/* A rule that matches a name. */
typedef struct fit {
    stele_name subject; /* the part of the name that '*' matched */
    uint16_t rule;
    uint16_t call; /* index of the rule of the system call, plus 1; 0: no rule describes it */
} fit;

/* The name that a description file gives to a number, such as that of a softirq. */
typedef struct label {
    stele_name text;
    uint32_t model, number;
    uint8_t action;
} label;

/* The range of state lines of one description file. */
typedef struct state_range {
    uint32_t first, count;
} state_range;

typedef struct state_line {
    stele_name text;
    uint32_t model, mask, value;
    uint8_t state;
} state_line;

struct kernel {
    /* The first member, so that kernel_read() can take a kernel for its shapes. */
    kernel_shapes shapes;
    kernel_shape other;   /* stands for shapes that are not kept */
    kernel_shape nothing; /* stands for shapes of events whose name no rule matches */
    stele_context *context;
    rule rules[LINE_COUNT];
    wanted fields[LINE_COUNT];
    state_line states[LINE_COUNT];
    state_range states_of[MODELS_MAX]; /* by number of the description file */
    uint32_t rule_count, field_count, state_count;
    /* Index of the rule for events of a kind, plus 1; 0: the rule is found by name. */
    uint16_t by_kind[STELE_KIND_COUNT];
    verdict *verdicts; /* by number of the name */
    uint32_t verdict_count;
    fit fitting[FITTING_MAX]; /* rules that match the names that were judged */
    uint32_t fitting_count;
    label labels[LINE_COUNT];
    uint32_t label_count;
    const char *field_texts[LINE_COUNT + 1]; /* of all fields, each once: see kernel_fields() */
    stele_name field_names[LINE_COUNT + 1];
    size_t field_text_count, thread_field_count;
    stele_name movers[LINE_COUNT]; /* system calls that return how many bytes they moved */
    uint32_t mover_count;
    uint64_t
        mover_bits; /* a bit for each of them, by its lowest bits: most other names have none */
};

/* Frees a shape, unless it stands for none. */
static void shape_free(const kernel *k, kernel_shape *s)
{
    if (s != &k->other && s != &k->nothing)
        free(s);
}

static void add_event(kernel *k, const line *l, uint32_t model)
{
    rule *r = &k->rules[k->rule_count++];
    *r = (rule){.name = l->text,
                .size = strlen(l->text),
                .action = (uint8_t)l->what,
                .model = model,
                .first = k->field_count};
    if (l->type == LINE_CALL) {
        r->action = KERNEL_BEGIN_CALL;
        r->last.call = (kernel_call)l->what;
        r->is_call = true;
    }
    r->is_prefix = r->size != 0 && l->text[r->size - 1] == '*';
    r->size -= r->is_prefix;
    if (l->type == LINE_KIND) {
        k->by_kind[l->value] = (uint16_t)k->rule_count;
        k->shapes.kinds |= 1u << l->value;
    }
}

/* Finds the labels of each rule's action; labels of one action are next to each other. */
static void find_labels(kernel *k)
{
    for (rule *r = k->rules; r != k->rules + k->rule_count; r++) {
        r->last.action = (kernel_action)r->action;
        r->last.model = r->model;
        for (uint32_t i = 0; i < k->label_count; i++) {
            if (k->labels[i].model != r->model || k->labels[i].action != r->action)
                continue;
            if (r->last.label_count++ == 0)
                r->last.label_first = i;
        }
    }
}

static void list_field(kernel *k, stele_name name)
{
    for (size_t i = 0; i < k->field_text_count; i++)
        if (k->field_names[i] == name)
            return;
    k->field_names[k->field_text_count] = name;
    k->field_texts[k->field_text_count++] = stele_name_text(k->context, NULL, name).bytes;
}

/* Whether a field says something of threads and CPUs. The first field of a rule is always one: it
   says whether an event fits the rule. */
static bool is_of_thread(const rule *r, const wanted *w, bool is_first)
{
    if (r->is_call)
        return false;
    return is_first || r->action == KERNEL_SWITCH || r->action == KERNEL_WAKE ||
           r->action == KERNEL_NAME || w->role == KERNEL_THREAD || w->role == KERNEL_PROCESS ||
           w->role == KERNEL_CPU;
}

/* Lists the fields of all rules: first those that say something of threads and CPUs. */
static void list_fields(kernel *k)
{
    list_field(k, context_own_name(k->context, KERNEL_CPU_FIELD));
    for (unsigned pass = 0; pass < 2; pass++) {
        for (const rule *r = k->rules; r != k->rules + k->rule_count; r++) {
            const wanted *w = &k->fields[r->first];
            for (uint32_t i = 0; i < r->count; i++, w++)
                if (pass == 1 || is_of_thread(r, w, i == 0))
                    list_field(k, w->name);
        }
        if (pass == 0)
            k->thread_field_count = k->field_text_count;
    }
}

/* Returns false if out of memory. */
static bool compile(kernel *k)
{
    uint32_t model = 0;
    for (const line *l = lines; l != lines + LINE_COUNT; l++) {
        const stele_name name = context_own_name(k->context, l->text);
        if (name == UINT32_MAX)
            return false;
        switch ((line_type)l->type) {
        case LINE_MODEL:
            if (++model == MODELS_MAX)
                return false;
            break;
        case LINE_EVENT:
        case LINE_CALL:
        case LINE_KIND: add_event(k, l, model); break;
        case LINE_FIELD:
            k->fields[k->field_count++] = (wanted){name, (uint8_t)l->what, 0};
            k->rules[k->rule_count - 1].count++;
            break;
        case LINE_STATE:
            if (k->states_of[model].count++ == 0)
                k->states_of[model].first = k->state_count;
            k->states[k->state_count++] =
                (state_line){name, model, l->mask, l->value, (uint8_t)l->what};
            break;
        case LINE_LABEL:
            k->labels[k->label_count++] = (label){name, model, l->value, (uint8_t)l->what};
            break;
        case LINE_BYTES:
            k->movers[k->mover_count++] = name;
            k->mover_bits |= UINT64_C(1) << name % 64;
            break;
        }
    }
    find_labels(k);
    list_fields(k);
    return true;
}

kernel *kernel_new(stele_context *context)
{
    kernel *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->context = context;
    k->other.count = KERNEL_SHAPE_OTHER;
    k->nothing.count = KERNEL_SHAPE_NOTHING;
    for (uint32_t i = 0; i < STELE_KIND_COUNT; i++)
        k->shapes.by_kind[i] = &k->other;
    k->shapes.by_kind[STELE_KIND_LOST] = &k->nothing;
    k->shapes.kinds = UINT32_C(1) << STELE_KIND_LOST;
    if (!compile(k)) {
        kernel_free(k);
        return NULL;
    }
    return k;
}

void kernel_free(kernel *k)
{
    if (k == NULL)
        return;
    for (uint32_t i = 0; i < k->shapes.name_count; i++)
        shape_free(k, k->shapes.by_name[i]);
    for (uint32_t i = 0; i < STELE_KIND_COUNT; i++)
        shape_free(k, k->shapes.by_kind[i]);
    free(k->shapes.by_name);
    free(k->verdicts);
    free(k);
}

/* ---- Names of events ---- */

/* A trace has as many names as classes of events, so that the room for fits only runs out when
   names are made up; later names are then taken as unknown. */
static uint16_t call_of(const kernel *k, uint32_t model, const char *name, size_t size)
{
    for (uint32_t i = 0; i < k->rule_count; i++) {
        const rule *r = &k->rules[i];
        if (r->is_call && r->model == model && r->size == size && memcmp(r->name, name, size) == 0)
            return (uint16_t)(i + 1);
    }
    return 0;
}

static void judge(kernel *k, verdict *v, stele_text name)
{
    const uint32_t first = k->fitting_count;
    *v = (verdict){.first = (uint16_t)(first + 1)};
    for (uint32_t i = 0; i < k->rule_count; i++) {
        const rule *r = &k->rules[i];
        if (r->size == 0 || r->is_call || name.size < r->size ||
            memcmp(name.bytes, r->name, r->size) != 0 || (!r->is_prefix && name.size != r->size) ||
            k->fitting_count == FITTING_MAX)
            continue;
        k->fitting[k->fitting_count] = (fit){.rule = (uint16_t)i};
        if (r->is_prefix)
            k->fitting[k->fitting_count].subject =
                stele_name_intern(k->context, name.bytes + r->size, name.size - r->size);
        if (r->is_prefix && r->action == KERNEL_BEGIN_CALL)
            k->fitting[k->fitting_count].call =
                call_of(k, r->model, name.bytes + r->size, name.size - r->size);
        if (k->fitting[k->fitting_count].subject == UINT32_MAX)
            k->fitting[k->fitting_count].subject = 0;
        k->fitting_count++;
        v->count++;
    }
}

/* Enlarges the arrays of verdicts and shapes, so that they have one of `name`. Returns false if out
   of memory. */
static bool names_reach(kernel *k, stele_name name)
{
    kernel_shapes *const shapes = &k->shapes;
    verdict *verdicts = array_reach(k->verdicts, sizeof *verdicts, &k->verdict_count, name);
    uint32_t count = shapes->name_count;
    kernel_shape **by_name;
    if (verdicts == NULL)
        return false;
    k->verdicts = verdicts;
    by_name = array_reach(shapes->by_name, sizeof *by_name, &count, name);
    if (by_name == NULL)
        return false;
    shapes->by_name = by_name;
    while (shapes->name_count < count)
        by_name[shapes->name_count++] = &k->other;
    return true;
}

/* Returns the verdict on a name, which is judged the first time. Returns NULL if out of memory, or
   if only the batch knows the name. */
static verdict *verdict_of(kernel *k, stele_name name)
{
    const bool is_known = name < k->verdict_count && name < k->shapes.name_count;
    if (!is_known && ((name & STELE_NAME_LOCAL) != 0 || !names_reach(k, name)))
        return NULL;
    if (k->verdicts[name].first == 0) {
        judge(k, &k->verdicts[name], stele_name_text(k->context, NULL, name));
        if (k->verdicts[name].count == 0)
            k->shapes.by_name[name] = &k->nothing;
    }
    return &k->verdicts[name];
}

/* ---- Fields of events ---- */

/* Finds a field by name. Returns its position plus 1, or 0 if there is none. Its last position is
   tried first. */
static uint16_t find(wanted *w, const stele_field *fields, uint32_t count)
{
    if (w->at < count && fields[w->at].name == w->name)
        return (uint16_t)(w->at + 1);
    for (uint32_t at = 0; at < count && at < UINT16_MAX; at += stele_field_length(&fields[at])) {
        if (fields[at].name == w->name) {
            w->at = (uint16_t)at;
            return (uint16_t)(at + 1);
        }
    }
    return 0;
}

/* Sets the position plus 1 of the field with a role; 0: it is not there. */
static void place_set(kernel_event *event, unsigned role, uint16_t place, const stele_field *fields)
{
    const bool is_number = place != 0 && kernel_is_number(&fields[place - 1]);
    event->places[role] = place;
    event->numbers &= ~(1u << role);
    event->numbers |= (uint32_t)is_number << role;
}

/* Finds the fields that a rule names. Several lines for one role are next to each other; the last
   one whose field exists counts. */
static void find_all(kernel *k, const rule *r, const stele_field *fields, uint32_t count,
                     kernel_event *out)
{
    wanted *w = &k->fields[r->first];
    for (uint32_t i = 0; i < r->count; i++, w++) {
        const uint16_t found = find(w, fields, count);
        if (found != 0 || i == 0 || w->role != w[-1].role)
            place_set(out, w->role, found, fields);
    }
}

static const kernel_event *read_by(kernel *k, rule *r, const stele_field *fields, uint32_t count,
                                   const fit *f)
{
    kernel_event *out = &r->last;
    if (r->name[0] != 0 && r->count != 0 && find(&k->fields[r->first], fields, count) == 0)
        return NULL;
    if (f != NULL && f->call != 0) {
        rule *const call = &k->rules[f->call - 1];
        out = &call->last;
        find_all(k, call, fields, count, out);
    }
    out->base = fields;
    out->subject = f != NULL ? f->subject : 0;
    find_all(k, r, fields, count, out);
    return out;
}

/* ---- Shapes of events ---- */

/* Keeps what an event was found to be; where that cannot be, the next one is searched, too. */
static void shape_keep(const kernel *k, kernel_shape **kept, const stele_field *fields,
                       uint32_t count, const kernel_event *known)
{
    kernel_shape *s = *kept;
    if (count > KERNEL_SHAPE_MAX || (s == &k->other && (s = malloc(sizeof *s)) == NULL))
        return;
    *kept = s;
    *s = (kernel_shape){.count = count, .is_known = known != NULL};
    for (uint32_t i = 0; i < count; i++) {
        s->heads[i] = load_native64(&fields[i]);
        if (fields[i].type < STELE_TYPE_RUN_FIRST)
            continue;
        if (s->run_count == KERNEL_SHAPE_RUNS) {
            s->count = KERNEL_SHAPE_OTHER;
            return;
        }
        s->run_at[s->run_count] = (uint8_t)i;
        s->runs[s->run_count++] = fields[i].u.u;
    }
    if (known != NULL)
        s->event = *known;
}

/* ---- Meaning of events ---- */

static const kernel_event *read_any(kernel *k, const verdict *v, const stele_field *fields,
                                    uint32_t count)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const fit *f = &k->fitting[v->first - 1 + i];
        const kernel_event *known = read_by(k, &k->rules[f->rule], fields, count, f);
        if (known != NULL)
            return known;
    }
    return NULL;
}

const kernel_event *kernel_read_other(kernel *k, const stele_batch *batch, const stele_event *event)
{
    const uint16_t own = k->by_kind[event->kind];
    verdict *const v = own == 0 ? verdict_of(k, event->name) : NULL;
    kernel_shape **const kept =
        v != NULL ? &k->shapes.by_name[event->name] : &k->shapes.by_kind[event->kind];
    uint32_t first = event->field_first, count = event->field_count;
    const stele_field *fields;
    const kernel_event *known;
    if (own == 0 && (v == NULL || v->count == 0))
        return NULL;
    if (count == STELE_FIELDS_MANY)
        count = stele_event_fields(batch, event, &first);
    fields = kernel_fields_at(batch, first, count);
    known = own != 0 ? read_by(k, &k->rules[own - 1], fields, count, NULL)
                     : read_any(k, v, fields, count);
    shape_keep(k, kept, fields, count, known);
    return known;
}

const kernel_state_memo *kernel_find_state(kernel *k, uint32_t model, uint64_t value)
{
    kernel_state_memo *memo = &k->shapes.states[value % KERNEL_STATE_MEMOS];
    const state_line *s = &k->states[k->states_of[model].first];
    *memo = (kernel_state_memo){value, model, 0, KERNEL_SLEEPING};
    for (uint32_t i = 0; i < k->states_of[model].count; i++, s++) {
        if ((value & s->mask) == s->value) {
            *memo = (kernel_state_memo){value, model, s->text, (kernel_state)s->state};
            break;
        }
    }
    return memo;
}

const char *const *kernel_fields(const kernel *k, bool of_threads, size_t *count)
{
    *count = of_threads ? k->thread_field_count : k->field_text_count;
    return k->field_texts;
}

stele_name kernel_label(const kernel *k, const kernel_event *event, int64_t number)
{
    const label *labels = k->labels + event->label_first;
    /* Numbers of labels usually rise from 0. */
    if (number >= 0 && number < event->label_count && labels[number].number == number)
        return labels[number].text;
    for (uint32_t i = 0; i < event->label_count; i++)
        if (labels[i].number == number)
            return labels[i].text;
    return 0;
}

bool kernel_moves_bytes(const kernel *k, stele_name call)
{
    const bool may_be = (k->mover_bits >> call % 64 & 1) != 0;
    for (uint32_t i = 0; may_be && i < k->mover_count; i++)
        if (k->movers[i] == call)
            return true;
    return false;
}
