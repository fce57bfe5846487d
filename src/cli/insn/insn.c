/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/insn/insn.h"

#include <stele/symbols.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "view/list.h"

void command_INSN(cli *c)
{
    help_command(c->out, COMMAND_INSN, c->has_color);
}

/* ---- Options of the commands ----------------------------------------------------------------- */

/*
 * Parses a number, decimal or hexadecimal after "0x". Returns where it ends, NULL if there is none.
 */
static const char *parse_number(const char *at, uint64_t *number)
{
    const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    errno = 0;
    *number = strtoull(at, &end, is_hex ? 16 : 10);
    return errno == 0 ? end : NULL;
}

/* Parses a range such as "3", "1..4", "2.." or "..5", both ends included. */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    const char *at = text;
    *first = 0;
    *last = UINT64_MAX;
    if (*at != '.')
        at = parse_number(at, first);
    if (at != NULL && *at == 0 && at != text) {
        *last = *first;
        return true;
    }
    if (at == NULL || at[0] != '.' || at[1] != '.')
        return false;
    at += 2;
    if (*at != 0)
        at = parse_number(at, last);
    return at != NULL && *at == 0 && *first <= *last;
}

static bool range_usage(cli *c, option_id id, const char *text)
{
    return cli_usage(c, "--%s takes FIRST..LAST, such as 0..99 or 0x400000.., not '%s'",
                     option_table[id].name, text);
}

bool insns_range(cli *c, option_id id, uint64_t *begin, uint64_t *end)
{
    const char *text = option_value(&c->options, id);
    uint64_t last;
    if (text == NULL)
        return true;
    if (!parse_range(text, begin, &last))
        return range_usage(c, id, text);
    *end = last != UINT64_MAX ? last + 1 : last;
    return true;
}

static bool take_pc_range(cli *c, insns *s, const char *text)
{
    uint64_t first, last;
    if (!parse_range(text, &first, &last))
        return range_usage(c, OPTION_PC_RANGE, text);
    return insns_add_range(c, s, first, last);
}

static bool take_level(cli *c, insns *s, const char *text)
{
    if (text[0] < '0' || text[0] > '3' || text[1] != 0)
        return cli_usage(c, "--level takes 0, 1, 2 or 3, not '%s'", text);
    s->options.levels |= (uint8_t)(1u << (text[0] - '0'));
    return true;
}

static bool take_thread(cli *c, insns *s, const char *text)
{
    uint64_t *grown = list_fit(s->threads, sizeof *grown, s->thread_count + 1);
    const char *end;
    if (grown == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "options");
    s->threads = grown;
    end = parse_number(text, &grown[s->thread_count]);
    if (end == NULL || *end != 0)
        return cli_usage(c, "--thread takes a number, not '%s'", text);
    s->thread_count++;
    return true;
}

/* Takes a binary as "FILE" or "FILE@0x5500000000". */
static bool take_binary(cli *c, insns *s, const char *text)
{
    const char *mark = strrchr(text, '@'), *end = NULL;
    uint64_t address;
    char *path;
    stele_status status;
    if (mark != NULL)
        end = parse_number(mark + 1, &address);
    if (end == NULL || *end != 0)
        mark = NULL;
    path = strndup(text, mark != NULL ? (size_t)(mark - text) : strlen(text));
    status = path != NULL
                 ? stele_symbols_add(s->code, c->context, path, mark != NULL ? &address : NULL)
                 : STELE_ERR_MEMORY;
    free(path);
    c->has_asked_binary = true;
    return cli_check(c, status, text);
}

static bool take_binaries(cli *c, insns *s, option_id id)
{
    const options *o = &c->options;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == id && !take_binary(c, s, o->uses[i].value))
            return false;
    }
    return true;
}

/* Takes the options in two passes: binaries first, because others refer to their symbols. */
static bool take_uses(cli *c, insns *s)
{
    const options *o = &c->options;
    if (!take_binaries(c, s, OPTION_INSN_BINARY))
        return false;
    for (size_t i = 0; i < o->use_count; i++) {
        const char *value = o->uses[i].value;
        bool is_fine = true;
        switch (o->uses[i].id) {
        case OPTION_PC_RANGE: is_fine = take_pc_range(c, s, value); break;
        case OPTION_LEVEL: is_fine = take_level(c, s, value); break;
        case OPTION_THREAD: is_fine = take_thread(c, s, value); break;
        default: break;
        }
        if (!is_fine)
            return false;
    }
    s->given_count = s->range_count;
    return insns_take_symbols(c, s);
}

bool insns_make(cli *c, insns *s)
{
    *s = (insns){.options = STELE_INIT(stele_insn_options)};
    return cli_check(c, stele_symbols_new(&s->code), "options") &&
           insns_range(c, OPTION_INSN_RANGE, &s->options.insn_begin, &s->options.insn_end) &&
           insns_range(c, OPTION_SNAPSHOT_RANGE, &s->options.snapshot_begin,
                       &s->options.snapshot_end) &&
           take_uses(c, s);
}

bool insns_make_all(cli *c, insns *s, option_id id)
{
    *s = (insns){.options = STELE_INIT(stele_insn_options)};
    return cli_check(c, stele_symbols_new(&s->code), "options") && take_binaries(c, s, id);
}

void insns_free(insns *s)
{
    free(s->ranges);
    stele_symbols_free(s->code);
    stele_disassembly_close(s->text);
    free(s->threads);
}

/* ---- Reading of traces ----------------------------------------------------------------------- */

bool insns_read(cli *c, insns *s, size_t index, const stele_insn_consumer *to)
{
    const char *path = c->options.arguments[index];
    stele_trace *trace;
    stele_status status;
    report_begin(&c->report);
    trace = cli_open(c, index);
    if (trace == NULL)
        return false;
    status = insns_read_trace(c, s, trace, to);
    if (status == STELE_ERR_UNSUPPORTED)
        cli_usage(c, "%s has no instructions", path);
    else
        cli_check(c, status, path);
    cli_conclude(c, path, NULL);
    stele_trace_close(trace);
    return status == STELE_OK;
}

bool insns_read_all(cli *c, insns *s, const stele_insn_consumer *to)
{
    size_t read_count = 0;
    for (size_t i = 0; i < c->options.argument_count && c->worst != EXIT_USAGE; i++)
        read_count += insns_read(c, s, i, to);
    return read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

size_t insns_shown(const cli *c, size_t count)
{
    const options *o = &c->options;
    const bool is_report = option_given(o, OPTION_JSON) || option_given(o, OPTION_CSV);
    const uint64_t top =
        is_report && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    return top != 0 && top < count ? (size_t)top : count;
}
