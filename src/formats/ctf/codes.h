/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTF_CODES_H
#define CTF_CODES_H

#include "core/diag.h"

typedef enum ctf_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/ctf/codes.def"
#undef STELE_CODE
    CTF_CODE_COUNT
} ctf_code;

extern const stele_code ctf_codes[CTF_CODE_COUNT];

#endif
