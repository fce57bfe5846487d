/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of traces that keep the bytes of their records: of one, or of several side by side. */
#ifndef CLI_COPIES_H
#define CLI_COPIES_H

#include "formats/format.h"

typedef struct copies {
    stele_context *context;
    stele_trace *const *traces;
    copier **copiers;  /* by trace */
    char **folders;    /* by trace; NULL: straight into the output */
    size_t count;      /* 0: there are none */
    loss_table losses; /* of all, once they are finished */
} copies;

/* Whether traces can be copied to this format so; `version` may be NULL. */
bool copies_are_possible(const format *to, stele_trace *const *traces, size_t count,
                         const char *version, bool is_shifted);

/*
 * The traces must outlive the copies, which are to be closed also after an error.
 * STELE_ERR_UNSUPPORTED: one of them cannot be read twice, and there are no copies.
 */
stele_status copies_open(copies *c, stele_context *context, const format *to,
                         stele_trace *const *traces, size_t count, output *out, const char *version,
                         bool keeps_all);

/* The events of a segment are kept. */
stele_status copies_keep(copies *c, const stele_segment *segment);
stele_status copies_finish(copies *c);
void copies_close(copies *c);

#endif
