/* SPDX-License-Identifier: Apache-2.0 */
/* Counts findings by code, and prints a limited number of each code. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stele/diag.h>

#include "cli/progress.h"

#define REPORT_LINE_SIZE 4096

typedef struct report_code {
    const stele_code *code;
    uint64_t count, lost_count;
} report_code;

/* Receives a finding that is to be shown. `line` is for people and ends with a newline; `diag`
   is NULL if the line only says how many more there are. */
typedef void report_show_fn(void *user, const stele_diag *diag, const char *line);

typedef struct report {
    report_show_fn *show; /* NULL: lines are printed to standard error */
    void *show_user;
    uint64_t shown_max; /* how many findings of each code and input are shown */
    stele_severity shown_least;
    bool has_color;
    bool is_repeated; /* the input is read again, so its findings were reported already */
    progress *progress;

    report_code *codes; /* codes of the current input, in the order of their first finding */
    size_t code_count, code_capacity;
    size_t code_last;   /* index of the last finding's code */
    uint64_t counts[3]; /* findings of the current input, by severity */
    uint64_t total[3];  /* findings of all inputs, by severity */
} report;

/* Adds a finding; a stele_diag_fn, whose `user` is the report. */
void report_add(void *user, const stele_diag *diag);

/* Begins with another input. */
void report_begin(report *r);

/* Prints for each code how many findings were not shown. `name` is the input, or NULL. */
void report_rest(const report *r, const char *name);
void report_free(report *r);

#endif
