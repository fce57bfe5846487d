/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/standing.h"

#include <stele/insn.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void show_nothing(void *user, const stele_diag *diag, const char *line)
{
    (void)user;
    (void)diag;
    (void)line;
}

/* Whether an input can be read twice. */
static bool is_stored(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

/*
 * Reads one trace. Returns false if the result cannot be used, or if there is something to report.
 */
static bool read_one(cli *c, calling *s, size_t index, uint32_t columns, const consumer *to)
{
    stele_request request = s->selected.request;
    stele_reader_stats stats = {0};
    stele_trace *trace = NULL;
    bool is_clean, is_good = is_stored(c->options.arguments[index]) && cli_look(c, index, &trace) &&
                             trace != NULL;
    request.order = STELE_ORDER_NONE;
    request.columns = columns;
    is_good = is_good && stele_trace_get_info(trace)->is_seekable;
    is_clean = is_good && c->report.code_count == 0;
    is_good = is_good && (s->pairing == NULL || !stele_pairing_wants(s->pairing, trace)) &&
              !(s->takes_insns && stele_trace_has_insns(trace));
    if (is_good)
        cli_note_times(c, stele_trace_time_unit(trace), index != 0);
    is_good = is_good && cli_read(c, &trace, 1, &request, to, &stats) == STELE_END;
    if (is_clean)
        s->stood[index] = trace;
    else
        stele_trace_close(trace);
    return is_good && stats.lost_count == 0 && stats.missing_count == 0 &&
           c->report.code_count == 0;
}

bool standing_read(cli *c, calling *s, uint32_t columns, const consumer *to)
{
    report_show_fn *const show = c->report.show;
    uint64_t total[3];
    bool is_good = true;
    s->stood = calloc(c->options.argument_count, sizeof *s->stood);
    if (s->stood == NULL)
        return false;
    s->stood_count = c->options.argument_count;
    memcpy(total, c->report.total, sizeof total);
    c->report.show = show_nothing;
    for (size_t i = 0; i < c->options.argument_count && is_good; i++) {
        report_begin(&c->report);
        is_good = read_one(c, s, i, columns, to);
    }
    report_begin(&c->report);
    c->report.show = show;
    memcpy(c->report.total, total, sizeof total);
    return is_good;
}
