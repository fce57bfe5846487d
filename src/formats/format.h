/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a format: one table of functions and texts, named format_NAME, in formats/NAME/. */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "core/output.h"
#include "model/trace.h"
#include "model/writer.h"

/* ---- Recognising a format ---- */

typedef struct format_probe {
    source *source;
    /* The file name without directories. */
    const char *name;
    /* The first bytes of the input; NULL for a set of members. */
    const uint8_t *head;
    size_t head_size;
    /* The input ends with the head. */
    bool head_is_all;
} format_probe;

#define PROBE_NO          0   /* The input cannot be of this format. */
#define PROBE_NAME        10  /* Only the name speaks for the format. */
#define PROBE_PLAUSIBLE   40  /* The first records would be valid. */
#define PROBE_STRONG      70  /* What matches is too long or too rare to be an accident. */
#define PROBE_SURE        100 /* A magic number that only this format has. */
#define PROBE_REASON_SIZE 160

/* ---- Dumping records ---- */

typedef stele_dump_record dump_record;
typedef stele_dump_request dump_request;

/* ---- Copying events ---- */

/*
 * Copies the bytes of the records that are kept from a trace to an output of the same format, with
 * the state that they need. The caller calls `keep` for events in the order in which a reader of
 * the trace gives them with STELE_ORDER_NONE, in the reader's batches, with STELE_COLUMN_CONTEXT
 * among the columns.
 */
typedef struct copier copier;

/* How copies count what is open where they begin, and spans that are open where they end. None
   counts as a loss. */
#define COPIER_BEGUN     "open when the cut begins, begun there"
#define COPIER_NOT_BEGUN "open when the cut begins, not begun there"
#define COPIER_ENDED     "open when the cut ends, ended there"
#define COPIER_NOT_ENDED "open when the cut ends, not ended there"

typedef struct copier_ops {
    stele_status (*keep)(copier *self, const stele_batch *batch, const stele_event *event);
    stele_status (*finish)(copier *self);
    void (*close)(copier *self);

    /*
     * Makes a begin of something that is open where the copy begins: a span, an asynchronous
     * operation, a flow or a running thread. The event is the one that began it, `before_ns`
     * earlier. It has the time and the ticks of the copy's begin, and its own place in the source.
     * The caller calls this before it keeps the first event, for the events of a track from the
     * outermost to the innermost. NULL when the format cannot do this.
     */
    stele_status (*open)(copier *self, const stele_batch *batch, const stele_event *event,
                         uint64_t before_ns);

    /*
     * Ends a span that is open where the copy ends. The event is the one that began it, with the
     * time and the ticks of the copy's end. The caller calls this before it keeps the first event,
     * for the spans of a track from the outermost to the innermost; the ends are written by
     * `finish`, in the opposite order. NULL when the format cannot do this.
     */
    stele_status (*end)(copier *self, const stele_batch *batch, const stele_event *event);
} copier_ops;

struct copier {
    const copier_ops *ops;
    /* What the copy lacks so far. */
    loss_table losses;

    /* The caller sets these before the first event. */
    /* No event will be left out. */
    bool keeps_all;
    /* What is left out does not count as lost: see stele_copier_options. */
    bool renumbers;
    /* The version of the format that the copy shall be of; NULL for the trace's own. */
    const char *version;
    /* The folder inside the output folder that files go to; NULL for the output folder itself. */
    const char *folder;
};

/* ---- The format ---- */

typedef enum format_target {
    FORMAT_TARGET_FILE = 0,
    FORMAT_TARGET_FOLDER, /* Its traces are folders of files. */
    /* Its traces are folders, or files with others beside them: see format_output_open(). */
    FORMAT_TARGET_EITHER
} format_target;

/* The kinds of events that only traces of instructions have. */
#define FORMAT_INSN_KINDS                                                     \
    (STELE_KIND_BIT(STELE_KIND_INSN) | STELE_KIND_BIT(STELE_KIND_LOAD) |      \
     STELE_KIND_BIT(STELE_KIND_STORE) | STELE_KIND_BIT(STELE_KIND_SNAPSHOT) | \
     STELE_KIND_BIT(STELE_KIND_SYSCALL))

