/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn syscalls: the system calls of a program, as strace shows them, or how many of each. */
#include "analysis/insn/insn_syscalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/insn/keyed.h"
#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "core/text.h"

/* Linux gives errors as results from -4095 to -1. */
#define ERROR_MAX 4095u

#define VECTORS_SHOWN 16u /* for people */

static uint64_t error_of(const insn_syscall *call)
{
    const uint64_t error = 0 - call->result;
    return call->has_result && error != 0 && error <= ERROR_MAX ? error : 0;
}

static uint64_t thread_of(cli *c, uint32_t number)
{
    const stele_track *track = stele_track_get(c->context, number);
    return track != NULL ? track->number : 0;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void write_value(output *out, char type, uint64_t value)
{
    switch (type) {
    case 'd': output_printf(out, "%" PRId32, (int32_t)value); break;
    case 'l': output_printf(out, "%" PRId64, (int64_t)value); break;
    case 'u': output_printf(out, "%" PRIu64, value); break;
    case 'o': output_printf(out, "0%" PRIo64, value); break;
    case 'p':
    case 's':
        if (value == 0) {
            output_text(out, "NULL");
            break;
        }
        /* fall through */
    default: output_printf(out, "0x%" PRIx64, value); break;
    }
}

static void write_vectors(output *out, const insn_syscall *call)
{
    output_text(out, " [");
    for (uint32_t i = 0; i < call->vector_count; i++) {
        if (i == VECTORS_SHOWN) {
            output_printf(out, ", and %" PRIu32 " more", call->vector_count - i);
            break;
        }
        output_printf(out, "%s{0x%" PRIx64 ", %" PRIu64 "}", i == 0 ? "" : ", ",
                      call->vectors[2 * i], call->vectors[2 * i + 1]);
    }
    output_byte(out, ']');
}

/* "iov=0x7fe8 [{0x40, 5}]": all that the call has, or for an unknown one all that the trace has. */
static void write_arguments(output *out, const insn_syscall *call, const syscall_info *info)
{
    bool has_vectors = call->vector_count != 0;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char *name = "";
        char type = 'x';
        size_t size = 0;
        if (info != NULL && (name = syscall_argument(info, i, &size, &type)) == NULL)
            break;
        output_text(out, i == 0 ? "" : ", ");
        output_write(out, name, size);
        output_text(out, size != 0 ? "=" : "");
        write_value(out, type, call->arguments[i]);
        if (has_vectors && size >= 3 && memcmp(name + size - 3, "iov", 3) == 0) {
            write_vectors(out, call);
            has_vectors = false;
        }
    }
    if (has_vectors)
        write_vectors(out, call);
}

static void write_result(output *out, const insn_syscall *call, const syscall_info *info)
{
    const uint64_t error = error_of(call);
    const char *name = syscall_error(error);
    if (!call->has_result)
        output_text(out, "?");
    else if (error != 0 && name != NULL)
        output_printf(out, "-1 %s", name);
    else if (error != 0)
        output_printf(out, "-1 error %" PRIu64, error);
    else
        write_value(out, info != NULL && info->result == 'p' ? 'p' : 'l', call->result);
}

static void write_name(output *out, const insn_syscall *call, const syscall_info *info)
{
    if (info != NULL)
        output_text(out, info->name);
    else if (call->has_call)
        output_printf(out, "syscall_%" PRIu64, call->call);
    else
        output_text(out, "syscall"); /* the trace does not tell */
}

static void write_line(cli *c, const insn_syscall *call)
{
    const syscall_info *info = call->has_call ? syscall_find(call->call) : NULL;
    output_printf(c->out, "%" PRIu64 " %10" PRIu64 "  ", thread_of(c, call->track),
                  call->insn_number);
    write_name(c->out, call, info);
    output_byte(c->out, '(');
    write_arguments(c->out, call, info);
    output_text(c->out, ") = ");
    write_result(c->out, call, info);
    output_byte(c->out, '\n');
}

/* One object a line. */
static void write_json(cli *c, const insn_syscall *call)
{
    const syscall_info *info = call->has_call ? syscall_find(call->call) : NULL;
    output *out = c->out;
    output_printf(out, "{\"thread\":%" PRIu64 ",\"number\":%" PRIu64 ",\"pc\":\"0x%" PRIx64 "\"",
                  thread_of(c, call->track), call->insn_number, call->pc);
    if (call->has_call)
        output_printf(out, ",\"call\":%" PRIu64, call->call);
    output_text(out, ",\"name\":\"");
    write_name(out, call, info);
    output_text(out, "\",\"arguments\":[");
    for (uint32_t i = 0; i < call->argument_count; i++) {
        size_t size;
        char type;
        const char *name = info != NULL ? syscall_argument(info, i, &size, &type) : NULL;
        if (info != NULL && name == NULL)
            break;
        output_text(out, i == 0 ? "{" : ",{");
        if (name != NULL)
            output_printf(out, "\"name\":\"%.*s\",", (int)size, name);
        output_printf(out, "\"value\":\"0x%" PRIx64 "\"}", call->arguments[i]);
    }
    output_text(out, "],\"vectors\":[");
    for (uint32_t i = 0; i < call->vector_count; i++)
        output_printf(out, "%s{\"address\":\"0x%" PRIx64 "\",\"size\":%" PRIu64 "}",
                      i == 0 ? "" : ",", call->vectors[2 * i], call->vectors[2 * i + 1]);
    output_byte(out, ']');
    if (call->has_result)
        output_printf(out, ",\"result\":%" PRId64 ",\"insn_count\":%" PRIu64, (int64_t)call->result,
                      call->insn_count);
    if (syscall_error(error_of(call)) != NULL)
        output_printf(out, ",\"error\":\"%s\"", syscall_error(error_of(call)));
    output_text(out, "}\n");
}

