/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernel.h"
#include "core/array.h"
#include "core/load.h"

#include <stdlib.h>
#include <string.h>

/* ---- The description files, as they stand ---- */

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
    const char *text; /* name of the event, field or state */
    uint16_t type;    /* line_type */
    uint16_t what;    /* action, role or state */
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

/* Of description files, with 0 for none. */
#define MODELS_MAX 16u

/* More than tracers have names of events: of system calls, two or four for each. */
#define FITTING_MAX 8192u

/* ---- Compiled for a context ---- */

/* One field of a rule. */
typedef struct wanted {
    stele_name name;
    uint8_t role;
    uint16_t at; /* where it was last, from the event's first field on */
} wanted;

/* An event of a description file. */
typedef struct rule {
    const char *name; /* "" of rules by kind */
    size_t size;      /* of the name, without '*' */
    bool is_prefix;
    bool is_call; /* no event, but what a system call does */
    uint8_t action;
    uint32_t model;
    uint32_t first, count; /* of its fields */
    kernel_event last;     /* that was read by it: of fields that it does not name there are none */
} rule;

/*
 * The last event of a name, by what its fields are: those of one class are the same each time, but
 * for their values. What was found in them is found again without a search.
 */
#define SHAPE_MAX  24u /* entries of the tape; events with more are searched each time */
#define SHAPE_RUNS 4u

typedef struct shape {
    uint32_t count, run_count, found_count;
    uint64_t heads[SHAPE_MAX]; /* the first half of each entry: all but its value */
    uint64_t runs[SHAPE_RUNS]; /* values of runs: how many entries they have */
    uint8_t run_at[SHAPE_RUNS];
    uint8_t roles[KERNEL_ROLE_COUNT], places[KERNEL_ROLE_COUNT]; /* what was found where */
    bool is_known;                                               /* it means something */
    kernel_event event;
} shape;

/* What is known of a name of the context: which rules are its own, side by side. */
typedef struct verdict {
    uint16_t first; /* plus 1; 0: was not asked for yet */
    uint16_t count; /* of rules; 0: none fits */
    shape *last;    /* NULL: none is kept */
} verdict;

typedef struct fit {
    stele_name subject; /* what stands for '*' */
    uint16_t rule;
    uint16_t call; /* rule of the system call that begins, plus 1; 0: nothing is known of it */
} fit;

/* A number that has a name. */
typedef struct label {
    stele_name text;
    uint32_t model, number;
    uint8_t action;
} label;

/* Lines of the states of one description file. */
typedef struct state_range {
    uint32_t first, count;
} state_range;

typedef struct state_line {
    stele_name text;
    uint32_t model, mask, value;
    uint8_t state;
} state_line;

struct kernel {
    stele_context *context;
    rule rules[LINE_COUNT];
    wanted fields[LINE_COUNT];
    state_line states[LINE_COUNT];
    state_range states_of[MODELS_MAX]; /* by number of the description file */
    uint32_t rule_count, field_count, state_count;
    uint16_t by_kind[STELE_KIND_COUNT]; /* rule plus 1; 0: goes by name */
    shape *kinds[STELE_KIND_COUNT];     /* of those; NULL: none is kept */
    verdict *verdicts;                  /* by name */
    uint32_t verdict_count;
    fit fitting[FITTING_MAX]; /* rules of the names that were asked for */
    uint32_t fitting_count;
    label labels[LINE_COUNT];
    uint32_t label_count;
    stele_name movers[LINE_COUNT]; /* system calls that return how many bytes they moved */
    uint32_t mover_count;
};

static stele_name name_of(stele_context *context, const char *text)
{
    return stele_name_intern(context, text, strlen(text));
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
    if (l->type == LINE_KIND)
        k->by_kind[l->value] = (uint16_t)k->rule_count;
}

/* Labels of one action stand side by side. */
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

/* Returns false if out of memory. */
static bool compile(kernel *k)
{
    uint32_t model = 0;
    for (const line *l = lines; l != lines + LINE_COUNT; l++) {
        const stele_name name = name_of(k->context, l->text);
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
        case LINE_BYTES: k->movers[k->mover_count++] = name; break;
        }
    }
    find_labels(k);
    return true;
}

kernel *kernel_new(stele_context *context)
{
    kernel *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->context = context;
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
    for (uint32_t i = 0; i < k->verdict_count; i++)
        free(k->verdicts[i].last);
    for (uint32_t i = 0; i < STELE_KIND_COUNT; i++)
        free(k->kinds[i]);
    free(k->verdicts);
    free(k);
}

/* ---- Names ---- */

/* Names of one trace are as many as its classes of events: room for what fits runs out only where
   names are made up, and then those that come later mean nothing. */
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

/* Returns NULL where nothing can be known. */
static verdict *verdict_of(kernel *k, stele_name name)
{
    if (name >= k->verdict_count) {
        verdict *grown;
        if ((name & STELE_NAME_LOCAL) != 0)
            return NULL;
        grown = array_reach(k->verdicts, sizeof *grown, &k->verdict_count, name);
        if (grown == NULL)
            return NULL;
        k->verdicts = grown;
    }
    if (k->verdicts[name].first == 0)
        judge(k, &k->verdicts[name], stele_name_text(k->context, NULL, name));
    return &k->verdicts[name];
}

/* ---- Fields ---- */

