/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds in the plan of a statement which rows its scans can leave out: if a filter is directly
 * above the scan of a table, its conditions on kinds, names and times can be applied by the reader.
 * The filter itself stays, so a condition that is not understood only costs time.
 */
#ifndef CLI_SQL_PLAN_H
#define CLI_SQL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAMES_MAX 16u

typedef struct plan_filter {
    uint64_t kinds;              /* as bits; 0: any */
    char *names[PLAN_NAMES_MAX]; /* patterns; none: any name */
    size_t name_count;
    bool has_begin, has_end;
    int64_t begin_ns, end_ns; /* end_ns is the first time that is not included */
} plan_filter;

/* A scan in the plan. If several have the same key, they have a filter only if it is the same
   for all. */
typedef struct plan_scan {
    struct plan_scan *next;
    char *key;    /* identifies the scan, see plan_key() */
    char *source; /* text of the filter; NULL: none */
    bool has_filter;
    plan_filter filter;
} plan_scan;

/* Reads a plan in the form of EXPLAIN (FORMAT JSON). Returns NULL if it has nothing of use. */
plan_scan *plan_read(const char *json);
void plan_free(plan_scan *scans);

/* Makes the key by which a scan is found in a plan, from the function and the columns it must
   give; the caller frees it. Returns NULL if out of memory. */
char *plan_key(const char *function, const char *const *columns, size_t count);

/* The filter of a scan. Returns NULL if it has none, or if it is not clear which one. */
const plan_filter *plan_find(const plan_scan *scans, const char *key);

#endif