typedef struct format {
    const char *name, *title;
    /* The extensions, with dots and separated by spaces. The first one is the writer's default. */
    const char *extensions;

    /* Tells from 0 to 100 how sure it is that an input is of this format. Unless it is 0, the
       reason is written to `reason` (PROBE_REASON_SIZE bytes). */
    int (*probe)(const format_probe *probe, char *reason);

    /* The size of the format's own trace struct, which begins with a stele_trace. */
    size_t trace_size;
    /* The functions of the format's traces. */
    const trace_ops *ops;
    /* The settings that opening takes, separated by spaces; NULL when there are none. */
    const char *settings;
    /* The format's traces can have operations and flows. */
    bool links_tracks;
    /* The kinds of events, as bits, that its traces can have, and of which its writer can keep
       something; 0 when these are all kinds. Metadata and losses need not be among them. */
    uint64_t read_kinds, written_kinds;

    /* Tells whether two traces of this format are parts of one. NULL when they never are. */
    bool (*is_part)(const stele_trace *a, const stele_trace *b);

    /* Tells whether two paths lead to different files of one trace, where either file opens the
       whole trace. NULL when they never do. */
    bool (*is_beside)(const char *a, const char *b);

    /* Dumps the records of a trace. NULL when the format's records cannot be shown. */
    stele_status (*dump)(stele_trace *trace, const dump_request *request);

    /* Opens a writer. NULL when the format cannot be written; the same holds for `copier`. The
       output is of the kind that `target` names. */
    stele_status (*writer)(stele_context *context, output *out, const stele_writer_options *options,
                           stele_writer **writer);
    /* The versions that the writer takes, separated by commas; NULL when there is only one. */
    const char *versions;
    /* The settings that the writer takes, separated by spaces; NULL when there are none. */
    const char *writer_settings;
    /* The format's writer makes streams, packets and classes of its own. Traces of the same format
       therefore keep their events, but not everything around them. */
    bool writes_anew;
    stele_status (*copier)(stele_trace *trace, output *out, copier **copier);

    /*
     * Tells whether copies can be of a version (NULL stands for each trace's own), can lie in
     * folders side by side, and can be shifted in time (`is_shifted`) as the batches say. NULL when
     * copies can do none of this.
     */
    bool (*copies_as)(stele_trace *trace, const char *version, bool is_shifted);

    /* Counts what a writer of the same format makes anew of a trace, apart from its events. NULL
       when it makes nothing anew. */
    void (*lose_trace)(stele_writer *writer, const stele_trace *trace);
    format_target target;
    /* Tells whether a file in a folder is one that a trace of this format has there. NULL when its
       traces are single files. */
    stele_owns_fn *owns;
    /* Its traces are folders whose files may grow while they are read. */
    bool follows_folders;

    /* Handles packets that arrive over a network, as formats/receive.h describes. NULL when the
       format has no receiver. */
    const struct receiver_ops *receiver;

    const stele_code *codes;
    size_t code_count;
} format;

/*
 * Opens the output that a trace of this format is written to. When the format can make either a
 * file or a folder, a path with an extension of the format, or "-", names a file. Of the options
 * those about replacing are used; the format knows what it may delete unless they do. The errors
 * are those of output_open().
 */
stele_status format_output_open(const format *f, diag_sink *diag, const char *path,
                                const stele_output_options *options, output **out);

/* Opens the writer of a format that has one. Settings with keys that the writer does not take are
   refused. */
stele_status format_writer_open(const format *f, stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer);

/* Tells whether a word is one of `words`, which are separated by spaces. */
bool format_has_word(const char *words, const char *word);

/* Gives the last value that was set for a key, or NULL when there is none. */
const char *format_setting(const stele_trace_options *options, const char *key);

/* Reports that the value of a setting cannot be used, and gives STELE_ERR_ARGUMENT. */
stele_status format_refuse(stele_context *context, const source *from, const stele_setting *setting,
                           const char *expected);

/* Refuses settings that the format does not know, with a finding and STELE_ERR_ARGUMENT. */
stele_status format_check_settings(stele_context *context, const source *from, const format *f,
                                   const stele_trace_options *options);

/* Reports that a set of files was given to a format whose traces are single files, and gives
   STELE_ERR_FORMAT. */
stele_status format_refuse_set(const stele_trace *trace);

/* Dumps the records of a trace. Gives STELE_ERR_UNSUPPORTED, with a finding, when the format cannot
   do that, and otherwise what the format's function gives. */
stele_status format_dump(stele_trace *trace, const dump_request *request);

/* The registry, which holds every format of formats.def in that order. */
size_t format_count(void);
const format *format_at(size_t index);
const format *format_find(const char *name);

/* Gives the format whose extension the path has; NULL when there is none, or more than one. */
const format *format_by_name(const char *path);

#endif
