/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of a merge whose records cannot be copied, while those of the others are: each of them
   is written anew, in a folder of its own beside the copies. */
#ifndef CLI_LEAVING_H
#define CLI_LEAVING_H

#include "cli/cli.h"

typedef struct leaving {
    cli *c;
    const inputs *in;
    stele_writer **writers; /* by trace; NULL: the trace is copied */
    stele_output **folders; /* of the writers */
    size_t count;           /* how many traces are written anew; 0: all are copied */
} leaving;

/* Opens a writer for each trace that the copier has left. Says which they are. */
stele_status leaving_open(leaving *l, cli *c, const inputs *in, const stele_copier *copier,
                          stele_output *out, const char *format, const stele_writer_options *given);

/* The writer of the trace that a segment is of; NULL: that trace is copied. */
stele_writer *leaving_writer(const leaving *l, const stele_segment *segment);

/* Writes a segment, if it is of a trace that is written anew. */
stele_status leaving_take(const leaving *l, const stele_segment *segment);
stele_status leaving_finish(const leaving *l);

/* Gives a loss of the writers by its index, counted from one writer to the next. Returns false past
   the last loss. */
bool leaving_get_loss(const leaving *l, size_t index, stele_loss *loss);

/* Closes the writers. To be called before the output is closed. */
void leaving_close(leaving *l);

#endif
