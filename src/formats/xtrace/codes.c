/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/codes.h"

const stele_code xtrace_codes[XTRACE_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/xtrace/codes.def"
#undef STELE_CODE
};
