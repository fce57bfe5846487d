/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that are figures of a whole call path, as profilers sum them up: SAMPLE events with an
 * array `path`, whose elements have names as labels, the outermost first. `value` is how often the
 * path was called, `id` the time spent at its end, in units of the tracer.
 */
#ifndef ANALYSIS_EVENTS_SAMPLES_H
#define ANALYSIS_EVENTS_SAMPLES_H

#include "model/context.h"

#define SAMPLE_PATH_MAX 4096u

/* The names of a path of at most SAMPLE_PATH_MAX, the outermost first; gives their count. Without
   such a path it is the name of the event alone. */
size_t sample_path(const stele_context *context, const stele_batch *batch, const stele_event *event,
                   stele_name names[SAMPLE_PATH_MAX]);

#endif
