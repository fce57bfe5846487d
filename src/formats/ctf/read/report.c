/* SPDX-License-Identifier: Apache-2.0 */
/* Reports findings in the packets of a trace, by file and bit. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/ctf/trace.h"

void ctf_report(const ctf_trace *trace, ctf_code code, const char *name, uint64_t offset_bits,
                uint64_t size, uint64_t lost_count, const char *expected, const char *found, ...)
{
    char text[256];
    va_list list;
    va_start(list, found);
    vsnprintf(text, sizeof text, found, list);
    va_end(list);
    diag_emit(
        &trace->base.context->diag,
        &(stele_diag){.code = &ctf_codes[code],
                      .source = name,
                      .offset = offset_bits != CTF_NO_PLACE ? offset_bits / 8 : STELE_NO_OFFSET,
                      .bit = offset_bits != CTF_NO_PLACE ? (uint8_t)(offset_bits % 8) : 0,
                      .size = size,
                      .expected = expected,
                      .found = text,
                      .lost_count = lost_count});
}
