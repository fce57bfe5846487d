/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a browser asks for: the target of a request, taken apart without looking at any trace.
 *
 *     /TOKEN/                                    the page
 *     /TOKEN/timeline.js                         a file of the page
 *     /TOKEN/api/window?begin=0&end=1000&width=800&tracks=1,4-9
 */
#ifndef VIEW_QUESTION_H
#define VIEW_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUESTION_TARGET_MAX 16384u /* bytes of a target; longer ones are refused */
#define QUESTION_TEXT_MAX   4096u  /* bytes of a text in it, with the final zero */
#define QUESTION_RANGES_MAX 1024u
#define QUESTION_WIDTH_MAX  16384u

typedef enum question_kind {
    QUESTION_FILE,    /* of the page */
    QUESTION_INFO,    /* what the traces are, which tracks there are */
    QUESTION_WINDOW,  /* what is to be drawn of a stretch of time */
    QUESTION_SPAN,    /* everything about one span */
    QUESTION_MARK,    /* everything about one event that is no span */
    QUESTION_PROFILE, /* where the time goes in a stretch of time */
    QUESTION_SEARCH,  /* events and spans for which an expression holds */
    QUESTION_NEXT,    /* the next span or event of a name, or the one before */
    QUESTION_ROWS,    /* a stretch of time as CSV */
    QUESTION_CUT,     /* a stretch of time as a trace */
    QUESTION_FLAME,   /* who calls whom in a stretch of time, as a tree */
    QUESTION_STATES,  /* what threads and CPUs do in a stretch of time */
    QUESTION_RECORD,  /* the bytes of a record, and what they mean */
    QUESTION_CODE,    /* what instructions do in a stretch, or around a moment */
    QUESTION_SQL      /* rows of a statement */
} question_kind;

typedef enum question_outcome {
    QUESTION_OK,
    QUESTION_FORBIDDEN, /* the token is missing or another one */
    QUESTION_UNKNOWN,   /* nothing of this name */
    QUESTION_WRONG,     /* a parameter cannot be used */
    QUESTION_LONG       /* more than QUESTION_TARGET_MAX */
} question_outcome;

/* Tracks from `first` to `last`, both in. */
typedef struct question_range {
    uint32_t first, last;
} question_range;

/* Parameters that were not given are 0, texts empty, times open. */
typedef struct question {
    question_kind kind;
    char file[64];
    int64_t begin_ns, end_ns; /* of the stretch; INT64_MIN and INT64_MAX are open */
    int64_t at_ns;
    uint64_t offset;
    uint32_t width; /* pixels, at least 1 */
    uint32_t limit; /* rows at most; 0: what is usual */
    uint32_t track, depth;
    bool is_backward;
    bool has_tracks; /* else all tracks are meant */
    size_t range_count;
    question_range ranges[QUESTION_RANGES_MAX];
    char where[QUESTION_TEXT_MAX]; /* an expression */
    char name[QUESTION_TEXT_MAX];
    char format[32];
    const char *why; /* static text: what is wrong with it */
} question;

/* Takes a target apart. `token` is what has to stand first in it. */
question_outcome question_parse(question *q, const char *target, size_t size, const char *token);

/* Whether a track is asked for. */
bool question_wants(const question *q, uint32_t track);

/*
 * Whether the header "Host" is that of the server itself: `host` is one of the names that it goes
 * by, with `port`. Names of others lead here when their owner has them point to this machine.
 */
bool question_host_fits(const char *host, const char *const *names, size_t name_count,
                        unsigned port);

/* Whether the header "Origin" says that the page of `host` asks; NULL: it was not sent. */
bool question_origin_fits(const char *origin, const char *host);

#endif
