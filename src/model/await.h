/* SPDX-License-Identifier: Apache-2.0 */
/* How producers wait for inputs that grow, so that what they have is given out before. */
#ifndef MODEL_AWAIT_H
#define MODEL_AWAIT_H

#include "core/window.h"
#include "model/trace.h"

/*
 * For fill(), between two records: whether the next one can be had, for which `want` bytes are
 * needed at the window's place. False, and is_dry: fill returns what it has. Only an empty batch is
 * worth waiting for, and only as long as nothing that came before waits for it.
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