/* ---- Summary --------------------------------------------------------------------------------- */

typedef struct total {
    uint64_t key; /* number of the call + 2; 1: not known */
    uint64_t count, error_count, open_count, insn_count;
    uint64_t call;
} total;

typedef struct listing {
    cli *c;
    keyed totals;
    bool is_summary, is_json;
} listing;

static stele_status add_total(listing *l, const insn_syscall *call)
{
    total *of = keyed_find(&l->totals, sizeof *of, call->has_call ? call->call + 2 : 1);
    if (of == NULL)
        return STELE_ERR_MEMORY;
    of->call = call->call;
    of->count++;
    of->error_count += error_of(call) != 0;
    of->open_count += !call->has_result;
    of->insn_count += call->has_result ? call->insn_count : 0;
    return STELE_OK;
}

static stele_status take_call(void *user, const insn_syscall *call)
{
    listing *l = user;
    if (l->is_summary)
        return add_total(l, call);
    if (l->is_json)
        write_json(l->c, call);
    else
        write_line(l->c, call);
    return l->c->out->status;
}

static const figure_column summary_columns[] = {{"count", "calls", FIGURE_COUNT},
                                                {NULL, "share", FIGURE_SHARE},
                                                {"error_count", "errors", FIGURE_COUNT},
                                                {"unfinished_count", "no result", FIGURE_COUNT},
                                                {"insn_count", "instructions", FIGURE_COUNT},
                                                {"name", "call", FIGURE_TEXT}};

static int total_compare(const void *left, const void *right)
{
    const total *a = *(const total *const *)left, *b = *(const total *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void fill_total(figure *row, const total *of, char *text, size_t size)
{
    const syscall_info *info = of->key != 1 ? syscall_find(of->call) : NULL;
    snprintf(text, size, of->key != 1 ? "syscall_%" PRIu64 : "syscall", of->call);
    row[0].number = of->count;
    row[1].share.part = 0;
    row[1].share.whole = UINT32_MAX;
    row[2].number = of->error_count;
    row[3].number = of->open_count;
    row[4].number = of->insn_count;
    row[5].text = info != NULL ? info->name : text;
}

static void show_summary(cli *c, const keyed *totals)
{
    const total **list = malloc((totals->used + 1) * sizeof *list);
    char(*texts)[40] = malloc((totals->used + 1) * sizeof *texts);
    figures table = {.rows_key = "calls",
                     .columns = summary_columns,
                     .column_count = sizeof summary_columns / sizeof summary_columns[0]};
    bool is_fine = list != NULL && texts != NULL;
    size_t count = 0;
    for (size_t i = 0; is_fine && i <= totals->mask; i++) {
        const total *of = keyed_at(totals, sizeof *of, i);
        if (of == NULL)
            continue;
        list[count++] = of;
        table.whole += of->count;
    }
    if (is_fine)
        qsort(list, count, sizeof *list, total_compare);
    for (size_t i = 0; is_fine && i < count; i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (is_fine)
            fill_total(row, list[i], texts[i], sizeof texts[i]);
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "syscalls"))
        figures_write(c, &table, insns_shown(c, table.row_count),
                      &(figure_total){"call_count", table.whole}, 1);
    figures_free(&table);
    free(texts);
    free(list);
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const insn_batch *batch)
{
    return insn_syscalls_add(user, batch);
}

void command_INSN_SYSCALLS(cli *c)
{
    static insn_syscalls calls; /* large */
    listing l = {.c = c,
                 .is_summary = option_given(&c->options, OPTION_SUMMARY),
                 .is_json = option_given(&c->options, OPTION_JSON)};
    const insn_consumer to = {.take = take, .user = &calls};
    insns s;
    bool is_fine = insns_make(c, &s);
    if (is_fine && !l.is_summary && option_given(&c->options, OPTION_CSV))
        is_fine = cli_usage(c, "--csv is for --summary");
    s.options.wants_values = true;
    insn_syscalls_init(&calls, take_call, &l);
    if (is_fine &&
        cli_check(c, keyed_init(&l.totals, sizeof(total)) ? STELE_OK : STELE_ERR_MEMORY,
                  "syscalls") &&
        insns_read_all(c, &s, &to) && cli_check(c, insn_syscalls_finish(&calls), "syscalls")) {
        if (l.is_summary)
            show_summary(c, &l.totals);
        if (calls.stray_count != 0)
            cli_remark(c, "%" PRIu64 " results or vectors belong to no call", calls.stray_count);
    }
    keyed_free(&l.totals);
    insns_free(&s);
}
