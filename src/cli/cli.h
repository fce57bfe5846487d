/* SPDX-License-Identifier: Apache-2.0 */
/* What all commands share: the run of one command, its inputs, its findings, its exit code. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <pthread.h>

#include <stele/output.h>
#include <stele/stele.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"

typedef enum exit_code {
    EXIT_CLEAN,
    EXIT_FINDINGS,   /* errors were found, or something was lost */
    EXIT_USAGE,      /* the command line cannot be used */
    EXIT_UNREADABLE, /* an input */
    EXIT_UNWRITABLE, /* the stele_output */
    EXIT_OVER,       /* 'diff': slower by more than --fail-over allows */
    EXIT_DIFFERS     /* '--verify': the output is not as what was read */
} exit_code;

typedef struct binaries binaries;
typedef struct joined joined;

/* Traces that are being read. */
typedef struct reading_now {
    const stele_reader *reader; /* NULL: not open yet */
    uint64_t size;              /* bytes that were read, to index them or to sort them, too */
    pthread_mutex_t *lock;      /* NULL: one thread reads */
} reading_now;

/* One run of the command. */
typedef struct cli {
    options options;
    stele_context *context;
    stele_output *out; /* standard stele_output */
    report report;
    report out_report; /* findings about outputs */
    progress progress;
    reading_now *reading; /* NULL: nothing is */
    stele_writer *shown;  /* of what is seen before more is waited for; NULL: nothing is */
    binaries *binaries;   /* of --binary; NULL: none were opened yet */
    joined *joined;       /* arguments that are one trace together; NULL: not looked for */
    exit_code worst;
    bool is_quiet, is_strict;
    bool has_asked_binary; /* something of the traces was to be named by --binary */
    bool is_following;     /* the first signal ends the trace, and not the command */
    bool is_apart;         /* what traces have in common is not taken as repeated */
    bool is_ending;        /* what was said before a signal is written */
    bool is_closed;        /* whoever read the output went away */
    bool is_screen;        /* standard output is a terminal */
    bool is_streaming;   /* and is written to while reading: there is no place for a progress bar */
    bool has_color;      /* and standard output gets colours */
    bool ends_by_signal; /* as it should: the exit code then says how it went */
} cli;

/* A command; what went wrong is reported and kept in the run. */
typedef void command_fn(cli *c);

#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) \
    command_fn command_##id;
#include "cli/options.def"
#undef STELE_COMMAND

/* The whole: gives the exit code of the process. */
int cli_execute(int argc, char **argv);

/* Makes a context as the options say, whose findings go to `diag`. False, and reported, when that
   fails. */
bool cli_make_context(cli *c, stele_diag_fn *diag, void *diag_user, stele_context **context);

/* Takes away from the process what the options and arguments do not name: see cli/sandbox.h.
   `cache` is where indexes are; NULL: nowhere. */
void cli_confine(cli *c, const char *cache);

/* ---- What went wrong ---- */

void cli_exit(cli *c, exit_code code);

/* Keeps the exit code that belongs to a status, and says what happened where no finding did.
   `what` is the input or output concerned. False unless the status is STELE_OK or STELE_END. */
bool cli_check(cli *c, stele_status status, const char *what);

/* A message about the command line, which cannot be used. Always false. */
__attribute__((format(printf, 2, 3))) bool cli_usage(cli *c, const char *format, ...);

/* The length of time that an option gives, in ns and not 0; where it is not given, `*ns` stays as
   it is. False, and reported, when it is something else. */
bool cli_take_length(cli *c, option_id id, uint64_t *ns);

/* The same of a length that may be 0. */
bool cli_take_length_or_none(cli *c, option_id id, uint64_t *ns);

/* A remark on standard error, unless --quiet. */
__attribute__((format(printf, 2, 3))) void cli_remark(cli *c, const char *format, ...);

/* ---- Inputs ---- */

/* Where a command takes all arguments together: leaves out, with a remark, those that are another
   file of a trace that stands before them, and says which file is given twice. False, and
   reported: out of memory. */
bool inputs_drop_repeated(cli *c);

/*
 * Makes one argument of directories that are parts of one trace (joined.c). False: the options
 * cannot be used, or memory.
 */
bool joined_make(cli *c);
void joined_free(joined *j);

/* The paths of an argument; one, unless it stands for several. */
const char *const *joined_paths(const cli *c, size_t index, size_t *count);

/* Opens the argument with this number; NULL, and reported, when that fails. */
stele_trace *cli_open(cli *c, size_t index);

/* Only to look at: nothing is reported, and NULL where it cannot be opened. False as of
 * joined_make().
 */
bool cli_look(cli *c, size_t index, stele_trace **trace);

/* The same for directories that are parts of one trace, with the options of that argument. */
stele_trace *cli_open_paths(cli *c, size_t index, const char *const *paths, size_t count);

/* The same for another path. */
stele_trace *cli_open_at(cli *c, size_t index, const char *path);

typedef struct inputs {
    stele_trace **traces;
    size_t count;
} inputs;

/* Opens all arguments. Those that cannot be opened are reported and left out. */
bool inputs_open(cli *c, inputs *in);
void inputs_close(inputs *in);

/* ---- Reading ---- */

/* A request as the options say; its lists are owned by the selection. */
typedef struct selection {
    stele_request request;
    const char **names, **categories, **tracks;
} selection;

bool selection_make(cli *c, selection *s);

/* Does it leave out no event? */
bool selection_is_all(const selection *s);
void selection_free(selection *s);

/* Takes a segment; STELE_END ends reading early. */
typedef stele_status take_fn(void *user, const stele_segment *segment);

/* Is called once, when the reader is open and nothing was read. */
typedef stele_status ready_fn(void *user, const stele_reader_stats *stats);

typedef struct consumer {
    ready_fn *ready; /* may be NULL */
    take_fn *take;
    void *user;
} consumer;

/* Reads the traces and hands every segment to the consumer. `stats` may be NULL. */
stele_status cli_read(cli *c, stele_trace *const *traces, size_t count,
                      const stele_request *request, const consumer *to, stele_reader_stats *stats);

/*
 * Reads all events of these kinds in the order of time, for a command whose rows the selection
 * chooses among: each event says something, whatever is shown. False when there is nothing to be
 * shown; `stats` are for cli_conclude().
 */
bool cli_read_for_rows(cli *c, const inputs *in, selection *selected, uint64_t kinds,
                       uint32_t columns, const consumer *to, stele_reader_stats *stats);

/* A stele_progress_fn of the run: moves the progress bar while traces are read. */
void cli_read_more(void *user, size_t size);

/* Has the signals that end the process end reading and writing instead: see cli_interrupted(). */
void cli_catch_interrupts(void);

/* The signal that asked to stop; 0: none. Reading then ended with STELE_ERR_CLOSED. */
int cli_interrupted(void);

/* A descriptor that can be read once a signal asked to stop, for poll(). */
int cli_interrupt_fd(void);

/* A stele_go_on_fn: false when a signal asked to stop. */
bool cli_goes_on(void *user, int fd);

/* How outputs are opened: their findings go to the report of outputs, --force replaces files. */
stele_output_options cli_output_options(cli *c);
stele_status cli_output_open(cli *c, const char *path, stele_output **out);

/* Keeps the exit code that the findings of the input at hand (see report_begin()) and what is known
   to be lost ask for, and tells how many findings were not shown. */
void cli_conclude(cli *c, const char *name, const stele_reader_stats *stats);

#endif
