/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what precedes the events of a trace: strings, threads, providers, clocks, objects. */
#include "formats/fxt/write/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/fxt/trace.h"

/* The provider of events that were recorded without one. */
#define OWN_PROVIDER_ID   UINT32_C(0x7374656c)
#define OWN_PROVIDER_NAME "stele"

/*
 * Events of several providers in the order of time would each need a section. After this many
 * sections the records of each provider are collected to longer sections, for at most STAGES_MAX
 * providers.
 */
#define SECTIONS_MAX 1024u
#define STAGES_MAX   256u

/* Key of the target without a provider record. */
#define KEY_BARE UINT64_MAX

/* Bytes of the longest string that is written inline. Longer ones are registered at once, as they
   would leave no room for the rest of the record. */
#define INLINE_MAX 1024u

/* Bit of koids that the writer makes for tracks without one. */
#define SYNTHETIC_KOID (UINT64_C(1) << 63)

void fxt_writer_lose(fxt_making *m, const char *what, loss_extent extent)
{
    writer_lose(&m->w->base, (stele_kind)m->event->kind, what, extent, 1);
}

/* ---- Writing of records ---- */

void fxt_writer_emit(fxt_writer *w, const stele_fxt_record *record,
                     const stele_fxt_argument *arguments)
{
    uint8_t *to = output_reserve(w->to, STELE_FXT_RECORD_SIZE_MAX);
    if (to == NULL) {
        w->is_exhausted = true;
        return;
    }
    output_advance(w->to, stele_fxt_encode(record, arguments, to, STELE_FXT_RECORD_SIZE_MAX));
}

stele_fxt_string fxt_inline_string(const void *bytes, size_t size, size_t size_max)
{
    return (stele_fxt_string){(uint16_t)(STELE_FXT_INLINE | (size < size_max ? size : size_max)),
                              bytes};
}

void fxt_writer_put_payload(fxt_writer *w, const void *bytes, uint64_t size)
{
    static const uint8_t zeros[FXT_WORD];
    output_write(w->to, bytes, (size_t)size);
    w->payload.left -= size;
    if (w->payload.left == 0)
        output_write(w->to, zeros, (size_t)(fxt_padded(w->payload.size) - w->payload.size));
}

void fxt_writer_end_payload(fxt_writer *w)
{
    static const uint8_t zeros[4096];
    if (w->payload.left != 0)
        writer_lose(&w->base, STELE_KIND_BLOB, "rest of a payload", true, 1);
    while (w->payload.left != 0 && w->to->status == STELE_OK)
        fxt_writer_put_payload(w, zeros,
                               w->payload.left < sizeof zeros ? w->payload.left : sizeof zeros);
}

/* ---- String references ---- */

/* Makes the reference to a name that has no index, or that has more bytes than a string can have.
 */
static stele_fxt_string string_anew(fxt_making *m, stele_name name, bool must)
{
    const stele_text text = stele_name_text(m->w->base.context, m->batch, name);
    fxt_table *table;
    stele_fxt_string string;
    uint32_t index;
    if (text.size == 0)
        return (stele_fxt_string){0};
    if (text.size > STELE_FXT_STRING_SIZE_MAX)
        fxt_writer_lose(m, "names beyond 32000 bytes", false);
    string = fxt_inline_string(text.bytes, text.size, STELE_FXT_STRING_SIZE_MAX);
    if (m->w->is_inline)
        return string;
    /* Names of the batch have numbers that mean something else in the next batch. */
    if ((name & STELE_NAME_LOCAL) != 0) {
        if (text.size > INLINE_MAX)
            fxt_writer_lose(m, "long names when there are too many", false);
        return fxt_inline_string(text.bytes, text.size, INLINE_MAX);
    }
    table = &m->target->strings; /* records that stand alone have no target, and returned above */
    index = fxt_table_find(table, name, m->w->record);
    if (index == 0) {
        if (!fxt_table_see(table, name, &m->w->is_exhausted) && !must && text.size <= INLINE_MAX)
            return string;
        index = fxt_table_add(table, name, m->w->record);
        if (index == 0) {
            m->w->is_exhausted = true;
            return (stele_fxt_string){0};
        }
        table->has_cut |= text.size > STELE_FXT_STRING_SIZE_MAX;
        fxt_writer_emit(
            m->w, &(stele_fxt_record){.type = STELE_FXT_STRING, .number = index, .name = string},
            NULL);
    }
    return (stele_fxt_string){(uint16_t)index, NULL};
}

