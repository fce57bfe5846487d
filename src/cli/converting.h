/* SPDX-License-Identifier: Apache-2.0 */
/* Writing of traces, for the commands convert, merge and cut. */
#ifndef CLI_CONVERTING_H
#define CLI_CONVERTING_H

#include "cli/cli.h"

/* Which format is written if --to does not name one. */
typedef enum format_choice_how {
    FORMAT_NAMED, /* the one that the name of the output says */
    /* the one that the name of the output says, or else the one that all arguments have */
    FORMAT_GUESSED,
    FORMAT_KEPT /* the one that all arguments have */
} format_choice_how;

typedef struct conversion {
    format_choice_how format;
    /* Selects further among the selected events; NULL: all are kept. */
    bool (*keeps)(void *user, const stele_event *event);
    void *user;
    const char *path; /* path of the output; NULL: that of --output */
    bool is_trial;    /* losses are not printed */
    bool is_anew;     /* events are written anew even if records could be copied */
} conversion;

/* Writes the arguments to the output, and prints the table of losses. Returns true if the output
   is complete and in place; `stats` are those of the reader. */
bool converting_execute(cli *c, const conversion *how, stele_reader_stats *stats);

/* The format that all traces have. Returns NULL if they have several, or if there is no trace. */
const char *inputs_format(const inputs *in);

#endif
