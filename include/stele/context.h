/* SPDX-License-Identifier: Apache-2.0 */
/* The context: limits, the diagnostic handler, and the names and tracks that all traces share. */
#ifndef STELE_CONTEXT_H
#define STELE_CONTEXT_H

#include <stele/diag.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A context belongs to one thread at a time. Traces, readers and writers that are used together
 * share one context, so that a name or a track has one number in all of them. There are no
 * globals: two contexts on two threads never meet.
 */
typedef struct stele_context stele_context;

/* Limits that keep hostile and damaged input from exhausting memory, stack and time. 0 takes the
   default. */
typedef struct stele_limits {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    size_t names_size_max;  /* bytes of all interned names together; default 24 MiB */
    uint32_t tracks_max;    /* tracks of all traces together; default 65,536 */
    uint32_t providers_max; /* FXT providers and the like; default 4,096 */
    uint32_t fields_max;    /* field entries of one event; default 1,048,576 */
    /* Nesting of fields; default 10,000. Each level of a CTF type takes some 200 bytes of the
       caller's stack. */
    uint32_t depth_max;
    size_t record_size_max;   /* bytes of one record held in memory at once; default 16 MiB */
    size_t metadata_size_max; /* bytes of a trace's metadata text; default 512 MiB */
    size_t sort_size_max;     /* bytes held by one reordering window or sort; default 16 MiB */
    size_t window_size;       /* bytes read at once from an input; default 256 KiB */
    /* Open calls of one thread; default 65,536; deeper ones are counted only. */
    uint32_t call_depth_max;
    /* Groups of statistics; default 65,536; events of later ones count as one group. */
    uint32_t groups_max;
    size_t groups_size_max; /* bytes that all groups of statistics take; default 32 MiB */
    uint32_t open_max; /* operations, flows and pairs that are open at a time; default 1,048,576 */
    uint32_t reserved; /* 0 */
} stele_limits;

typedef struct stele_context_options {
    size_t struct_size;         /* sizeof this struct, or 0: see <stele/version.h> */
    const stele_limits *limits; /* NULL: all defaults */
    stele_diag_fn *diag;        /* NULL: findings are counted only */
    void *diag_user;
    const char *temp_dir; /* folder for the temporary files of sorting; copied; NULL: "/tmp" */
    stele_progress_fn *progress; /* NULL: progress is not reported */
    void *progress_user;
    stele_go_on_fn *go_on; /* NULL: reading and writing always go on */
    void *go_on_user;
    /* A second folder in which indexes of traces are looked for, see stele_trace_index_path(). It
       is not made: whoever writes indexes there makes it. Copied; NULL: none. */
    const char *cache_dir;
} stele_context_options;

/* Makes a context. `options` may be NULL for all defaults. Errors: STELE_ERR_MEMORY. The caller
   frees it with stele_context_free(), after everything that was made with the context. */
STELE_API stele_status stele_context_new(const stele_context_options *options,
                                         stele_context **context);
/* Frees the context, which may be NULL. */
STELE_API void stele_context_free(stele_context *context);

/* The limits in force, defaults filled in. */
STELE_API const stele_limits *stele_context_limits(const stele_context *context);

/* How many findings of a severity were reported so far. */
STELE_API uint64_t stele_context_diag_count(const stele_context *context, stele_severity severity);

#ifdef __cplusplus
}
#endif
#endif