/* A name that has an index needs no look at its text, unless a loss may have to be counted. Records
   that stand alone have no target. */
stele_fxt_string fxt_writer_string(fxt_making *m, stele_name name, bool must)
{
    if (!m->w->is_inline && (name & STELE_NAME_LOCAL) == 0 && !m->target->strings.has_cut) {
        const uint32_t index = fxt_table_find(&m->target->strings, name, m->w->record);
        if (index != 0)
            return (stele_fxt_string){(uint16_t)index, NULL};
    }
    return string_anew(m, name, must);
}

/* ---- Thread references ---- */

/* Returns a koid for a track without one: they are numbered in the order in which they are
   needed. */
static uint64_t synthetic_koid(fxt_writer *w, uint32_t track)
{
    uint32_t number = fxt_map_get(&w->koids, 0, track);
    if (number == 0) {
        number = ++w->synthetic_count;
        if (!fxt_map_set(&w->koids, 0, track, number))
            w->is_exhausted = true;
    }
    return SYNTHETIC_KOID | number;
}

/* Gives the process and thread koid of a track. Threads of the same process get the same process
   koid. */
static void track_koids(fxt_writer *w, uint32_t track, uint64_t *process, uint64_t *thread)
{
    const stele_track *t = stele_track_get(w->base.context, track);
    const stele_track *parent = t != NULL ? stele_track_get(w->base.context, t->parent) : NULL;
    if (t != NULL && t->kind == STELE_TRACK_THREAD &&
        (parent == NULL || parent->kind == STELE_TRACK_PROCESS))
        *thread = t->number;
    else
        *thread = synthetic_koid(w, track);
    if (t != NULL && t->kind == STELE_TRACK_PROCESS)
        *process = t->number;
    else if (parent != NULL && parent->kind == STELE_TRACK_PROCESS)
        *process = parent->number;
    else
        *process = synthetic_koid(w, t != NULL ? t->parent : 0);
}

/* Returns the name of a track. One is made if it has none and its number would not be seen
   otherwise. */
static stele_name track_name(fxt_writer *w, uint32_t track)
{
    const stele_track *t = stele_track_get(w->base.context, track);
    char text[64];
    int size;
    stele_name name;
    if (t == NULL || t->name != 0 || t->kind == STELE_TRACK_THREAD ||
        t->kind == STELE_TRACK_PROCESS)
        return t != NULL ? t->name : 0;
    size = snprintf(text, sizeof text, "%s %" PRIu64, stele_track_kind_text(t->kind), t->number);
    name = stele_name_intern(w->base.context, text, (size_t)size);
    return name != UINT32_MAX ? name : 0;
}

/* Where in `named` the userspace objects are that the provider has named in the event's process: a
   space of its own beside the types of kernel objects, which have 8 bits. */
static uint64_t pointer_space(const fxt_making *m)
{
    const uint64_t provider = (uint64_t)(m->target - m->w->targets);
    const stele_track *t = stele_track_get(m->w->base.context, m->event->track);
    if (t != NULL && t->kind != STELE_TRACK_PROCESS)
        t = stele_track_get(m->w->base.context, t->parent);
    return ((t != NULL && t->kind == STELE_TRACK_PROCESS ? t->number << 9 : 0) ^ provider << 48) |
           FXT_OBJECT_USERSPACE;
}

/* Koids of all types are one space for those who refer to them. */
#define ANY_KOID ((uint64_t)FXT_OBJECT_USERSPACE + 1)

static void set_named(fxt_writer *w, uint64_t space, uint64_t number)
{
    if (!fxt_map_set(&w->named, space, number, FXT_NAME_IS_WRITTEN))
        w->is_exhausted = true;
}

void fxt_writer_names_object(fxt_making *m, uint64_t type, uint64_t number)
{
    if (type == FXT_OBJECT_USERSPACE) {
        set_named(m->w, pointer_space(m), number);
        return;
    }
    set_named(m->w, type, number);
    set_named(m->w, ANY_KOID, number);
}

bool fxt_writer_has_named(const fxt_making *m, bool is_pointer, uint64_t number)
{
    if (m->w->is_inline)
        return true; /* the copy has the records that name them */
    return fxt_map_get(&m->w->named, is_pointer ? pointer_space(m) : ANY_KOID, number) != 0;
}

