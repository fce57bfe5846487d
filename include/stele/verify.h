/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a trace that was written with those that it was made of, event by event, in bounded
 * memory. They may differ only in what the writer counted as lost, changed or of another form.
 *
 *     stele_verify_options options = STELE_INIT(stele_verify_options);
 *     options.losses = losses;       the elements are from stele_writer_get_loss()
 *     options.loss_count = count;
 *     options.fn = show_difference;
 *     status = stele_verify(context, traces, trace_count, written, &options, &result);
 *
 * One thread at a time uses the traces and their context. The context should be a new one: packets
 * that another trace of the context had count as copies, and are not read again.
 */
#ifndef STELE_VERIFY_H
#define STELE_VERIFY_H

#include <stele/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Aspects of an event that are compared. */
#define STELE_ASPECT_KIND     0x01u
#define STELE_ASPECT_NAME     0x02u
#define STELE_ASPECT_CATEGORY 0x04u
#define STELE_ASPECT_TRACK \
    0x08u /* events of one track are on one track in both, regardless of its number */
#define STELE_ASPECT_VALUE  0x10u /* ids, severities, counts, durations of spans */
#define STELE_ASPECT_FIELDS 0x20u
#define STELE_ASPECT_TIME   0x40u
#define STELE_ASPECT_LABELS 0x80u /* names of enumerators and objects that values mean */
#define STELE_ASPECT_NESTING \
    0x100u /* an end ends the innermost open span of its track in one of the traces only */
#define STELE_ASPECT_CPU  0x200u /* where the event says it, or its track is one */
#define STELE_ASPECTS_ALL 0x3ffu

/* How an event differs between the traces that are compared. */
typedef enum stele_difference_what {
    STELE_DIFFERENCE_MISSING, /* the second trace has no such event */
    STELE_DIFFERENCE_NEW,     /* the first traces have no such event */
    STELE_DIFFERENCE_CHANGED
} stele_difference_what;

/* An event that differs, and where its records are. */
typedef struct stele_difference {
    size_t struct_size; /* sizeof this struct: see <stele/version.h> */
    stele_difference_what what;
    unsigned aspects; /* of CHANGED: STELE_ASPECT_... that differ */
    stele_kind kind;  /* of the event in the first traces, or of a NEW one */
    stele_text name;  /* holds during the call of the handler; at most 64 bytes */
    int64_t time_ns;  /* on the scale of the first traces */
    /* Of the first trace with it, and of the second; NULL: it has no such event. */
    const char *paths[2];
    uint64_t offsets[2]; /* of the event's records in the files of `paths` */
} stele_difference;

/* Receives a difference. Returning false ends the comparison. */
typedef bool stele_difference_fn(void *user, const stele_difference *difference);

/* How two traces are compared; zeros give the defaults. */
typedef struct stele_verify_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Selects the events of the first that are in the second; NULL: all. */
    const stele_request *request;
    const stele_loss *losses; /* in what the traces may differ */
    size_t loss_count;
    stele_difference_fn *fn; /* receives differences; NULL: they are only counted */
    void *user;
} stele_verify_options;

typedef struct stele_verified {
    size_t struct_size;        /* sizeof this struct: see <stele/version.h> */
    uint64_t same_count;       /* events that are equal */
    uint64_t allowed_count;    /* events that differ only in what the losses allow */
    uint64_t difference_count; /* events that differ otherwise, or are missing */
    /* Spans were compared by their begins and their ends, each of which was counted as an event. */
    bool has_points;
} stele_verified;

/*
 * Reads the `count` traces `first` together, and `second`, in the order of time, and compares them.
 * Times are compared on the wall clock if both know it, else as they are; from the first event on,
 * if the losses say so. Spans are compared by their begins and ends if the second's format has only
 * one form of them, and then each of both counts as an event. Traces that can be read only once,
 * such as compressed ones, must not have been read before. Errors: those of stele_reader_open() and
 * stele_reader_next().
 */
STELE_API stele_status stele_verify(stele_context *context, stele_trace *const *first, size_t count,
                                    stele_trace *second, const stele_verify_options *options,
                                    stele_verified *result);

#ifdef __cplusplus
}
#endif
#endif
