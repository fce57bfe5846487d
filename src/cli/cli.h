/* SPDX-License-Identifier: Apache-2.0 */
/* What all commands share: the run of one command, its inputs, its findings and its exit code. */
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
    EXIT_USAGE,      /* the command line is not valid */
    EXIT_UNREADABLE, /* an input could not be read */
    EXIT_UNWRITABLE, /* an output could not be written */
    EXIT_OVER,       /* 'diff' found a growth above --fail-over */
    EXIT_DIFFERS     /* '--verify' found that the output differs from the input */
} exit_code;

typedef struct binaries binaries;
typedef struct joined joined;

/* Traces that are being read, for the progress bar. */
typedef struct reading_now {
    const stele_reader *reader; /* NULL: not open yet */
    uint64_t size;              /* bytes read so far, including those for indexes and sorting */
    uint64_t total;             /* bytes to read, if that is known without a reader; else 0 */
    pthread_mutex_t *lock;      /* NULL: a single thread reads */
} reading_now;

/* One run of the command. */
typedef struct cli {
    options options;
    stele_context *context;
    stele_output *out; /* standard output */
    report report;
    report out_report; /* findings about outputs */
    progress progress;
    /* what times of the traces count that are shown together; set by cli_note_times() */
    stele_clock_domain times;
    bool has_mixed_times; /* it was reported that they count different things */
    reading_now *reading; /* NULL: no trace is being read */
    stele_writer *shown;  /* writer to flush before waiting for more input; NULL: none */
    binaries *binaries;   /* binaries of --binary; NULL: not opened yet */
    joined *joined; /* arguments that are parts of one trace; NULL: joined_make() was not called */
    exit_code worst;
    bool is_quiet, is_strict;
    bool has_asked_binary; /* --binary was used to name functions */
    bool is_following;     /* the first signal ends the trace, but not the command */
    bool is_apart;         /* records that traces have in common are not taken as repeated */
    bool is_ending;        /* after a signal, findings so far are still printed */
    bool is_closed;        /* the reader of standard output has closed it */
    bool is_screen;        /* standard output is a terminal */
    /* standard output is a terminal that is written to while reading: no progress bar */
    bool is_streaming;
    bool has_color; /* standard output is a terminal that gets colours */
    /* a signal ends this command as intended, so the exit code says how it went */
    bool ends_by_signal;
} cli;

/* A command. Errors are reported, and kept in c->worst. */
typedef void command_fn(cli *c);

#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) \
    command_fn command_##id;
#include "cli/options.def"
#undef STELE_COMMAND

/* Runs the command line. Returns the exit code of the process. */
int cli_execute(int argc, char **argv);

/* Makes a context as the options say, whose findings go to `diag`. If that fails, reports it and
   returns false. */
bool cli_make_context(cli *c, stele_diag_fn *diag, void *diag_user, stele_context **context);

/* Restricts the process to the files that options and arguments name: see cli/sandbox.h. `cache`
   is the folder of indexes, NULL if there is none. */
void cli_confine(cli *c, const char *cache);

/* ---- Errors and remarks ---- */

void cli_exit(cli *c, exit_code code);

/* Sets the exit code that belongs to a status, and prints what happened if no finding did.
   `what` is the input or output concerned. Returns whether the status is STELE_OK or STELE_END. */
bool cli_check(cli *c, stele_status status, const char *what);

/* Prints what is wrong with the command line. Always returns false. */
__attribute__((format(printf, 2, 3))) bool cli_usage(cli *c, const char *format, ...);

/* Says that the traces are not of the kind that the command is about, which is an error of usage:
   `what` is what they have none of. Always returns false. */
bool cli_lacks(cli *c, const char *what);

/* Takes the length of time that an option gives, in nanoseconds and above 0; without the option
   `*ns` is unchanged. If the value is not valid, reports it and returns false. */
bool cli_take_length(cli *c, option_id id, uint64_t *ns);

/* Like cli_take_length(), for a length that may be 0. */
bool cli_take_length_or_none(cli *c, option_id id, uint64_t *ns);

/* Prints a remark on standard error, unless --quiet is given. */
__attribute__((format(printf, 2, 3))) void cli_remark(cli *c, const char *format, ...);

/* ---- Inputs ---- */

/*
 * For commands that read all arguments together: removes, with a remark, arguments that are another
 * file of an earlier trace, and reports files given twice. Returns false after reporting that it is
 * out of memory.
 */
bool inputs_drop_repeated(cli *c);

/* Joins arguments that are directories with parts of one trace (joined.c). Returns false if the
   options are not valid, or if out of memory. */
