/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/events.h"

#include "formats/fxt/read/making.h"

const char *const fxt_name_texts[FXT_NAME_COUNT] = {
    [FXT_NAME_SCOPE] = "scope",
    [FXT_NAME_MESSAGE] = "message",
    [FXT_NAME_DATA] = "data",
    [FXT_NAME_RECORD] = "record",
    [FXT_NAME_EXTENSION] = "extension",
    [FXT_NAME_UNDECODED] = "undecoded",
    [FXT_NAME_OUTGOING_STATE] = "outgoing_state",
    [FXT_NAME_OUTGOING_PRIORITY] = "outgoing_priority",
    [FXT_NAME_INCOMING_PRIORITY] = "incoming_priority",
    [FXT_NAME_BLOB_TYPE] = "blob_type",
    [FXT_NAME_BUILD_ID] = "build_id",
    [FXT_NAME_START] = "start",
    [FXT_NAME_RANGE] = "range",
    [FXT_NAME_VADDR] = "vaddr",
    [FXT_NAME_ACCESS] = "access",
    [FXT_NAME_FRAMES] = "frames",
    [FXT_NAME_THREAD] = "thread",
    [FXT_NAME_PROCESS] = "process",
    [FXT_NAME_GLOBAL] = "global",
    [FXT_NAME_UNKNOWN] = "unknown",
    [FXT_NAME_CPU] = "cpu",
};

void fxt_events_open(fxt_events *e, fxt_state *state, const produce_request *request,
                     bool is_big_endian)
{
    static const char *const blob_types[4] = {"", "data", "last-branch", "perfetto"};
    static const char *const states[6] = {"new",     "running", "suspended",
                                          "blocked", "dying",   "dead"};
    *e = (fxt_events){.state = state,
                      .columns = request->columns | STELE_COLUMN_TIME,
                      .kinds = request->kinds,
                      .screen = request->screen,
                      .begin_ns = request->begin_ns,
                      .end_ns = request->end_ns,
                      .is_hot = !is_big_endian && !request->check};
    for (unsigned i = 0; i < FXT_NAME_COUNT; i++)
        e->names[i] = fxt_state_intern(state, fxt_name_texts[i], strlen(fxt_name_texts[i]));
    for (unsigned i = 0; i < 4; i++)
        e->blob_types[i] = fxt_state_intern(state, blob_types[i], strlen(blob_types[i]));
    for (unsigned i = 0; i < 6; i++)
        e->thread_states[i] = fxt_state_intern(state, states[i], strlen(states[i]));
}

/* ---- Events of the types of records ---- */

static stele_kind kind_of(const stele_fxt_record *r)
{
    static const uint8_t events[11] = {
        [STELE_FXT_INSTANT] = STELE_KIND_INSTANT,
        [STELE_FXT_COUNTER] = STELE_KIND_COUNTER,
        [STELE_FXT_DURATION_BEGIN] = STELE_KIND_BEGIN,
        [STELE_FXT_DURATION_END] = STELE_KIND_END,
        [STELE_FXT_DURATION_COMPLETE] = STELE_KIND_COMPLETE,
        [STELE_FXT_ASYNC_BEGIN] = STELE_KIND_ASYNC_BEGIN,
        [STELE_FXT_ASYNC_INSTANT] = STELE_KIND_ASYNC_STEP,
        [STELE_FXT_ASYNC_END] = STELE_KIND_ASYNC_END,
        [STELE_FXT_FLOW_BEGIN] = STELE_KIND_FLOW_BEGIN,
        [STELE_FXT_FLOW_STEP] = STELE_KIND_FLOW_STEP,
        [STELE_FXT_FLOW_END] = STELE_KIND_FLOW_END,
    };
    switch (r->type) {
    case STELE_FXT_INITIALIZATION:
    case STELE_FXT_STRING:
    case STELE_FXT_THREAD: return STELE_KIND_NONE;
    case STELE_FXT_EVENT:
        return r->subtype <= STELE_FXT_FLOW_END ? events[r->subtype] : STELE_KIND_METADATA;
    case STELE_FXT_METADATA:
        if (r->subtype == STELE_FXT_PROVIDER_EVENT)
            return r->event == 0 ? STELE_KIND_LOST : STELE_KIND_METADATA;
        return (r->subtype == STELE_FXT_TRACE_INFO && r->event == 0) ||
                       r->subtype == STELE_FXT_PROVIDER_INFO ||
                       r->subtype == STELE_FXT_PROVIDER_SECTION
                   ? STELE_KIND_NONE
                   : STELE_KIND_METADATA;
    case STELE_FXT_BLOB: return STELE_KIND_BLOB;
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT: return STELE_KIND_OBJECT;
    case STELE_FXT_SCHEDULING:
        return r->subtype <= STELE_FXT_CONTEXT_SWITCH  ? STELE_KIND_SWITCH
               : r->subtype == STELE_FXT_THREAD_WAKEUP ? STELE_KIND_WAKE
                                                       : STELE_KIND_METADATA;
    case STELE_FXT_LOG: return STELE_KIND_LOG;
    case STELE_FXT_PROFILER:
        return r->subtype == STELE_FXT_BACKTRACE ? STELE_KIND_SAMPLE : STELE_KIND_METADATA;
    case STELE_FXT_LARGE:
        return r->fault != STELE_FXT_FAULT_SUBTYPE ? STELE_KIND_BLOB : STELE_KIND_METADATA;
    default: return STELE_KIND_METADATA;
    }
}

