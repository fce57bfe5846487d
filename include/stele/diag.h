/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: what was wrong in an input, where, what was expected and what was found. The handler is
 * called on the thread that uses the context. Codes are constants, for any thread.
 */
#ifndef STELE_DIAG_H
#define STELE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum stele_severity {
    STELE_NOTE,    /* unusual, and nothing is lost or wrong by it */
    STELE_WARNING, /* what is delivered may be incomplete or not what was meant */
    STELE_ERROR    /* bytes that could not be read as the format says, or events that are lost */
} stele_severity;

/* "note", "warning", "error". */
STELE_API const char *stele_severity_text(stele_severity severity);

/*
 * A kind of finding. Codes are stable: three letters for the origin (STE for the library itself,
 * else the format) and three digits. All texts are static and in English.
 */
typedef struct stele_code {
    const char *code;        /* "FXT012" */
    stele_severity severity; /* of every finding with this code */
    const char *title;       /* what is the matter, in some words */
    const char *why;         /* why it matters to the reader of the trace */
    const char *mend;        /* what can be done about it */
} stele_code;

#define STELE_NO_OFFSET UINT64_MAX

/* One finding. Valid during the call of the handler only. */
typedef struct stele_diag {
    const stele_code *code;
    const char *source;    /* name of the file or member it is in; NULL when about no input */
    uint64_t offset;       /* first byte concerned, from the start of that input (after
                              decompression); STELE_NO_OFFSET when about no place */
    uint8_t bit;           /* bit in that byte, 0 to 7; 0 but in bit-packed formats */
    uint64_t size;         /* bytes concerned; 0 when not known */
    const char *expected;  /* NULL when there is nothing to expect */
    const char *found;     /* never NULL */
    uint64_t lost_count;   /* events or records known to be lost by it; 0 when none or not known */
    uint32_t line, column; /* where the input is text: from 1, columns in bytes; else 0 */
    const char *excerpt;   /* that line, or what of it is near, and below it a caret; else NULL */
} stele_diag;

/*
 * Receives each finding at the moment of detection, on the thread of the call that made it. Must
 * not call back into the library with the same context. May be called millions of times for one
 * badly damaged input: counting and limiting is the handler's choice.
 */
typedef void stele_diag_fn(void *user, const stele_diag *diag);

/*
 * Told that `size` more bytes were read of a file or a pipe, as they are stored there: also while
 * one call of the library reads for long, to index or to sort. Must be quick, and may come on any
 * thread that reads. Of the library it may call stele_reader_get_stats() only.
 */
typedef void stele_progress_fn(void *user, size_t size);

/*
 * Asked before each piece that is read of a file or a pipe, or written to one, and by a reader
 * before each of its pieces, so that reading from memory can be ended, too: false ends the call
 * that reads or writes, with STELE_ERR_CLOSED. `fd` is a descriptor that a read may have to wait at
 * (a pipe, a terminal): the handler may wait for it itself, with poll(), beside what else there is
 * to wait for. -1: nothing is waited for. Must be quick then; may come on any thread that reads or
 * writes, and must not call the library.
 */
typedef bool stele_go_on_fn(void *user, int fd);

#ifdef __cplusplus
}
#endif
#endif
