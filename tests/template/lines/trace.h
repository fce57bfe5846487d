/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of this format share. */
#ifndef LINES_TRACE_H
#define LINES_TRACE_H

#include "formats/format.h"

#define LINES_MAGIC      "# events 1\n"
#define LINES_MAGIC_SIZE (sizeof LINES_MAGIC - 1)

typedef enum lines_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "formats/lines/codes.def"
#undef STELE_CODE
    LINES_CODE_COUNT
} lines_code;

extern const stele_code lines_codes[LINES_CODE_COUNT];

/* Defined in read/reader.c. */
stele_status lines_produce(stele_trace *trace, const produce_request *request, producer **out);

#endif
