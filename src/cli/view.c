/* SPDX-License-Identifier: Apache-2.0 */
/* stele view: shows traces as a picture in a browser. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/index.h"
#include "cli/view_sql.h"
#include "view/view.h"

extern char **environ;

typedef struct view {
    cli *c;
    viewer *shown;
    view_findings findings;
    /* findings are printed; switched off so that they are not repeated for each question */
    bool is_reporting;
    bool is_empty; /* the traces cannot be shown on one axis, so there is nothing to serve */
    char *where;
    pid_t browser; /* 0: no browser was started */
} view;

/* ---- What is shown ---- */

static void take_finding(void *user, const stele_diag *diag)
{
    view *w = user;
    view_findings_add(&w->findings, diag);
    if (w->is_reporting && !w->findings.is_muted)
        report_add(&w->c->report, diag);
}

/* Writes a pattern as a text of the expression language. */
static void put_quoted(stele_output *out, const char *text)
{
    stele_output_byte(out, '"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\')
            stele_output_byte(out, '\\');
        stele_output_byte(out, (uint8_t)*text);
    }
    stele_output_byte(out, '"');
}

/* Writes the patterns of an option as a condition such as " and (name ~ "a*" or name ~ "b")". */
static void put_globs(cli *c, stele_output *out, option_id id, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < c->options.use_count; i++) {
        if (c->options.uses[i].id != id)
            continue;
        if (count++ == 0)
            stele_output_text(out, stele_output_offset(out) != 0 ? " and (" : "(");
        else
            stele_output_text(out, " or ");
        stele_output_printf(out, "%s ~ ", word);
        put_quoted(out, c->options.uses[i].value);
    }
    if (count != 0)
        stele_output_byte(out, ')');
}

/* Makes one expression of all options that select events. Returns false if out of memory. */
static bool make_where(view *w)
{
    cli *c = w->c;
    const char *where = option_value(&c->options, OPTION_WHERE);
    const uint8_t *bytes;
    size_t size;
    stele_output *out;
    if (!cli_check(c, stele_output_open_memory(NULL, &out), "options"))
        return false;
    if (where != NULL)
        stele_output_printf(out, "(%s)", where);
    put_globs(c, out, OPTION_NAME, "name");
    put_globs(c, out, OPTION_CATEGORY, "category");
    put_globs(c, out, OPTION_TRACK, "track");
    bytes = stele_output_memory(out, &size);
    if (size != 0)
        w->where = strndup((const char *)bytes, size);
    stele_output_close(out);
    return size == 0 || cli_check(c, w->where != NULL ? STELE_OK : STELE_ERR_MEMORY, "options");
}

/* Checks the expression, before anything is served. */
static bool check_where(const view *w)
{
    stele_expression *e = NULL;
    const stele_status status =
        w->where != NULL ? stele_expression_new(w->c->context, w->where, &e) : STELE_OK;
    stele_expression_free(e);
    return cli_check(w->c, status, "--where");
}

/* ---- Browser ---- */

static void open_browser(view *w, const char *address)
{
    char *words[] = {"xdg-open", strdup(address), NULL};
    posix_spawn_file_actions_t actions;
    if (words[1] == NULL)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&w->browser, words[0], &actions, NULL, words, environ) != 0)
        w->browser = 0;
    posix_spawn_file_actions_destroy(&actions);
    free(words[1]);
}

static void take_address(void *user, const char *address)
{
    view *w = user;
    stele_output_printf(w->c->out, "%s\n", address);
    cli_check(w->c, stele_output_flush(w->c->out), "standard output");
    cli_remark(w->c, "serving the page until Ctrl-C ends it");
    if (!option_given(&w->c->options, OPTION_VIEW_NO_OPEN))
        open_browser(w, address);
}

static void take_scanned(void *user, stele_status status)
{
    view *w = user;
    w->is_reporting = false;
    w->findings.is_kept = false;
    w->is_empty = status == STELE_ERR_CLOCKS;
    if (status != STELE_END)
        cli_check(w->c, status, "reading");
}

static bool goes_on(void *user)
{
    view *w = user;
    int status;
    if (w->browser != 0 && waitpid(w->browser, &status, WNOHANG) == w->browser) {
        w->browser = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            cli_remark(w->c, "no browser could be opened: open the address in one");
    }
    return cli_interrupted() == 0 && !w->is_empty;
}

/* ---- The command ------------------------------------------------------------------------------
 */

static void serve(view *w)
{
    cli *c = w->c;
    const uint64_t port = option_number(&c->options, OPTION_PORT);
    const serve_options given = {.listen = option_value(&c->options, OPTION_LISTEN),
                                 .port = (unsigned)port,
                                 .go_on = goes_on,
                                 .user = w,
                                 .ready = take_address,
                                 .scanned = take_scanned};
    const char *why = "";
    if (!view_can_serve())
        cli_usage(c, "this build has no server: install libmicrohttpd-dev (apt install "
                     "libmicrohttpd-dev) and build again; --export works without");
    else if (view_serve(w->shown, &given, &why) != STELE_OK)
        cli_usage(c, "%s", why);
}

static void export_page(view *w, const char *path)
{
    cli *c = w->c;
    stele_output_options how = cli_output_options(c);
    stele_output *folder = NULL;
    how.owns = view_export_owns;
    stele_status status = stele_output_open_folder(path, &how, &folder);
    if (status == STELE_OK)
        status = view_export(w->shown, folder);
    if (status == STELE_OK)
        status = stele_output_finish(folder);
    if (cli_check(c, status, path))
        stele_output_printf(c->out, "%s\n", path);
    stele_output_close(folder);
}

static void show(view *w, const inputs *in)
{
    cli *c = w->c;
    const char *folder = option_value(&c->options, OPTION_EXPORT);
    const viewer_options given = {.findings = &w->findings,
                                  .where = w->where,
                                  .sql = view_sql,
                                  .keep = index_keep,
                                  .sql_user = c,
                                  .no_pairs = option_given(&c->options, OPTION_NO_PAIRS),
                                  .align_starts = option_given(&c->options, OPTION_ALIGN_START)};
    if (!cli_check(c, viewer_new(c->context, in->traces, in->count, &given, &w->shown), "view"))
        return;
    if (folder != NULL)
        export_page(w, folder);
    else
        serve(w);
    viewer_free(w->shown);
}

void command_VIEW(cli *c)
{
    view w = {.c = c, .is_reporting = true, .findings = {.is_kept = true}};
    inputs in = {.count = 0};
    cli_allow_files();
    report_begin(&c->report);
    stele_context_free(c->context);
    c->context = NULL;
    if (cli_make_context(c, take_finding, &w, &c->context) && make_where(&w) && check_where(&w) &&
        inputs_open(c, &in))
        show(&w, &in);
    inputs_close(&in);
    cli_conclude(c, NULL, &(stele_reader_stats){.event_count = 0});
    stele_context_free(c->context);
    c->context = NULL;
    view_findings_free(&w.findings);
    free(w.where);
}
