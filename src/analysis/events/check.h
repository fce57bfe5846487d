/* SPDX-License-Identifier: Apache-2.0 */
/* Judges events of any format: nesting, pairing and order, in memory of what is open at a time. */
#ifndef ANALYSIS_EVENTS_CHECK_H
#define ANALYSIS_EVENTS_CHECK_H

#include "model/context.h"

/* Findings of this analysis; see core/diag.h. */
typedef enum check_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "analysis/codes.def"
#undef STELE_CODE
    STELE_CHECK_CODE_COUNT
} check_code;
extern const stele_code stele_check_codes[STELE_CHECK_CODE_COUNT];

typedef struct stele_check stele_check;

/* Columns to ask for: no fields. */
#define STELE_CHECK_COLUMNS \
    (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE)

/*
 * Events are to come in order of time, all of one trace. Findings go to the context's handler;
 * `source`, which is copied, names the input in them. STELE_ERR_MEMORY.
 */
stele_status stele_check_new(stele_context *context, const char *source, stele_check **out);
void stele_check_free(stele_check *check);
stele_status stele_check_add(stele_check *check, const stele_segment *segment);

/* What only the end can tell: spans, async operations and flows left open. */
stele_status stele_check_finish(stele_check *check);

#endif
