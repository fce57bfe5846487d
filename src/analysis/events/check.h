/* SPDX-License-Identifier: Apache-2.0 */
/* The codes of the findings of stele_check. */
#ifndef ANALYSIS_EVENTS_CHECK_H
#define ANALYSIS_EVENTS_CHECK_H

#include <stele/analysis.h>

#include "model/context.h"

/* Findings of this analysis; see core/diag.h. */
typedef enum check_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "analysis/codes.def"
#undef STELE_CODE
    STELE_CHECK_CODE_COUNT
} check_code;
extern const stele_code stele_check_codes[STELE_CHECK_CODE_COUNT];

#endif