static uint32_t make_track(making *m, const stele_fxt_thread *thread)
{
    uint64_t process;
    uint32_t track;
    if (!fxt_state_thread(m->s, thread, &track, &process)) {
        fxt_report(m, FXT008, 0, m->at->size, "thread %u", thread->ref);
        m->flags |= STELE_FLAG_UNRESOLVED;
    }
    return track;
}

/* Returns the track of the event's thread, and sets the process that its pointers belong to. */
static uint32_t make_own_track(making *m, const stele_fxt_thread *thread)
{
    uint32_t track;
    if (!fxt_state_thread(m->s, thread, &track, &m->process)) {
        fxt_report(m, FXT008, 0, m->at->size, "thread %u", thread->ref);
        m->flags |= STELE_FLAG_UNRESOLVED;
    }
    return track;
}

static void make_event(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    if ((m->e->columns & STELE_COLUMN_VALUE) == 0)
        return;
    if (r->subtype != STELE_FXT_DURATION_COMPLETE) {
        event->id = r->subtype != STELE_FXT_INSTANT ? r->words[0] : 0;
    } else if (r->word_count == 0) {
        event->value = event->ticks; /* the record lacks the end */
        event->id = (uint64_t)event->time_ns;
    } else {
        bool is_clamped = false;
        event->value = r->words[0];
        event->id = (uint64_t)fxt_clock_ns(&m->s->current->clock, r->words[0], &is_clamped);
        if (is_clamped)
            m->flags |= STELE_FLAG_CLAMPED;
    }
}

static void make_scheduling(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    if (r->subtype > STELE_FXT_THREAD_WAKEUP)
        return;
    event->cpu = (uint16_t)r->number;
    m->flags |= STELE_FLAG_HAS_CPU;
    if ((m->e->columns & STELE_COLUMN_TRACK) != 0)
        event->track = fxt_state_cpu_track(m->s, r->number);
    if ((m->e->columns & STELE_COLUMN_VALUE) != 0) {
        if (r->subtype == STELE_FXT_THREAD_WAKEUP) {
            event->id = make_track(m, &r->thread);
        } else {
            event->value = make_track(m, &r->thread);
            event->id = make_track(m, &r->incoming);
        }
    }
    if ((m->e->columns & STELE_COLUMN_FIELDS) == 0 || r->subtype == STELE_FXT_THREAD_WAKEUP)
        return;
    add_enum(m, m->e->names[FXT_NAME_OUTGOING_STATE], r->outgoing_state, 4, m->e->thread_states, 6);
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH_OLD) {
        add_uint(m, m->e->names[FXT_NAME_OUTGOING_PRIORITY], r->outgoing_priority, 8, 0);
        add_uint(m, m->e->names[FXT_NAME_INCOMING_PRIORITY], r->incoming_priority, 8, 0);
    }
}

static void make_mmap(making *m)
{
    static const char flags[] = "rwx";
    const stele_fxt_record *r = m->r;
    const stele_name names[3] = {m->e->names[FXT_NAME_START], m->e->names[FXT_NAME_RANGE],
                                 m->e->names[FXT_NAME_VADDR]};
    char text[3];
    for (unsigned i = 0; i < r->word_count; i++)
        add_uint(m, names[i], r->words[i], 64, STELE_HINT_HEX);
    for (unsigned i = 0; i < 3; i++)
        text[i] = (r->event >> i & 1) != 0 ? flags[i] : '-';
    if (reserve_fields(m, 2)) {
        add_uint(m, m->e->names[FXT_NAME_ACCESS], r->event, 3, 0);
        add_label(m, fxt_state_intern(m->s, text, sizeof text));
    }
}

