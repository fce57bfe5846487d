/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The viewer: what is to be drawn of traces, asked for stretch by stretch, and the server and the
 * folder that show it. It is a client of the library as the command is.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stele/output.h>
#include <stele/overview.h>
#include <stele/spans.h>

#include "view/question.h"

/* ---- What is shown --------------------------------------------------------------------------- */

typedef struct viewer viewer;

/* Whether to go on with what takes long; false ends it. */
typedef bool view_go_on_fn(void *user);

/* What was found in the traces: a stele_diag_fn keeps it. */
#define VIEW_FINDINGS_MAX 256u
#define VIEW_FINDING_SIZE 512u

typedef struct view_findings {
    char (*lines)[VIEW_FINDING_SIZE]; /* the first ones; owned */
    size_t count;
    uint64_t left_out;
    bool is_kept;                     /* findings are added to the lines */
    bool is_muted;                    /* they are known: the traces are read once more */
    uint64_t counts[STELE_ERROR + 1]; /* by severity */
    char last[VIEW_FINDING_SIZE];     /* the last one; "" if none came since it was emptied */
} view_findings;

void view_findings_add(void *user, const stele_diag *diag);
void view_findings_free(view_findings *f);

/* Runs a statement of SQL over the traces, and writes its rows, or {"error": why}, as JSON. */
typedef stele_status view_sql_fn(void *user, const char *statement, stele_output *out);

/* Keeps the index of a trace with its overview for the next time. */
typedef stele_status view_keep_fn(stele_trace *trace, stele_overview *overview);

typedef struct viewer_options {
    view_findings *findings; /* outlives the viewer; NULL: nobody keeps them */
    const char *where;       /* an expression: what of the traces is shown; NULL: all */
    bool no_pairs;           /* moments are not paired by their names */
    view_sql_fn *sql;        /* NULL: there is none */
    void *sql_user;
    view_keep_fn *keep; /* NULL: nothing is kept */
    bool align_starts;  /* each trace is shifted so that its first event is at 0 */
} viewer_options;

/*
 * Makes a viewer of traces that are open, which must outlive it, as must what the options point to.
 * Nothing is read yet: viewer_scan() does. STELE_ERR_MEMORY.
 */
stele_status viewer_new(stele_context *context, stele_trace *const *traces, size_t count,
                        const viewer_options *options, viewer **out);
void viewer_free(viewer *v);

/* Sets who says whether to go on; NULL: nothing ends early. */
void viewer_set_go_on(viewer *v, view_go_on_fn *fn, void *user);

/* Reads on for about so long, so that all tracks and the whole range of time become known.
   STELE_END: they are; another status is why they cannot be. */
stele_status viewer_scan(viewer *v, uint64_t duration_ns);

/* Is there something to read, though viewer_scan() has come to its end? */
bool viewer_is_busy(const viewer *v);

/* Says that viewer_take_overview() will be called again and again. */
void viewer_set_keeper(viewer *v);

/* Is there an overview that is worth to be kept? Once told, it is not any more. Where it is NULL
   the index of the trace is, without one. */
bool viewer_take_overview(viewer *v, stele_trace **trace, stele_overview **overview);

/* What was taken is kept, or could not be: reading goes on, by the index where there is one. */
void viewer_end_keeping(viewer *v);

/* Is there nothing to read until what was read is kept? */
bool viewer_awaits(const viewer *v);

view_keep_fn *viewer_get_keep(const viewer *v);

/* What an answer is. */
typedef struct view_answer {
    const char *type;       /* of its content, as HTTP names it */
    const char *attachment; /* name of a file to save it as; NULL: it is shown */
    unsigned code;          /* of HTTP: 200, 400, ... */
} view_answer;

/* Answers a question about the traces: not for those about files of the page. What is wrong with
   the question is in the answer. STELE_ERR_CLOSED: nobody waits for it any more. */
stele_status viewer_answer(viewer *v, const question *q, stele_output *out, view_answer *answer);

/* Writes the answer to a question that has no other: {"error": why}. */
void view_put_error(stele_output *out, const char *why);

/* ---- The page -------------------------------------------------------------------------------- */

/* A file of the page. */
typedef struct view_file {
    const char *name, *type;
    const unsigned char *bytes;
    size_t size;
} view_file;

extern const view_file view_files[];
extern const size_t view_file_count;

/* NULL: there is none of this name. */
const view_file *view_file_find(const char *name);

/* Writes a module of the page, and all that it imports, as one script that needs no server. */
void view_put_script(stele_output *out, const char *name);

/* ---- Showing it ------------------------------------------------------------------------------ */

typedef struct serve_options {
    const char *listen;   /* address to listen at */
    unsigned port;        /* 0: any that is free */
    view_go_on_fn *go_on; /* false ends the server */
    void *user;
    void (*ready)(void *user, const char *address); /* the address of the page is known */
    void (*scanned)(void *user, stele_status status);
} serve_options;

/* Whether this build has a server. */
bool view_can_serve(void);

/* Of the library that serves; "" where this build has no server. */
const char *view_server_version(void);

/* Serves the page until `go_on` is false. `*why` is static text: what went wrong where it is not
   STELE_OK. */
stele_status view_serve(viewer *v, const serve_options *options, const char **why);

/* Writes the page and all that it asks for to a folder. */
stele_status view_export(viewer *v, stele_output *folder);

#endif
