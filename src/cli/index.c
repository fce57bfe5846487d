/* SPDX-License-Identifier: Apache-2.0 */
/* stele index: keeps what an index found out beside the trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define EXTENSION ".stele-index"

static void index_trace(cli *c, stele_trace *trace, const char *path)
{
    /* An index can always be made again, so that an old one needs no care. */
    stele_output_options how = cli_output_options(c);
    const size_t size = strlen(path) + sizeof EXTENSION;
    char *target = malloc(size);
    stele_output *out = NULL;
    stele_status status = target != NULL ? STELE_OK : STELE_ERR_MEMORY;
    how.replace = true;
    if (status == STELE_OK) {
        snprintf(target, size, "%s" EXTENSION, path);
        status = stele_output_open(target, &how, &out);
    }
    if (status == STELE_OK)
        status = stele_trace_save_index(trace, out);
    if (status == STELE_OK)
        status = stele_output_finish(out);
    if (status == STELE_ERR_UNSUPPORTED)
        cli_remark(c, "%s: an index would not help here; nothing was written", path);
    else if (cli_check(c, status, target != NULL ? target : path))
        stele_output_printf(c->out, "%s\n", target);
    stele_output_close(out);
    free(target);
}

void command_INDEX(cli *c)
{
    const options *o = &c->options;
    for (size_t i = 0; i < o->argument_count && cli_interrupted() == 0; i++) {
        stele_trace *trace = cli_open(c, i);
        if (trace != NULL)
            index_trace(c, trace, o->arguments[i]);
        stele_trace_close(trace);
    }
    cli_conclude(c, o->arguments[0], NULL);
}