static void make_profiler(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    if ((m->e->columns & STELE_COLUMN_VALUE) != 0 && r->subtype != STELE_FXT_BACKTRACE)
        event->id = r->number;
    if ((m->e->columns & STELE_COLUMN_FIELDS) == 0)
        return;
    if (r->subtype == STELE_FXT_MODULE && r->payload != NULL) {
        add_bytes(m, m->e->names[FXT_NAME_BUILD_ID], STELE_TYPE_BYTES, 8, r->payload,
                  r->payload_size);
    } else if (r->subtype == STELE_FXT_MMAP) {
        make_mmap(m);
    } else if (r->subtype == STELE_FXT_BACKTRACE && r->payload != NULL && reserve_fields(m, 1)) {
        stele_field *field = push_field(m, m->e->names[FXT_NAME_FRAMES], STELE_TYPE_UINTS, 64);
        const uint32_t count = (uint32_t)(r->payload_size / FXT_WORD);
        uint64_t *frames = batch_push_array(m->batch, count, &field->u.bytes.offset);
        if (frames == NULL) {
            m->is_exhausted = true;
            return;
        }
        field->hint = STELE_HINT_HEX;
        field->u.bytes.size = count * FXT_WORD;
        for (uint32_t i = 0; i < count; i++)
            frames[i] = fxt_word(r->payload + i * FXT_WORD, r->is_big_endian);
    }
}

static void make_metadata(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    if (r->subtype != STELE_FXT_PROVIDER_EVENT)
        return;
    event->track = fxt_state_provider_track(m->s, r->number);
    if (r->event == 0) {
        fxt_report(m, FXT018, 0, r->size, "provider %lu", (unsigned long)r->number);
        m->e->lost_count++;
        return;
    }
    fxt_report(m, FXT033, 0, r->size, "event %u of provider %lu", r->event,
               (unsigned long)r->number);
    if ((m->e->columns & STELE_COLUMN_VALUE) != 0)
        event->id = r->event;
}

/* Adds what only records of some types have. Fields are in the order in which the writer expects
   them. */
static void make_by_type(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    const bool has_fields = (m->e->columns & STELE_COLUMN_FIELDS) != 0;
    switch (r->type) {
    case STELE_FXT_METADATA: make_metadata(m, event); break;
    case STELE_FXT_EVENT: make_event(m, event); break;
    case STELE_FXT_SCHEDULING: make_scheduling(m, event); break;
    case STELE_FXT_PROFILER: make_profiler(m, event); break;
    case STELE_FXT_LOG:
        if (has_fields && r->payload != NULL)
            add_bytes(m, m->e->names[FXT_NAME_MESSAGE], STELE_TYPE_STRING, 0, r->payload,
                      r->payload_size);
        break;
    case STELE_FXT_BLOB:
    case STELE_FXT_LARGE:
        event->value = r->payload_size;
        if (has_fields && r->type == STELE_FXT_BLOB)
            add_enum(m, m->e->names[FXT_NAME_BLOB_TYPE], r->number, 8, m->e->blob_types, 4);
        break;
    case STELE_FXT_KERNEL_OBJECT:
        event->value = r->number;
        event->id = r->words[0];
        break;
    case STELE_FXT_USERSPACE_OBJECT:
        event->value = FXT_OBJECT_USERSPACE;
        event->id = r->words[0];
        break;
    default: break;
    }
}

/* Whether it is an event of an unknown type: only the words after its arguments are unknown. */
static bool is_unknown_event(const stele_fxt_record *r)
{
    return r->type == STELE_FXT_EVENT && r->fault == STELE_FXT_FAULT_SUBTYPE;
}

/* Adds the bytes after the known contents, or after a fault in them, as a field. */
static void make_rest(making *m)
{
    const stele_fxt_record *r = m->r;
    const stele_name *names = m->e->names;
    const bool is_sound = r->fault == STELE_FXT_OK || is_unknown_event(r);
    const uint64_t from = is_sound ? r->used : r->fault_offset;
    const uint64_t stop = m->at->extent < m->at->loaded ? m->at->extent : m->at->loaded;
    if (from >= stop || r->type == STELE_FXT_LARGE ||
        (r->fault == STELE_FXT_FAULT_SUBTYPE && !is_sound))
        return;
    add_bytes(m, names[is_sound ? FXT_NAME_EXTENSION : FXT_NAME_UNDECODED], STELE_TYPE_BYTES, 64,
              r->bytes + from, stop - from);
}

