/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that hold the figures of a whole call path, as profilers write them: SAMPLE events with
 * an array `path`, whose elements have names as labels, the outermost function first. `value` is
 * how often the path was called, `id` the time spent at its end, in units of the tracer.
 */
#ifndef ANALYSIS_EVENTS_SAMPLES_H
#define ANALYSIS_EVENTS_SAMPLES_H

#include "model/context.h"

#define SAMPLE_PATH_MAX 4096u

/* Reads the path of a sample into `names`, the outermost first. Returns how many there are. A
   sample without a path gives its own name only. */
size_t sample_path(const stele_context *context, const stele_batch *batch, const stele_event *event,
                   stele_name names[SAMPLE_PATH_MAX]);

#endif
