/* SPDX-License-Identifier: Apache-2.0 */
/* What records define for later records: strings, threads, clock and objects of each provider.
   Memory only grows with what is registered, up to the context's limits. */
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
    int64_t base_ns; /* time at base_ticks: floor(base_ticks * 10^9 / f) */
    int64_t wall_ns; /* wall-clock time in ns since 1970-01-01 UTC at time 0 */
    bool has_wall;
    bool is_told; /* an initialization record has set it */
} fxt_clock;

typedef struct fxt_string_entry {
    stele_name name;
    uint16_t category; /* 0 if not interned yet */
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
    bool is_implicit;  /* the provider of what precedes any provider record */
    bool is_announced; /* a provider info record has named it */
    bool is_other;     /* it stands for all providers beyond the limit */
    stele_name name;
    uint32_t track;
    uint32_t stream; /* UINT32_MAX if it has none yet */
    fxt_clock clock;
    uint64_t first_hz; /* rate of the first initialization record; 0 if none came */
    int64_t last_ns;   /* time of the last record with a time */
    /* Pages of the string table; those without strings are shared. */
    fxt_string_entry *pages[FXT_PAGE_COUNT];
    fxt_thread_entry *threads; /* 256 entries; NULL if none was registered */
    fxt_map objects;           /* maps (process, pointer) to name + 1 */
    fxt_map koids;             /* maps (0, koid) to name + 1 */
} fxt_provider;

/* What providers share, and what an index finds out for all readers of a trace. */
typedef struct fxt_shared {
    fxt_map koids;         /* maps (0, koid) to name + 1, for all providers */
    fxt_map tids;          /* maps (0, thread koid) to the thread's track, or FXT_TID_AMBIGUOUS */
    stele_name other;      /* stands for strings that do not fit in the pool of names */
    uint32_t objects_left; /* objects that may still be remembered, against the limit */
    bool is_full_reported;
} fxt_shared;

#define FXT_TID_AMBIGUOUS UINT32_MAX

#define FXT_TRACK_CACHE 64u

typedef struct fxt_state {
    stele_context *context;
    fxt_shared *shared;
    uint32_t trace;     /* number of the trace in the context */
    const char *source; /* for findings */
    diag_sink *diag;    /* NULL in a second pass over the same records, which reports nothing */
    fxt_provider **providers;
    uint32_t provider_count, provider_capacity;
    fxt_map provider_by_id; /* maps (0, id) to index + 1 */
    fxt_provider *current;
    fxt_provider *other; /* stands for all providers beyond the limit; NULL until needed */
    size_t tables_left;  /* bytes that tables may still take */
    fxt_thread_entry cache[FXT_TRACK_CACHE]; /* tracks of inline threads, by hash */
    bool is_exhausted;                       /* out of memory */
    /* Records name threads with their process in themselves, and by number alone: which of the
       latter are known depends on all earlier records. */
    bool has_inline_threads, has_lone_threads;
} fxt_state;

bool fxt_state_open(fxt_state *s, stele_context *context, fxt_shared *shared, uint32_t trace,
                    const char *source, diag_sink *diag);
void fxt_state_close(fxt_state *s);

/* Enters the implicit provider if there was no provider record yet. Returns false if out of
   memory. */
bool fxt_state_start(fxt_state *s);

/* Whether a doubtful record would change the state. It may be an event with a damaged header and is
   then not applied. */
bool fxt_state_refuses(const fxt_state *s, const stele_fxt_record *r, bool is_doubtful);

/* Applies a record that only changes state (metadata, initialization, string, thread), or reports
   that it was refused. */
void fxt_state_apply(fxt_state *s, const stele_fxt_record *r, uint64_t offset, bool is_doubtful);

/* Remembers a kernel or userspace object, and names the track of a process or thread. `name` must
   be interned. */
void fxt_state_kernel_object(fxt_state *s, const stele_fxt_record *r, stele_name name);
void fxt_state_userspace_object(fxt_state *s, uint64_t process, uint64_t pointer, stele_name name);

/* Returns the label of an object that an argument refers to: name + 1, or 0 if it has none. */
uint32_t fxt_state_koid_label(const fxt_state *s, uint64_t koid);
uint32_t fxt_state_pointer_label(const fxt_state *s, uint64_t process, uint64_t pointer);

/* Returns the interned name, or shared->other if it does not fit. */
stele_name fxt_state_intern(fxt_state *s, const void *bytes, size_t size);

/* These return a track, or 0 if out of memory. */
uint32_t fxt_state_process_track(fxt_state *s, uint64_t process);
uint32_t fxt_state_thread_track(fxt_state *s, uint64_t process, uint64_t thread);
/* For a thread whose process the record does not have. */
uint32_t fxt_state_lone_thread_track(fxt_state *s, uint64_t thread);
uint32_t fxt_state_cpu_track(fxt_state *s, uint64_t cpu);
uint32_t fxt_state_provider_track(fxt_state *s, uint32_t id);

/* Gives the track and process koid of a record's thread. Returns false if nothing defines the
   reference; the track then stands for the reference itself. */
bool fxt_state_thread(fxt_state *s, const stele_fxt_thread *thread, uint32_t *track,
                      uint64_t *process);

/* Gives the track and koid of the process of a userspace object. Returns false like
   fxt_state_thread(). */
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
