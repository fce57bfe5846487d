/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn bbv: writes basic-block vectors for SimPoint. */
#include <inttypes.h>
#include <string.h>

#include "cli/insn/insn.h"

typedef struct writing {
    cli *c;
    stele_output *out;
    uint32_t track; /* track of the current thread; 0: none yet */
} writing;

/* Writes an interval as a line "T:1:45 :2:12", after a line "# thread 4711" if the thread is
   another one. */
static stele_status write_interval(void *user, const stele_insn_bbv *bbv, uint32_t number,
                                   const uint32_t *blocks, size_t count)
{
    writing *w = user;
    stele_insn_bbv_block block = STELE_INIT(stele_insn_bbv_block);
    if (w->track != number) {
        const stele_track *track = stele_track_get(w->c->context, number);
        w->track = number;
        stele_output_printf(w->out, "# thread %" PRIu64 "\n", track != NULL ? track->number : 0);
    }
    stele_output_text(w->out, "T");
    for (size_t i = 0; i < count && stele_insn_bbv_get_block(bbv, blocks[i], &block); i++)
        stele_output_printf(w->out, "%s:%" PRIu32 ":%" PRIu64, i == 0 ? "" : " ", blocks[i] + 1,
                            block.insn_count);
    stele_output_byte(w->out, '\n');
    return stele_output_status(w->out);
}

/* Writes the address at which each block begins. */
static void write_blocks(stele_output *out, const stele_insn_bbv *bbv)
{
    stele_insn_bbv_block block = STELE_INIT(stele_insn_bbv_block);
    for (size_t i = 0; stele_insn_bbv_get_block(bbv, i, &block); i++)
        stele_output_printf(out, "# block %zu 0x%" PRIx64 "\n", i + 1, block.pc);
}

static stele_status take(void *user, const stele_insn_batch *batch)
{
    return stele_insn_bbv_add(user, batch);
}

static void write_vectors(cli *c, insns *s, writing *w, uint64_t interval)
{
    stele_insn_bbv *bbv = NULL;
    if (cli_check(c, stele_insn_bbv_new(interval, write_interval, w, &bbv), "bbv") &&
        insns_read_all(c, s, &(stele_insn_consumer){.take = take, .user = bbv}) &&
        cli_check(c, stele_insn_bbv_finish(bbv), "bbv")) {
        write_blocks(w->out, bbv);
        if (w->out != c->out)
            cli_check(c, stele_output_finish(w->out), option_value(&c->options, OPTION_OUTPUT));
    }
    stele_insn_bbv_free(bbv);
}

void command_INSN_BBV(cli *c)
{
    const uint64_t interval = option_number(&c->options, OPTION_BBV_INTERVAL);
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const bool is_file = path != NULL && strcmp(path, "-") != 0;
    writing w = {.c = c, .out = c->out};
    insns s;
    bool is_fine = insns_make(c, &s);
    if (is_fine && is_file)
        is_fine = cli_check(c, cli_output_open(c, path, &w.out), path);
    if (is_fine)
        write_vectors(c, &s, &w, interval);
    if (is_file && is_fine)
        stele_output_close(w.out);
    insns_free(&s);
}
