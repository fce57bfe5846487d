/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that write traces of traces. */
#ifndef CLI_CONVERTING_H
#define CLI_CONVERTING_H

#include "cli/cli.h"

/* Which format is written, unless --to names one. */
typedef enum format_choice_how {
    FORMAT_NAMED,   /* what the name of the output says */
    FORMAT_GUESSED, /* the same, and where that says nothing, the one that all arguments have */
    FORMAT_KEPT     /* the one that all arguments have */
} format_choice_how;

typedef struct conversion {
    format_choice_how format;
    /* Which of the selected events are kept; NULL: all. */
    bool (*keeps)(void *user, const stele_event *event);
    void *user;
    const char *path; /* to write to; NULL: --output */
    bool is_trial;    /* what is lost is not said */
    bool is_anew;     /* events are written anew, also where records could be copied */
} conversion;

/*
 * Writes the arguments to --output, as the options say, and ends with the table of losses. True
 * when the output is in place; `stats` is what the reader knows then.
 */
bool converting_execute(cli *c, const conversion *how, stele_reader_stats *stats);

/* The format that all traces have; NULL: they have several, or there is none. */
const char *inputs_format(const inputs *in);

#endif
