/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot path. Nearly all records of real traces are events whose thread, category, name and
 * argument names are registered, or switches and wakeups of threads, and contain nothing unusual.
 * They become events here without a detour. If anything is unusual, nothing of the record has
 * happened yet, and the general path takes over. Both give the same (tests/unit/test_fxt_reader.c
 * compares them).
 */
#include "formats/fxt/read/events.h"

/* Bits of a header that distinguish events with registered names: the type, and whether category or
   name is inline. */
#define HEADER_MASK (UINT64_C(15) | UINT64_C(1) << 47 | UINT64_C(1) << 63)

/* The loop over records is compiled twice, with and without fields. */
#define HOT static inline __attribute__((always_inline))

/* Bytes of header and time; arguments follow. */
#define EVENT_SIZE_MIN (2 * FXT_WORD)

static const struct {
    uint8_t kind;
    bool has_word; /* a word follows the arguments */
} event_types[16] = {
    [STELE_FXT_INSTANT] = {STELE_KIND_INSTANT, false},
    [STELE_FXT_COUNTER] = {STELE_KIND_COUNTER, true},
    [STELE_FXT_DURATION_BEGIN] = {STELE_KIND_BEGIN, false},
    [STELE_FXT_DURATION_END] = {STELE_KIND_END, false},
    [STELE_FXT_DURATION_COMPLETE] = {STELE_KIND_COMPLETE, true},
    [STELE_FXT_ASYNC_BEGIN] = {STELE_KIND_ASYNC_BEGIN, true},
    [STELE_FXT_ASYNC_INSTANT] = {STELE_KIND_ASYNC_STEP, true},
    [STELE_FXT_ASYNC_END] = {STELE_KIND_ASYNC_END, true},
    [STELE_FXT_FLOW_BEGIN] = {STELE_KIND_FLOW_BEGIN, true},
    [STELE_FXT_FLOW_STEP] = {STELE_KIND_FLOW_STEP, true},
    [STELE_FXT_FLOW_END] = {STELE_KIND_FLOW_END, true},
};

/* The thread table of a provider that has none. */
static const fxt_thread_entry no_threads[256];

static inline size_t hot_size(uint64_t header)
{
    return (size_t)fxt_bits(header, 4, 15) * FXT_WORD;
}

static inline const fxt_string_entry *hot_string(const fxt_provider *p, uint64_t ref)
{
    return &p->pages[ref >> FXT_PAGE_BITS][ref & (FXT_PAGE_SIZE - 1)];
}

/* ---- Arguments of events ---- */

/* Returns the end of the arguments, or NULL if their sizes are not valid. */
static inline const uint8_t *hot_skip(const uint8_t *at, const uint8_t *end, unsigned count)
{
    for (; count > 0; count--) {
        const size_t left = (size_t)(end - at);
        size_t size;
        if (left < FXT_WORD)
            return NULL;
        size = hot_size(load_le64(at));
        if (size == 0 || size > left)
            return NULL;
        at += size;
    }
    return at;
}

/* Sets a field to a value with a label, which follows it. */
static bool hot_labelled(stele_batch *batch, stele_field *field, uint8_t type, uint8_t hint,
                         uint64_t value, uint32_t label)
{
    field->type = type;
    field->width = 64;
    field->hint = hint;
    field->u.u = value;
    if (label != 0) {
        field->label_count = 1;
        *batch_push_field(batch) = (stele_field){.type = STELE_TYPE_NAME, .u.u = label - 1};
    }
    return true;
}

static bool hot_text(fxt_events *e, stele_batch *batch, stele_field *field, uint64_t header,
                     const uint8_t *at, size_t size)
{
    const uint32_t length = (uint32_t)fxt_bits(header, 32, 46);
    const fxt_string_entry *string;
    if (fxt_string_is_inline((uint16_t)(header >> 32))) {
        if (FXT_WORD + fxt_padded(length) != size || !batch_reserve_bytes(batch, length))
            return false;
        field->type = STELE_TYPE_STRING;
        field->u.bytes.offset = batch_push_bytes(batch, at + FXT_WORD, length);
        field->u.bytes.size = length;
        return true;
    }
    string = hot_string(e->state->current, length);
    field->type = STELE_TYPE_NAME;
    field->u.u = string->name;
    return size == FXT_WORD && (string->is_known || length == 0);
}

