/* SPDX-License-Identifier: Apache-2.0 */
/* Selecting events: kinds, time, globs over names, categories and tracks, and expressions. */
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "model/flow.h"

typedef struct filter filter;

/* Time bounds in force, resolved against the traces: ns for most, ticks where so asked. */
typedef struct filter_range {
    int64_t begin_ns, end_ns;        /* INT64_MIN, INT64_MAX: open */
    uint64_t begin_ticks, end_ticks; /* 0, UINT64_MAX: open */
} filter_range;

/*
 * Compiles a request. An expression that cannot be used is reported (STE009, with the place in it)
 * and gives STELE_ERR_ARGUMENT. What the request points to is copied.
 */
stele_status filter_new(stele_context *context, const stele_request *request,
                        const filter_range *range, filter **out);
void filter_free(filter *f);

/* True when every event passes. */
bool filter_is_open(const filter *f);

/* Columns that it looks at, to be asked of the producers too. */
uint32_t filter_columns(const filter *f);
bool filter_passes(filter *f, const stele_batch *batch, const stele_event *event);

/* The events of `from` that pass; counts the others. Owns both. */
stele_status flow_filter(flow *from, filter *f, uint64_t *filtered_count, flow **out);

/* True when the whole text matches a glob: `*`, `?`, `[a-z]`, `[!a-z]`, `\` quotes. */
bool glob_matches(const char *pattern, const char *text, size_t size);

#endif
