/* SPDX-License-Identifier: Apache-2.0 */
/* The findings in xtrace traces; core/diag.h tells how they are declared. */
#ifndef XTRACE_CODES_H
#define XTRACE_CODES_H

#include "core/diag.h"

typedef enum xtrace_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/xtrace/codes.def"
#undef STELE_CODE
    XTRACE_CODE_COUNT
} xtrace_code;

extern const stele_code xtrace_codes[XTRACE_CODE_COUNT];

#endif