/* Sets a field to the value in an argument's header or in the word after it. Returns false if it is
   unusual. */
static inline bool hot_value(fxt_events *e, stele_batch *batch, stele_field *field, uint64_t header,
                             const uint8_t *at, size_t size, uint64_t process)
{
    const stele_name name = field->name;
    const uint64_t word = size >= 2 * FXT_WORD ? load_le64(at + FXT_WORD) : 0;
    switch (fxt_bits(header, 0, 3)) {
    case STELE_FXT_ARGUMENT_INT32:
        *field = (stele_field){name, STELE_TYPE_INT, 32, 0, 0, {.i = (int32_t)(header >> 32)}};
        return size == FXT_WORD;
    case STELE_FXT_ARGUMENT_UINT32:
        *field = (stele_field){name, STELE_TYPE_UINT, 32, 0, 0, {.u = header >> 32}};
        return size == FXT_WORD;
    case STELE_FXT_ARGUMENT_INT64:
        *field = (stele_field){name, STELE_TYPE_INT, 64, 0, 0, {.u = word}};
        return size == 2 * FXT_WORD;
    case STELE_FXT_ARGUMENT_UINT64:
        *field = (stele_field){name, STELE_TYPE_UINT, 64, 0, 0, {.u = word}};
        return size == 2 * FXT_WORD;
    case STELE_FXT_ARGUMENT_DOUBLE:
        *field = (stele_field){name, STELE_TYPE_FLOAT, 64, 0, 0, {.u = word}};
        return size == 2 * FXT_WORD;
    case STELE_FXT_ARGUMENT_STRING:
        *field = (stele_field){.name = name};
        return hot_text(e, batch, field, header, at, size);
    case STELE_FXT_ARGUMENT_POINTER:
        *field = (stele_field){.name = name};
        return size == 2 * FXT_WORD &&
               hot_labelled(batch, field, STELE_TYPE_POINTER, STELE_HINT_HEX, word,
                            fxt_state_pointer_label(e->state, process, word));
    case STELE_FXT_ARGUMENT_KOID:
        *field = (stele_field){.name = name};
        return size == 2 * FXT_WORD && hot_labelled(batch, field, STELE_TYPE_KOID, 0, word,
                                                    fxt_state_koid_label(e->state, word));
    default: return false;
    }
}

/* Appends all arguments and returns their end, or NULL if one of them is unusual. */
static inline const uint8_t *hot_arguments(fxt_events *e, stele_batch *batch, const uint8_t *at,
                                           const uint8_t *end, unsigned count, uint64_t process)
{
    const fxt_provider *p = e->state->current;
    if (!batch_reserve_fields(batch, 2 * count))
        return NULL;
    for (; count > 0; count--) {
        const size_t left = (size_t)(end - at);
        const fxt_string_entry *name;
        stele_field *field;
        uint64_t header;
        size_t size;
        if (left < FXT_WORD)
            return NULL;
        header = load_le64(at);
        size = hot_size(header);
        if (size == 0 || size > left || (header & UINT64_C(1) << 31) != 0)
            return NULL;
        name = hot_string(p, fxt_bits(header, 16, 30));
        if (!name->is_known)
            return NULL;
        field = batch_push_field(batch);
        field->name = name->name;
        if (!hot_value(e, batch, field, header, at, size, process))
            return NULL;
        at += size;
    }
    return at;
}

/* ---- Events with registered names ---- */

/* Values that each record needs, kept in one place. */
typedef struct hot_run {
    fxt_events *e;
    stele_batch *batch;
    fxt_provider *provider;
    const fxt_thread_entry *threads;
    stele_event *event; /* the next event to fill in */
    tick_rate rate;
    uint64_t base_ticks;
    int64_t base_ns;
    uint64_t ticks_max;       /* largest distance from the clock's base with an exact time */
    int64_t begin_ns, end_ns; /* requested range of time; an end of INT64_MAX is no bound */
    uint64_t kinds, value_mask;
    screen *screen;
    uint32_t name_mask, track_mask;
} hot_run;

