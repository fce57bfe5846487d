/* SPDX-License-Identifier: Apache-2.0 */
/* Finds codes of findings by number and name: those of the library itself, the formats, the
   analyses and the symbols. */
#include <string.h>

#include "analysis/events/check.h"
#include "formats/format.h"
#include "symbols/binary.h"

const stele_code *stele_code_get(size_t index)
{
    if (index < CORE_CODE_COUNT)
        return &core_codes[index];
    index -= CORE_CODE_COUNT;
    for (size_t i = 0; i < format_count(); i++) {
        if (index < format_at(i)->code_count)
            return &format_at(i)->codes[index];
        index -= format_at(i)->code_count;
    }
    if (index < STELE_CHECK_CODE_COUNT)
        return &stele_check_codes[index];
    index -= STELE_CHECK_CODE_COUNT;
    return index < STELE_SYMBOLS_CODE_COUNT ? &stele_symbols_codes[index] : NULL;
}

const stele_code *stele_code_find(const char *code)
{
    const stele_code *at;
    for (size_t i = 0; (at = stele_code_get(i)) != NULL; i++) {
        if (strcmp(at->code, code) == 0)
            return at;
    }
    return NULL;
}
