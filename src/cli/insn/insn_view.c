/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn view: prints instructions one after another, with what they read and wrote. */
#include <stele/symbols.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define TEXT_COLUMN 44u

typedef struct viewing {
    cli *c;
    insns *s;
    stele_output *out;
    stele_status (*write)(struct viewing *v, const stele_insn_batch *batch, uint32_t index);
    uint64_t limit, count;
    uint32_t track;         /* track of the last instruction; 0: none */
    figures rows;           /* rows of CSV */
    stele_output *texts[2]; /* buffers for the cells of loads and stores in CSV */
} viewing;

/* Names of values that are numbers; other values are too long for a line. */
static const char *const value_words[STELE_INSN_VALUE_KIND_COUNT] = {
    [STELE_INSN_VALUE_STXR] = "stxr",    [STELE_INSN_VALUE_SYSTEM] = "system",
    [STELE_INSN_VALUE_ARGUMENT] = "arg", [STELE_INSN_VALUE_RESULT] = "return",
    [STELE_INSN_VALUE_DC] = "dc",        [STELE_INSN_VALUE_TARGET] = "target",
    [STELE_INSN_VALUE_NZCV] = "nzcv",    [STELE_INSN_VALUE_ORDER] = "order"};

static const char *const block_words[STELE_INSN_VALUE_KIND_COUNT] = {
    [STELE_INSN_VALUE_GPRS] = "registers",
    [STELE_INSN_VALUE_VECTORS] = "vectors",
    [STELE_INSN_VALUE_UNKNOWN] = "misc"};

static const char *register_name(unsigned reg, char name[4])
{
    if (reg == STELE_INSN_SP)
        return "sp";
    snprintf(name, 4, "x%u", reg & 31u);
    return name;
}

#define OPCODE_SIZE 9

static const char *opcode_text(uint32_t opcode, char text[OPCODE_SIZE])
{
    snprintf(text, OPCODE_SIZE, "%08" PRIx32, opcode);
    return text;
}

/* Writes the bytes of an access as one number, the last byte first. */
static void write_data(stele_output *out, const stele_insn_batch *batch,
                       const stele_insn_access *access)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = stele_insn_access_bytes(batch, access);
    stele_output_text(out, "0x");
    for (size_t i = (size_t)1 << access->size_log2; i-- > 0;) {
        stele_output_byte(out, (uint8_t)digits[bytes[i] >> 4]);
        stele_output_byte(out, (uint8_t)digits[bytes[i] & 15u]);
    }
}

/* ---- Text for people ------------------------------------------------------------------------- */

static void write_heading(viewing *v, const stele_insn_batch *batch)
{
    const stele_track *track = stele_track_get(v->c->context, batch->track);
    if (batch->track == v->track)
        return;
    if (v->track != 0)
        stele_output_byte(v->out, '\n');
    v->track = batch->track;
    print_color(v->out, v->c->has_color, COLOR_BOLD);
    stele_output_printf(v->out, "%s %" PRIu64 "\n", stele_track_kind_text(track->kind),
                        track->number);
    print_color(v->out, v->c->has_color, COLOR_NONE);
}

/*
 * Notes after the text of an instruction, which begin in the same column unless a text is too long.
 */
typedef struct notes {
    stele_output *out;
    uint64_t begin; /* offset in the output where the text begins */
    bool is_begun;
} notes;

__attribute__((format(printf, 2, 3))) static void note(notes *n, const char *format, ...)
{
    char text[96];
    va_list list;
    const uint64_t size = stele_output_offset(n->out) - n->begin;
    if (!n->is_begun && size < TEXT_COLUMN)
        print_spaces(n->out, (size_t)(TEXT_COLUMN - size));
    n->is_begun = true;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    stele_output_text(n->out, "  ");
    stele_output_text(n->out, text);
}

static void note_place(viewing *v, notes *n, uint64_t pc)
{
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    if (!stele_symbols_find(v->s->code, pc, &place))
        return;
    note(n, "%s", "");
    print_color(v->out, v->c->has_color, COLOR_DIM);
    insns_write_place(v->s, v->out, pc);
    print_color(v->out, v->c->has_color, COLOR_NONE);
}

/* Adds notes such as "R8 0x7fff0010=0x2a" and "W4 ...". */
static void note_accesses(notes *n, const stele_insn_batch *batch, const stele_insn *at)
{
    const stele_insn_access *accesses = stele_insn_accesses(batch, at);
    for (uint16_t i = 0; i < at->access_count; i++) {
        note(n, "%c%u 0x%" PRIx64 "=", accesses[i].is_store ? 'W' : 'R',
             1u << accesses[i].size_log2, accesses[i].address);
        write_data(n->out, batch, &accesses[i]);
    }
}

