/* SPDX-License-Identifier: Apache-2.0 */
/* The format's entry in the registry, how it is recognized, and opening its traces. */
#include <stdio.h>
#include <string.h>

#include "formats/lines/trace.h"

static int lines_probe(const format_probe *probe, char *reason)
{
    if (probe->head == NULL || probe->head_size < LINES_MAGIC_SIZE ||
        memcmp(probe->head, LINES_MAGIC, LINES_MAGIC_SIZE) != 0)
        return PROBE_NO;
    snprintf(reason, PROBE_REASON_SIZE, "begins with \"# events 1\"");
    return PROBE_SURE;
}

/*
 * Opens a trace, whose base is filled in already; there is no header to read after the first line.
 */
static stele_status lines_open(stele_trace *trace)
{
    if (source_input(trace->source) == NULL)
        return format_refuse_set(trace);
    return trace_set_version(trace, "1") ? STELE_OK : STELE_ERR_MEMORY;
}

/* Without a function `index`, a trace is read in the order of its file, and sorted if that is
   asked for. */
static const trace_ops lines_ops = {.open = lines_open, .produce = lines_produce};

const stele_code lines_codes[LINES_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/lines/codes.def"
#undef STELE_CODE
};

const format format_lines = {
    .name = "lines",
    .title = "One event a line",
    .extensions = ".lines",
    .trace_size = sizeof(stele_trace),
    .ops = &lines_ops,
    .probe = lines_probe,
    .codes = lines_codes,
    .code_count = LINES_CODE_COUNT,
};
