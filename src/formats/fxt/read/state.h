/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What records leave behind for those that follow: for each provider its strings, threads, clock
 * and objects. Everything grows with what is registered only, up to the context's limits.
 */
#ifndef FXT_READ_STATE_H
#define FXT_READ_STATE_H

#include "core/clock.h"
#include "formats/fxt/codes.h"
#include "formats/fxt/read/map.h"
#include "formats/fxt/records/decode.h"
#include "model/context.h"

/* Types of kernel objects (ZX_OBJ_TYPE_...) that name tracks. */
#define FXT_OBJECT_PROCESS 1u
#define FXT_OBJECT_THREAD  2u

/* `value` of the object event of a userspace object: kernel object types have 8 bits. */
#define FXT_OBJECT_USERSPACE 256u

typedef struct fxt_clock {
    tick_rate rate;
    uint64_t base_ticks;
    int64_t base_ns; /* floor(base_ticks * 10^9 / f): at base_ticks */
    int64_t wall_ns; /* since 1970-01-01 UTC, at 0 */
    bool has_wall;
    bool is_told; /* by an initialization record */
} fxt_clock;

typedef struct fxt_string_entry {
    stele_name name;
    uint16_t category; /* 0: not asked for yet */
    bool is_known;
} fxt_string_entry;

#define FXT_PAGE_BITS  8u
#define FXT_PAGE_SIZE  (1u << FXT_PAGE_BITS)
#define FXT_PAGE_COUNT (32768u / FXT_PAGE_SIZE)

typedef struct fxt_thread_entry {
    uint64_t process, thread;
    uint32_t track;
    bool is_known;
} fxt_thread_entry;

typedef struct fxt_provider {
    uint32_t id;
    bool is_implicit;  /* what stands before any provider record */
    bool is_announced; /* by a provider info record */
    bool is_other;     /* stands for all providers beyond the limit */
    stele_name name;
    uint32_t track;
    uint32_t stream; /* UINT32_MAX: none yet */
    fxt_clock clock;
    uint64_t first_hz;                       /* of the first initialization record; 0: none came */
    int64_t last_ns;                         /* time of the last record that had one */
    fxt_string_entry *pages[FXT_PAGE_COUNT]; /* string table; pages without strings are shared */
    fxt_thread_entry *threads;               /* 256; NULL: none registered */
    fxt_map objects;                         /* (process, pointer) -> name + 1 */
    fxt_map koids;                           /* (0, koid) -> name + 1 */
} fxt_provider;

/* What providers share, and what an index finds out for all readers of a trace. */
typedef struct fxt_shared {
    fxt_map koids;    /* (0, koid) -> name + 1, of all providers */
    fxt_map tids;     /* (0, thread koid) -> track of its thread, or FXT_TID_AMBIGUOUS */
    stele_name other; /* stands for strings that do not fit in the pool of names */
    uint32_t objects_left;
    bool is_full_reported;
} fxt_shared;

#define FXT_TID_AMBIGUOUS UINT32_MAX

#define FXT_TRACK_CACHE 64u

typedef struct fxt_state {
    stele_context *context;
    fxt_shared *shared;
    uint32_t trace;     /* its number in the context */
    const char *source; /* for findings */
    diag_sink *diag;    /* NULL: nothing is reported (a second pass over the same records) */
    fxt_provider **providers;
    uint32_t provider_count, provider_capacity;
    fxt_map provider_by_id; /* (0, id) -> index + 1 */
    fxt_provider *current;
    fxt_provider *other;                     /* beyond the limit of providers */
    size_t tables_left;                      /* bytes that tables may still take */
    fxt_thread_entry cache[FXT_TRACK_CACHE]; /* tracks of inline threads, by hash */
    bool is_exhausted;                       /* memory */
} fxt_state;

bool fxt_state_open(fxt_state *s, stele_context *context, fxt_shared *shared, uint32_t trace,
                    const char *source, diag_sink *diag);
void fxt_state_close(fxt_state *s);

/* Where there was no provider record yet: the implicit provider. */
bool fxt_state_start(fxt_state *s);

/* True when a doubtful record would change what is known: it may be an event with a damaged header,
   and is not applied. */
bool fxt_state_refuses(const fxt_state *s, const stele_fxt_record *r, bool is_doubtful);

/*
 * Applies a record of a kind that only changes state (metadata, initialization, string, thread), or
 * reports that it is refused.
 */
void fxt_state_apply(fxt_state *s, const stele_fxt_record *r, uint64_t offset, bool is_doubtful);

/* Remembers a kernel or userspace object, and names the track of a process or thread. `name` must
   be interned. */
void fxt_state_kernel_object(fxt_state *s, const stele_fxt_record *r, stele_name name);
void fxt_state_userspace_object(fxt_state *s, uint64_t process, uint64_t pointer, stele_name name);

/* Label of a referent: name + 1, or 0. */
uint32_t fxt_state_koid_label(const fxt_state *s, uint64_t koid);
uint32_t fxt_state_pointer_label(const fxt_state *s, uint64_t process, uint64_t pointer);

/* Interned, or shared->other. */
stele_name fxt_state_intern(fxt_state *s, const void *bytes, size_t size);

/* Tracks. */
uint32_t fxt_state_process_track(fxt_state *s, uint64_t process);
uint32_t fxt_state_thread_track(fxt_state *s, uint64_t process, uint64_t thread);
uint32_t fxt_state_lone_thread_track(fxt_state *s, uint64_t thread); /* process not written */
uint32_t fxt_state_cpu_track(fxt_state *s, uint64_t cpu);
uint32_t fxt_state_provider_track(fxt_state *s, uint32_t id);

/* A thread of the record: its track and process koid; false when the reference dangles (the track
   then stands for the reference). */
bool fxt_state_thread(fxt_state *s, const stele_fxt_thread *thread, uint32_t *track,
                      uint64_t *process);

/* The process of a userspace object. */
bool fxt_state_process(fxt_state *s, const stele_fxt_thread *thread, uint32_t *track,
                       uint64_t *process);

static inline const fxt_string_entry *fxt_state_string(const fxt_state *s, uint16_t ref)
{
    return &s->current->pages[ref >> FXT_PAGE_BITS][ref & (FXT_PAGE_SIZE - 1)];
}

/* time_ns = floor((ticks - base) * 10^9 / f) + floor(base * 10^9 / f) */
static inline int64_t fxt_clock_ns(const fxt_clock *clock, uint64_t ticks, bool *is_clamped)
{
    int64_t ns;
    if (__builtin_expect(ticks < clock->base_ticks, 0)) {
        const uint64_t before = clock->base_ticks - ticks;
        return clock->base_ns +
               tick_rate_ns_signed(&clock->rate, before > INT64_MAX ? INT64_MIN : -(int64_t)before,
                                   is_clamped);
    }
    ns = tick_rate_ns(&clock->rate, ticks - clock->base_ticks, is_clamped);
    if (__builtin_expect(ns > INT64_MAX - clock->base_ns, 0)) {
        *is_clamped = true;
        return INT64_MAX;
    }
    return ns + clock->base_ns;
}

#endif
