/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all writers and sinks: they take segments, and count what they cannot
   carry. */
#ifndef MODEL_WRITER_H
#define MODEL_WRITER_H

#include <stele/writer.h>

#include "core/output.h"
#include "model/context.h"
#include "model/timeless.h"

typedef struct writer_ops {
    stele_status (*write)(stele_writer *self, const stele_segment *segment);
    stele_status (*finish)(stele_writer *self); /* writes the end; called before output_finish() */
    void (*close)(stele_writer *self);          /* frees the writer itself */
} writer_ops;

/* Lines of a table of losses. */
#define LOSSES_MAX 256u

/* Losses of a target, by kind and text. A zeroed table is empty. */
typedef struct loss_table {
    stele_loss at[LOSSES_MAX];
    uint32_t count;
} loss_table;

/* What became of the event or value. LOSS_FORM is counted with losses, but is not one. */
typedef enum loss_extent {
    LOSS_CHANGED, /* it is there, but not as it was */
    LOSS_DROPPED, /* it is not there at all */
    LOSS_FORM     /* it is there with the same meaning, in another form */
} loss_extent;

/* Counts a loss. `what` is a static text and is compared by pointer first, so that counting is
   cheap in hot loops. */
void losses_add(loss_table *losses, stele_kind kind, const char *what, loss_extent extent,
                uint64_t count);

/* Gives the losses so far, `index` from 0. Returns false past the last. */
bool losses_get(const loss_table *losses, size_t index, stele_loss *loss);

/* The common part of all writers. Each has it as the first member of a struct of its own, which
   close() frees. */
struct stele_writer {
    const writer_ops *ops;
    void (*flush)(stele_writer *self); /* writes what is held back; NULL: nothing ever is */
    stele_context *context;
    output *out;         /* owned if owns_output */
    bool owns_output;    /* finishing and closing the writer finishes and closes `out`, too */
    bool is_finished;    /* nothing may be written any more */
    stele_status status; /* the first error of writing, which finishing returns as well */
    loss_table losses;
    timeless timeless; /* where events without a time are written, if the format wants one */
};

/* Counts a loss of the writer. */
static inline void writer_lose(stele_writer *writer, stele_kind kind, const char *what,
                               loss_extent extent, uint64_t count)
{
    losses_add(&writer->losses, kind, what, extent, count);
}

#endif
