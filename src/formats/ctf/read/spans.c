/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/spans.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/saturate.h"
#include "formats/ctf/schema/marks.h"
#include "formats/ctf/schema/spans.h"
#include "model/batch.h"

struct ctf_spans {
    stele_context *context;
    stele_name of_context; /* name of the structure in front of an event's fields */
    stele_name kind, flags, name, category, addr, call_site, track;
    uint32_t *tracks; /* by their numbers in the trace; 0 if there is no such track */
    uint32_t track_count;
};

bool spans_are_marked(const ctf_schema *schema)
{
    const ctf_env *mark = schema_find_env(schema, SPAN_MARK);
    return mark != NULL && !mark->is_text && mark->value == SPAN_VERSION;
}

/* ---- Tracks that the environment lists ---- */

static stele_track_kind kind_find(const char *text)
{
    for (unsigned kind = STELE_TRACK_NONE + 1; kind < STELE_TRACK_KIND_COUNT; kind++)
        if (strcmp(stele_track_kind_text((stele_track_kind)kind), text) == 0)
            return (stele_track_kind)kind;
    return STELE_TRACK_NONE;
}

/* Adds a track by its text "KIND NUMBER PARENT NAME", such as "thread 12 3 name". Returns false if
   out of memory. */
static bool add_track(ctf_spans *s, uint32_t trace, uint32_t at, ctf_text text)
{
    char kind[16];
    unsigned long long number;
    unsigned parent;
    int used = 0;
    stele_track track = {.source = trace};
    if (sscanf(text.bytes, "%15s %llu %u%n", kind, &number, &parent, &used) != 3 ||
        (uint32_t)used > text.size || parent >= at)
        return true;
    track.kind = kind_find(kind);
    track.number = number;
    track.parent = parent != 0 ? s->tracks[parent] : 0;
    if (track.kind == STELE_TRACK_NONE)
        return true;
    s->tracks[at] = stele_track_intern(s->context, &track);
    if (s->tracks[at] != 0 && (uint32_t)used + 1 < text.size) {
        char *name = malloc(text.size);
        stele_name interned;
        if (name == NULL)
            return false;
        interned = stele_name_intern(
            s->context, name,
            marks_unescape(name, text.bytes + used + 1, text.size - (uint32_t)used - 1));
        free(name);
        if (interned != UINT32_MAX)
            stele_track_set_name(s->context, s->tracks[at], interned);
    }
    return s->tracks[at] != 0;
}

/* Returns the number of the track that the entry describes, or 0 if it does not describe one. */
static uint32_t track_of(const ctf_env *env)
{
    const size_t size = sizeof SPAN_TRACK - 1;
    uint32_t number = 0;
    if (!env->is_text || env->name.size <= size || env->name.size > size + 6 ||
        memcmp(env->name.bytes, SPAN_TRACK, size) != 0)
        return 0;
    for (uint32_t i = (uint32_t)size; i < env->name.size; i++) {
        if (env->name.bytes[i] < '0' || env->name.bytes[i] > '9')
            return 0;
        number = number * 10 + (uint32_t)(env->name.bytes[i] - '0');
    }
    return number;
}

static bool add_tracks(ctf_spans *s, const ctf_trace *trace, const ctf_schema *schema)
{
    for (uint32_t i = 0; i < schema->env_count; i++)
        if (track_of(&schema->env[i]) > s->track_count)
            s->track_count = track_of(&schema->env[i]);
    s->tracks = calloc((size_t)s->track_count + 1, sizeof *s->tracks);
    if (s->tracks == NULL)
        return false;
    for (uint32_t i = 0; i < schema->env_count; i++) {
        const uint32_t at = track_of(&schema->env[i]);
        if (at != 0 && !add_track(s, trace->base.info.number, at, schema->env[i].text))
            return false;
    }
    return true;
}

/* ---- Making and freeing ---- */

static bool take_name(stele_context *context, const char *text, stele_name *name)
{
    *name = stele_name_intern(context, text, strlen(text));
    return *name != UINT32_MAX;
}

