/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a browser asks for: the target of a request, parsed without looking at any trace.
 *
 *     /TOKEN/                                   the page
 *     /TOKEN/timeline.js                        a file of the page
 *     /TOKEN/api/window?begin=0&end=1000&width=800&tracks=1,4-9
 */
#ifndef VIEW_QUESTION_H
#define VIEW_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUESTION_TARGET_MAX 16384u /* bytes in a target; longer ones are refused */
#define QUESTION_TEXT_MAX   4096u  /* bytes in a text of a target, with the zero at its end */
#define QUESTION_RANGES_MAX 1024u
#define QUESTION_WIDTH_MAX  16384u

typedef enum question_kind {
    QUESTION_FILE,    /* a file of the page */
    QUESTION_INFO,    /* what the traces are and which tracks there are */
    QUESTION_WINDOW,  /* what is to be drawn of a stretch of time */
    QUESTION_SPAN,    /* everything about one span */
    QUESTION_MARK,    /* everything about one event that is not a span */
    QUESTION_PROFILE, /* where the time goes in a stretch of time */
    QUESTION_SEARCH,  /* events and spans for which an expression holds */
    QUESTION_NEXT,    /* the next span or event of a name, or the one before it */
    QUESTION_ROWS,    /* a stretch of time as CSV */
    QUESTION_CUT,     /* a stretch of time as a trace */
    QUESTION_FLAME,   /* who calls whom in a stretch of time, as a tree */
    QUESTION_STATES,  /* what threads and CPUs do in a stretch of time */
    QUESTION_RECORD,  /* the bytes of a record, and what they mean */
    QUESTION_CODE,    /* what instructions do in a stretch, or around a moment */
    QUESTION_SQL      /* the rows of an SQL statement */
} question_kind;

typedef enum question_outcome {
    QUESTION_OK,
    QUESTION_FORBIDDEN, /* the token is missing or wrong */
    QUESTION_UNKNOWN,   /* nothing has this name */
    QUESTION_WRONG,     /* a parameter is not valid */
    QUESTION_LONG       /* the target is longer than QUESTION_TARGET_MAX */
} question_outcome;

/* The tracks from `first` to `last`, including both. */
typedef struct question_range {
    uint32_t first, last;
} question_range;

/* A parsed target. A number that was not given is 0, a text that was not given is empty, and a
   stretch that was not given is open. */
typedef struct question {
    question_kind kind;
    char file[64];
    int64_t begin_ns, end_ns; /* the stretch; INT64_MIN and INT64_MAX: it is open at that end */
    int64_t at_ns;
    uint64_t offset;
    uint32_t width; /* in pixels, at least 1 */
    uint32_t limit; /* most rows to give; 0: the usual number */
    uint32_t track, depth;
    bool is_backward;
    bool has_tracks; /* only the tracks in `ranges` are asked for; else all tracks */
    size_t range_count;
    question_range ranges[QUESTION_RANGES_MAX];
    char where[QUESTION_TEXT_MAX]; /* an expression that selects events */
    char name[QUESTION_TEXT_MAX];
    char format[32];
    const char *why; /* static text: what is wrong with the target */
} question;

/* Parses a target, which must begin with `token`. */
question_outcome question_parse(question *q, const char *target, size_t size, const char *token);

/* Returns whether a question asks for a track. */
bool question_wants(const question *q, uint32_t track);

/*
 * Returns whether the header "Host" names the server itself: one of `names`, with `port`. Another
 * name leads here if its owner has it point to this machine; such a request is to be refused.
 */
bool question_host_fits(const char *host, const char *const *names, size_t name_count,
                        unsigned port);

/* Returns whether the header "Origin" says that the page of `host` asks. NULL: the header was
   not sent. */
bool question_origin_fits(const char *origin, const char *host);

#endif
