/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn syscalls: prints the system calls of a program as strace does, or how many of each
   there are. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/json.h"

#define VECTORS_SHOWN 16u /* how many vectors are shown to people */

static uint64_t thread_of(cli *c, uint32_t number)
{
    const stele_track *track = stele_track_get(c->context, number);
    return track != NULL ? track->number : 0;
}

/* ---- Output of calls ------------------------------------------------------------------------- */

static void write_value(stele_output *out, char type, uint64_t value)
{
    switch (type) {
    case 'd': stele_output_printf(out, "%" PRId32, (int32_t)value); break;
    case 'l': stele_output_printf(out, "%" PRId64, (int64_t)value); break;
    case 'u': stele_output_printf(out, "%" PRIu64, value); break;
    case 'o': stele_output_printf(out, "0%" PRIo64, value); break;
    case 'p':
    case 's':
        if (value == 0) {
            stele_output_text(out, "NULL");
            break;
        }
        /* fall through */
    default: stele_output_printf(out, "0x%" PRIx64, value); break;
    }
}

static void write_vectors(stele_output *out, const stele_insn_syscall *call)
{
    stele_output_text(out, " [");
    for (uint32_t i = 0; i < call->vector_count; i++) {
        if (i == VECTORS_SHOWN) {
            stele_output_printf(out, ", and %" PRIu32 " more", call->vector_count - i);
            break;
        }
        stele_output_printf(out, "%s{0x%" PRIx64 ", %" PRIu64 "}", i == 0 ? "" : ", ",
                            call->vectors[i].address, call->vectors[i].size);
    }
    stele_output_byte(out, ']');
}

/* Writes the arguments, such as "iov=0x7fe8 [{0x40, 5}]": those that the call has, or for an
   unknown call those that the trace has. */
static void write_arguments(stele_output *out, const stele_insn_syscall *call, bool is_known)
{
    bool has_vectors = call->vector_count != 0;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        stele_text name = {"", 0};
        char type = 'x';
        if (is_known && !stele_syscall_argument(call->call, i, &name, &type))
            break;
        stele_output_text(out, i == 0 ? "" : ", ");
        stele_output_write(out, name.bytes, name.size);
        stele_output_text(out, name.size != 0 ? "=" : "");
        write_value(out, type, call->arguments[i]);
        if (has_vectors && name.size >= 3 && memcmp(name.bytes + name.size - 3, "iov", 3) == 0) {
            write_vectors(out, call);
            has_vectors = false;
        }
    }
    if (has_vectors)
        write_vectors(out, call);
}

static void write_result(stele_output *out, const stele_insn_syscall *call)
{
    const char *name = stele_syscall_error_name(call->error);
    if (!call->has_result)
        stele_output_text(out, "?");
    else if (call->error != 0 && name != NULL)
        stele_output_printf(out, "-1 %s", name);
    else if (call->error != 0)
        stele_output_printf(out, "-1 error %" PRIu32, call->error);
    else
        write_value(out, call->has_call && stele_syscall_result_type(call->call) == 'p' ? 'p' : 'l',
                    call->result);
}

/* The name of a call. Returns NULL if it is not known. */
static const char *name_of(const stele_insn_syscall *call)
{
    return call->has_call ? stele_syscall_name(call->call) : NULL;
}

static void write_name(stele_output *out, const stele_insn_syscall *call)
{
    const char *name = name_of(call);
    if (name != NULL)
        stele_output_text(out, name);
    else if (call->has_call)
        stele_output_printf(out, "syscall_%" PRIu64, call->call);
    else
        stele_output_text(out, "syscall"); /* the trace does not have the call's number */
}

static void write_line(cli *c, const stele_insn_syscall *call)
{
    stele_output_printf(c->out, "%" PRIu64 " %10" PRIu64 "  ", thread_of(c, call->track),
                        call->insn_number);
    write_name(c->out, call);
    stele_output_byte(c->out, '(');
    write_arguments(c->out, call, name_of(call) != NULL);
    stele_output_text(c->out, ") = ");
    write_result(c->out, call);
    stele_output_byte(c->out, '\n');
}

static void json_hex(json *j, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    json_text(j, key, text);
}

