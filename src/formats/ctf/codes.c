/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/codes.h"

const stele_code ctf_codes[CTF_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/ctf/codes.def"
#undef STELE_CODE
};
