/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_GRID_H
#define XRAY_READ_GRID_H

#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"

/* What stands instead of bytes that are skipped. */
#define XRAY_BASIC_EXPECTED "an entry, exit or argument of a function"

/* A record by which others are judged. */
typedef struct xray_basic_mark {
    uint64_t ticks;
    uint32_t pid, tid;
} xray_basic_mark;

/* The last records of a basic-mode log that went on from others, and one after them that did not:
   another one that goes on from that has to show that it was not damaged. */
#define XRAY_BASIC_MARKS 2u
typedef struct xray_basic_past {
    xray_basic_mark marks[XRAY_BASIC_MARKS], other;
    uint32_t count; /* of the marks */
    bool has_other;
} xray_basic_past;

/*
 * How many bytes to skip at the window, where at least a record is loaded: 0 if one stands there,
 * which is then the last that came; else those of one that is damaged, or as many as stand before
 * the next. Loads what tells it.
 */
unsigned xray_basic_skip(const xray_trace *trace, window *w, xray_basic_past *past);

#endif
