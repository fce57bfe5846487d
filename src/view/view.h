/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer: what is to be drawn of traces, stretch by stretch, and the server and the folder
   that show it. Uses the library through its public interface, as the command does. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stele/output.h>
#include <stele/overview.h>
#include <stele/spans.h>

#include "view/question.h"

/* ---- What is shown --------------------------------------------------------------------------- */

typedef struct viewer viewer;

/* Returns whether to go on with something that takes long; false ends it. */
typedef bool view_go_on_fn(void *user);

/* Findings in the traces, kept by view_findings_add(), which is a stele_diag_fn. */
#define VIEW_FINDINGS_MAX 256u
#define VIEW_FINDING_SIZE 512u

typedef struct view_findings {
    char (*lines)[VIEW_FINDING_SIZE]; /* the first findings; owned */
    size_t count;
    uint64_t left_out;
    bool is_kept;  /* findings are added to `lines` */
    bool is_muted; /* findings are not counted or kept, as the traces are read once more */
    uint64_t counts[STELE_ERROR + 1]; /* number of findings by severity */
    char last[VIEW_FINDING_SIZE];     /* the last finding; "" if none came since it was emptied */
} view_findings;

void view_findings_add(void *user, const stele_diag *diag);
void view_findings_free(view_findings *f);

/* Runs an SQL statement over the traces and writes its rows as JSON, or {"error": why}. */
typedef stele_status view_sql_fn(void *user, const char *statement, stele_output *out);

/* What is saved of a trace for the next time it is opened. */
typedef struct view_kept {
    stele_trace *trace;
    stele_overview *overview; /* NULL: the index of the trace is saved without one */
    const uint8_t *bytes;     /* what the viewer found out besides, see view/kept.h */
    size_t size;              /* 0: nothing */
} view_kept;

/* Saves the index of a trace. */
typedef stele_status view_keep_fn(const view_kept *kept);

typedef struct viewer_options {
    view_findings *findings; /* must live longer than the viewer; NULL: findings are not kept */
    /* an expression that selects what is shown of the traces; NULL: everything */
    const char *where;
    bool no_pairs;    /* do not pair moments by their names */
    view_sql_fn *sql; /* NULL: SQL is not supported */
    void *sql_user;
    view_keep_fn *keep; /* NULL: overviews are not saved */
    bool align_starts;  /* shift each trace so that its first event is at 0 */
} viewer_options;

/* Makes a viewer of open traces. The traces and what the options point to must live longer than
   the viewer. Reads nothing yet, see viewer_scan(). Returns STELE_ERR_MEMORY if out of memory. */
stele_status viewer_new(stele_context *context, stele_trace *const *traces, size_t count,
                        const viewer_options *options, viewer **out);
void viewer_free(viewer *v);

/* Sets the function that says whether to go on; NULL: nothing ends early. */
void viewer_set_go_on(viewer *v, view_go_on_fn *fn, void *user);

/* Reads on for about `duration_ns`, so that all tracks and the whole range of time become known.
   Returns STELE_END once they are known, another status if they cannot be. */
stele_status viewer_scan(viewer *v, uint64_t duration_ns);

/* Returns whether there is more to read although viewer_scan() has come to its end. */
bool viewer_is_busy(const viewer *v);

/* Tells the viewer that the caller will call viewer_take_overview() regularly. */
void viewer_set_keeper(viewer *v);

/* Returns whether there is an overview that is worth saving, and gives it; only once. If the
   overview given is NULL, the index of the trace is to be saved without one. */
bool viewer_take_overview(viewer *v, stele_trace **trace, stele_overview **overview);

/* Tells the viewer that the overview it gave was saved, or could not be. Reading goes on, with
   the index if there is one. */
void viewer_end_keeping(viewer *v);

/* Returns whether nothing can be read until the overview is saved, or somebody has a picture. */
bool viewer_awaits(const viewer *v);

/* Saves what viewer_take_overview() gave. */
stele_status viewer_keep(viewer *v, stele_trace *trace, stele_overview *overview);

/* The properties of an answer, as HTTP needs them. */
typedef struct view_answer {
    const char *type;       /* type of the content, as HTTP names it */
    const char *attachment; /* name of the file to save the answer as; NULL: it is shown */
    unsigned code;          /* code of HTTP: 200, 400, ... */
} view_answer;

/*
 * Answers a question about the traces, but not one for a file of the page. An error in the question
 * becomes the answer. Returns STELE_ERR_CLOSED if nobody waits for the answer any more.
 */
stele_status viewer_answer(viewer *v, const question *q, stele_output *out, view_answer *answer);

/* Writes {"error": why}, as the answer to a question that has no other. */
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

/* Returns the file of the page with a name, NULL if there is none. */
const view_file *view_file_find(const char *name);

/*
 * Writes a module of the page and all modules that it imports as one script, which needs no server.
 */
void view_put_script(stele_output *out, const char *name);

/* ---- Serving and exporting the page ---------------------------------------------------------- */

typedef struct serve_options {
    const char *listen;   /* address to listen on */
    unsigned port;        /* 0: any free port */
    view_go_on_fn *go_on; /* the server ends when this returns false */
    void *user;
    /* called when the address of the page is known */
    void (*ready)(void *user, const char *address);
    void (*scanned)(void *user, stele_status status);
} serve_options;

/* Returns whether this build has a server. */
bool view_can_serve(void);

/* Returns the version of the library that serves, "" if this build has no server. */
void view_server_version(char *out, size_t size);

/* Serves the page until `go_on` returns false. If it does not return STELE_OK, `*why` is a
   static text that says what went wrong. */
stele_status view_serve(viewer *v, const serve_options *options, const char **why);

/* Writes the page and all data that it asks for to a folder. */
stele_status view_export(viewer *v, stele_output *folder);

/* Whether a file of a folder is one of an earlier page: a stele_owns_fn. */
bool view_export_owns(void *user, const char *name, const void *head, size_t size);

#endif