bool joined_make(cli *c);
void joined_free(joined *j);

/* Says that times of what is shown now count `times`. With `is_further` it is shown together with
   earlier traces: if those count something else, all are shown as nanoseconds, with a remark. */
void cli_note_times(cli *c, stele_clock_domain times, bool is_further);

/* The paths of an argument: one, or those of all parts if it was joined. */
const char *const *joined_paths(const cli *c, size_t index, size_t *count);

/* Opens the argument with this number. If that fails, reports it and returns NULL. */
stele_trace *cli_open(cli *c, size_t index);

/* Opens an argument only to look at it: nothing is reported, and `*trace` is NULL if it cannot
   be opened. Returns false in the cases of joined_make(). */
bool cli_look(cli *c, size_t index, stele_trace **trace);

/* Opens directories that are parts of one trace, with the options of that argument. If that
   fails, reports it and returns NULL. */
stele_trace *cli_open_paths(cli *c, size_t index, const char *const *paths, size_t count);

/* Opens such a trace once more, in another context. Errors are those of stele_trace_open();
   findings are those of the context. */
stele_status cli_open_again(cli *c, size_t index, const char *const *paths, size_t count,
                            stele_context *context, stele_trace **trace);

/*
 * Opens another path with the options of an argument. If that fails, reports it and returns NULL.
 */
stele_trace *cli_open_at(cli *c, size_t index, const char *path);

typedef struct inputs {
    stele_trace **traces;
    size_t count;
} inputs;

/* Opens all arguments; those that cannot be opened are reported and left out. Returns false if
   none is open. */
bool inputs_open(cli *c, inputs *in);
void inputs_close(inputs *in);

/* ---- Reading of events ---- */

/* A request made from the options; its lists belong to the selection. */
typedef struct selection {
    stele_request request;
    const char **names, **categories, **tracks;
} selection;

bool selection_make(cli *c, selection *s);

/* Whether a selection leaves out no event. */
bool selection_is_all(const selection *s);
void selection_free(selection *s);

/* Receives a segment. STELE_END as its result ends reading early. */
typedef stele_status take_fn(void *user, const stele_segment *segment);

/* Called once, after the reader was opened and before anything is read. */
typedef stele_status ready_fn(void *user, const stele_reader_stats *stats);

/* How a trace is read in parts, if --threads asks for it. */
typedef struct divided {
    stele_parts_consumer to; /* with the user of the consumer */
    size_t index;            /* argument of the trace */
    /* forgets what was joined, before the trace is read as one */
    stele_status (*clear)(void *user);
} divided;

typedef struct consumer {
    ready_fn *ready; /* NULL: not needed */
    take_fn *take;
    void *user;
    const divided *parts; /* NULL: it can only take the whole */
} consumer;

/* Raises the limit of open files to what the system allows, because streams are read at the same
   time, each from one or more files. */
void cli_allow_files(void);

/* Reads the traces and passes every segment to the consumer. `stats` may be NULL. */
stele_status cli_read(cli *c, stele_trace *const *traces, size_t count,
                      const stele_request *request, const consumer *to, stele_reader_stats *stats);

/*
 * Reads all events of these kinds in the order of time, for commands that apply the selection to
 * rows: every event matters for them. Returns false if there is nothing to show; `stats` are for
 * cli_conclude().
 */
bool cli_read_for_rows(cli *c, const inputs *in, selection *selected, uint64_t kinds,
                       uint32_t columns, const consumer *to, stele_reader_stats *stats);

/* A stele_progress_fn that moves the progress bar of a run, its `user`. */
void cli_read_more(void *user, size_t size);

/*
 * Makes signals that would end the process end reading and writing instead: see cli_interrupted().
 */
void cli_catch_interrupts(void);

/* The signal that asked to stop, 0 if none did. Reading then ends with STELE_ERR_CLOSED. */
int cli_interrupted(void);

/* A file descriptor for poll() that is readable once a signal asked to stop. */
int cli_interrupt_fd(void);

/* A stele_go_on_fn: returns false once a signal asked to stop. */
bool cli_goes_on(void *user, int fd);

/* Options for outputs: their findings go to out_report, and --force allows to replace files.
   cli_output_open() opens a path with them. */
stele_output_options cli_output_options(cli *c);
stele_status cli_output_open(cli *c, const char *path, stele_output **out);

/* Sets the exit code for the findings and losses of the current input (see report_begin()), and
   prints how many findings were not shown. */
void cli_conclude(cli *c, const char *name, const stele_reader_stats *stats);

#endif