/* Adds the fields that follow the arguments. */
static void make_tail_fields(making *m)
{
    const stele_fxt_record *r = m->r;
    const stele_name *names = m->e->names;
    if (r->type == STELE_FXT_EVENT && r->subtype == STELE_FXT_INSTANT && r->word_count == 1) {
        const stele_name scopes[4] = {names[FXT_NAME_THREAD], names[FXT_NAME_PROCESS],
                                      names[FXT_NAME_GLOBAL], names[FXT_NAME_UNKNOWN]};
        if (!reserve_fields(m, 3))
            return;
        add_uint(m, names[FXT_NAME_SCOPE], r->words[0], 64, 0);
        add_label(m, scopes[r->words[0] < 3 ? r->words[0] : 3]);
        if ((m->e->columns & STELE_COLUMN_RAW) != 0)
            add_uint(m, names[FXT_NAME_SCOPE], r->words[0], 64, STELE_HINT_RAW);
    }
    make_rest(m);
}

/* ---- Findings about records ---- */

static void report_fault(making *m)
{
    const stele_fxt_record *r = m->r;
    if (r->header == FXT_MAGIC_SWAPPED) {
        fxt_report(m, FXT040, 0, FXT_WORD, "the magic number in the other byte order");
        return;
    }
    switch (r->fault) {
    case STELE_FXT_OK: return;
    case STELE_FXT_FAULT_SUBTYPE:
        fxt_report(m, FXT009, 0, r->size, "%s %u", fxt_kind_text(r),
                   r->type > STELE_FXT_PROFILER && r->type < STELE_FXT_LARGE ? r->type
                                                                             : r->subtype);
        return;
    case STELE_FXT_FAULT_SIZE:
        fxt_report(m, FXT004, r->fault_offset, r->size - r->fault_offset, "a size of %llu bytes",
                   (unsigned long long)r->size);
        break;
    case STELE_FXT_FAULT_ARGUMENT_SIZE:
        fxt_report(m, FXT005, r->fault_offset, r->size - r->fault_offset, "%llu bytes are left",
                   (unsigned long long)(r->size - r->fault_offset));
        break;
    default: break; /* STELE_FXT_FAULT_CUT: the walk has reported it */
    }
    m->flags |= STELE_FLAG_DAMAGED;
}

/* Reports words after the contents, unless a finding about the record explains them. */
static void report_rest(const making *m)
{
    const stele_fxt_record *r = m->r;
    if (r->fault == STELE_FXT_OK && r->used < r->size && !m->at->is_damaged &&
        !diag_is_explained(&m->s->context->diag, STELE_NOTE, m->s->source, m->at->offset,
                           r->size)) {
        if (r->type == STELE_FXT_INITIALIZATION)
            fxt_report(m, FXT034, 0, r->size, "%llu words instead of 2 or 4",
                       (unsigned long long)(r->size / FXT_WORD));
        else
            fxt_report(m, FXT011, r->used, r->size - r->used, "%llu bytes after the contents",
                       (unsigned long long)(r->size - r->used));
    }
}

/* ---- Whole events ---- */

/* Applies an object record, which is state, regardless of what the request asks for. */
static void apply_object(making *m, uint32_t *track, stele_name *name)
{
    stele_name kept;
    *name = fxt_make_event_name(m, &m->r->name);
    kept = (*name & STELE_NAME_LOCAL) != 0 ? m->s->shared->other : *name;
    if (m->r->type == STELE_FXT_KERNEL_OBJECT) {
        if (m->r->word_count != 0)
            fxt_state_kernel_object(m->s, m->r, kept);
        *track = m->s->current->track;
        return;
    }
    if (!fxt_state_process(m->s, &m->r->thread, track, &m->process)) {
        fxt_report(m, FXT008, 0, m->at->size, "thread %u", m->r->thread.ref);
        m->flags |= STELE_FLAG_UNRESOLVED;
        return;
    }
    if (m->r->word_count != 0)
        fxt_state_userspace_object(m->s, m->process, m->r->words[0], kept);
}

static bool is_wanted(const fxt_events *e, const stele_event *event, const stele_fxt_record *r,
                      const fxt_clock *clock)
{
    int64_t end_ns = event->time_ns;
    bool is_clamped = false;
    if ((e->kinds & STELE_KIND_BIT(event->kind)) == 0)
        return false;
    if (!r->has_ticks || (e->begin_ns == INT64_MIN && e->end_ns == INT64_MAX))
        return true;
    if (event->kind == STELE_KIND_COMPLETE && r->word_count != 0)
        end_ns = fxt_clock_ns(clock, r->words[0], &is_clamped);
    /* The end may be before the begin. */
    return is_before_end(event->time_ns, e->end_ns) &&
           (end_ns >= e->begin_ns || event->time_ns >= e->begin_ns);
}

