/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plan of a statement says that its scans need not deliver: where a filter stands right
 * above the scan of a table, what it asks of kinds, names and times can be left to the reader. The
 * filter stays; so what is not understood of it costs time only.
 */
#ifndef CLI_SQL_PLAN_H
#define CLI_SQL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NAMES_MAX 16u

typedef struct plan_filter {
    uint64_t kinds;              /* bits; 0: any */
    char *names[PLAN_NAMES_MAX]; /* globs; none: any */
    size_t name_count;
    bool has_begin, has_end;
    int64_t begin_ns, end_ns; /* end: the first that is not in */
} plan_filter;

/* A scan of the plan. Two that look alike have a filter only if it is the same. */
typedef struct plan_scan {
    struct plan_scan *next;
    char *key;    /* see plan_key() */
    char *source; /* the filter's text; NULL: there is none */
    bool has_filter;
    plan_filter filter;
} plan_scan;

/* Reads a plan, as EXPLAIN (FORMAT JSON) gives it. Returns NULL if there is nothing of use. */
plan_scan *plan_read(const char *json);
void plan_free(plan_scan *scans);

/* By what scans are known again: the function, and the columns that it is to deliver. The caller
   frees it. Returns NULL if out of memory. */
char *plan_key(const char *function, const char *const *columns, size_t count);

/* The filter of a scan; NULL: there is none, or it is not known which one. */
const plan_filter *plan_find(const plan_scan *scans, const char *key);

#endif
