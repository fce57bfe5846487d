/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/insn/snapshots.h"

typedef struct reading {
    cli *c;
    stele_insn_snapshot_fn *take;
    void *user;
} reading;

static stele_status take_segment(void *user, const stele_segment *segment)
{
    const reading *r = user;
    return stele_insn_take_snapshots(r->c->context, segment, r->take, r->user);
}

stele_status snapshots_read(cli *c, stele_trace *trace, stele_insn_snapshot_fn *take, void *user)
{
    stele_request request = STELE_INIT(stele_request);
    reading r = {c, take, user};
    stele_insn_snapshot_request(&request);
    return cli_read(c, &trace, 1, &request, &(consumer){.take = take_segment, .user = &r}, NULL);
}