static inline bool hot_time(const hot_run *run, uint64_t ticks, int64_t *time_ns)
{
    /* Wraps around if ticks are before the base. */
    const uint64_t distance = ticks - run->base_ticks;
    bool is_clamped = false;
    if (distance > run->ticks_max)
        return false;
    return !__builtin_add_overflow(tick_rate_ns(&run->rate, distance, &is_clamped), run->base_ns,
                                   time_ns);
}

/* Whether an event is in the requested range. Exact times are before INT64_MAX, so an open end
   needs no special case. */
static inline bool hot_is_wanted(const hot_run *run, unsigned kind, int64_t time_ns, int64_t end_ns)
{
    return ((run->kinds & STELE_KIND_BIT(kind)) != 0) & (time_ns < run->end_ns) &
           (end_ns >= run->begin_ns);
}

/* Makes an event of a record of at least EVENT_SIZE_MIN bytes. Returns false, with nothing changed,
   if it is unusual. */
HOT bool hot_event(hot_run *run, const uint8_t *at, size_t size, uint64_t header, uint64_t offset,
                   bool has_fields)
{
    stele_batch *batch = run->batch;
    const unsigned type = (unsigned)fxt_bits(header, 16, 19);
    const unsigned count = (unsigned)fxt_bits(header, 20, 23);
    const uint64_t category_ref = fxt_bits(header, 32, 47), name_ref = fxt_bits(header, 48, 63);
    const fxt_thread_entry *thread = &run->threads[fxt_bits(header, 24, 31)];
    const fxt_string_entry *category = hot_string(run->provider, category_ref);
    const fxt_string_entry *name = hot_string(run->provider, name_ref);
    const uint8_t *arguments = at + EVENT_SIZE_MIN, *end = at + size, *rest = arguments;
    const uint32_t field_first = batch->field_count, byte_first = batch->byte_count;
    const uint8_t kind = event_types[type].kind;
    uint64_t ticks, value = 0, id = 0;
    int64_t time_ns, end_ns;
    uint16_t field_count;
    bool is_wanted;
    if (kind == STELE_KIND_NONE || !thread->is_known)
        return false;
    if (run->name_mask != 0 &&
        ((category->category == 0 && category_ref != 0) || (!name->is_known && name_ref != 0)))
        return false;
    ticks = load_le64(at + FXT_WORD);
    if (!hot_time(run, ticks, &time_ns) || time_ns == INT64_MAX)
        return false;
    end_ns = time_ns;
    if (event_types[type].has_word) {
        end -= FXT_WORD;
        if (end < arguments)
            return false;
        id = load_le64(end);
    }
    if (kind == STELE_KIND_COMPLETE) {
        value = id;
        if (value < ticks || !hot_time(run, value, &end_ns))
            return false;
        id = (uint64_t)end_ns;
    }
    is_wanted = hot_is_wanted(run, kind, time_ns, end_ns);
    if (count != 0)
        rest = has_fields && is_wanted &&
                       screen_passes(run->screen, kind, category->category, name->name)
                   ? hot_arguments(run->e, batch, arguments, end, count, thread->process)
                   : hot_skip(arguments, end, count);
    if (rest != end) {
        batch->field_count = field_first;
        batch->byte_count = byte_first;
        return false;
    }
    field_count = (uint16_t)(batch->field_count - field_first);
    event_set(run->event, time_ns, ticks, value & run->value_mask, id & run->value_mask, offset,
              (uint32_t)size, name->name & run->name_mask, thread->track & run->track_mask,
              field_first,
              event_rest(field_count, category->category & (uint16_t)run->name_mask, 0, kind, 0));
    run->provider->last_ns = time_ns;
    /* An event that is not wanted has been written, but its room is used again. */
    run->event += is_wanted;
    return true;
}

/* ---- Scheduling records ---- */

/* Gives the track of a thread of the table or, if the record names threads by koid alone, of that
   koid. */
static inline bool hot_thread(const hot_run *run, bool is_old, uint64_t ref, const uint8_t *koid,
                              uint32_t *track)
{
    if (!is_old) {
        *track = fxt_state_lone_thread_track(run->e->state, load_le64(koid));
        return true;
    }
    *track = run->threads[ref].track;
    return run->threads[ref].is_known;
}