static void make_time(making *m, stele_event *event)
{
    fxt_provider *p = m->s->current;
    bool is_clamped = false;
    if (!m->r->has_ticks) {
        m->flags |= STELE_FLAG_NO_TIME;
        event->time_ns = p->last_ns;
        return;
    }
    event->ticks = m->r->ticks;
    event->time_ns = fxt_clock_ns(&p->clock, m->r->ticks, &is_clamped);
    p->last_ns = event->time_ns;
    if (is_clamped)
        m->flags |= STELE_FLAG_CLAMPED;
}

static void make_names(making *m, stele_event *event)
{
    const stele_fxt_record *r = m->r;
    if ((m->e->columns & STELE_COLUMN_NAME) == 0)
        return;
    event->name = fxt_make_event_name(m, &r->name);
    if (r->type == STELE_FXT_EVENT || r->type == STELE_FXT_LARGE)
        event->category = fxt_make_category(m, &r->category);
}

/* Whether the event happened on the thread in the record. */
static bool is_on_thread(const stele_fxt_record *r)
{
    return r->type == STELE_FXT_EVENT || r->type == STELE_FXT_LOG ||
           (r->type == STELE_FXT_PROFILER && r->fault != STELE_FXT_FAULT_SUBTYPE) ||
           (r->type == STELE_FXT_LARGE && r->has_ticks);
}

bool fxt_events_add(fxt_events *e, stele_batch *batch, const walk_record *at,
                    const stele_fxt_record *r, stele_event **out)
{
    making m = {.e = e, .s = e->state, .batch = batch, .at = at, .r = r};
    const uint32_t field_first = batch->field_count;
    stele_event event = {.offset = at->offset, .kind = (uint8_t)kind_of(r)};
    const bool is_object = event.kind == STELE_KIND_OBJECT;
    *out = NULL;
    if ((r->fault != STELE_FXT_OK || r->used < r->size) &&
        (event.kind != STELE_KIND_NONE || !fxt_state_refuses(e->state, r, fxt_is_doubtful(at))))
        report_fault(&m);
    if (event.kind == STELE_KIND_NONE) {
        fxt_state_apply(e->state, r, at->offset, fxt_is_doubtful(at));
        report_rest(&m);
        return !e->state->is_exhausted;
    }
    event.size = at->extent < UINT32_MAX ? (uint32_t)at->extent : UINT32_MAX;
    if (at->is_damaged)
        m.flags |= STELE_FLAG_DAMAGED;
    make_time(&m, &event);
    event.track = e->state->current->track;
    if (is_object)
        apply_object(&m, &event.track, &event.name);
    if (!is_wanted(e, &event, r, &e->state->current->clock)) {
        report_rest(&m);
        return !m.is_exhausted && !e->state->is_exhausted;
    }
    if (event.kind == STELE_KIND_METADATA)
        event.value = (uint64_t)r->type << 8 | r->subtype;
    if (is_on_thread(r) && (e->columns & (STELE_COLUMN_TRACK | STELE_COLUMN_FIELDS)) != 0)
        event.track = make_own_track(&m, &r->thread);
    if (!is_object)
        make_names(&m, &event);
    make_by_type(&m, &event);
    if ((e->columns & STELE_COLUMN_FIELDS) != 0) {
        fxt_add_arguments(&m);
        make_tail_fields(&m);
    }
    if ((m.flags & STELE_FLAG_CLAMPED) != 0 &&
        !diag_is_explained(&e->state->context->diag, STELE_WARNING, e->state->source, at->offset,
                           r->size))
        diag_report(&e->state->context->diag, &core_codes[STE010], e->state->source, at->offset,
                    r->size, NULL, "tick %llu", (unsigned long long)r->ticks);
    report_rest(&m);
    event.flags = m.flags;
    fxt_events_clear_columns(&event, e->columns);
    *out = batch_push_event(batch);
    **out = event;
    if (!batch_set_fields(batch, *out, field_first))
        m.is_exhausted = true;
    return !m.is_exhausted && !e->state->is_exhausted;
}

bool fxt_events_payload(fxt_events *e, stele_batch *batch, stele_event *event, bool is_record,
                        const uint8_t *bytes, uint32_t size)
{
    making m = {.e = e, .s = e->state, .batch = batch};
    if ((e->columns & STELE_COLUMN_FIELDS) == 0)
        return true;
    add_bytes(&m, e->names[is_record ? FXT_NAME_RECORD : FXT_NAME_DATA], STELE_TYPE_BYTES,
              is_record ? 64 : 8, bytes, size);
    return !m.is_exhausted && batch_set_fields(batch, event, event->field_first);
}
