/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_CODES_H
#define XRAY_CODES_H

#include "core/diag.h"

typedef enum xray_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/xray/codes.def"
#undef STELE_CODE
    XRAY_CODE_COUNT
} xray_code;

extern const stele_code xray_codes[XRAY_CODE_COUNT];

#endif