/* Writes a call as one line of JSON. */
static void write_json(cli *c, const stele_insn_syscall *call)
{
    const bool is_known = name_of(call) != NULL;
    json j = {.out = c->out, .is_line = true};
    json_open(&j, NULL, '{');
    json_uint(&j, "thread", thread_of(c, call->track));
    json_uint(&j, "number", call->insn_number);
    json_hex(&j, "pc", call->pc);
    if (call->has_call)
        json_uint(&j, "call", call->call);
    stele_json_value(&j, "name");
    stele_output_byte(c->out, '"');
    write_name(c->out, call);
    stele_output_byte(c->out, '"');
    json_open(&j, "arguments", '[');
    for (uint32_t i = 0; i < call->argument_count; i++) {
        stele_text name;
        char type;
        if (is_known && !stele_syscall_argument(call->call, i, &name, &type))
            break;
        json_open(&j, NULL, '{');
        if (is_known)
            stele_json_bytes(&j, "name", name.bytes, name.size);
        json_hex(&j, "value", call->arguments[i]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "vectors", '[');
    for (uint32_t i = 0; i < call->vector_count; i++) {
        json_open(&j, NULL, '{');
        json_hex(&j, "address", call->vectors[i].address);
        json_uint(&j, "size", call->vectors[i].size);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    if (call->has_result) {
        json_int(&j, "result", (int64_t)call->result);
        json_uint(&j, "insn_count", call->insn_count);
    }
    if (stele_syscall_error_name(call->error) != NULL)
        json_text(&j, "error", stele_syscall_error_name(call->error));
    json_close(&j, '}');
}

/* ---- Summary of calls ------------------------------------------------------------------------ */

typedef struct listing {
    cli *c;
    bool is_json;
} listing;

static stele_status take_call(void *user, const stele_insn_syscall *call)
{
    const listing *l = user;
    if (l->is_json)
        write_json(l->c, call);
    else
        write_line(l->c, call);
    return stele_output_status(l->c->out);
}

static const figure_column summary_columns[] = {
    {"count", "calls", FIGURE_COUNT, 0, 0},
    {NULL, "share", FIGURE_SHARE, 0, 0},
    {"error_count", "errors", FIGURE_COUNT, 0, 0},
    {"unfinished_count", "no result", FIGURE_COUNT, 0, 0},
    {"insn_count", "instructions", FIGURE_COUNT, 0, 0},
    {"name", "call", FIGURE_TEXT, 0, 0}};

static void fill_total(figure *row, const stele_insn_syscall_row *of, char *text, size_t size)
{
    const char *name = of->has_call ? stele_syscall_name(of->call) : NULL;
    snprintf(text, size, of->has_call ? "syscall_%" PRIu64 : "syscall", of->call);
    row[0].number = of->count;
    row[1].share.part = 0;
    row[1].share.whole = UINT32_MAX;
    row[2].number = of->error_count;
    row[3].number = of->unfinished_count;
    row[4].number = of->insn_count;
    row[5] = figure_text(name != NULL ? name : text);
}

static void show_summary(cli *c, stele_insn_syscalls *calls)
{
    stele_insn_syscall_row of = STELE_INIT(stele_insn_syscall_row);
    figures table = {.rows_key = "calls",
                     .columns = summary_columns,
                     .column_count = sizeof summary_columns / sizeof summary_columns[0]};
    size_t count;
    bool is_fine = stele_insn_syscalls_rows(calls, &count) == STELE_OK;
    char(*texts)[40] = is_fine ? malloc((count + 1) * sizeof *texts) : NULL;
    is_fine = texts != NULL;
    for (size_t i = 0; is_fine && stele_insn_syscalls_get(calls, i, &of); i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (is_fine)
            fill_total(row, &of, texts[i], sizeof texts[i]);
        table.whole += of.count;
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "syscalls"))
        figures_write(c, &table, insns_shown(c, table.row_count),
                      &(figure_total){"call_count", table.whole}, 1);
    figures_free(&table);
    free(texts);
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    return stele_insn_syscalls_add(user, batch);
}

void command_INSN_SYSCALLS(cli *c)
{
    const bool is_summary = option_given(&c->options, OPTION_SUMMARY);
    listing l = {.c = c, .is_json = option_given(&c->options, OPTION_JSON)};
    stele_insn_syscalls *calls = NULL;
    insns s;
    bool is_fine = insns_make(c, &s);
    if (is_fine && !is_summary && option_given(&c->options, OPTION_CSV))
        is_fine = cli_usage(c, "--csv is for --summary");
    s.options.wants_values = true;
    if (is_fine &&
        cli_check(c, stele_insn_syscalls_new(is_summary ? NULL : take_call, &l, &calls),
                  "syscalls") &&
        insns_read_all(c, &s, &(stele_insn_consumer){.take = take, .user = calls}) &&
        cli_check(c, stele_insn_syscalls_finish(calls), "syscalls")) {
        if (is_summary)
            show_summary(c, calls);
        if (stele_insn_syscalls_stray_count(calls) != 0)
            cli_remark(c, "%" PRIu64 " results or vectors belong to no call",
                       stele_insn_syscalls_stray_count(calls));
    }
    stele_insn_syscalls_free(calls);
    insns_free(&s);
}