/* The field of this name; where it was the last time is looked at first. */
static const stele_field *find(wanted *w, const stele_field *fields, uint32_t count)
{
    if (w->at < count && fields[w->at].name == w->name)
        return &fields[w->at];
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        if (fields[at].name == w->name) {
            w->at = (uint16_t)(at < UINT16_MAX ? at : 0);
            return &fields[at];
        }
    }
    return NULL;
}

/* Finds what a rule names. Of lines for one role, which stand side by side, one is there. */
static void find_all(kernel *k, const rule *r, const stele_field *fields, uint32_t count,
                     kernel_event *out)
{
    wanted *w = &k->fields[r->first];
    for (uint32_t i = 0; i < r->count; i++, w++) {
        const stele_field *found = find(w, fields, count);
        if (found != NULL || i == 0 || w->role != w[-1].role)
            out->fields[w->role] = found;
    }
}

static const kernel_event *read_by(kernel *k, rule *r, const stele_field *fields, uint32_t count,
                                   const fit *f)
{
    kernel_event *out = &r->last;
    if (r->name[0] != 0 && r->count != 0 && find(&k->fields[r->first], fields, count) == NULL)
        return NULL;
    if (f != NULL && f->call != 0) {
        rule *const call = &k->rules[f->call - 1];
        out = &call->last;
        find_all(k, call, fields, count, out);
    }
    out->subject = f != NULL ? f->subject : 0;
    find_all(k, r, fields, count, out);
    return out;
}

/* ---- Shapes ---- */

static bool is_of_shape(const shape *s, const stele_field *fields, uint32_t count)
{
    uint64_t difference = 0;
    if (s == NULL || s->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        difference |= load_native64(&fields[i]) ^ s->heads[i];
    for (uint32_t i = 0; i < s->run_count; i++)
        difference |= fields[s->run_at[i]].u.u ^ s->runs[i];
    return difference == 0;
}

/* What was found in the last event of this shape, in this one. */
static const kernel_event *shape_event(shape *s, const stele_field *fields)
{
    for (uint32_t i = 0; i < s->found_count; i++)
        s->event.fields[s->roles[i]] = fields + s->places[i];
    return s->is_known ? &s->event : NULL;
}

/* Keeps what an event was found to be; where that cannot be, the next one is searched, too. */
static void shape_keep(shape **kept, const stele_field *fields, uint32_t count,
                       const kernel_event *known)
{
    shape *s = *kept;
    if (count > SHAPE_MAX || (s == NULL && (s = *kept = malloc(sizeof *s)) == NULL))
        return;
    *s = (shape){.count = count, .is_known = known != NULL};
    for (uint32_t i = 0; i < count; i++) {
        s->heads[i] = load_native64(&fields[i]);
        if (fields[i].type < STELE_TYPE_RUN_FIRST)
            continue;
        if (s->run_count == SHAPE_RUNS) {
            s->count = UINT32_MAX;
            return;
        }
        s->run_at[s->run_count] = (uint8_t)i;
        s->runs[s->run_count++] = fields[i].u.u;
    }
    if (known == NULL)
        return;
    s->event = *known;
    for (uint32_t role = 0; role < KERNEL_ROLE_COUNT; role++) {
        if (known->fields[role] == NULL)
            continue;
        s->roles[s->found_count] = (uint8_t)role;
        s->places[s->found_count++] = (uint8_t)(known->fields[role] - fields);
    }
}

/* ---- Events ---- */

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

const kernel_event *kernel_read(kernel *k, const stele_batch *batch, const stele_event *event)
{
    const uint16_t own = k->by_kind[event->kind];
    verdict *const v = own == 0 ? verdict_of(k, event->name) : NULL;
    shape **const kept = v != NULL ? &v->last : &k->kinds[event->kind];
    uint32_t first = event->field_first, count = event->field_count;
    const stele_field *fields;
    const kernel_event *known;
    if (own == 0 && (v == NULL || v->count == 0))
        return NULL;
    if (count == STELE_FIELDS_MANY)
        count = stele_event_fields(batch, event, &first);
    fields = batch->fields + first;
    if (is_of_shape(*kept, fields, count))
        return shape_event(*kept, fields);
    known = own != 0 ? read_by(k, &k->rules[own - 1], fields, count, NULL)
                     : read_any(k, v, fields, count);
    shape_keep(kept, fields, count, known);
    return known;
}

kernel_state kernel_read_state(const kernel *k, const kernel_event *event, stele_name *text)
{
    const stele_field *field = event->fields[KERNEL_OUTGOING_STATE];
    const uint64_t value = (uint64_t)kernel_number(field);
    *text = 0;
    if (field == NULL)
        return KERNEL_SLEEPING;
    for (uint32_t i = 0; i < k->states_of[event->model].count; i++) {
        const state_line *s = &k->states[k->states_of[event->model].first + i];
        if ((value & s->mask) != s->value)
            continue;
        *text = s->text;
        return (kernel_state)s->state;
    }
    return KERNEL_SLEEPING;
}

stele_name kernel_label(const kernel *k, const kernel_event *event, int64_t number)
{
    const label *labels = k->labels + event->label_first;
    /* They rise from 0, as a rule. */
    if (number >= 0 && number < event->label_count && labels[number].number == number)
        return labels[number].text;
    for (uint32_t i = 0; i < event->label_count; i++)
        if (labels[i].number == number)
            return labels[i].text;
    return 0;
}

bool kernel_moves_bytes(const kernel *k, stele_name call)
{
    for (uint32_t i = 0; i < k->mover_count; i++)
        if (k->movers[i] == call)
            return true;
    return false;
}
