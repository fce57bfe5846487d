/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn bbv: basic-block vectors for SimPoint. */
#include "analysis/insn/insn_bbv.h"

#include <inttypes.h>

#include "cli/insn/insn.h"

typedef struct writing {
    cli *c;
    output *out;
    uint32_t track; /* 0: none yet */
} writing;

/*
 *     # thread 4711
 *     T:1:45 :2:12
 */
static stele_status write_interval(void *user, const bbv *vectors, const uint32_t *touched,
                                   size_t count)
{
    writing *w = user;
    if (w->track != vectors->track) {
        const stele_track *track = stele_track_get(w->c->context, vectors->track);
        w->track = vectors->track;
        output_printf(w->out, "# thread %" PRIu64 "\n", track != NULL ? track->number : 0);
    }
    output_text(w->out, "T");
    for (size_t i = 0; i < count; i++)
        output_printf(w->out, "%s:%" PRIu32 ":%" PRIu64, i == 0 ? "" : " ", touched[i] + 1,
                      vectors->blocks[touched[i]].count);
    output_byte(w->out, '\n');
    return w->out->status;
}

/* Where each block begins. */
static void write_blocks(output *out, const bbv *vectors)
{
    for (size_t i = 0; i < vectors->block_count; i++)
        output_printf(out, "# block %zu 0x%" PRIx64 "\n", i + 1, vectors->blocks[i].pc);
}

static stele_status take(void *user, const insn_batch *batch)
{
    return bbv_add(user, batch);
}

void command_INSN_BBV(cli *c)
{
    const uint64_t interval = option_number(&c->options, OPTION_BBV_INTERVAL);
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const bool is_file = path != NULL && strcmp(path, "-") != 0;
    writing w = {.c = c, .out = c->out};
    bbv vectors = {.interval = 0};
    const insn_consumer to = {.take = take, .user = &vectors};
    insns s;
    bool is_fine =
        insns_make(c, &s) && (interval != 0 || cli_usage(c, "--interval takes 1 or more"));
    if (is_fine && is_file)
        is_fine = cli_check(
            c, output_open(&c->out_diag, path, option_given(&c->options, OPTION_FORCE), &w.out),
            path);
    if (is_fine && cli_check(c, bbv_init(&vectors, interval, write_interval, &w), "bbv") &&
        insns_read_all(c, &s, &to) && cli_check(c, bbv_finish(&vectors), "bbv")) {
        write_blocks(w.out, &vectors);
        if (is_file)
            cli_check(c, output_finish(w.out), path);
    }
    if (is_file && is_fine)
        output_close(w.out);
    bbv_free(&vectors);
    insns_free(&s);
}
