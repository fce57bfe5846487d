/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn blocks: the basic blocks that took the most instructions, with their text. */
#include "analysis/insn/insn_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "core/text.h"

typedef struct table {
    cli *c;
    insns *s;
    const insn_blocks *blocks;
    const insn_block **rows; /* those with the most instructions first */
    size_t shown;
    uint64_t total;
} table;

static int compare(const void *left, const void *right)
{
    const insn_block *a = *(const insn_block *const *)left, *b = *(const insn_block *const *)right;
    const uint64_t x = insn_block_total(a), y = insn_block_total(b);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return a->insn_count < b->insn_count ? -1 : a->insn_count > b->insn_count;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void write_block(const table *t, const insn_block *block)
{
    output *out = t->c->out;
    char text[PRINT_SIZE];
    print_color(out, t->c->has_color, COLOR_BOLD);
    print_padded(out, print_share(text, insn_block_total(block), t->total), -7);
    output_printf(out, "  %s x ", print_count(text, block->count));
    output_printf(out, "%s at ", print_things(text, block->insn_count, "instruction"));
    insns_write_place(t->s, out, block->pc);
    print_color(out, t->c->has_color, COLOR_NONE);
    if (block->level != 0)
        output_printf(out, "  EL%u", block->level);
    print_color(out, t->c->has_color, COLOR_DIM);
    output_text(out, "  ");
    insns_write_line(t->s, out, block->pc);
    print_color(out, t->c->has_color, COLOR_NONE);
    output_byte(out, '\n');
    for (uint32_t i = 0; i < block->insn_count; i++) {
        const uint64_t pc = block->pc + 4 * (uint64_t)i;
        const uint32_t opcode = t->blocks->opcodes[block->opcodes + i];
        output_printf(out, "         %016" PRIx64 "  %08" PRIx32 "  ", pc, opcode);
        insns_write_text(t->c, t->s, out, opcode, &pc);
        output_byte(out, '\n');
    }
}

static void write_text(const table *t)
{
    output *out = t->c->out;
    char text[PRINT_SIZE];
    output_printf(out, "%s in ", print_things(text, t->total, "instruction"));
    output_printf(out, "%s", print_things(text, t->blocks->count, "block"));
    if (t->shown < t->blocks->count)
        output_printf(out, ", of which %s are shown", print_count(text, t->shown));
    output_byte(out, '\n');
    for (size_t i = 0; i < t->shown; i++) {
        output_byte(out, '\n');
        write_block(t, t->rows[i]);
    }
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void write_csv(const table *t)
{
    output *out = t->c->out;
    output_text(out, "pc,symbol,level,insn_count,count,total_count\r\n");
    for (size_t i = 0; i < t->shown; i++) {
        const insn_block *block = t->rows[i];
        stele_symbol_place place;
        output_hex(out, block->pc);
        output_byte(out, ',');
        if (stele_symbols_find(t->s->code, block->pc, &place))
            text_csv(out, place.name, strlen(place.name));
        output_printf(out, ",%u,%u,%" PRIu64 ",%" PRIu64 "\r\n", block->level, block->insn_count,
                      block->count, insn_block_total(block));
    }
}

static void write_json_block(const table *t, json *j, const insn_block *block)
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
    json_uint(j, "total_count", insn_block_total(block));
    json_open(j, "insns", '[');
    for (uint32_t i = 0; i < block->insn_count; i++) {
        const uint32_t opcode = t->blocks->opcodes[block->opcodes + i];
        char hex[9] = {0};
        text_hex(hex, opcode, 8);
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
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "insn_count", t->total);
    json_uint(&j, "block_count", t->blocks->count);
    json_open(&j, "blocks", '[');
    for (size_t i = 0; i < t->shown; i++)
        write_json_block(t, &j, t->rows[i]);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const insn_batch *batch)
{
    return insn_blocks_add(user, batch);
}

static void drop(void *fork)
{
    insn_blocks_free(fork);
    free(fork);
}

static stele_status fork_blocks(void *user, void **fork)
{
    insn_blocks *made = malloc(sizeof *made);
    (void)user;
    *fork = made;
    return made != NULL ? insn_blocks_init(made, true) : STELE_ERR_MEMORY;
}

static stele_status join(void *user, void *fork)
{
    const stele_status status = insn_blocks_join(user, fork);
    drop(fork);
    return status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return insn_blocks_cut(user);
}

static void show(cli *c, insns *s, const insn_blocks *blocks)
{
    const options *o = &c->options;
    table t = {.c = c, .s = s, .blocks = blocks, .shown = insns_shown(c, blocks->count)};
    t.rows = malloc((blocks->count + 1) * sizeof *t.rows);
    if (t.rows == NULL) {
        cli_check(c, STELE_ERR_MEMORY, "blocks");
        return;
    }
    for (size_t i = 0; i < blocks->count; i++) {
        t.rows[i] = &blocks->list[i];
        t.total += insn_block_total(t.rows[i]);
    }
    qsort(t.rows, blocks->count, sizeof *t.rows, compare);
    if (option_given(o, OPTION_JSON))
        write_json(&t);
    else if (option_given(o, OPTION_CSV))
        write_csv(&t);
    else
        write_text(&t);
    free(t.rows);
}

void command_INSN_BLOCKS(cli *c)
{
    insns s;
    insn_blocks *blocks = calloc(1, sizeof *blocks);
    const insn_consumer to = {.take = take,
                              .user = blocks,
                              .fork = fork_blocks,
                              .join = join,
                              .drop = drop,
                              .end = end_stream};
    if (insns_make(c, &s) &&
        cli_check(c, blocks != NULL ? insn_blocks_init(blocks, false) : STELE_ERR_MEMORY,
                  "blocks") &&
        insns_read_all(c, &s, &to))
        show(c, &s, blocks);
    if (blocks != NULL)
        insn_blocks_free(blocks);
    free(blocks);
    insns_free(&s);
}
