/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the command, from its arguments to the exit code. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/binaries.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/limits.h"
#include "cli/show/terminal.h"
#include "cli/temp.h"

static command_fn *const command_functions[COMMAND_COUNT] = {
#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) \
    [COMMAND_##id] = command_##id,
#include "cli/options.def"
#undef STELE_COMMAND
};

/* The command line without a command: "stele" alone, or with --help or --version. */
void command_TOP(cli *c)
{
    if (option_given(&c->options, OPTION_VERSION))
        command_VERSION(c);
    else
        help_command(c->out, COMMAND_TOP, c->has_color);
}

#define SHOWN_OF_A_CODE 5

static bool output_goes_on(void *user, int fd)
{
    const cli *c = user;
    return c->is_ending || cli_goes_on(NULL, fd);
}

stele_output_options cli_output_options(cli *c)
{
    return (stele_output_options){.struct_size = sizeof(stele_output_options),
                                  .replace = option_given(&c->options, OPTION_FORCE),
                                  .diag = report_add,
                                  .diag_user = &c->out_report,
                                  .go_on = output_goes_on,
                                  .go_on_user = c};
}

static void setup_report(cli *c)
{
    const options *o = &c->options;
    const char *color = option_value(o, OPTION_COLOR);
    c->is_quiet = option_given(o, OPTION_QUIET);
    c->is_strict = option_given(o, OPTION_STRICT);
    c->is_screen = isatty(STDOUT_FILENO) == 1;
    c->has_color = terminal_has_color(STDOUT_FILENO, color);
    c->report = (report){.progress = &c->progress,
                         .shown_max = option_given(o, OPTION_ALL) ? UINT64_MAX : SHOWN_OF_A_CODE,
                         .shown_least = c->is_quiet ? STELE_ERROR : STELE_NOTE,
                         .has_color = terminal_has_color(STDERR_FILENO, color)};
    c->out_report = c->report;
}

stele_status cli_output_open(cli *c, const char *path, stele_output **out)
{
    const stele_output_options given = cli_output_options(c);
    return stele_output_open(path, &given, out);
}

/* The folder for indexes: $XDG_CACHE_HOME/stele or ~/.cache/stele. Returns NULL if neither is
   known. */
static const char *cache_dir(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    path[0] = '\0';
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, size, "%s/stele", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, size, "%s/.cache/stele", home);
    return length > 0 && (size_t)length < size ? path : NULL;
}

bool cli_make_context(cli *c, stele_diag_fn *diag, void *diag_user, stele_context **context)
{
    stele_limits limits = {.struct_size = sizeof limits};
    char cache[4096];
    stele_context_options given = {.struct_size = sizeof given,
                                   .limits = &limits,
                                   .diag = diag,
                                   .diag_user = diag_user,
                                   .progress = cli_read_more,
                                   .progress_user = c,
                                   .temp_dir = temp_dir(),
                                   .cache_dir = cache_dir(cache, sizeof cache),
                                   .go_on = cli_goes_on};
    const options *o = &c->options;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_MAX && !limit_parse(c, o->uses[i].value, &limits))
            return false;
    }
    return cli_check(c, stele_context_new(&given, context), "start");
}

/* Restricts the process. Always returns true: what the kernel does not support stays allowed. */
static bool confine(cli *c)
{
    char cache[4096];
    cli_confine(c, cache_dir(cache, sizeof cache));
    return true;
}

static void run_command(cli *c)
{
    if (!cli_check(c, cli_output_open(c, "-", &c->out), "standard output"))
        return;
    if (!inputs_drop_repeated(c))
        return;
    if (option_given(&c->options, OPTION_HELP))
        help_command(c->out, c->options.command, c->has_color);
    else if (confine(c) && cli_make_context(c, report_add, &c->report, &c->context))
        command_functions[c->options.command](c);
    if (cli_interrupted() == 0)
        binaries_remark_unasked(c);
    c->is_ending = true;
    cli_check(c, stele_output_finish(c->out), "standard output");
    stele_output_close(c->out);
    stele_context_free(c->context);
}

int cli_execute(int argc, char **argv)
{
    static char line_buffer[BUFSIZ];
    cli c = {.times = STELE_CLOCK_NS};
    int code;
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    /* a write beyond the file size limit fails, and is reported like a full disk */
    signal(SIGXFSZ, SIG_IGN);
#endif
    cli_catch_interrupts();
    setvbuf(stderr, line_buffer, _IOLBF, sizeof line_buffer);
    if (options_parse(&c.options, argc, argv)) {
        setup_report(&c);
        run_command(&c);
    } else {
        const char *name = command_table[c.options.command].name;
        fprintf(stderr, "stele: %s\nTry 'stele%s%s --help'.\n", c.options.error,
                name[0] != 0 ? " " : "", name);
        cli_exit(&c, EXIT_USAGE);
    }
    code = c.is_closed ? EXIT_CLEAN : (int)c.worst;
    binaries_free(c.binaries);
    joined_free(c.joined);
    report_free(&c.report);
    report_free(&c.out_report);
    options_free(&c.options);
    if (cli_interrupted() != 0 && !c.ends_by_signal)
        raise(cli_interrupted());
    return code;
}
