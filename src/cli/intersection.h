/* SPDX-License-Identifier: Apache-2.0 */
/* --stream-intersection: of each recording, the time in which all of its streams were recorded. */
#ifndef CLI_INTERSECTION_H
#define CLI_INTERSECTION_H

#include "cli/cli.h"

typedef struct time_span {
    int64_t begin_ns, end_ns; /* both belong to it */
} time_span;

typedef struct intersection {
    time_span *spans; /* by stream; NULL: everything */
    uint32_t count;
} intersection;

/* Indexes the traces, and bounds the request by what has all the intersections. Errors are told. */
stele_status intersection_find(cli *c, stele_trace *const *traces, size_t count,
                               stele_request *request, intersection *out);
void intersection_free(intersection *spans);

/* The next part of `whole` that lies in its stream's span; `part` is the one before, at first with
   a count of 0 at the segment's begin. False: there is none. */
bool intersection_next(const intersection *spans, const stele_segment *whole, stele_segment *part);

#endif
