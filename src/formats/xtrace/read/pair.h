/* SPDX-License-Identifier: Apache-2.0 */
/* The two files of a thread or core as outputs: in a folder, or beside each other. */
#ifndef XTRACE_READ_PAIR_H
#define XTRACE_READ_PAIR_H

#include "core/output.h"

#define XTRACE_SUFFIX_INSNS     ".xinsndata.bin"
#define XTRACE_SUFFIX_SNAPSHOTS ".xsnapshot.bin"

typedef struct xtrace_pair {
    output *out;
    /* What both names begin with; owned. */
    char *stem;
    output *insns, *snapshots;
} xtrace_pair;

/* Prepares a pair of outputs. `stem` is used in a folder; otherwise the name of the output tells
   both names. Returns false if out of memory. */
bool xtrace_pair_open(xtrace_pair *pair, output *out, const char *stem);
void xtrace_pair_close(xtrace_pair *pair);

/*
 * Give one of the two outputs, which is opened when it is first asked for. The result is
 * STELE_ERR_UNSUPPORTED when there is room for one of them only: on standard output, or under a
 * name that is not of a pair.
 */
stele_status xtrace_pair_insns(xtrace_pair *pair, output **out);
stele_status xtrace_pair_snapshots(xtrace_pair *pair, output **out);

/* Gives the first error of either output, or STELE_OK when there is none. */
stele_status xtrace_pair_status(const xtrace_pair *pair);

#endif
