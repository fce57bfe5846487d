/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xray/codes.h"

const stele_code xray_codes[XRAY_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/xray/codes.def"
#undef STELE_CODE
};
