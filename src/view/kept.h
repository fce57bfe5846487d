/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan found out, as bytes for the index of the trace: tracks, counters, losses, and the
 * checkpoints. With them, a trace that is opened again is known at once, and need not be scanned.
 * docs/index.md has the layout.
 */
#ifndef VIEW_KEPT_H
#define VIEW_KEPT_H

#include "view/viewer.h"

/* Writes what the scan of the viewer's only trace found out. */
stele_status kept_write(viewer *v, stele_output *out);

/*
 * Takes what kept_write() wrote, instead of scanning the trace. The bytes are checked like any
 * input. Errors: STELE_ERR_FORMAT: they are not valid; STELE_ERR_MEMORY. After an error nothing in
 * the viewer has changed.
 */
stele_status kept_take(viewer *v, const void *bytes, size_t size);

#endif
