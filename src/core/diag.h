/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting findings, and the codes that belong to no format. */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include <stele/diag.h>

/*
 * Codes are declared once, in a file of lines STELE_CODE(FXT001, ERROR, title, why, mend). The enum
 * made from it indexes the table made from it, so that a code can neither be missing nor shift.
 */
typedef enum core_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "core/codes.def"
#undef STELE_CODE
    CORE_CODE_COUNT
} core_code;

extern const stele_code core_codes[CORE_CODE_COUNT];

#define DIAG_CODE_ENTRY(name, severity, title, why, mend) \
    [name] = {#name, STELE_##severity, title, why, mend},

#define DIAG_RECENT_MAX 64u

/* The findings that were reported last, so that what follows from a fault is not reported as
   another one: see diag_is_explained(). */
typedef struct diag_recent {
    struct {
        const stele_code *code;
        uint64_t source; /* digests of the source's name and of the text */
        uint64_t text;
        uint64_t offset, size;
        uint8_t bit;
    } at[DIAG_RECENT_MAX];
    uint32_t count; /* of all that were reported; the last ones are kept */
} diag_recent;

/* Where findings and progress are reported, and who is asked whether to go on: the functions of the
   context's options. */
typedef struct diag_sink {
    stele_diag_fn *fn; /* NULL: findings are only counted */
    void *user;
    uint64_t counts[3];          /* by severity */
    stele_progress_fn *progress; /* NULL: progress is not reported */
    void *progress_user;
    stele_go_on_fn *go_on; /* NULL: reading and writing always go on */
    void *go_on_user;
    /* Milliseconds to wait for an input that can grow while other inputs have events; 0: no
       limit. */
    int64_t patience_ms;
    diag_recent *recent; /* NULL: findings are not remembered */
} diag_sink;

/* Whether to read or write the next piece. The handler waits until `fd` can be read, unless that is
   -1. */
static inline bool diag_goes_on(const diag_sink *sink, int fd)
{
    return sink->go_on == NULL || sink->go_on(sink->go_on_user, fd);
}

/* Whether one of the last findings explains another about a record: it is an error that touches the
   record, or it is about all of it and at least of this severity, which is not below that of the
   other: an error is never left out because of a warning. Few findings are remembered, so
   that a trace full of damage may have some of its faults reported twice. */
bool diag_is_explained(const diag_sink *sink, stele_severity severity, const char *source,
                       uint64_t offset, uint64_t size);

/* Forgets the last findings, as another reading begins, whose findings stand alone. */
static inline void diag_forget(const diag_sink *sink)
{
    if (sink->recent != NULL)
        sink->recent->count = 0;
}

/* Counts a finding and passes it to the handler, unless the same was reported of the same place
   just before. */
void diag_emit(diag_sink *sink, const stele_diag *diag);

/* Reports a finding: `found` is a printf format, `expected` may be NULL, `size` 0 is not known. See
   stele_diag for the other parameters. */
__attribute__((format(printf, 7, 8))) void diag_report(diag_sink *sink, const stele_code *code,
                                                       const char *source, uint64_t offset,
                                                       uint64_t size, const char *expected,
                                                       const char *found, ...);

#endif
