/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_GRID_H
#define XRAY_READ_GRID_H

#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"

/* What findings expect in place of skipped bytes. */
#define XRAY_BASIC_EXPECTED "an entry, exit or argument of a function"

/* The time and thread of a record, by which others are judged. */
typedef struct xray_basic_mark {
    uint64_t ticks;
    uint32_t pid, tid;
} xray_basic_mark;

/* The last records of a basic-mode log that continued from others, and one after them that did not.
   A further record that continues from that one has to show that it was not damaged. */
#define XRAY_BASIC_MARKS 2u
typedef struct xray_basic_past {
    xray_basic_mark marks[XRAY_BASIC_MARKS], other;
    uint32_t count; /* number of valid marks */
    bool has_other;
} xray_basic_past;

/*
 * Returns how many bytes to skip at the window, where at least one record is loaded: 0 if a record
 * begins there, which then becomes the last of `past`; otherwise the bytes of a damaged record, or
 * those before the next one. Loads the bytes that it needs.
 */
unsigned xray_basic_skip(const xray_trace *trace, window *w, xray_basic_past *past);

#endif
