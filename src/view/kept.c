/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads what a scan found out, as bytes. Each function does both: it passes every value
 * to a function that writes it, or that reads and checks it, so that the two ways cannot differ.
 * The layout, after "stele view" and a version, is the order in which keep_all() keeps things;
 * numbers are written in LEB128, signed ones with their sign in the lowest bit.
 */
#include "view/kept.h"

#include <stdlib.h>
#include <string.h>

#include "view/list.h"

#define MAGIC           "stele view"
#define VERSION         3u
#define CHECKPOINTS_MAX 65536u
#define ROWS_MAX        1048576u
#define STREAMS_MAX     1048576u
/* Events, states or facts of one checkpoint, and the least sizes of one of each in bytes. */
#define ELEMENTS_MAX 1048576u
#define EVENT_SIZE   13u
#define NOW_SIZE     13u
#define FACT_SIZE    6u

/* Kinds of events that checkpoints consist of. */
#define KINDS                                                                    \
    (STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN))

typedef struct keeping {
    stele_context *context;
    stele_output *out; /* NULL: values are read */
    const uint8_t *at, *end;
    stele_status status; /* after an error nothing more is read or written */
    uint32_t source;     /* number of the trace */
    /* Names by their number in the bytes, which is that of their first use, from 1. */
    stele_name *names;
    uint32_t name_count;
    size_t name_capacity;
    uint32_t *name_numbers; /* the number in the bytes, by name; used for writing */
    /* Tracks by their number in the bytes. When writing, these are the numbers of the context. */
    uint32_t *tracks;
    uint32_t track_count;
} keeping;