stele_status spans_of(const ctf_trace *trace, ctf_subtrace *subtrace, const ctf_spans **made)
{
    stele_context *context = trace->base.context;
    ctf_spans *s = subtrace->spans;
    *made = s;
    if (s != NULL || trace->shows_as_written || !spans_are_marked(&subtrace->schema))
        return STELE_OK;
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    s->context = context;
    if (!take_name(context, "stream.event.context", &s->of_context) ||
        !take_name(context, SPAN_KIND, &s->kind) || !take_name(context, SPAN_FLAGS, &s->flags) ||
        !take_name(context, SPAN_NAME, &s->name) ||
        !take_name(context, SPAN_CATEGORY, &s->category) ||
        !take_name(context, SPAN_ADDR, &s->addr) ||
        !take_name(context, SPAN_CALL_SITE, &s->call_site) ||
        !take_name(context, SPAN_TRACK_FIELD, &s->track) ||
        !add_tracks(s, trace, &subtrace->schema)) {
        spans_free(s);
        return STELE_ERR_MEMORY;
    }
    *made = subtrace->spans = s;
    return STELE_OK;
}

void spans_free(ctf_spans *s)
{
    if (s == NULL)
        return;
    free(s->tracks);
    free(s);
}

/* ---- Events that are restored ---- */

/* What the members in front of an event's own fields say. */
typedef struct restored {
    const stele_batch *batch;
    const stele_field *at, *end; /* entries that were not taken yet */
    bool is_wrong;               /* the members are not those that the writer makes */
    bool is_function;
    unsigned bits; /* as in stele_kind: the kind and SPAN_HAS_... */
    uint64_t flags, value, id;
    const stele_field *name, *category;
} restored;

static const stele_field *take(restored *r, stele_name name, stele_type type)
{
    const stele_field *field = r->at;
    if (field == r->end || (name != 0 && field->name != name) || field->type != type) {
        r->is_wrong = true;
        return NULL;
    }
    r->at += stele_field_length(field);
    return field;
}

static uint64_t take_number(restored *r, stele_name name)
{
    const stele_field *field = take(r, name, STELE_TYPE_UINT);
    return field != NULL ? field->u.u : 0;
}

static uint32_t track_get(const ctf_spans *s, uint64_t number)
{
    return number <= s->track_count ? s->tracks[number] : 0;
}

/* Sets the tracks of switches and wakes, which follow the numbers of the threads. */
static void take_tracks(const ctf_spans *s, restored *r, stele_kind kind)
{
    if (kind == STELE_KIND_SWITCH)
        r->value = track_get(s, take_number(r, 0));
    if (kind == STELE_KIND_SWITCH || kind == STELE_KIND_WAKE)
        r->id = track_get(s, take_number(r, 0));
}

static void take_members(const ctf_spans *s, restored *r)
{
    stele_kind kind;
    if (r->at != r->end && r->at->name == s->addr) {
        r->is_function = true;
        r->id = take_number(r, s->addr);
        take_number(r, s->call_site);
    }
    r->bits = (unsigned)take_number(r, s->kind);
    kind = (stele_kind)(r->bits & SPAN_KIND_MASK);
    if (r->is_wrong || kind == STELE_KIND_NONE || kind >= STELE_KIND_COUNT ||
        kind == STELE_KIND_LOST) {
        r->is_wrong = true;
        return;
    }
    if ((r->bits & SPAN_HAS_FLAGS) != 0)
        r->flags = take_number(r, s->flags);
    if ((r->bits & SPAN_HAS_NAME) != 0)
        r->name = take(r, s->name, STELE_TYPE_STRING);
    if ((r->bits & SPAN_HAS_CATEGORY) != 0)
        r->category = take(r, s->category, STELE_TYPE_STRING);
    if (span_members_of[kind].value != NULL)
        r->value = take_number(r, 0);
    if (span_members_of[kind].id != NULL && !r->is_function)
        r->id = take_number(r, 0);
    take_tracks(s, r, kind);
}

