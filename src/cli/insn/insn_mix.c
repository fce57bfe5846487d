/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn mix: shows which kinds of instructions were executed, and how often. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/print.h"

typedef enum mix_by { BY_CLASS, BY_OPCODE, BY_LEVEL, BY_SYMBOL } mix_by;

/* One row: a class, opcode, level or function with its count. */
typedef struct row {
    uint64_t key, count;
    const char *name; /* name of the function; NULL: no function is known */
} row;

typedef struct table {
    mix_by by;
    row *rows;
    size_t count, shown;
    uint64_t total;
} table;

/* ---- Rows of the table ----------------------------------------------------------------------- */

static int row_compare_keys(const void *left, const void *right)
{
    const row *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Compares rows by count, the highest first. */
static int row_compare(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return row_compare_keys(left, right);
}

/* Makes the row for which an opcode at a level, or an address, counts. */
static row row_make(const insns *s, mix_by by, const stele_insn_mix_row *from)
{
    row r = {.count = from->count};
    stele_a64_insn what = STELE_INIT(stele_a64_insn);
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    switch (by) {
    case BY_CLASS:
        stele_a64_classify(from->opcode, &what);
        r.key = what.class_number;
        break;
    case BY_OPCODE: r.key = from->opcode; break;
    case BY_LEVEL: r.key = from->level; break;
    case BY_SYMBOL:
        r.key = UINT64_MAX;
        if (stele_symbols_find(s->code, from->pc, &place)) {
            r.key = place.number;
            r.name = place.name;
        }
        break;
    }
    return r;
}

static stele_status table_make(const insns *s, stele_insn_mix *mix, mix_by by, table *t)
{
    stele_insn_mix_row from = STELE_INIT(stele_insn_mix_row);
    size_t count;
    const stele_status status = stele_insn_mix_rows(mix, &count);
    *t = (table){.by = by, .rows = calloc(count + 1, sizeof *t->rows)};
    if (status != STELE_OK || t->rows == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; stele_insn_mix_get(mix, i, &from); i++) {
        t->rows[i] = row_make(s, by, &from);
        t->total += t->rows[i].count;
    }
    qsort(t->rows, count, sizeof *t->rows, row_compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (t->count != 0 && t->rows[t->count - 1].key == t->rows[i].key)
            t->rows[t->count - 1].count += t->rows[i].count;
        else
            t->rows[t->count++] = t->rows[i];
    }
    qsort(t->rows, t->count, sizeof *t->rows, row_compare);
    return STELE_OK;
}

/* ---- Output of the table --------------------------------------------------------------------- */

static const char *const by_words[] = {"class", "opcode", "level", "symbol"};

/* The text of a row in the first column of CSV, and in JSON. */
static const char *row_text(const table *t, const row *r, char *to, size_t size)
{
    switch (t->by) {
    case BY_CLASS: return stele_a64_class_text((uint32_t)r->key);
    case BY_OPCODE: snprintf(to, size, "%08" PRIx64, r->key); return to;
    case BY_LEVEL: snprintf(to, size, "EL%" PRIu64, r->key); return to;
    case BY_SYMBOL: break;
    }
    return r->name;
}

enum { M_KEY, M_CLASS, M_TEXT, M_COUNT, M_INSNS, M_SHARE, M_SHOWN, M_COLUMNS };

#define COUNT_WIDTH 17

static void choose_columns(figure_column to[M_COLUMNS], mix_by by)
{
    const figure_column all[M_COLUMNS] = {
        [M_KEY] = {by_words[by], NULL, FIGURE_TEXT, 0, 0},
        [M_CLASS] = {by == BY_OPCODE ? "class" : NULL, NULL, FIGURE_TEXT, 0, 0},
        [M_TEXT] = {by == BY_OPCODE ? "text" : NULL, NULL, FIGURE_TEXT, 0, 0},
        [M_COUNT] = {"count", NULL, FIGURE_COUNT, 0, 0},
        [M_INSNS] = {NULL, "instructions", FIGURE_COUNT, -COUNT_WIDTH, 0},
        [M_SHARE] = {NULL, "share", FIGURE_RATIO, -9, 0},
        [M_SHOWN] = {NULL, by_words[by], FIGURE_TEXT, 0, 0}};
    memcpy(to, all, sizeof all);
}

/* Writes a row. For people the text of an opcode follows its number. */
static void write_row(figures *f, insns *s, const table *t, const row *r, stele_output *text)
{
    figure cells[M_COLUMNS] = {{.number = 0}};
    char key[PRINT_SIZE];
    cells[M_KEY] = cells[M_SHOWN] = figure_text(row_text(t, r, key, sizeof key));
    if (cells[M_KEY].text.bytes == NULL)
        cells[M_SHOWN] = figure_text("(no symbol)");
    cells[M_COUNT].number = cells[M_INSNS].number = r->count;
    cells[M_SHARE].ratio.part = r->count;
    cells[M_SHARE].ratio.whole = t->total;
    if (t->by == BY_OPCODE) {
        cells[M_CLASS] = figure_text(insns_class_text((uint32_t)r->key));
        stele_output_clear(text);
        stele_output_printf(text, "%s  ", key);
        insns_write_text(f->c, s, text, (uint32_t)r->key, NULL);
        cells[M_SHOWN].text.bytes =
            (const char *)stele_output_memory(text, &cells[M_SHOWN].text.size);
        cells[M_TEXT] = figure_text(insns_opcode_text(f->c, s, (uint32_t)r->key));
    }
    figures_row(f, cells);
}

static void write_rows(cli *c, insns *s, const table *t, json *into)
{
    figure_column columns[M_COLUMNS];
    figures f = {.c = c,
                 .columns = columns,
                 .column_count = M_COLUMNS,
                 .into = into,
                 .shown_count = t->shown,
                 .row_count = t->count};
    stele_output *text;
    if (!cli_check(c, stele_output_open_memory(NULL, &text), "mix"))
        return;
    choose_columns(columns, t->by);
    figures_begin(&f);
    for (size_t i = 0; i < t->shown; i++)
        write_row(&f, s, t, &t->rows[i], text);
    stele_output_close(text);
}

static void write_text(cli *c, insns *s, const table *t)
{
    char text[PRINT_SIZE];
    write_rows(c, s, t, NULL);
    print_padded(c->out, print_count(text, t->total), -COUNT_WIDTH);
    stele_output_text(c->out, "           in all\n");
}

static void write_json(cli *c, insns *s, const table *t)
{
    json j = {.out = c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "insn_count", t->total);
    json_text(&j, "by", by_words[t->by]);
    json_uint(&j, "row_count", t->count);
    json_open(&j, "rows", '[');
    write_rows(c, s, t, &j);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

/* State of counting; forks count by the same key as the table they are joined to. */
typedef struct counting {
    stele_insn_mix *mix;
    stele_insn_mix_key key;
} counting;

static stele_status take(void *user, const stele_insn_batch *batch)
{
    const counting *of = user;
    return stele_insn_mix_add(of->mix, batch);
}

static void drop_mix(void *fork)
{
    counting *of = fork;
    if (of != NULL)
        stele_insn_mix_free(of->mix);
    free(of);
}

static stele_status fork_mix(void *user, void **fork)
{
    const counting *of = user;
    counting *made = malloc(sizeof *made);
    *fork = made;
    if (made == NULL)
        return STELE_ERR_MEMORY;
    made->key = of->key;
    return stele_insn_mix_new(of->key, &made->mix);
}

static stele_status join_mix(void *user, void *fork)
{
    const counting *of = user, *other = fork;
    const stele_status status = stele_insn_mix_merge(of->mix, other->mix);
    drop_mix(fork);
    return status;
}

static mix_by parse_by(const options *o)
{
    const char *word = option_value(o, OPTION_MIX_BY);
    unsigned by = BY_CLASS;
    while (by < BY_SYMBOL && strcmp(by_words[by], word) != 0)
        by++;
    return (mix_by)by;
}

static void show(cli *c, insns *s, stele_insn_mix *mix, mix_by by)
{
    const options *o = &c->options;
    table t;
    if (cli_check(c, table_make(s, mix, by, &t), "mix")) {
        t.shown = insns_shown(c, t.count);
        if (option_given(o, OPTION_JSON))
            write_json(c, s, &t);
        else if (option_given(o, OPTION_CSV))
            write_rows(c, s, &t, NULL);
        else
            write_text(c, s, &t);
    }
    free(t.rows);
}

void command_INSN_MIX(cli *c)
{
    const mix_by by = parse_by(&c->options);
    insns s;
    counting of = {.key = by == BY_SYMBOL ? STELE_INSN_MIX_PC : STELE_INSN_MIX_OPCODE};
    const stele_insn_consumer to = {
        .take = take, .user = &of, .fork = fork_mix, .join = join_mix, .drop = drop_mix};
    if (insns_make(c, &s) && cli_check(c, stele_insn_mix_new(of.key, &of.mix), "mix") &&
        insns_read_all(c, &s, &to)) {
        if (by == BY_SYMBOL && !option_given(&c->options, OPTION_INSN_BINARY))
            cli_remark(c, "functions have names where --binary names the file that was traced");
        show(c, &s, of.mix, by);
    }
    stele_insn_mix_free(of.mix);
    insns_free(&s);
}
