/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB's table functions for <stele/tables.h>: read_event(PATH), read_track(PATH) and so on. */
#ifndef CLI_SQL_FUNCTIONS_H
#define CLI_SQL_FUNCTIONS_H

#include <stele/stele.h>

#include <pthread.h>

#include "cli/sql/duckdb.h"
#include "cli/sql/plan.h"

/* Traces that a scan reads, with a context of their own. */
typedef struct scanned {
    stele_context *context;
    stele_trace **traces;
    size_t count;
    bool is_silent; /* the opener reports findings, so nothing else does */
} scanned;

/* Opens traces. The path "" stands for those given to the command. */
typedef struct trace_opener {
    /* Opens traces. If that fails, reports it, leaves nothing open, and returns false. */
    bool (*open)(void *user, const char *path, scanned *traces);
    /* Size of the traces in bytes, to estimate how many rows they have. */
    uint64_t (*size)(void *user, const char *path);
    void *user;
} trace_opener;

/* Sums over all scans so far. */
typedef struct scan_totals {
    uint64_t misfit_count, replaced_count, unknown_count; /* as in stele_scan_stats */
    uint64_t lost_count, missing_count;                   /* of the scan that lost the most */
} scan_totals;

typedef struct table_functions {
    const duckdb *d;
    trace_opener opener;
    /* texts stay valid until functions_release(), because no result is used longer */
    bool keeps_texts;
    /* how many threads may read parts of a trace; 0 or 1: it is read as a whole */
    uint32_t threads;
    pthread_mutex_t lock;        /* held while a scan is opened, read as a whole, or closed */
    struct known_class *classes; /* classes that were asked for so far */
    struct old_scan *done;       /* finished scans whose texts may still be used */
    const plan_scan *plan; /* rows that scans of the current statement can leave out; NULL: none */
    scan_totals totals;
} table_functions;

/*
 * Registers the functions with a database, which uses `f` until it is closed. Tables named
 * class_NAME, which need not be made, are the events of that name. Returns false if DuckDB refuses
 * a function.
 */
bool functions_register(table_functions *f, const duckdb *d, duck_database database,
                        duck_connection connection);

/* Frees the classes, after the database was closed. */
void functions_free(table_functions *f);

/* Frees the finished scans, when no result of a statement is in use. */
void functions_release(table_functions *f);

#endif
