/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

void cli_exit(cli *c, exit_code code)
{
    if (code > c->worst)
        c->worst = code;
}

static exit_code exit_code_of(stele_status status)
{
    switch (status) {
    case STELE_OK:
    case STELE_END:
    case STELE_ERR_CLOSED: return EXIT_CLEAN;
    case STELE_ERR_ARGUMENT:
    case STELE_ERR_CLOCKS: return EXIT_USAGE;
    case STELE_ERR_WRITE:
    case STELE_ERR_EXISTS: return EXIT_UNWRITABLE;
    default: return EXIT_UNREADABLE;
    }
}

/* Whether a finding of this input has explained a failure already. Failures that no input or
   output causes have no finding. */
static bool is_told(const cli *c, stele_status status)
{
    return status != STELE_ERR_MEMORY && status != STELE_ERR_LIMIT &&
           c->report.counts[STELE_ERROR] + c->out_report.counts[STELE_ERROR] > 0;
}

bool cli_check(cli *c, stele_status status, const char *what)
{
    if (status == STELE_OK || status == STELE_END)
        return true;
    cli_exit(c, exit_code_of(status));
    if (status == STELE_ERR_CLOSED) {
        c->is_closed = true;
    } else if (!is_told(c, status)) {
        progress_clear(&c->progress);
        fprintf(stderr, "stele: %s: %s\n", what, stele_status_text(status));
    }
    if (status == STELE_ERR_CLOCKS && command_has_option(c->options.command, OPTION_ALIGN_START))
        cli_remark(
            c, "--align-start lets all begin together; --offset TIME shifts the trace before it");
    if (status == STELE_ERR_EXISTS && !option_given(&c->options, OPTION_FORCE))
        cli_remark(c, "%s: --force replaces it", what);
    return false;
}

static void say(const char *format, va_list list)
{
    fputs("stele: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

bool cli_usage(cli *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    cli_exit(c, EXIT_USAGE);
    return false;
}

bool cli_lacks(cli *c, const char *what)
{
    const options *o = &c->options;
    return o->argument_count == 1
               ? cli_usage(c, "%s has no %s", o->arguments[0], what)
               : cli_usage(c, "none of the %zu traces has %s", o->argument_count, what);
}

void cli_remark(cli *c, const char *format, ...)
{
    va_list list;
    if (c->is_quiet)
        return;
    progress_clear(&c->progress);
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void cli_conclude(cli *c, const char *name, const stele_reader_stats *stats)
{
    const uint64_t *counts = c->report.counts;
    const bool has_loss = stats != NULL && (stats->lost_count != 0 || stats->missing_count != 0);
    progress_clear(&c->progress);
    report_rest(&c->report, name);
    if (counts[STELE_ERROR] != 0 || has_loss ||
        (c->is_strict && (counts[STELE_WARNING] != 0 || counts[STELE_NOTE] != 0)))
        cli_exit(c, EXIT_FINDINGS);
}

static bool take_length(cli *c, option_id id, int64_t least_ns, const char *example, uint64_t *ns)
{
    const char *text = option_value(&c->options, id), *why = NULL;
    const char *name = option_table[id].name;
    stele_bound bound;
    if (text == NULL)
        return true;
    if (!stele_bound_parse(text, &bound, &why))
        return cli_usage(c, "--%s '%s': %s", name, text, why);
    if (bound.kind != STELE_BOUND_START || bound.value < least_ns)
        return cli_usage(c, "--%s takes a length of time such as %s, not '%s'", name, example,
                         text);
    *ns = (uint64_t)bound.value;
    return true;
}

bool cli_take_length(cli *c, option_id id, uint64_t *ns)
{
    return take_length(c, id, 1, "10ms", ns);
}

bool cli_take_length_or_none(cli *c, option_id id, uint64_t *ns)
{
    return take_length(c, id, 0, "1.5ms", ns);
}
