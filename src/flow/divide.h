/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether, and in how many parts, a trace can be read at the same time. */
#ifndef FLOW_DIVIDE_H
#define FLOW_DIVIDE_H

#include "model/trace.h"

/* Whether each stream of a trace is a thread, so that no two have the same track. */
bool divide_by_threads(const stele_trace *trace);

/* Whether a request can be divided into parts. */
bool divide_is_possible(size_t count, const stele_request *request);

#endif