static void emit_name(fxt_making *m, stele_name name, uint32_t type, uint64_t koid,
                      uint64_t process)
{
    fxt_writer *w = m->w;
    stele_fxt_argument argument = {.type = STELE_FXT_ARGUMENT_KOID, .value = process};
    stele_fxt_record record = {.type = STELE_FXT_KERNEL_OBJECT, .number = type, .words = {koid}};
    record.name = fxt_writer_string(m, name, false);
    if (type == FXT_OBJECT_THREAD) {
        argument.name = fxt_writer_string(m, w->names[FXT_NAME_PROCESS], false);
        record.argument_count = 1;
    }
    set_named(w, ANY_KOID, koid);
    fxt_writer_emit(w, &record, &argument);
}

/* Writes the name of a process or thread once. If an event gives the name it is left to that event,
   but if the event was left out of the output, it is written at the end. */
static void name_koid(fxt_making *m, uint32_t track, uint32_t type, uint64_t koid, uint64_t process)
{
    fxt_writer *w = m->w;
    const stele_track *t = stele_track_get(w->base.context, track);
    const stele_name name = track_name(w, track);
    const bool is_owed = t != NULL && t->is_named_by_event;
    if (name == 0 || fxt_map_get(&w->named, type, koid) != FXT_NAME_IS_NOT_KNOWN)
        return;
    if (!fxt_map_set(&w->named, type, koid, is_owed ? FXT_NAME_IS_OWED : FXT_NAME_IS_WRITTEN))
        w->is_exhausted = true;
    w->has_owed_names |= is_owed;
    if (!is_owed)
        emit_name(m, name, type, koid, process);
}

void fxt_writer_end_names(fxt_writer *w)
{
    static const stele_batch nothing;
    const uint32_t count = stele_track_count(w->base.context);
    fxt_making m = {.w = w, .batch = &nothing};
    if (!w->has_owed_names || w->current == UINT32_MAX)
        return;
    m.target = &w->targets[w->current];
    for (uint32_t track = 1; track <= count && !w->is_exhausted; track++) {
        const stele_track *t = stele_track_get(w->base.context, track);
        uint64_t koids[2] = {0, 0};
        uint32_t type = FXT_OBJECT_PROCESS;
        if (t == NULL || !t->is_named_by_event)
            continue;
        if (t->kind == STELE_TRACK_THREAD)
            type = FXT_OBJECT_THREAD;
        track_koids(w, track, &koids[0], &koids[1]);
        if (fxt_map_get(&w->named, type, koids[type - FXT_OBJECT_PROCESS]) != FXT_NAME_IS_OWED)
            continue;
        if (!fxt_map_set(&w->named, type, koids[type - FXT_OBJECT_PROCESS], FXT_NAME_IS_WRITTEN))
            w->is_exhausted = true;
        w->record++;
        emit_name(&m, t->name, type, koids[type - FXT_OBJECT_PROCESS], koids[0]);
    }
}

stele_fxt_thread fxt_writer_thread(fxt_making *m, uint32_t track)
{
    fxt_writer *w = m->w;
    const stele_track *t = stele_track_get(w->base.context, track);
    stele_fxt_thread thread = {.has_process = true, .has_thread = true};
    uint32_t index = w->is_inline ? 0 : fxt_table_find(&m->target->threads, track + 1, w->record);
    if (index != 0)
        return (stele_fxt_thread){.ref = (uint8_t)index};
    track_koids(w, track, &thread.process, &thread.thread);
    if (w->is_inline)
        return thread;
    name_koid(m, t != NULL && t->kind != STELE_TRACK_PROCESS ? t->parent : track,
              FXT_OBJECT_PROCESS, thread.process, 0);
    name_koid(m, track, FXT_OBJECT_THREAD, thread.thread, thread.process);
    index = fxt_table_add(&m->target->threads, track + 1, w->record);
    if (index == 0) {
        w->is_exhausted = true;
        return thread;
    }
    fxt_writer_emit(
        w, &(stele_fxt_record){.type = STELE_FXT_THREAD, .number = index, .thread = thread}, NULL);
    return (stele_fxt_thread){.ref = (uint8_t)index};
}

stele_fxt_thread fxt_writer_lone_thread(fxt_making *m, uint64_t track)
{
    const stele_track *t = stele_track_get(m->w->base.context, (uint32_t)track);
    stele_fxt_thread thread = {.has_thread = true};
    uint64_t process;
    track_koids(m->w, (uint32_t)track, &process, &thread.thread);
    if (t == NULL || t->kind != STELE_TRACK_THREAD || t->parent != 0)
        fxt_writer_thread(m, (uint32_t)track);
    return thread;
}