static inline void hot_uint(stele_batch *batch, stele_name name, uint64_t value, uint8_t width)
{
    *batch_push_field(batch) = (stele_field){name, STELE_TYPE_UINT, width, 0, 0, {.u = value}};
}

/* Appends the fields of a switch besides its threads: see make_scheduling(). */
static bool hot_switch_fields(fxt_events *e, stele_batch *batch, uint64_t header, bool is_old)
{
    const uint64_t state = is_old ? fxt_bits(header, 24, 27) : fxt_bits(header, 36, 39);
    if (!batch_reserve_fields(batch, 4))
        return false;
    hot_uint(batch, e->names[FXT_NAME_OUTGOING_STATE], state, 4);
    if (state < 6) {
        batch->fields[batch->field_count - 1].label_count = 1;
        *batch_push_field(batch) =
            (stele_field){.type = STELE_TYPE_NAME, .u.u = e->thread_states[state]};
    }
    if (is_old) {
        hot_uint(batch, e->names[FXT_NAME_OUTGOING_PRIORITY], fxt_bits(header, 44, 51), 8);
        hot_uint(batch, e->names[FXT_NAME_INCOMING_PRIORITY], fxt_bits(header, 52, 59), 8);
    }
    return true;
}

/* Returns the track of a CPU; those of the first CPUs are remembered. */
static inline uint32_t hot_cpu_track(fxt_events *e, uint64_t cpu)
{
    uint32_t *known;
    if (cpu >= FXT_CPU_TRACKS)
        return fxt_state_cpu_track(e->state, cpu);
    known = &e->cpu_tracks[cpu];
    if (*known == 0)
        *known = fxt_state_cpu_track(e->state, cpu);
    return *known;
}

/* Makes an event of a switch or wakeup of at least EVENT_SIZE_MIN bytes. Returns false, with
   nothing changed, if it is unusual. */
HOT bool hot_scheduling(hot_run *run, const uint8_t *at, size_t size, uint64_t header,
                        uint64_t offset, bool has_fields)
{
    static const uint8_t kinds[3] = {STELE_KIND_SWITCH, STELE_KIND_SWITCH, STELE_KIND_WAKE};
    static const uint8_t words[3] = {2, 4, 3};
    stele_batch *batch = run->batch;
    const unsigned type = (unsigned)fxt_bits(header, 60, 63);
    const bool is_old = type == STELE_FXT_CONTEXT_SWITCH_OLD;
    const unsigned count = is_old ? 0 : (unsigned)fxt_bits(header, 16, 19);
    const uint64_t cpu = is_old ? fxt_bits(header, 16, 23) : fxt_bits(header, 20, 35);
    const uint32_t field_first = batch->field_count, byte_first = batch->byte_count;
    const uint8_t *end = at + size, *rest;
    uint32_t outgoing = 0, incoming = 0;
    int64_t time_ns;
    uint64_t ticks;
    bool is_wanted;
    if (type > STELE_FXT_THREAD_WAKEUP || size < words[type] * FXT_WORD)
        return false;
    ticks = load_le64(at + FXT_WORD);
    if (!hot_time(run, ticks, &time_ns) || time_ns == INT64_MAX)
        return false;
    is_wanted = hot_is_wanted(run, kinds[type], time_ns, time_ns);
    rest = hot_skip(at + words[type] * FXT_WORD, end, count);
    if (rest != end)
        return false;
    if (!is_wanted) {
        run->provider->last_ns = time_ns;
        return true;
    }
    if (run->value_mask != 0) {
        if (!hot_thread(run, is_old, fxt_bits(header, 28, 35), at + 2 * FXT_WORD, &outgoing))
            return false;
        if (type == STELE_FXT_THREAD_WAKEUP) {
            incoming = outgoing;
            outgoing = 0;
        } else if (!hot_thread(run, is_old, fxt_bits(header, 36, 43), at + 3 * FXT_WORD,
                               &incoming)) {
            return false;
        }
    } else if (is_old && (fxt_bits(header, 28, 35) == 0 || fxt_bits(header, 36, 43) == 0)) {
        return false; /* the record has inline threads */
    }
    if (has_fields && screen_passes(run->screen, kinds[type], 0, 0) &&
        ((type != STELE_FXT_THREAD_WAKEUP && !hot_switch_fields(run->e, batch, header, is_old)) ||
         (count != 0 &&
          hot_arguments(run->e, batch, at + words[type] * FXT_WORD, end, count, 0) != end))) {
        batch->field_count = field_first;
        batch->byte_count = byte_first;
        return false;
    }
    event_set(run->event, time_ns, ticks, outgoing, incoming, offset, (uint32_t)size, 0,
              run->track_mask != 0 ? hot_cpu_track(run->e, cpu) : 0, field_first,
              event_rest((uint16_t)(batch->field_count - field_first), 0, (uint16_t)cpu,
                         kinds[type], STELE_FLAG_HAS_CPU));
    run->provider->last_ns = time_ns;
    run->event++;
    return true;
}

