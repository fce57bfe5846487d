/* SPDX-License-Identifier: Apache-2.0 */
/* How producers wait for inputs that grow: they first deliver the events that they have. */
#ifndef MODEL_AWAIT_H
#define MODEL_AWAIT_H

#include "core/window.h"
#include "model/trace.h"

/*
 * For fill(), between two records: whether the next record can be read, which needs `want` bytes at
 * the window's position. If it returns false, is_dry is set and fill() must return what it has. The
 * call waits only if the batch is empty, and then at most patience_ms if that is set, because other
 * inputs wait to deliver.
 */
static inline bool producer_await(producer *self, window *w, const stele_batch *batch, size_t want)
{
    const int64_t patience_ms = w->in->diag->patience_ms;
    if (!w->in->waits)
        return true;
    self->is_dry = !window_await(w, want,
                                 batch->event_count != 0 ? 0
                                 : patience_ms > 0       ? patience_ms
                                                         : -1);
    return !self->is_dry;
}

#endif