/* Returns the name of a text field, or UINT32_MAX if out of memory. */
static stele_name text_name(const ctf_spans *s, stele_batch *batch, const stele_field *field)
{
    const stele_text text = stele_field_text(s->context, batch, field);
    const stele_name name = stele_name_intern(s->context, text.bytes, text.size);
    return name != UINT32_MAX ? name : batch_add_local_name(batch, text.bytes, text.size);
}

static bool set_names(const ctf_spans *s, stele_batch *batch, stele_event *event, const restored *r)
{
    if (r->name == NULL && !r->is_function)
        return true;
    event->name = r->name != NULL ? text_name(s, batch, r->name) : 0;
    event->category = 0;
    if (r->category != NULL) {
        const stele_name category = text_name(s, batch, r->category);
        if ((category & STELE_NAME_LOCAL) == 0)
            event->category = stele_category_intern(s->context, category);
    }
    return event->name != UINT32_MAX;
}

static bool set_event(const ctf_spans *s, stele_batch *batch, stele_event *event, const restored *r)
{
    event->kind = (uint8_t)(r->bits & SPAN_KIND_MASK);
    event->flags |= (uint8_t)(r->flags & SPAN_FLAGS_KEPT);
    event->value = r->value;
    event->id = r->id;
    if (event->kind == STELE_KIND_COMPLETE) {
        event->value = event->ticks + r->value;
        event->id = (uint64_t)add_saturated(event->time_ns, (int64_t)r->value);
    }
    return set_names(s, batch, event, r);
}

/* Sets the event's track, which is a member of the structure that the writer puts in front of
   it. */
static void set_track(const ctf_spans *s, stele_event *event, const stele_field *context)
{
    const stele_field *first = context + 1 + context->label_count;
    for (uint32_t i = 0; i < context->u.run.length; i += stele_field_length(first + i)) {
        const stele_field *member = first + i;
        if (member->name != s->track || member->type != STELE_TYPE_UINT)
            continue;
        event->track = track_get(s, member->u.u & ~SPAN_TRACK_IS_CPU);
        if ((member->u.u & SPAN_TRACK_IS_CPU) != 0) {
            event->flags &= (uint8_t)~STELE_FLAG_HAS_CPU;
            event->cpu = 0;
        }
    }
}

/* Makes the entries from `first` on the event's fields. If there are many, an entry in front counts
   them. */
static void set_fields(stele_batch *batch, stele_event *event, uint32_t first, uint32_t count)
{
    const bool are_many = count >= STELE_FIELDS_MANY;
    if (are_many)
        batch->fields[first - 1] =
            (stele_field){.type = STELE_TYPE_STRUCT, .u.run = {count, count}};
    event->field_first = first - are_many;
    event->field_count = are_many ? STELE_FIELDS_MANY : (uint16_t)count;
}

static bool restore(const ctf_spans *s, stele_batch *batch, stele_event *event)
{
    uint32_t first, kept = 0, taken;
    uint32_t left = stele_event_fields(batch, event, &first);
    const uint32_t before = left;
    restored r = {.batch = batch};
    event->track = 0;
    if (left != 0 && batch->fields[first].name == s->of_context &&
        batch->fields[first].type == STELE_TYPE_STRUCT) {
        const uint32_t own = stele_field_length(&batch->fields[first]);
        set_track(s, event, &batch->fields[first]);
        first += own;
        left -= own;
    }
    while (kept < left && (batch->fields[first + kept].hint & STELE_HINT_CONTEXT) != 0)
        kept += stele_field_length(&batch->fields[first + kept]);
    r.at = batch->fields + first + kept;
    r.end = batch->fields + first + left;
    take_members(s, &r);
    if (!r.is_wrong) {
        if (!set_event(s, batch, event, &r))
            return false;
        taken = (uint32_t)(r.at - (batch->fields + first + kept));
        memmove(batch->fields + first + taken, batch->fields + first, kept * sizeof *batch->fields);
        first += taken;
        left -= taken;
    }
    if (left != before)
        set_fields(batch, event, first, left);
    return true;
}

bool spans_restore(const ctf_spans *s, stele_batch *batch, uint32_t first)
{
    for (uint32_t i = first; i < batch->event_count; i++)
        if (!restore(s, batch, &batch->events[i]))
            return false;
    return true;
}
