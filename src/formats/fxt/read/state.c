/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/hash.h"

/* All pages of string tables without strings are this one. */
static fxt_string_entry page_empty[FXT_PAGE_SIZE];

#define THREADS_SIZE (256 * sizeof(fxt_thread_entry))

__attribute__((format(printf, 5, 6))) static void
state_report(fxt_state *s, fxt_code code, uint64_t offset, uint64_t size, const char *found, ...)
{
    char text[160];
    va_list args;
    if (s->diag == NULL ||
        diag_is_explained(s->diag, fxt_codes[code].severity, s->source, offset, size))
        return;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(s->diag, &(stele_diag){.code = &fxt_codes[code],
                                     .source = s->source,
                                     .offset = offset,
                                     .size = size,
                                     .found = text});
}

/* Reports that a table is full, once for a trace. */
static void state_full(fxt_state *s, const char *what)
{
    if (s->shared->is_full_reported)
        return;
    s->shared->is_full_reported = true;
    diag_report(&s->context->diag, &core_codes[STE006], s->source, STELE_NO_OFFSET, 0, NULL, "%s",
                what);
}

/* Returns a track of this trace, or 0 if out of memory. */
static uint32_t state_track(fxt_state *s, stele_track_kind kind, uint32_t parent, uint64_t number)
{
    const uint32_t track = stele_track_intern(
        s->context,
        &(stele_track){.kind = kind, .parent = parent, .source = s->trace, .number = number});
    s->is_exhausted |= track == 0;
    return track;
}

/* ---- Providers of the trace ---- */

static void provider_clear(fxt_state *s, fxt_provider *p)
{
    for (unsigned i = 0; i < FXT_PAGE_COUNT; i++) {
        if (p->pages[i] != page_empty) {
            free(p->pages[i]);
            s->tables_left += sizeof page_empty;
        }
        p->pages[i] = page_empty;
    }
    if (p->threads != NULL)
        s->tables_left += THREADS_SIZE;
    free(p->threads);
    p->threads = NULL;
    fxt_map_free(&p->objects);
    fxt_map_free(&p->koids);
    p->clock = (fxt_clock){.rate = tick_rate_make(0)};
}

static fxt_provider *provider_new(fxt_state *s)
{
    fxt_provider *p;
    if (s->provider_count == s->provider_capacity) {
        fxt_provider **providers =
            array_grow(s->providers, sizeof(fxt_provider *), &s->provider_capacity, 16);
        if (providers == NULL)
            return NULL;
        s->providers = providers;
    }
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->stream = UINT32_MAX;
    for (unsigned i = 0; i < FXT_PAGE_COUNT; i++)
        p->pages[i] = page_empty;
    p->clock.rate = tick_rate_make(0);
    s->providers[s->provider_count++] = p;
    return p;
}

/* Returns the provider that all providers beyond the limit share; its tables are those of the
   current one. Returns NULL if out of memory. */
static fxt_provider *provider_beyond_limit(fxt_state *s, uint32_t id)
{
    if (s->other == NULL) {
        s->other = provider_new(s);
        if (s->other == NULL)
            return NULL;
        s->other->is_other = true;
        s->other->track = state_track(s, STELE_TRACK_OTHER, 0, 1);
        state_full(s, "more providers than the limit; further ones are shown as one");
    } else if (s->other->id != id) {
        provider_clear(s, s->other);
    }
    s->other->id = id;
    return s->other;
}

/* Returns the provider with this id, making it if it is new, or NULL if out of memory. */
static fxt_provider *state_provider(fxt_state *s, uint32_t id)
{
    const uint32_t known = fxt_map_get(&s->provider_by_id, 0, id);
    fxt_provider *p;
    if (known != 0)
        return s->providers[known - 1];
    if (s->provider_count >= s->context->limits.providers_max)
        return provider_beyond_limit(s, id);
    p = provider_new(s);
    if (p == NULL || !fxt_map_set(&s->provider_by_id, 0, id, s->provider_count))
        return NULL;
    p->id = id;
    p->track = fxt_state_provider_track(s, id);
    return p;
}

bool fxt_state_open(fxt_state *s, stele_context *context, fxt_shared *shared, uint32_t trace,
                    const char *source, diag_sink *diag)
{
    *s = (fxt_state){.context = context,
                     .shared = shared,
                     .trace = trace,
                     .source = source,
                     .diag = diag,
                     .tables_left = context->limits.names_size_max};
    return fxt_state_start(s);
}

bool fxt_state_start(fxt_state *s)
{
    if (s->current == NULL) {
        s->current = provider_new(s);
        if (s->current == NULL)
            return false;
        s->current->is_implicit = true;
    }
    return true;
}

