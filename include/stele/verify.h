/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing what was written with what it was made of, event by event, in bounded memory: only what
 * the writer counted as lost, changed or of another form may differ.
 *
 *     stele_verify_options options = STELE_INIT(stele_verify_options);
 *     options.losses = losses; options.loss_count = count;   as stele_writer_get_loss() gave them
 *     options.fn = show_difference;
 *     status = stele_verify(context, traces, trace_count, written, &options, &result);
 *
 * One thread at a time uses the traces and their context. They should have a context of their own:
 * what a trace of the same context had before counts as a copy, and is not read again.
 */
#ifndef STELE_VERIFY_H
#define STELE_VERIFY_H

#include <stele/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What of an event is compared. */
#define STELE_ASPECT_KIND     0x01u
#define STELE_ASPECT_NAME     0x02u
#define STELE_ASPECT_CATEGORY 0x04u
#define STELE_ASPECT_TRACK \
    0x08u /* events of one track are of one again, regardless of its number */
#define STELE_ASPECT_VALUE  0x10u /* ids, severities, counts; lengths of spans */
#define STELE_ASPECT_FIELDS 0x20u
#define STELE_ASPECT_TIME   0x40u
#define STELE_ASPECT_LABELS 0x80u /* names of enumerators and objects that values mean */
#define STELE_ASPECTS_ALL   0xffu

typedef enum stele_difference_what {
    STELE_DIFFERENCE_MISSING, /* the second has no such event */
    STELE_DIFFERENCE_NEW,     /* the first has no such event */
    STELE_DIFFERENCE_CHANGED
} stele_difference_what;

/* An event that is not the same in both, and where it stands. */
typedef struct stele_difference {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    stele_difference_what what;
    unsigned aspects;     /* of CHANGED: STELE_ASPECT_... */
    stele_kind kind;      /* of the first, or of a NEW one */
    stele_text name;      /* holds for the call that gives it; at most 64 bytes */
    int64_t time_ns;      /* on the scale of the first */
    const char *paths[2]; /* of the two traces; NULL: it is not there */
    uint64_t offsets[2];  /* of its record in the file of the trace */
} stele_difference;

/* False ends the comparison. */
typedef bool stele_difference_fn(void *user, const stele_difference *difference);

/* Zeros give the defaults. */
typedef struct stele_verify_options {
    size_t struct_size;           /* sizeof this struct, or 0: see <stele/version.h> */
    const stele_request *request; /* which events of the first are in the second; NULL: all */
    const stele_loss *losses;     /* what may differ */
    size_t loss_count;
    stele_difference_fn *fn; /* NULL: they are only counted */
    void *user;
} stele_verify_options;

typedef struct stele_verified {
    size_t struct_size;        /* sizeof this struct: see <stele/version.h> */
    uint64_t same_count;       /* events that are the same */
    uint64_t allowed_count;    /* that differ as the losses say */
    uint64_t difference_count; /* that differ otherwise */
} stele_verified;

/*
 * Reads both in the order of time and compares them. Times are compared on the wall clock where
 * both know it, else as they are; from the first event on, where the losses say so. Spans are
 * compared by their begins and ends where the second's format has only one form of them. Errors:
 * those of stele_reader_open() and stele_reader_next(); STELE_ERR_UNSUPPORTED: a trace cannot be
 * read again.
 */
STELE_API stele_status stele_verify(stele_context *context, stele_trace *const *first, size_t count,
                                    stele_trace *second, const stele_verify_options *options,
                                    stele_verified *result);

#ifdef __cplusplus
}
#endif
#endif
