/* SPDX-License-Identifier: Apache-2.0 */
/* What every writer and every sink is: takes segments, counts what it cannot carry. */
#ifndef MODEL_WRITER_H
#define MODEL_WRITER_H

#include <stele/writer.h>

#include "core/output.h"
#include "model/context.h"

typedef struct writer_ops {
    stele_status (*write)(stele_writer *self, const stele_segment *segment);
    stele_status (*finish)(stele_writer *self); /* before output_finish() */
    void (*close)(stele_writer *self);          /* frees what the writer itself has */
} writer_ops;

#define LOSSES_MAX 256u

/* What a target cannot carry, by kind and text. Cleared, it is empty. */
typedef struct loss_table {
    stele_loss at[LOSSES_MAX];
    uint32_t count;
} loss_table;

/* What became of it. Only the first two are losses. */
typedef enum loss_extent {
    LOSS_CHANGED, /* it is there, but not as it was */
    LOSS_DROPPED, /* it is not there at all */
    LOSS_FORM     /* it is there and says the same, in another form */
} loss_extent;

/* Counts a loss. `what` is static text and is compared by pointer first, so that counting in a hot
   path is cheap. */
void losses_add(loss_table *losses, stele_kind kind, const char *what, loss_extent extent,
                uint64_t count);

/* The losses so far, `index` from 0; false past the end. */
bool losses_get(const loss_table *losses, size_t index, stele_loss *loss);

/* Writers put this first in structs of their own; close() frees the whole. */
struct stele_writer {
    const writer_ops *ops;
    void (*flush)(stele_writer *self); /* writes what is held back; NULL: nothing is */
    stele_context *context;
    output *out;      /* owned when owns_output */
    bool owns_output; /* finish and close go on to the output */
    loss_table losses;
};

/* losses_add() to those of the writer. */
static inline void writer_lose(stele_writer *writer, stele_kind kind, const char *what,
                               loss_extent extent, uint64_t count)
{
    losses_add(&writer->losses, kind, what, extent, count);
}

#endif