void fxt_state_close(fxt_state *s)
{
    for (uint32_t i = 0; i < s->provider_count; i++) {
        provider_clear(s, s->providers[i]);
        free(s->providers[i]);
    }
    free(s->providers);
    fxt_map_free(&s->provider_by_id);
    *s = (fxt_state){0};
}

/* ---- Names and strings ---- */

stele_name fxt_state_intern(fxt_state *s, const void *bytes, size_t size)
{
    const stele_name name = size != 0 ? stele_name_intern(s->context, bytes, size) : 0;
    if (name != UINT32_MAX)
        return name;
    if (s->context->names.size < s->context->names.size_max) {
        s->is_exhausted = true; /* the pool is not full, so memory is exhausted */
        return 0;
    }
    state_full(s, "strings need more than the pool of names holds; further ones are shown as one");
    return s->shared->other;
}

/* Returns the entry of an index, for writing, or NULL if there is no room. */
static fxt_string_entry *string_slot(fxt_state *s, uint32_t index)
{
    fxt_string_entry **page = &s->current->pages[index >> FXT_PAGE_BITS];
    if (*page == page_empty) {
        fxt_string_entry *made;
        if (sizeof page_empty > s->tables_left) {
            state_full(s, "string tables need too much; further strings stay unresolved");
            return NULL;
        }
        made = calloc(1, sizeof page_empty);
        if (made == NULL) {
            s->is_exhausted = true;
            return NULL;
        }
        s->tables_left -= sizeof page_empty;
        *page = made;
    }
    return &(*page)[index & (FXT_PAGE_SIZE - 1)];
}

static void apply_string(fxt_state *s, const stele_fxt_record *r, uint64_t offset)
{
    fxt_string_entry *entry;
    if (r->number == 0) {
        state_report(s, FXT015, offset, r->size, "index 0");
        return;
    }
    entry = string_slot(s, r->number);
    if (entry == NULL)
        return;
    *entry = (fxt_string_entry){0};
    if (r->name.bytes == NULL)
        return; /* the string is damaged: the index means nothing now, not what it meant before */
    entry->name = fxt_state_intern(s, r->name.bytes, fxt_string_size(r->name.ref));
    entry->is_known = true;
}

/* ---- Threads and tracks ---- */

uint32_t fxt_state_process_track(fxt_state *s, uint64_t process)
{
    return state_track(s, STELE_TRACK_PROCESS, 0, process);
}

uint32_t fxt_state_thread_track(fxt_state *s, uint64_t process, uint64_t thread)
{
    const uint32_t track =
        state_track(s, STELE_TRACK_THREAD, fxt_state_process_track(s, process), thread);
    const uint32_t known = fxt_map_get(&s->shared->tids, 0, thread);
    if (known == track || known == FXT_TID_AMBIGUOUS)
        return track;
    /* Koids are unique, but not all writers use koids: the same number may be two threads. */
    if (known != 0 || s->shared->objects_left > 0) {
        s->shared->objects_left -= known == 0;
        if (!fxt_map_set(&s->shared->tids, 0, thread, known == 0 ? track : FXT_TID_AMBIGUOUS))
            s->is_exhausted = true;
    }
    return track;
}

uint32_t fxt_state_lone_thread_track(fxt_state *s, uint64_t thread)
{
    const uint32_t known = fxt_map_get(&s->shared->tids, 0, thread);
    s->has_lone_threads = true;
    if (known != 0 && known != FXT_TID_AMBIGUOUS)
        return known;
    return state_track(s, STELE_TRACK_THREAD, 0, thread);
}

uint32_t fxt_state_cpu_track(fxt_state *s, uint64_t cpu)
{
    return state_track(s, STELE_TRACK_CPU, 0, cpu);
}

uint32_t fxt_state_provider_track(fxt_state *s, uint32_t id)
{
    return state_track(s, STELE_TRACK_PROVIDER, 0, id);
}

/* Returns the track for an index that nothing defines. It is below its provider, so it cannot be
   that of a koid. */
static uint32_t dangling_track(fxt_state *s, uint8_t ref)
{
    char text[32];
    const int size = snprintf(text, sizeof text, "<thread %u>", ref);
    uint32_t parent = s->current->track;
    uint32_t track;
    if (parent == 0)
        parent = state_track(s, STELE_TRACK_PROVIDER, 0, UINT64_MAX);
    track = state_track(s, STELE_TRACK_THREAD, parent, ref);
    stele_track_set_name(s->context, track, fxt_state_intern(s, text, (size_t)size));
    return track;
}

