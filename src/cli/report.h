/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: counted by code, shown as lines up to a number of each code. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stele/diag.h>

#include "cli/progress.h"

#define REPORT_LINE_SIZE 4096

typedef struct report_code {
    const stele_code *code;
    uint64_t count, lost_count;
} report_code;

/* What becomes of a finding that is to be shown. `line` is for people, with its newline; `diag` is
   NULL when it only says how many more there are. */
typedef void report_show_fn(void *user, const stele_diag *diag, const char *line);

typedef struct report {
    report_show_fn *show; /* NULL: standard error */
    void *show_user;
    uint64_t shown_max; /* of each code of an input */
    stele_severity shown_least;
    bool has_color;
    bool is_repeated; /* the input is read again: what is found was reported */
    progress *progress;

    report_code *codes; /* of the input at hand, in the order of their coming */
    size_t code_count, code_capacity;
    size_t code_last;   /* the one of the last finding */
    uint64_t counts[3]; /* of the input at hand, by severity */
    uint64_t total[3];  /* of all inputs */
} report;

/* A stele_diag_fn; `user` is the report. */
void report_add(void *user, const stele_diag *diag);

/* Begins with the findings of another input. */
void report_begin(report *r);

/* Says for each code how many findings were not shown. `name` is what they are about, or NULL. */
void report_rest(const report *r, const char *name);
void report_free(report *r);

#endif
