/* SPDX-License-Identifier: Apache-2.0 */
/* The findings in Heph traces; core/diag.h tells how they are declared. */
#ifndef HEPH_CODES_H
#define HEPH_CODES_H

#include "core/diag.h"

typedef enum heph_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/heph/codes.def"
#undef STELE_CODE
    HEPH_CODE_COUNT
} heph_code;

extern const stele_code heph_codes[HEPH_CODE_COUNT];

#endif
