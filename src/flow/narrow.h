/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short ranges of traces with many streams. Merging has all streams open at the same time, each
 * with buffers of its own, which costs more than the few events of a short range: these are read
 * one stream after the other, and sorted.
 */
#ifndef FLOW_NARROW_H
#define FLOW_NARROW_H

#include "model/trace.h"

/* Whether the events of a range, on the trace's own scale, are so few that sorting them takes no
   more than `size_max` bytes of memory. */
bool narrow_is_range(const stele_trace *trace, int64_t begin_ns, int64_t end_ns, size_t size_max);

#endif
