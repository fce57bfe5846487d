/* SPDX-License-Identifier: Apache-2.0 */
/* Table functions of DuckDB over <stele/tables.h>: read_event(PATH), read_track(PATH), ... */
#ifndef CLI_SQL_FUNCTIONS_H
#define CLI_SQL_FUNCTIONS_H

#include <stele/stele.h>

#include <pthread.h>

#include "cli/sql/duckdb.h"
#include "cli/sql/plan.h"

/* Traces that a scan reads, with the context of their own. */
typedef struct scanned {
    stele_context *context;
    stele_trace **traces;
    size_t count;
    bool is_silent; /* said by those who open them: nothing is reported */
} scanned;

/* Where traces come from. "" as a path stands for those that were given with the command. */
typedef struct trace_opener {
    /* Opens traces; false, and nothing is open, when that fails, which is reported. */
    bool (*open)(void *user, const char *path, scanned *traces);
    /* Bytes of the traces, for a guess at their rows. */
    uint64_t (*size)(void *user, const char *path);
    void *user;
} trace_opener;

/* What became of the scans so far. */
typedef struct scan_totals {
    uint64_t misfit_count, replaced_count, unknown_count; /* as in stele_scan_stats */
    uint64_t lost_count, missing_count;                   /* of the scan that lost the most */
} scan_totals;

typedef struct table_functions {
    const duckdb *d;
    trace_opener opener;
    bool keeps_texts; /* texts stay until functions_release(): nobody holds results for longer */
    uint32_t threads; /* that may read parts of a trace at the same time; 0, 1: as a whole */
    pthread_mutex_t lock;        /* one scan is opened, read as a whole, or closed at a time */
    struct known_class *classes; /* that were asked for so far */
    struct old_scan *done;       /* scans that are over and whose texts may still be used */
    const plan_scan *plan; /* what scans of the statement at hand need not deliver; NULL: nothing */
    scan_totals totals;
} table_functions;

/* Makes the functions known to a database. They use `f` as long as that is open. Tables called
   class_NAME, which need not be made, are the events of that name. False: DuckDB refused one. */
bool functions_register(table_functions *f, const duckdb *d, duck_database database,
                        duck_connection connection);

/* Frees what is known of classes, once the database is closed. */
void functions_free(table_functions *f);

/* Frees the scans that are over, once no result of a statement is in use. */
void functions_release(table_functions *f);

#endif