static uint32_t inline_track(fxt_state *s, uint64_t process, uint64_t thread)
{
    fxt_thread_entry *entry = &s->cache[(hash_u64(thread) ^ process) & (FXT_TRACK_CACHE - 1)];
    if (!entry->is_known || entry->process != process || entry->thread != thread)
        *entry =
            (fxt_thread_entry){process, thread, fxt_state_thread_track(s, process, thread), true};
    return entry->track;
}

bool fxt_state_thread(fxt_state *s, const stele_fxt_thread *thread, uint32_t *track,
                      uint64_t *process)
{
    *process = thread->process;
    if (thread->ref != 0) {
        const fxt_thread_entry *entry =
            s->current->threads != NULL ? &s->current->threads[thread->ref] : NULL;
        if (entry == NULL || !entry->is_known) {
            *track = dangling_track(s, thread->ref);
            return false;
        }
        *process = entry->process;
        *track = entry->track;
    } else if (thread->has_thread && thread->has_process) {
        s->has_inline_threads = true;
        *track = inline_track(s, thread->process, thread->thread);
    } else if (thread->has_thread) {
        *track = fxt_state_lone_thread_track(s, thread->thread);
    } else {
        *track = thread->has_process ? fxt_state_process_track(s, thread->process) : 0;
    }
    return true;
}

bool fxt_state_process(fxt_state *s, const stele_fxt_thread *thread, uint32_t *track,
                       uint64_t *process)
{
    if (!fxt_state_thread(s, thread, track, process))
        return false;
    if (thread->ref != 0 || thread->has_process)
        *track = fxt_state_process_track(s, *process);
    return true;
}

static void apply_thread(fxt_state *s, const stele_fxt_record *r, uint64_t offset)
{
    fxt_provider *p = s->current;
    if (r->number == 0) {
        state_report(s, FXT016, offset, r->size, "index 0");
        return;
    }
    if (!r->thread.has_thread)
        return;
    if (p->threads == NULL) {
        if (THREADS_SIZE > s->tables_left) {
            state_full(s, "thread tables need too much; further threads stay unresolved");
            return;
        }
        p->threads = calloc(1, THREADS_SIZE);
        if (p->threads == NULL) {
            s->is_exhausted = true;
            return;
        }
        s->tables_left -= THREADS_SIZE;
    }
    p->threads[r->number] =
        (fxt_thread_entry){r->thread.process, r->thread.thread,
                           fxt_state_thread_track(s, r->thread.process, r->thread.thread), true};
}

/* ---- Records that set clocks and providers ---- */

static void apply_initialization(fxt_state *s, const stele_fxt_record *r, uint64_t offset)
{
    fxt_clock *clock = &s->current->clock;
    bool is_clamped = false;
    if (r->word_count == 0)
        return;
    if (r->words[0] == 0)
        state_report(s, FXT024, offset, r->size, "0 ticks a second");
    *clock = (fxt_clock){.rate = tick_rate_make(r->words[0]), .is_told = true};
    if (s->current->first_hz == 0)
        s->current->first_hz = r->words[0];
    if (r->word_count < 3)
        return;
    clock->base_ticks = r->words[1];
    clock->base_ns = tick_rate_ns(&clock->rate, r->words[1], &is_clamped);
    clock->has_wall = !is_clamped;
    clock->wall_ns = (int64_t)(r->words[2] - (uint64_t)clock->base_ns);
}

static void apply_provider_info(fxt_state *s, fxt_provider *p, const stele_fxt_record *r,
                                uint64_t offset)
{
    const uint32_t size = r->name.bytes != NULL ? fxt_string_size(r->name.ref) : 0;
    const stele_name name = fxt_state_intern(s, r->name.bytes, size);
    if (p->is_other)
        return;
    if (p->is_announced && p->name != name)
        state_report(s, FXT028, offset, r->size, "provider %lu with another name",
                     (unsigned long)p->id);
    p->is_announced = true;
    p->name = name;
    stele_track_set_name(s->context, p->track, name);
}

static void apply_metadata(fxt_state *s, const stele_fxt_record *r, uint64_t offset)
{
    fxt_provider *p;
    if (r->subtype != STELE_FXT_PROVIDER_INFO && r->subtype != STELE_FXT_PROVIDER_SECTION)
        return;
    p = state_provider(s, r->number);
    if (p == NULL) {
        s->is_exhausted = true;
        return;
    }
    if (s->current->is_implicit && s->current->clock.is_told)
        state_report(s, FXT037, offset, r->size, "%llu ticks a second before provider %lu",
                     (unsigned long long)s->current->clock.rate.frequency_hz, (unsigned long)p->id);
    if (r->subtype == STELE_FXT_PROVIDER_INFO) {
        apply_provider_info(s, p, r, offset);
    } else if (!p->is_announced && !p->is_other) {
        state_report(s, FXT027, offset, r->size, "provider %lu", (unsigned long)r->number);
        p->is_announced = true;
    }
    s->current = p;
}

