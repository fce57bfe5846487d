/* SPDX-License-Identifier: Apache-2.0 */
/* What a format is: one table of functions and texts, named format_NAME in formats/NAME/. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "core/output.h"
#include "model/trace.h"
#include "model/writer.h"

/* ---- Recognition ---- */

typedef struct format_probe {
    source *source;
    const char *name;    /* file name without directories */
    const uint8_t *head; /* first bytes; NULL for a set of members */
    size_t head_size;
    bool head_is_all; /* the input ends with the head */
} format_probe;

#define PROBE_NO          0   /* cannot be this format */
#define PROBE_NAME        10  /* only the name says so */
#define PROBE_PLAUSIBLE   40  /* the first records would be valid */
#define PROBE_STRONG      70  /* long or rare enough to be no accident */
#define PROBE_SURE        100 /* a magic number that is this format's own */
#define PROBE_REASON_SIZE 160

/* ---- Dumping records ---- */

typedef stele_dump_record dump_record;
typedef stele_dump_request dump_request;

/* ---- Copying ---- */

/*
 * Copies kept records' own bytes from a trace to an output of the same format, with the state that
 * they need. `keep` is called for events in the order in which a reader of the trace gives them
 * with STELE_ORDER_NONE, in its batches, with STELE_COLUMN_CONTEXT among the columns.
 */
typedef struct copier copier;

/* How copies count what is open where they begin: in forms that are no losses. */
#define COPIER_BEGUN     "open when the cut begins, begun there"
#define COPIER_NOT_BEGUN "open when the cut begins, not begun there"

typedef struct copier_ops {
    stele_status (*keep)(copier *self, const stele_batch *batch, const stele_event *event);
    stele_status (*finish)(copier *self);
    void (*close)(copier *self);

    /*
     * Makes a begin of what is open where the copy begins: a span, an asynchronous operation, a
     * flow or a running thread. The event is the one that began it, `before_ns` earlier, with the
     * time and the ticks of the begin of the copy, and its own place in the source. Called before
     * the first event is kept, for those of a track from the outermost to the innermost. NULL: the
     * format cannot.
     */
    stele_status (*open)(copier *self, const stele_batch *batch, const stele_event *event,
                         uint64_t before_ns);
} copier_ops;

struct copier {
    const copier_ops *ops;
    loss_table losses; /* what the copy lacks, so far */

    /* The caller's word, before the first event. */
    bool keeps_all;      /* none will be left out */
    const char *version; /* of the format that the copy is of; NULL: the trace's own */
    const char *folder;  /* where files go in a folder as output; NULL: into itself */
};

/* ---- The format ---- */

typedef enum format_target {
    FORMAT_TARGET_FILE = 0,
    FORMAT_TARGET_FOLDER, /* its traces are folders of files */
    FORMAT_TARGET_EITHER  /* a folder, or a file with others beside it: see format_output_open() */
} format_target;

typedef struct format {
    const char *name, *title;
    const char *extensions; /* space separated, with dots; a writer's default comes first */

    /* 0 to 100: how sure; why is written to `reason` (PROBE_REASON_SIZE bytes) when not 0. */
    int (*probe)(const format_probe *probe, char *reason);

    size_t trace_size;    /* of the format's own struct, which begins with a stele_trace */
    const trace_ops *ops; /* of its traces */
    const char *settings; /* keys that opening takes, space separated; NULL: none */
    bool links_tracks;    /* its traces can have operations and flows */

    /* Whether two traces of this format are parts of one. NULL: they never are. */
    bool (*is_part)(const stele_trace *a, const stele_trace *b);

    /* Whether two paths lead to different files of one trace, either of which opens the whole of
       it. NULL: they never do. */
    bool (*is_beside)(const char *a, const char *b);

    /* NULL where records cannot be shown. */
    stele_status (*dump)(stele_trace *trace, const dump_request *request);

    /* NULL where the format cannot be written or copied. The output is as `target` says. */
    stele_status (*writer)(stele_context *context, output *out, const stele_writer_options *options,
                           stele_writer **writer);
    const char *writer_settings; /* keys that the writer takes, space separated; NULL: none */
    bool writes_anew; /* its writer makes streams, packets and classes of its own: traces of the
                         same format keep their events, not all that is around them */
    stele_status (*copier)(stele_trace *trace, output *out, copier **copier);

    /* Whether copies can be of a version (NULL: each trace's own), lie in folders side by side, and
       be `is_shifted` in time, by what the batches say. NULL: none of it. */
    bool (*copies_as)(stele_trace *trace, const char *version, bool is_shifted);

    /* Counts what of a trace, beside its events, a writer of the same format makes anew. NULL:
       nothing. */
    void (*lose_trace)(stele_writer *writer, const stele_trace *trace);
    format_target target;
    bool follows_folders; /* its traces are folders whose files may grow while they are read */

    /* Of packets that arrive over a network: see formats/receive.h. NULL: it has none. */
    const struct receiver_ops *receiver;

    const stele_code *codes;
    size_t code_count;
} format;

/* Opens what a trace of this format is written to. Of the formats that make either, an extension of
   the format and "-" name a file. Errors as of output_open(). */
stele_status format_output_open(const format *f, diag_sink *diag, const char *path, bool replace,
                                output **out);

/* Opens the writer of a format that has one: settings are of the keys that it takes, or refused. */
stele_status format_writer_open(const format *f, stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer);

/* Whether a word is one of some, which are space separated. */
bool format_has_word(const char *words, const char *word);

/* The last value given for a key; NULL when there is none. */
const char *format_setting(const stele_trace_options *options, const char *key);

/* Says that the value of a setting cannot be used; gives STELE_ERR_ARGUMENT. */
stele_status format_refuse(stele_context *context, const source *from, const stele_setting *setting,
                           const char *expected);

/* Refuses a setting that the format does not know: STELE_ERR_ARGUMENT, with a finding. */
stele_status format_check_settings(stele_context *context, const source *from, const format *f,
                                   const stele_trace_options *options);

/* Reports that a format whose traces are single files was given a set of files: STELE_ERR_FORMAT.
 */
stele_status format_refuse_set(const stele_trace *trace);

/* Dumps the records of a trace. STELE_ERR_UNSUPPORTED, with a finding, where its format cannot;
   else as the format says. */
stele_status format_dump(stele_trace *trace, const dump_request *request);

/* The registry: every format of formats.def, in that order. */
size_t format_count(void);
const format *format_at(size_t index);
const format *format_find(const char *name);

/* The format whose extension the path has; NULL when none or several. */
const format *format_by_name(const char *path);

#endif
