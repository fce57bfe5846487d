/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn slice, split, join: write parts of traces of instructions as traces. */
#include <stele/xtrace_slice.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"

/* The directory to write. If it is not given, reports it and returns NULL. */
static const char *output_path(cli *c)
{
    const char *path = option_value(&c->options, OPTION_SLICE_OUTPUT);
    if (path == NULL)
        cli_usage(c, "--output is missing: the directory to write");
    return path;
}

static bool may_replace(const cli *c)
{
    return option_given(&c->options, OPTION_FORCE);
}

/* Reports the result of the command and the findings of the traces. */
static void conclude(cli *c, stele_status status, const char *path)
{
    cli_check(c, status, path);
    cli_conclude(c, NULL, NULL);
}

/* Makes the path "folder/name", which the caller frees. Returns NULL if out of memory. */
static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + 1 + strlen(name) + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* Writes the memory and the registers that a slice begins with, as far as it shows them. */
static void write_image(cli *c, const char *slice, const char *form)
{
    const bool is_raw = strcmp(form, "raw") == 0;
    char *path = join(slice, is_raw ? "memory.raw" : "memory.core");
    stele_trace *trace = NULL;
    insns s;
    if (insns_make(c, &s) && cli_check(c, path != NULL ? STELE_OK : STELE_ERR_MEMORY, slice))
        trace = cli_open_at(c, 0, slice);
    if (trace != NULL) {
        s.options.snapshot_begin = 0;
        s.options.snapshot_end = UINT64_MAX;
        insn_image_write(c, &s, trace, is_raw, path);
    }
    stele_trace_close(trace);
    insns_free(&s);
    free(path);
}

void command_INSN_SLICE(cli *c)
{
    stele_xtrace_slice slice = {.end = UINT64_MAX,
                                .is_global = option_given(&c->options, OPTION_GLOBAL)};
    const char *path = output_path(c);
    const char *image = option_value(&c->options, OPTION_SLICE_IMAGE);
    stele_trace *trace = NULL;
    if (path == NULL || !insns_range(c, OPTION_SNAPSHOT_RANGE, &slice.first, &slice.end))
        return;
    trace = cli_open(c, 0);
    if (trace != NULL &&
        cli_check(c, stele_xtrace_slice_write(trace, &slice, path, may_replace(c)), path) &&
        image != NULL)
        write_image(c, path, image);
    if (trace != NULL)
        cli_conclude(c, NULL, NULL);
    stele_trace_close(trace);
}

void command_INSN_SPLIT(cli *c)
{
    const uint64_t every = option_number(&c->options, OPTION_EVERY);
    const char *path = output_path(c);
    stele_trace *trace = NULL;
    if (path == NULL)
        return;
    trace = cli_open(c, 0);
    if (trace != NULL)
        conclude(c, stele_xtrace_split_write(trace, every, path, may_replace(c)), path);
    stele_trace_close(trace);
}

void command_INSN_JOIN(cli *c)
{
    const char *path = output_path(c);
    inputs in = {.count = 0};
    if (path == NULL)
        return;
    /* If a slice could not be opened, nothing is written. */
    if (inputs_open(c, &in) && in.count == c->options.argument_count)
        conclude(c, stele_xtrace_join_write(in.traces, in.count, path, may_replace(c)), path);
    inputs_close(&in);
}
