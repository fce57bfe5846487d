/* SPDX-License-Identifier: Apache-2.0 */
/* The two files of a thread or core as outputs: in a folder, or one beside the other. */
#ifndef XTRACE_READ_PAIR_H
#define XTRACE_READ_PAIR_H

#include "core/output.h"

#define XTRACE_SUFFIX_INSNS     ".xinsndata.bin"
#define XTRACE_SUFFIX_SNAPSHOTS ".xsnapshot.bin"

typedef struct xtrace_pair {
    output *out;
    char *stem; /* what the names of both begin with; owned */
    output *insns, *snapshots;
} xtrace_pair;

/* `stem` is for a folder; else the name of the output tells. Returns false if out of memory. */
bool xtrace_pair_open(xtrace_pair *pair, output *out, const char *stem);
void xtrace_pair_close(xtrace_pair *pair);

/*
 * Each of the two, opened when it is asked for first. STELE_ERR_UNSUPPORTED where there is place
 * for one of them only: standard output, or a name that is not of a pair.
 */
stele_status xtrace_pair_insns(xtrace_pair *pair, output **out);
stele_status xtrace_pair_snapshots(xtrace_pair *pair, output **out);

/* The first error of either; STELE_OK when there is none. */
stele_status xtrace_pair_status(const xtrace_pair *pair);

#endif
