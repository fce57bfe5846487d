/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diag.h"

#include <stdarg.h>
#include <stdio.h>

const stele_code core_codes[CORE_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "core/codes.def"
#undef STELE_CODE
};

const char *stele_severity_text(stele_severity severity)
{
    static const char *const texts[] = {"note", "warning", "error"};
    return (unsigned)severity < 3 ? texts[severity] : "error";
}

void diag_emit(diag_sink *sink, const stele_diag *diag)
{
    sink->counts[diag->code->severity]++;
    if (sink->fn != NULL)
        sink->fn(sink->user, diag);
}

void diag_report(diag_sink *sink, const stele_code *code, const char *source, uint64_t offset,
                 uint64_t size, const char *expected, const char *found, ...)
{
    char text[256];
    va_list args;
    if (sink->fn == NULL) {
        sink->counts[code->severity]++;
        return;
    }
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(sink, &(stele_diag){.code = code,
                                  .source = source,
                                  .offset = offset,
                                  .size = size,
                                  .expected = expected,
                                  .found = text});
}