static void note_values(notes *n, const stele_insn_batch *batch, const stele_insn *at)
{
    const stele_insn_value *values = stele_insn_values(batch, at);
    stele_insn_write writes[STELE_INSN_WRITES_MAX];
    const size_t count = stele_insn_find_writes(batch, at, writes);
    char name[4];
    for (uint16_t i = 0; i < at->value_count; i++) {
        if (value_words[values[i].kind] != NULL)
            note(n, "%s=0x%" PRIx64, value_words[values[i].kind], values[i].u.number);
        else
            note(n, "%s (%" PRIu32 " bytes)", block_words[values[i].kind], values[i].u.bytes.size);
    }
    for (size_t i = 0; i < count; i++)
        note(n, "%s:=0x%" PRIx64, register_name(writes[i].reg, name), writes[i].value);
}

static stele_status write_text(viewing *v, const stele_insn_batch *batch, uint32_t index)
{
    const stele_insn *at = &batch->insns[index];
    const bool has_pc = (at->flags & STELE_INSN_HAS_PC) != 0;
    stele_output *out = v->out;
    notes n = {.out = out};
    write_heading(v, batch);
    if ((at->flags & STELE_INSN_AFTER_DAMAGE) != 0)
        stele_output_text(out, "           (damage: instructions may be missing)\n");
    if ((at->flags & STELE_INSN_AT_SNAPSHOT) != 0)
        stele_output_printf(out, "           (snapshot %" PRIu64 ")\n", batch->snapshot);
    stele_output_printf(out, "%9" PRIu64 "  EL%u  ", batch->number + index, at->level);
    if (has_pc)
        stele_output_printf(out, "%016" PRIx64, at->pc);
    else
        stele_output_text(out, "               ?");
    stele_output_printf(out, "  %08" PRIx32 "  ", at->opcode);
    n.begin = stele_output_offset(out);
    insns_write_text(v->c, v->s, out, at->opcode, has_pc ? &at->pc : NULL);
    if (has_pc)
        note_place(v, &n, at->pc);
    note_accesses(&n, batch, at);
    note_values(&n, batch, at);
    stele_output_byte(out, '\n');
    return stele_output_status(out);
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

static void write_json_accesses(viewing *v, json *j, const stele_insn_batch *batch,
                                const stele_insn *at)
{
    const stele_insn_access *accesses = stele_insn_accesses(batch, at);
    json_open(j, "accesses", '[');
    for (uint16_t i = 0; i < at->access_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "kind", accesses[i].is_store ? "store" : "load");
        json_uint(j, "address", accesses[i].address);
        json_uint(j, "size", UINT64_C(1) << accesses[i].size_log2);
        json_value(j, "data");
        stele_output_byte(v->out, '"');
        write_data(v->out, batch, &accesses[i]);
        stele_output_byte(v->out, '"');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_json_values(json *j, const stele_insn_batch *batch, const stele_insn *at)
{
    const stele_insn_value *values = stele_insn_values(batch, at);
    stele_insn_write writes[STELE_INSN_WRITES_MAX];
    const size_t count = stele_insn_find_writes(batch, at, writes);
    char name[4];
    json_open(j, "values", '[');
    for (uint16_t i = 0; i < at->value_count; i++) {
        if (value_words[values[i].kind] == NULL)
            continue;
        json_open(j, NULL, '{');
        json_text(j, "kind", value_words[values[i].kind]);
        json_uint(j, "value", values[i].u.number);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "writes", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "register", register_name(writes[i].reg, name));
        json_uint(j, "value", writes[i].value);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static stele_status write_json(viewing *v, const stele_insn_batch *batch, uint32_t index)
{
    const stele_insn *at = &batch->insns[index];
    const stele_track *track = stele_track_get(v->c->context, batch->track);
    const bool has_pc = (at->flags & STELE_INSN_HAS_PC) != 0;
    stele_symbol_place place = {.name = NULL};
    json j = {.out = v->out, .is_line = true};
    char opcode[OPCODE_SIZE];
    if (has_pc)
        stele_symbols_find(v->s->code, at->pc, &place);
    json_open(&j, NULL, '{');
    json_uint(&j, "thread", track->number);
    json_uint(&j, "number", batch->number + index);
    json_uint(&j, "offset", batch->offset + at->offset);
    if (has_pc)
        json_uint(&j, "pc", at->pc);
    else
        json_null(&j, "pc");
    json_uint(&j, "level", at->level);
    json_text(&j, "opcode", opcode_text(at->opcode, opcode));
    json_text(&j, "class", insns_class_text(at->opcode));
    json_text(&j, "text", insns_opcode_text(v->c, v->s, at->opcode));
    json_text(&j, "symbol", place.name);
    if (place.name != NULL)
        json_uint(&j, "symbol_offset", at->pc - place.address);
    write_json_accesses(v, &j, batch, at);
    write_json_values(&j, batch, at);
    json_close(&j, '}');
    return stele_output_status(v->out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static const figure_column csv_columns[] = {
    {"thread", NULL, FIGURE_COUNT, 0, 0}, {"number", NULL, FIGURE_COUNT, 0, 0},
    {"level", NULL, FIGURE_COUNT, 0, 0},  {"pc", NULL, FIGURE_HEX, 0, 0},
    {"opcode", NULL, FIGURE_TEXT, 0, 0},  {"class", NULL, FIGURE_TEXT, 0, 0},
    {"text", NULL, FIGURE_TEXT, 0, 0},    {"symbol", NULL, FIGURE_TEXT, 0, 0},
    {"loads", NULL, FIGURE_TEXT, 0, 0},   {"stores", NULL, FIGURE_TEXT, 0, 0}};

/* Makes a cell of the loads or the stores of an instruction, such as "0x7fff0010/8=0x2a
   0x.../4=...". */
static figure accesses_cell(viewing *v, const stele_insn_batch *batch, const stele_insn *at,
                            bool is_store)
{
    const stele_insn_access *accesses = stele_insn_accesses(batch, at);
    stele_output *out = v->texts[is_store];
    figure cell;
    const char *space = "";
    stele_output_clear(out);
    for (uint16_t i = 0; i < at->access_count; i++) {
        if (accesses[i].is_store != is_store)
            continue;
        stele_output_printf(out, "%s0x%" PRIx64 "/%u=", space, accesses[i].address,
                            1u << accesses[i].size_log2);
        write_data(out, batch, &accesses[i]);
        space = " ";
    }
    cell.text.bytes = (const char *)stele_output_memory(out, &cell.text.size);
    return cell;
}

static stele_status write_csv(viewing *v, const stele_insn_batch *batch, uint32_t index)
{
    const stele_insn *at = &batch->insns[index];
    const stele_track *track = stele_track_get(v->c->context, batch->track);
    const bool has_pc = (at->flags & STELE_INSN_HAS_PC) != 0;
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    const bool has_place = has_pc && stele_symbols_find(v->s->code, at->pc, &place);
    char opcode[OPCODE_SIZE];
    figures_row(&v->rows, (figure[]){{.number = track->number},
                                     {.number = batch->number + index},
                                     {.number = at->level},
                                     {.number = has_pc ? at->pc : FIGURE_NONE},
                                     figure_text(opcode_text(at->opcode, opcode)),
                                     figure_text(insns_class_text(at->opcode)),
                                     figure_text(insns_opcode_text(v->c, v->s, at->opcode)),
                                     figure_text(has_place ? place.name : NULL),
                                     accesses_cell(v, batch, at, false),
                                     accesses_cell(v, batch, at, true)});
    return stele_output_status(v->out);
}

static bool begin_csv(viewing *v)
{
    v->write = write_csv;
    v->rows = (figures){.c = v->c, .columns = csv_columns, .column_count = 10};
    figures_begin(&v->rows);
    return cli_check(v->c, stele_output_open_memory(NULL, &v->texts[0]), "view") &&
           cli_check(v->c, stele_output_open_memory(NULL, &v->texts[1]), "view");
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    viewing *v = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < batch->insn_count && status == STELE_OK; i++) {
        if ((batch->insns[i].flags & STELE_INSN_HIDDEN) != 0)
            continue;
        if (v->limit != 0 && v->count == v->limit)
            return STELE_END;
        v->count++;
        status = v->write(v, batch, i);
    }
    return status;
}

void command_INSN_VIEW(cli *c)
{
    const options *o = &c->options;
    insns s;
    viewing v = {.c = c, .s = &s, .out = c->out, .write = write_text};
    v.limit = option_number(o, OPTION_LIMIT);
    c->is_streaming = c->is_screen;
    if (insns_make(c, &s)) {
        s.options.wants_accesses = s.options.wants_values = s.options.wants_snapshots = true;
        if (option_given(o, OPTION_JSON))
            v.write = write_json;
        if (!option_given(o, OPTION_CSV) || begin_csv(&v))
            insns_read_all(c, &s, &(stele_insn_consumer){.take = take, .user = &v});
    }
    stele_output_close(v.texts[0]);
    stele_output_close(v.texts[1]);
    insns_free(&s);
}
