/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele insn blocks: shows the basic blocks that executed the most instructions, with their text.
 */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

typedef struct table {
    cli *c;
    insns *s;
    const stele_insn_blocks *blocks;
    size_t count, shown;
    uint64_t total;
} table;

static uint64_t total_of(const stele_insn_block_row *block)
{
    return block->count * block->insn_count;
}

/* ---- Text for people ------------------------------------------------------------------------- */

static void write_block(const table *t, const stele_insn_block_row *block)
{
    stele_output *out = t->c->out;
    char text[PRINT_SIZE];
    print_color(out, t->c->has_color, COLOR_BOLD);
    print_padded(out, print_share(text, total_of(block), t->total), -7);
    stele_output_printf(out, "  %s x ", print_count(text, block->count));
    stele_output_printf(out, "%s at ", print_things(text, block->insn_count, "instruction"));
    insns_write_place(t->s, out, block->pc);
    print_color(out, t->c->has_color, COLOR_NONE);
    if (block->level != 0)
        stele_output_printf(out, "  EL%u", block->level);
    print_color(out, t->c->has_color, COLOR_DIM);
    stele_output_text(out, "  ");
    insns_write_line(t->s, out, block->pc);
    print_color(out, t->c->has_color, COLOR_NONE);
    stele_output_byte(out, '\n');
    for (uint32_t i = 0; i < block->insn_count; i++) {
        const uint64_t pc = block->pc + 4 * (uint64_t)i;
        const uint32_t opcode = block->opcodes[i];
        stele_output_printf(out, "         %016" PRIx64 "  %08" PRIx32 "  ", pc, opcode);
        insns_write_text(t->c, t->s, out, opcode, &pc);
        stele_output_byte(out, '\n');
    }
}

static void write_text(const table *t)
{
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    stele_output *out = t->c->out;
    char text[PRINT_SIZE];
    stele_output_printf(out, "%s in ", print_things(text, t->total, "instruction"));
    stele_output_printf(out, "%s", print_things(text, t->count, "block"));
    if (t->shown < t->count)
        stele_output_printf(out, ", of which %s are shown", print_count(text, t->shown));
    stele_output_byte(out, '\n');
    for (size_t i = 0; i < t->shown && stele_insn_blocks_get(t->blocks, i, &row); i++) {
        stele_output_byte(out, '\n');
        write_block(t, &row);
    }
}

/* ---- CSV and JSON for programs --------------------------------------------------------------- */

static void write_csv(const table *t)
{
    static const figure_column columns[] = {
        {"pc", NULL, FIGURE_HEX, 0, 0},      {"symbol", NULL, FIGURE_TEXT, 0, 0},
        {"level", NULL, FIGURE_COUNT, 0, 0}, {"insn_count", NULL, FIGURE_COUNT, 0, 0},
        {"count", NULL, FIGURE_COUNT, 0, 0}, {"total_count", NULL, FIGURE_COUNT, 0, 0},
    };
    stele_insn_block_row block = STELE_INIT(stele_insn_block_row);
    figures rows = {.c = t->c, .columns = columns, .column_count = 6};
    figures_begin(&rows);
    for (size_t i = 0; i < t->shown && stele_insn_blocks_get(t->blocks, i, &block); i++) {
        stele_symbol_place place = STELE_INIT(stele_symbol_place);
        const bool has_place = stele_symbols_find(t->s->code, block.pc, &place);
        figures_row(&rows, (figure[]){{.number = block.pc},
                                      figure_text(has_place ? place.name : NULL),
                                      {.number = block.level},
                                      {.number = block.insn_count},
                                      {.number = block.count},
                                      {.number = total_of(&block)}});
    }
}

static void write_json_block(const table *t, json *j, const stele_insn_block_row *block)
{
    stele_symbol_place place = {.name = NULL};
    stele_symbols_find(t->s->code, block->pc, &place);
    json_open(j, NULL, '{');
    json_uint(j, "pc", block->pc);
    json_text(j, "symbol", place.name);
    if (place.name != NULL)
        json_uint(j, "symbol_offset", block->pc - place.address);
    json_uint(j, "level", block->level);
    json_uint(j, "insn_count", block->insn_count);
    json_uint(j, "count", block->count);
    json_uint(j, "total_count", total_of(block));
    json_open(j, "insns", '[');
    for (uint32_t i = 0; i < block->insn_count; i++) {
        const uint32_t opcode = block->opcodes[i];
        char hex[9];
        snprintf(hex, sizeof hex, "%08" PRIx32, opcode);
        json_open(j, NULL, '{');
        json_text(j, "opcode", hex);
        json_text(j, "class", insns_class_text(opcode));
        json_text(j, "text", insns_opcode_text(t->c, t->s, opcode));
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_json(const table *t)
{
    json j = {.out = t->c->out};
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "insn_count", t->total);
    json_uint(&j, "block_count", t->count);
    json_open(&j, "blocks", '[');
    for (size_t i = 0; i < t->shown && stele_insn_blocks_get(t->blocks, i, &row); i++)
        write_json_block(t, &j, &row);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    return stele_insn_blocks_add(user, batch);
}

static void drop(void *fork)
{
    stele_insn_blocks_free(fork);
}

static stele_status fork_blocks(void *user, void **fork)
{
    stele_insn_blocks *made;
    const stele_status status = stele_insn_blocks_new(true, &made);
    (void)user;
    *fork = made;
    return status;
}

static stele_status join(void *user, void *fork)
{
    const stele_status status = stele_insn_blocks_merge(user, fork);
    drop(fork);
    return status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return stele_insn_blocks_end_stream(user);
}

static void show(cli *c, insns *s, stele_insn_blocks *blocks)
{
    const options *o = &c->options;
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    table t = {.c = c, .s = s, .blocks = blocks};
    if (!cli_check(c, stele_insn_blocks_rows(blocks, &t.count), "blocks"))
        return;
    t.shown = insns_shown(c, t.count);
    for (size_t i = 0; stele_insn_blocks_get(blocks, i, &row); i++)
        t.total += total_of(&row);
    if (option_given(o, OPTION_JSON))
        write_json(&t);
    else if (option_given(o, OPTION_CSV))
        write_csv(&t);
    else
        write_text(&t);
}

void command_INSN_BLOCKS(cli *c)
{
    insns s;
    stele_insn_blocks *blocks = NULL;
    if (insns_make(c, &s) && cli_check(c, stele_insn_blocks_new(false, &blocks), "blocks")) {
        const stele_insn_consumer to = {.take = take,
                                        .user = blocks,
                                        .fork = fork_blocks,
                                        .join = join,
                                        .drop = drop,
                                        .end = end_stream};
        if (insns_read_all(c, &s, &to))
            show(c, &s, blocks);
    }
    stele_insn_blocks_free(blocks);
    insns_free(&s);
}