/* ---- The loop over records ---- */

/* Makes an event of one record of at least EVENT_SIZE_MIN bytes. Returns false, with nothing
   changed, if it is unusual. */
HOT bool hot_record(hot_run *run, const uint8_t *at, size_t size, uint64_t header, uint64_t offset,
                    bool has_fields)
{
    if ((header & HEADER_MASK) == STELE_FXT_EVENT)
        return hot_event(run, at, size, header, offset, has_fields);
    return fxt_type(header) == STELE_FXT_SCHEDULING &&
           hot_scheduling(run, at, size, header, offset, has_fields);
}

/* Walks from record to record as walk_next() does. The size of a record is trusted if another
   record follows it and is loaded, too. */
HOT bool hot_walk(hot_run run, record_walk *k, bool has_fields)
{
    stele_batch *batch = run.batch;
    const stele_event *const room_end = batch->events + batch->event_capacity;
    const uint8_t *const first = k->window.at + k->step, *const end = k->window.end;
    const uint64_t first_offset = window_offset_of(&k->window, first);
    const uint8_t *at = first;
    uint64_t header = load_le64(at);
    while (run.event != room_end && !(has_fields && batch_is_full(batch))) {
        const size_t size = hot_size(header), left = (size_t)(end - at);
        uint64_t next;
        if (size < EVENT_SIZE_MIN || size + FXT_WORD > left)
            break;
        next = load_le64(at + size);
        if (hot_size(next) == 0 || size + hot_size(next) > left ||
            !hot_record(&run, at, size, header, first_offset + (uint64_t)(at - first), has_fields))
            break;
        header = next;
        at += size;
    }
    batch->event_count = (uint32_t)(run.event - batch->events);
    k->window.at = at;
    k->step = 0;
    k->record_size += (uint64_t)(at - first);
    return at != first;
}

bool fxt_events_add_hot(fxt_events *e, stele_batch *batch, record_walk *k)
{
    fxt_provider *p = e->state->current;
    const fxt_clock *clock = &p->clock;
    const uint64_t ticks_left = UINT64_MAX - clock->base_ticks;
    const hot_run run = {.e = e,
                         .batch = batch,
                         .provider = p,
                         .threads = p->threads != NULL ? p->threads : no_threads,
                         .event = batch->events + batch->event_count,
                         .rate = clock->rate,
                         .base_ticks = clock->base_ticks,
                         .base_ns = clock->base_ns,
                         .ticks_max = clock->rate.ticks_max < ticks_left ? clock->rate.ticks_max
                                                                         : ticks_left,
                         .begin_ns = e->begin_ns,
                         .end_ns = e->end_ns,
                         .kinds = e->kinds,
                         .screen = e->screen,
                         .value_mask = (e->columns & STELE_COLUMN_VALUE) != 0 ? UINT64_MAX : 0,
                         .name_mask = (e->columns & STELE_COLUMN_NAME) != 0 ? UINT32_MAX : 0,
                         .track_mask = (e->columns & STELE_COLUMN_TRACK) != 0 ? UINT32_MAX : 0};
    if (!e->is_hot || k->is_lost || k->step + FXT_WORD > (uint64_t)(k->window.end - k->window.at))
        return false;
    return (e->columns & STELE_COLUMN_FIELDS) != 0 ? hot_walk(run, k, true)
                                                   : hot_walk(run, k, false);
}
