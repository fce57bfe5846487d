/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: what was wrong in an input, where, what was expected and what was found. The handler is
   called on the thread that uses the context. stele_code objects are constants, usable from any
   thread. */
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
    STELE_NOTE,    /* unusual, but nothing is lost or wrong */
    STELE_WARNING, /* delivered data may be incomplete or differ from what was meant */
    STELE_ERROR    /* bytes that do not match the format, or events that are lost */
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

/* In stele_diag.offset: the finding is about no place in an input. */
#define STELE_NO_OFFSET UINT64_MAX

/* One finding. Valid during the call of the handler only. */
typedef struct stele_diag {
    const stele_code *code;
    const char *source; /* name of the file or member; NULL: the finding is about no input */
    /* First byte concerned, from the start of that input after decompression; STELE_NO_OFFSET: the
       finding is about no place. */
    uint64_t offset;
    uint8_t bit;           /* bit in the byte at `offset`, 0 to 7; 0 except in bit-packed formats */
    uint64_t size;         /* bytes concerned; 0: not known */
    const char *expected;  /* what the format wants; NULL: nothing in particular */
    const char *found;     /* what is there instead; never NULL */
    uint64_t lost_count;   /* events or records known to be lost by this; 0: none, or not known */
    uint32_t line, column; /* from 1, columns in bytes, if the input is text; else 0 */
    /* The line, or its part near the column, and a caret below it; NULL: not text. */
    const char *excerpt;
} stele_diag;

/* Receives each finding at the moment of detection; what was reported of the same place just before
   is not reported again. Called on the thread of the call that detected it. Must not call the
   library with the same context. May be called millions of times for one badly damaged input:
   counting and limiting is the handler's choice. */
typedef void stele_diag_fn(void *user, const stele_diag *diag);

/*
 * Called after `size` more bytes of a file or a pipe were read, counted as they are stored there
 * (compressed, say); also in the course of one long call of the library, which indexes or sorts.
 * What is read to index a trace and again to deliver its events is counted twice:
 * stele_reader_stats has the bytes of the reading alone. Must be quick, and may be called on any
 * thread that reads. It may call stele_reader_get_stats(), and no other function of the library.
 */
typedef void stele_progress_fn(void *user, size_t size);

/*
 * Called before each piece that is read from a file or a pipe, or written to one, and by a reader
 * before each piece that it delivers, so that reading from memory can be ended, too. Returning
 * false ends the call that reads or writes, with STELE_ERR_CLOSED.
 *
 * `fd` is the descriptor that a read may have to wait for (a pipe, a terminal): the handler may
 * wait for it with poll(), together with descriptors of its own. If `fd` is -1, there is nothing to
 * wait for, and the handler must be quick. It may be called on any thread that reads or writes, and
 * must not call the library.
 */
typedef bool stele_go_on_fn(void *user, int fd);

#ifdef __cplusplus
}
#endif
#endif