/* Largest plausible id of a provider: tracers count from 1, while ids that are made of the bits of
   an event are large. */
#define DOUBTFUL_PROVIDER_MAX 4095u

bool fxt_state_refuses(const fxt_state *s, const stele_fxt_record *r, bool is_doubtful)
{
    if (!is_doubtful)
        return false;
    switch (r->type) {
    case STELE_FXT_METADATA:
        return (r->subtype == STELE_FXT_PROVIDER_INFO ||
                r->subtype == STELE_FXT_PROVIDER_SECTION) &&
               r->number > DOUBTFUL_PROVIDER_MAX &&
               fxt_map_get(&s->provider_by_id, 0, r->number) == 0;
    case STELE_FXT_INITIALIZATION: return s->current->clock.is_told;
    case STELE_FXT_STRING: return fxt_state_string(s, (uint16_t)r->number)->is_known;
    case STELE_FXT_THREAD:
        return s->current->threads != NULL && s->current->threads[r->number].is_known;
    default: return false;
    }
}

void fxt_state_apply(fxt_state *s, const stele_fxt_record *r, uint64_t offset, bool is_doubtful)
{
    if (fxt_state_refuses(s, r, is_doubtful)) {
        state_report(s, FXT039, offset, r->size, "%s", fxt_kind_text(r));
        return;
    }
    switch (r->type) {
    case STELE_FXT_METADATA: apply_metadata(s, r, offset); break;
    case STELE_FXT_INITIALIZATION: apply_initialization(s, r, offset); break;
    case STELE_FXT_STRING: apply_string(s, r, offset); break;
    case STELE_FXT_THREAD: apply_thread(s, r, offset); break;
    default: break;
    }
}

/* ---- Objects and their names ---- */

static void object_set(fxt_state *s, fxt_map *map, uint64_t a, uint64_t b, stele_name name)
{
    if (fxt_map_get(map, a, b) == 0) {
        if (s->shared->objects_left == 0) {
            state_full(s, "more objects than the limit; further ones have no label");
            return;
        }
        s->shared->objects_left--;
    }
    if (!fxt_map_set(map, a, b, name + 1))
        s->is_exhausted = true;
}

/* Whether the argument is the koid of a thread's process: one named "process" ("Argument
   Conventions"). */
static bool argument_is_process(const fxt_state *s, const stele_fxt_argument *argument)
{
    static const char process[] = "process";
    const size_t size = sizeof process - 1;
    stele_text text;
    if (argument->type != STELE_FXT_ARGUMENT_KOID || argument->fault != STELE_FXT_OK)
        return false;
    if (argument->name.bytes != NULL)
        return fxt_string_size(argument->name.ref) == size &&
               memcmp(argument->name.bytes, process, size) == 0;
    if (fxt_string_is_inline(argument->name.ref))
        return false;
    text = stele_name_text(s->context, NULL, fxt_state_string(s, argument->name.ref)->name);
    return text.size == size && memcmp(text.bytes, process, size) == 0;
}

void fxt_state_kernel_object(fxt_state *s, const stele_fxt_record *r, stele_name name)
{
    const uint64_t koid = r->words[0];
    stele_fxt_arguments walk = {0};
    stele_fxt_argument argument;
    uint32_t track = 0;
    object_set(s, &s->current->koids, 0, koid, name);
    object_set(s, &s->shared->koids, 0, koid, name);
    if (r->number == FXT_OBJECT_PROCESS) {
        track = fxt_state_process_track(s, koid);
    } else if (r->number == FXT_OBJECT_THREAD) {
        while (track == 0 && stele_fxt_argument_next(r, &walk, &argument)) {
            if (argument_is_process(s, &argument))
                track = fxt_state_thread_track(s, argument.value, koid);
        }
        if (track == 0)
            track = fxt_state_lone_thread_track(s, koid);
    }
    if (track != 0)
        context_track_set_object(s->context, track, name);
}

void fxt_state_userspace_object(fxt_state *s, uint64_t process, uint64_t pointer, stele_name name)
{
    object_set(s, &s->current->objects, process, pointer, name);
}

uint32_t fxt_state_koid_label(const fxt_state *s, uint64_t koid)
{
    const uint32_t own = fxt_map_get(&s->current->koids, 0, koid);
    return own != 0 ? own : fxt_map_get(&s->shared->koids, 0, koid);
}

uint32_t fxt_state_pointer_label(const fxt_state *s, uint64_t process, uint64_t pointer)
{
    return fxt_map_get(&s->current->objects, process, pointer);
}
