/* SPDX-License-Identifier: Apache-2.0 */
/* The codes of findings in this format. */
#ifndef FXT_CODES_H
#define FXT_CODES_H

#include "core/diag.h"

typedef enum fxt_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/fxt/codes.def"
#undef STELE_CODE
    FXT_CODE_COUNT
} fxt_code;

extern const stele_code fxt_codes[FXT_CODE_COUNT];

#endif