/* ---- Providers of the output ---- */

static fxt_target *target_new(fxt_writer *w, uint64_t key, uint32_t id)
{
    fxt_target *target;
    if (w->target_count == w->target_capacity) {
        fxt_target *targets = array_grow(w->targets, sizeof *targets, &w->target_capacity, 8);
        if (targets == NULL)
            return NULL;
        w->targets = targets;
    }
    while (fxt_map_get(&w->ids, 0, id) != 0)
        id++; /* the id belongs to a provider of another trace */
    target = &w->targets[w->target_count];
    *target = (fxt_target){.key = key, .id = id};
    target->strings.capacity_max = 0x7fff;
    target->threads.capacity_max = 0xff;
    if (!fxt_map_set(&w->ids, 0, id, 1) || !fxt_map_set(&w->target_of, 0, key, w->target_count + 1))
        return NULL;
    w->target_count++;
    return target;
}

static stele_fxt_record section_of(const fxt_target *target)
{
    return (stele_fxt_record){
        .type = STELE_FXT_METADATA, .number = target->id, .subtype = STELE_FXT_PROVIDER_SECTION};
}

static bool stage_open(fxt_writer *w, fxt_target *target)
{
    if (target->stage == NULL &&
        output_open_memory(&w->base.context->diag, &target->stage) != STELE_OK)
        return false;
    w->to = target->stage;
    return true;
}

void fxt_writer_flush(fxt_writer *w, fxt_target *target)
{
    const stele_fxt_record section = section_of(target);
    const uint8_t *bytes;
    size_t size;
    if (target->stage == NULL)
        return;
    if (target->stage->status != STELE_OK) {
        w->is_exhausted = true;
        return;
    }
    bytes = output_memory(target->stage, &size);
    if (size == 0)
        return;
    w->to = w->base.out;
    fxt_writer_emit(w, &section, NULL);
    output_write(w->to, bytes, size);
    target->stage->at = target->stage->buffer;
}

/* Makes another target the current one. Returns NULL if out of memory. `track` is that of a
   provider, or NULL. */
static fxt_target *target_enter(fxt_writer *w, fxt_target *target, const stele_track *track)
{
    stele_fxt_record record = {.type = STELE_FXT_METADATA};
    stele_text name = {OWN_PROVIDER_NAME, sizeof OWN_PROVIDER_NAME - 1};
    fxt_writer_end_payload(w);
    w->current = (uint32_t)(target - w->targets);
    if (target->key == KEY_BARE)
        return target;
    w->to = w->base.out;
    if (target->is_announced) {
        if (++w->section_count > SECTIONS_MAX && w->target_count <= STAGES_MAX)
            return stage_open(w, target) ? target : NULL;
        record = section_of(target);
    } else {
        target->is_announced = true;
        if (track != NULL)
            name = stele_name_text(w->base.context, NULL, track->name);
        if (name.size > UINT8_MAX)
            writer_lose(&w->base, STELE_KIND_NONE, "provider names beyond 255 bytes", false, 1);
        record.number = target->id;
        record.subtype = STELE_FXT_PROVIDER_INFO;
        record.name = fxt_inline_string(name.bytes, name.size, UINT8_MAX);
    }
    fxt_writer_emit(w, &record, NULL);
    return target;
}

fxt_target *fxt_writer_target(fxt_writer *w, const stele_stream *stream)
{
    const stele_track *track =
        stream != NULL ? stele_track_get(w->base.context, stream->track) : NULL;
    const bool is_provider = track != NULL && track->kind == STELE_TRACK_PROVIDER;
    const uint32_t id = is_provider ? (uint32_t)track->number : OWN_PROVIDER_ID;
    /* Events without a provider at the begin of an FXT trace stay without one: it is only possible
       there. */
    const bool is_bare = stream != NULL && stream->track == 0 &&
                         (w->current == UINT32_MAX || w->targets[w->current].key == KEY_BARE);
    const uint64_t key = is_provider ? (uint64_t)(track->source + 1) << 32 | id
                         : is_bare   ? KEY_BARE
                                     : 0;
    fxt_target *target;
    uint32_t known;
    if (w->current != UINT32_MAX && w->targets[w->current].key == key)
        return &w->targets[w->current];
    known = fxt_map_get(&w->target_of, 0, key);
    target = known != 0 ? &w->targets[known - 1] : target_new(w, key, id);
    return target != NULL ? target_enter(w, target, is_provider ? track : NULL) : NULL;
}