static bool refuse(keeping *k, stele_status status)
{
    if (k->status == STELE_OK)
        k->status = status;
    return false;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool take_u64(keeping *k, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte;
        if (k->at == k->end)
            return refuse(k, STELE_ERR_FORMAT);
        byte = *k->at++;
        if (shift == 63 && byte > 1)
            return refuse(k, STELE_ERR_FORMAT);
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return refuse(k, STELE_ERR_FORMAT);
}

static bool keep_u64(keeping *k, uint64_t *value)
{
    uint64_t rest = *value;
    if (k->status != STELE_OK)
        return false;
    if (k->out == NULL)
        return take_u64(k, value);
    for (; rest >= 0x80; rest >>= 7)
        stele_output_byte(k->out, (uint8_t)(rest | 0x80));
    stele_output_byte(k->out, (uint8_t)rest);
    return true;
}

static bool keep_i64(keeping *k, int64_t *value)
{
    uint64_t bits = ((uint64_t)*value << 1) ^ (*value < 0 ? UINT64_MAX : 0);
    if (!keep_u64(k, &bits))
        return false;
    *value = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
    return true;
}

/* A value as its distance from the one before, which it then becomes. */
static bool keep_step(keeping *k, int64_t *value, int64_t *before)
{
    int64_t step = (int64_t)((uint64_t)*value - (uint64_t)*before);
    if (!keep_i64(k, &step))
        return false;
    *value = *before = (int64_t)((uint64_t)*before + (uint64_t)step);
    return true;
}

/* A number that is at most `max`. */
static bool keep_u32(keeping *k, uint32_t *value, uint32_t max)
{
    uint64_t wide = *value;
    if (!keep_u64(k, &wide))
        return false;
    if (wide > max)
        return refuse(k, STELE_ERR_FORMAT);
    *value = (uint32_t)wide;
    return true;
}

static bool keep_u8(keeping *k, uint8_t *value, uint8_t max)
{
    uint32_t wide = *value;
    const bool is_kept = keep_u32(k, &wide, max);
    *value = (uint8_t)wide;
    return is_kept;
}

static bool keep_flag(keeping *k, bool *value)
{
    uint32_t wide = *value;
    const bool is_kept = keep_u32(k, &wide, 1);
    *value = wide != 0;
    return is_kept;
}

/* The number of elements that follow, each of which has at least one byte. */
static bool keep_count(keeping *k, size_t *count, size_t max)
{
    uint64_t wide = *count;
    if (!keep_u64(k, &wide))
        return false;
    if (wide > max || (k->out == NULL && wide > (uint64_t)(k->end - k->at)))
        return refuse(k, STELE_ERR_FORMAT);
    *count = (size_t)wide;
    return true;
}

/* Makes room for `count` elements that are read; nothing changes when they are written. */
static bool make_room(keeping *k, void **list, size_t count, size_t size)
{
    if (k->out != NULL || count == 0)
        return true;
    *list = calloc(count, size);
    return *list != NULL || refuse(k, STELE_ERR_MEMORY);
}

/* ---- Names and tracks ------------------------------------------------------------------------ */

static bool add_name(keeping *k, stele_name name)
{
    if (k->name_count == k->name_capacity) {
        stele_name *grown = list_grow(k->names, sizeof *grown, &k->name_capacity);
        if (grown == NULL)
            return refuse(k, STELE_ERR_MEMORY);
        k->names = grown;
    }
    k->names[k->name_count++] = name;
    return true;
}

static bool put_text(keeping *k, stele_name name)
{
    const stele_text text = stele_name_text(k->context, NULL, name);
    uint64_t size = text.size;
    if (!keep_u64(k, &size))
        return false;
    stele_output_write(k->out, text.bytes, text.size);
    k->name_numbers[name] = k->name_count + 1;
    return add_name(k, name);
}

static bool take_text(keeping *k)
{
    size_t size = 0;
    stele_name name;
    if (!keep_count(k, &size, SIZE_MAX))
        return false;
    name = stele_name_intern(k->context, (const char *)k->at, size);
    k->at += size;
    return add_name(k, (name & STELE_NAME_LOCAL) == 0 ? name : 0);
}

/* A name as its number; its text follows where it is used first. */
static bool keep_name(keeping *k, stele_name *name)
{
    uint32_t number = 0;
    if (k->out != NULL && (*name & STELE_NAME_LOCAL) == 0 && *name != 0) {
        number = k->name_numbers[*name];
        if (number == 0)
            number = k->name_count + 1;
    }
    if (!keep_u32(k, &number, k->name_count + 1))
        return false;
    if (number > k->name_count && !(k->out != NULL ? put_text(k, *name) : take_text(k)))
        return false;
    if (k->out == NULL)
        *name = number != 0 ? k->names[number - 1] : 0;
    return true;
}

/* A track, as its number in the bytes; 0: none. */
static bool keep_track(keeping *k, uint32_t *track)
{
    uint32_t number = *track;
    if (!keep_u32(k, &number, k->track_count))
        return false;
    *track = k->tracks[number];
    return true;
}

static bool keep_one_track(keeping *k, uint32_t number)
{
    stele_track track = {.source = k->source};
    uint32_t kind, parent;
    if (k->out != NULL)
        track = *stele_track_get(k->context, number);
    kind = (uint32_t)track.kind;
    parent = track.parent;
    /* Tracks follow their parents, so that these are known. */
    if (!keep_u32(k, &kind, STELE_TRACK_KIND_COUNT - 1) || !keep_u32(k, &parent, number - 1) ||
        !keep_u64(k, &track.number) || !keep_name(k, &track.name))
        return false;
    k->tracks[number] = number;
    if (k->out != NULL)
        return true;
    track.kind = (stele_track_kind)kind;
    track.parent = k->tracks[parent];
    k->tracks[number] = stele_track_intern(k->context, &track);
    if (k->tracks[number] != 0 && track.name != 0)
        stele_track_set_name(k->context, k->tracks[number], track.name);
    return true;
}

static bool keep_tracks(keeping *k)
{
    size_t count = k->out != NULL ? stele_track_count(k->context) : 0;
    if (!keep_count(k, &count, UINT32_MAX / 2))
        return false;
    k->tracks = calloc(count + 1, sizeof *k->tracks);
    if (k->tracks == NULL)
        return refuse(k, STELE_ERR_MEMORY);
    for (uint32_t i = 1; i <= count; i++) {
        if (!keep_one_track(k, i))
            return false;
    }
    k->track_count = (uint32_t)count;
    return true;
}

/* ---- What is known --------------------------------------------------------------------------- */

static bool keep_activity(keeping *k, view_activity *a)
{
    if (!keep_i64(k, &a->begin_ns) || !keep_u64(k, &a->width_ns))
        return false;
    if (a->width_ns > UINT64_MAX / VIEW_BINS)
        return refuse(k, STELE_ERR_FORMAT);
    for (size_t i = 0; i < VIEW_BINS; i++) {
        if (!keep_u64(k, &a->bins[i]) || !keep_flag(k, &a->is_lossy[i]))
            return false;
    }
    return true;
}

static bool keep_known(keeping *k, view_known *known)
{
    if (!keep_flag(k, &known->has_range) || !keep_flag(k, &known->has_schedule) ||
        !keep_i64(k, &known->begin_ns) || !keep_i64(k, &known->end_ns) ||
        !keep_u64(k, &known->event_count) || !keep_u64(k, &known->lost_count) ||
        !keep_activity(k, &known->activity))
        return false;
    if (known->begin_ns > known->end_ns)
        return refuse(k, STELE_ERR_FORMAT);
    for (uint32_t i = 0; i <= k->track_count; i++) {
        view_track *t = view_known_track(known, k->tracks[i]);
        if (t == NULL)
            return refuse(k, STELE_ERR_MEMORY);
        if (!keep_u64(k, &t->event_count) || !keep_u64(k, &t->span_count) ||
            !keep_u64(k, &t->busy_ns) || !keep_i64(k, &t->last_ns) ||
            !keep_u32(k, &t->depth_rows, VIEW_DEPTH_MAX) ||
            !keep_u32(k, &t->async_rows, ROWS_MAX) || !keep_u32(k, &t->has, UINT8_MAX))
            return false;
    }
    return true;
}

static bool keep_counters(keeping *k, viewer *v)
{
    void *list = v->counters;
    if (!keep_count(k, &v->counter_count, VIEW_COUNTERS_MAX) ||
        !make_room(k, &list, VIEW_COUNTERS_MAX, sizeof *v->counters))
        return false;
    v->counters = list;
    for (size_t i = 0; i < v->counter_count; i++) {
        view_counter *c = &v->counters[i];
        if (!keep_track(k, &c->track) || !keep_name(k, &c->name) || !keep_name(k, &c->field))
            return false;
    }
    return keep_flag(k, &v->has_more_counters);
}

static bool keep_losses(keeping *k, viewer *v)
{
    void *list = v->losses;
    if (!keep_count(k, &v->loss_count, VIEW_LOSSES_MAX) ||
        !make_room(k, &list, v->loss_count, sizeof *v->losses))
        return false;
    v->losses = list;
    for (size_t i = 0; i < v->loss_count; i++) {
        view_loss *loss = &v->losses[i];
        if (!keep_i64(k, &loss->begin_ns) || !keep_i64(k, &loss->end_ns) ||
            !keep_u64(k, &loss->offset) || !keep_u64(k, &loss->count) ||
            !keep_track(k, &loss->track) || !keep_name(k, &loss->name))
            return false;
        if (loss->begin_ns > loss->end_ns)
            return refuse(k, STELE_ERR_FORMAT);
    }
    return true;
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

static bool keep_field(keeping *k, stele_field *field)
{
    return keep_name(k, &field->name) && keep_u8(k, &field->type, STELE_TYPE_KOID) &&
           keep_u8(k, &field->width, UINT8_MAX) && keep_u8(k, &field->hint, UINT8_MAX) &&
           keep_u64(k, &field->u.u);
}

/* What the event before had, so that little is written of the next one. */
typedef struct last_event {
    int64_t time_ns, offset;
} last_event;

static bool keep_event(keeping *k, kept_event *kept, last_event *last)
{
    stele_event *e = &kept->event;
    stele_name category = stele_category_name(k->context, e->category);
    int64_t offset = (int64_t)e->offset;
    uint32_t cpu = e->cpu;
    const int64_t before_ns = last->time_ns;
    if (!keep_u8(k, &e->kind, STELE_KIND_COUNT - 1) || !keep_u8(k, &e->flags, UINT8_MAX) ||
        !keep_step(k, &e->time_ns, &last->time_ns) || !keep_step(k, &offset, &last->offset) ||
        !keep_u32(k, &e->size, UINT32_MAX) || !keep_name(k, &e->name) || !keep_name(k, &category) ||
        !keep_track(k, &e->track) || !keep_u32(k, &cpu, UINT16_MAX) || !keep_u64(k, &e->value) ||
        !keep_u64(k, &e->id) || !keep_u32(k, &kept->stream, UINT32_MAX) ||
        !keep_u32(k, &kept->field_count, CHECKPOINT_FIELDS))
        return false;
    if ((STELE_KIND_BIT(e->kind) & KINDS) == 0 || e->time_ns < before_ns)
        return refuse(k, STELE_ERR_FORMAT);
    if (k->out == NULL) {
        e->offset = (uint64_t)offset;
        e->cpu = (uint16_t)cpu;
        e->category = stele_category_intern(k->context, category);
        e->field_first = e->field_count = 0;
    }
    for (uint32_t i = 0; i < kept->field_count; i++) {
        if (!keep_field(k, &kept->fields[i]))
            return false;
    }
    return true;
}

/* Returns how many elements of at least this size the bytes that are left can hold. */
static size_t most(const keeping *k, size_t least_size)
{
    const size_t max = k->out == NULL ? (size_t)(k->end - k->at) / least_size : ELEMENTS_MAX;
    return max < ELEMENTS_MAX ? max : ELEMENTS_MAX;
}

static bool keep_now(keeping *k, stele_sched_now *now, int64_t *before_ns, int64_t *before)
{
    int64_t offset = (int64_t)now->offset;
    uint32_t priority = (uint32_t)now->priority << 1 ^ (now->priority < 0 ? UINT32_MAX : 0);
    if (!keep_flag(k, &now->is_cpu) ||
        !keep_u8(k, &now->state,
                 now->is_cpu ? STELE_CPU_STATE_COUNT - 1 : STELE_RUN_STATE_COUNT - 1) ||
        !keep_step(k, &now->since_ns, before_ns) || !keep_step(k, &offset, before) ||
        !keep_u32(k, &now->stream, UINT32_MAX) || !keep_track(k, &now->track) ||
        !keep_track(k, &now->other) || !keep_track(k, &now->by) || !keep_name(k, &now->text) ||
        !keep_name(k, &now->call) || !keep_u32(k, &now->irq_depth, UINT32_MAX) ||
        !keep_flag(k, &now->has_priority) || !keep_u32(k, &priority, UINT32_MAX))
        return false;
    now->offset = (uint64_t)offset;
    now->priority = (int32_t)(priority >> 1 ^ (0 - (priority & 1)));
    return true;
}

static bool keep_fact(keeping *k, stele_pairing_fact *fact)
{
    return keep_u8(k, &fact->kind, STELE_PAIRING_CALLED) && keep_track(k, &fact->track) &&
           keep_track(k, &fact->thread) && keep_name(k, &fact->name) &&
           keep_u64(k, &fact->address) && keep_u64(k, &fact->size);
}

static bool keep_fact_list(keeping *k, stele_pairing_fact **facts, size_t *count)
{
    void *list = *facts;
    if (!keep_count(k, count, most(k, FACT_SIZE)) || !make_room(k, &list, *count, sizeof **facts)) {
        *count = k->out == NULL ? 0 : *count;
        return false;
    }
    *facts = list;
    for (size_t i = 0; i < *count; i++) {
        if (!keep_fact(k, &(*facts)[i]))
            return false;
    }
    return true;
}

/* What the pairing has learned; `*before` is what the checkpoint before has, which then becomes
   that of this one. */
static bool keep_learned(keeping *k, checkpoint *at, kept_facts **before)
{
    bool has_facts = at->facts != NULL, is_same = has_facts && at->facts == *before;
    if (!keep_fact_list(k, &at->runs, &at->run_count) || !keep_flag(k, &has_facts))
        return false;
    if (has_facts && !keep_flag(k, &is_same))
        return false;
    if (!has_facts)
        return true;
    if (is_same && *before == NULL)
        return refuse(k, STELE_ERR_FORMAT);
    if (k->out == NULL) {
        at->facts = is_same ? *before : calloc(1, sizeof *at->facts);
        if (at->facts == NULL)
            return refuse(k, STELE_ERR_MEMORY);
        at->facts->use_count++;
    }
    *before = at->facts;
    return is_same || keep_fact_list(k, &at->facts->at, &at->facts->count);
}

static bool keep_states(keeping *k, checkpoint *at)
{
    int64_t before_ns = at->time_ns, before = 0;
    void *list = at->now;
    if (!keep_count(k, &at->now_count, most(k, NOW_SIZE)) ||
        !make_room(k, &list, at->now_count, sizeof *at->now)) {
        at->now_count = k->out == NULL ? 0 : at->now_count;
        return false;
    }
    at->now = list;
    for (size_t i = 0; i < at->now_count; i++) {
        if (!keep_now(k, &at->now[i], &before_ns, &before))
            return false;
        if (at->now[i].since_ns > at->time_ns)
            return refuse(k, STELE_ERR_FORMAT);
    }
    return true;
}

static bool keep_events(keeping *k, checkpoint *at)
{
    last_event last = {.time_ns = INT64_MIN};
    void *list = at->events;
    if (!keep_count(k, &at->count, most(k, EVENT_SIZE)) ||
        !make_room(k, &list, at->count, sizeof *at->events)) {
        at->count = k->out == NULL ? 0 : at->count;
        return false;
    }
    at->events = list;
    for (size_t i = 0; i < at->count; i++) {
        if (!keep_event(k, &at->events[i], &last))
            return false;
        if (k->out == NULL)
            at->events[i].event.ticks = i; /* the order of events, see compare_kept() */
    }
    return last.time_ns <= at->time_ns || refuse(k, STELE_ERR_FORMAT);
}

static bool keep_checkpoint(keeping *k, checkpoint *at, int64_t *before_ns, kept_facts **facts)
{
    const int64_t least_ns = *before_ns;
    if (!keep_step(k, &at->time_ns, before_ns))
        return false;
    if (at->time_ns < least_ns)
        return refuse(k, STELE_ERR_FORMAT);
    return keep_events(k, at) && keep_states(k, at) && keep_learned(k, at, facts);
}

static bool keep_checkpoints(keeping *k, checkpoints *c)
{
    int64_t before_ns = INT64_MIN;
    kept_facts *facts = NULL;
    void *list = c->at;
    if (!keep_flag(k, &c->is_unusable) || !keep_count(k, &c->count, CHECKPOINTS_MAX) ||
        !make_room(k, &list, c->count, sizeof *c->at))
        return false;
    c->at = list;
    for (size_t i = 0; i < c->count; i++) {
        if (!keep_checkpoint(k, &c->at[i], &before_ns, &facts))
            return false;
    }
    return true;
}

/* ---- Streams of tracks ----------------------------------------------------------------------- */

/* The streams are counted from the first one of the trace, as their numbers in the context can
   differ the next time. */
static bool keep_streams(keeping *k, const viewer *v, view_streams *s)
{
    const uint32_t first = k->out != NULL && !s->is_of_trace ? viewer_first_stream(v) : 0;
    void *list = s->pairs;
    if (!keep_flag(k, &s->is_unusable) || !keep_count(k, &s->count, STREAMS_MAX) ||
        !make_room(k, &list, s->count, sizeof *s->pairs))
        return false;
    s->pairs = list;
    s->capacity = s->count;
    for (size_t i = 0; i < s->count; i++) {
        view_track_stream pair = {s->pairs[i].track, s->pairs[i].stream - first};
        if (!keep_track(k, &pair.track) || !keep_u32(k, &pair.stream, UINT32_MAX))
            return false;
        if (k->out == NULL)
            s->pairs[i] = pair;
    }
    s->is_of_trace |= k->out == NULL;
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool keep_head(keeping *k)
{
    uint8_t letter;
    uint32_t version = VERSION;
    for (const char *at = MAGIC; *at != 0; at++) {
        letter = (uint8_t)*at;
        if (!keep_u8(k, &letter, UINT8_MAX))
            return false;
        if (letter != (uint8_t)*at)
            return refuse(k, STELE_ERR_FORMAT);
    }
    return keep_u32(k, &version, VERSION) && (version == VERSION || refuse(k, STELE_ERR_FORMAT));
}

static stele_status keep_all(keeping *k, viewer *v)
{
    k->context = v->context;
    k->source = stele_trace_get_info(v->traces[0])->number;
    if (keep_head(k) && keep_tracks(k) && keep_known(k, &v->known) && keep_counters(k, v) &&
        keep_losses(k, v) && keep_checkpoints(k, &v->open))
        keep_streams(k, v, &v->streams);
    if (k->status == STELE_OK && k->out == NULL && k->at != k->end)
        refuse(k, STELE_ERR_FORMAT);
    free(k->names);
    free(k->name_numbers);
    free(k->tracks);
    return k->status;
}

stele_status kept_write(viewer *v, stele_output *out)
{
    keeping k = {.out = out};
    stele_status status;
    k.name_numbers = calloc((size_t)stele_name_count(v->context) + 1, sizeof *k.name_numbers);
    if (k.name_numbers == NULL)
        return STELE_ERR_MEMORY;
    status = keep_all(&k, v);
    return status == STELE_OK ? stele_output_status(out) : status;
}

/* Releases what a scan, or the reading of what was kept, found out. */
static void forget(viewer *v)
{
    free(v->known.tracks);
    free(v->counters);
    free(v->losses);
    checkpoints_free(&v->open);
    view_streams_free(&v->streams);
}

stele_status kept_take(viewer *v, const void *bytes, size_t size)
{
    keeping k = {.at = bytes, .end = (const uint8_t *)bytes + size};
    viewer made = {.context = v->context, .traces = v->traces};
    const stele_status status = keep_all(&k, &made);
    if (status != STELE_OK) {
        forget(&made);
        return status;
    }
    forget(v);
    v->known = made.known;
    v->counters = made.counters;
    v->counter_count = made.counter_count;
    v->has_more_counters = made.has_more_counters;
    v->losses = made.losses;
    v->loss_count = made.loss_count;
    v->open = made.open;
    v->streams = made.streams;
    return STELE_OK;
}
