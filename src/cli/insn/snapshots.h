/* SPDX-License-Identifier: Apache-2.0 */
/* The register snapshots of a trace, by the fields of its snapshot events. */
#ifndef CLI_INSN_SNAPSHOTS_H
#define CLI_INSN_SNAPSHOTS_H

#include "cli/cli.h"

enum { SNAPSHOT_SYSTEM_COUNT = 11 };
extern const char *const snapshot_system_names[SNAPSHOT_SYSTEM_COUNT]; /* "fpcr", "fpsr", ... */

/* The texts hold while the snapshot is taken. */
typedef struct snapshot {
    uint64_t thread, number; /* counted in its thread from 0 */
    uint64_t user_count, total_count, vl_bits;
    uint64_t x[32];
    uint64_t system[SNAPSHOT_SYSTEM_COUNT];
    stele_text z, p, ffr, za; /* bytes, as they stand in the trace */
} snapshot;

/* STELE_END ends reading early. */
typedef stele_status snapshot_take_fn(void *user, const snapshot *at);

/* Hands on the snapshots of all threads of a trace. */
stele_status snapshots_read(cli *c, stele_trace *trace, snapshot_take_fn *take, void *user);

#endif