/* ---- Times and clocks ---- */

/* Returns the clock of a stream as a reader of the output will see it. */
static fxt_clock clock_of(const fxt_making *m, const stele_clock *clock)
{
    fxt_clock own = {0};
    bool is_clamped = false;
    if (clock == NULL || clock->domain != STELE_CLOCK_NS || clock->frequency_hz == 0)
        return own;
    own.rate = tick_rate_make(clock->frequency_hz);
    own.base_ticks = clock->base_ticks;
    own.base_ns = tick_rate_ns(&own.rate, own.base_ticks, &is_clamped);
    own.has_wall = stele_batch_wall(m->batch, clock, &own.wall_ns) && own.wall_ns >= 0;
    if (!own.has_wall)
        own.wall_ns = 0;
    own.is_told = true;
    return own;
}

static void tell_clock(fxt_making *m, const fxt_clock *clock)
{
    stele_fxt_record record = {
        .type = STELE_FXT_INITIALIZATION, .word_count = 1, .words = {clock->rate.frequency_hz}};
    m->target->clock = *clock;
    if (clock->has_wall) {
        record.word_count = 3;
        record.words[1] = clock->base_ticks;
        record.words[2] = (uint64_t)clock->wall_ns + (uint64_t)clock->base_ns;
    }
    fxt_writer_emit(m->w, &record, NULL);
}

/* Sets the output's clock to nanoseconds from 0, at the same wall-clock time. */
static void tell_nanoseconds(fxt_making *m, const fxt_clock *own)
{
    fxt_clock clock = {.rate = tick_rate_make(0), .is_told = true};
    clock.has_wall = own->has_wall;
    clock.wall_ns = own->wall_ns;
    if (!m->target->clock.is_told || m->target->clock.rate.frequency_hz != UINT64_C(1000000000) ||
        m->target->clock.base_ticks != 0)
        tell_clock(m, &clock);
}

/* Whether the event's own ticks give its times exactly on this clock. */
static bool ticks_are_exact(const stele_event *event, const fxt_clock *clock)
{
    bool is_clamped = false;
    return clock->is_told && fxt_clock_ns(clock, event->ticks, &is_clamped) == event->time_ns &&
           (event->kind != STELE_KIND_COMPLETE ||
            fxt_clock_ns(clock, event->value, &is_clamped) == (int64_t)event->id);
}

static uint64_t ns_as_ticks(fxt_making *m, int64_t ns)
{
    if (ns >= 0)
        return (uint64_t)ns;
    fxt_writer_lose(m, "times before the clock's zero", false);
    return 0;
}

void fxt_writer_set_time(fxt_making *m, uint64_t *end)
{
    const stele_event *event = m->event;
    const stele_stream *stream = stele_stream_get(m->w->base.context, m->batch->stream);
    if (m->w->is_inline) {
        m->record.ticks = event->ticks;
        *end = event->value;
        return;
    }
    if ((event->flags & STELE_FLAG_NO_TIME) != 0) {
        /* Before any event with a time, it gets the time at which its reader placed it: with 0 the
           trace would become as long as its clock is old. */
        if (!m->target->clock.is_told && m->target->last_ticks == 0 && event->time_ns > 0) {
            const fxt_clock own = clock_of(m, stream != NULL ? &stream->clock : NULL);
            tell_nanoseconds(m, &own);
            m->target->last_ticks = ns_as_ticks(m, event->time_ns);
        }
        m->record.ticks = *end = m->target->last_ticks;
        fxt_writer_lose(m, "having no time",
                        m->event->kind == STELE_KIND_METADATA ? LOSS_FORM : LOSS_CHANGED);
        return;
    }
    if (!ticks_are_exact(event, &m->target->clock)) {
        const fxt_clock own = clock_of(m, stream != NULL ? &stream->clock : NULL);
        if (ticks_are_exact(event, &own))
            tell_clock(m, &own);
        else
            tell_nanoseconds(m, &own);
    }
    if (ticks_are_exact(event, &m->target->clock)) {
        m->record.ticks = event->ticks;
        *end = event->value;
    } else {
        m->record.ticks = ns_as_ticks(m, event->time_ns);
        *end = event->kind == STELE_KIND_COMPLETE ? ns_as_ticks(m, (int64_t)event->id) : 0;
    }
    m->target->last_ticks = m->record.ticks;
}
