/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes of calls, and the visibility macro of the public functions. Texts of outcomes are
 * constants, for any thread.
 */
#ifndef STELE_STATUS_H
#define STELE_STATUS_H

#if defined(STELE_BUILD) && defined(__GNUC__)
#define STELE_API __attribute__((visibility("default")))
#else
#define STELE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every fallible function of the library returns one of these. What was wrong, where, what was
 * expected and what was found goes to the diagnostic handler (diag.h) at the moment of detection;
 * the status only says how the caller can go on.
 */
typedef enum stele_status {
    STELE_OK = 0,
    STELE_END,             /* nothing more to read; not an error */
    STELE_ERR_ARGUMENT,    /* the call itself is wrong: a bad option, a wrong order of calls */
    STELE_ERR_MEMORY,      /* an allocation failed */
    STELE_ERR_READ,        /* the operating system refused to open or read an input */
    STELE_ERR_WRITE,       /* the operating system refused to create or write an output */
    STELE_ERR_CLOSED,      /* the reader of the output pipe went away */
    STELE_ERR_EXISTS,      /* the output exists and replacing it was not asked for */
    STELE_ERR_FORMAT,      /* the input is in no format known here, or not in the one named */
    STELE_ERR_DAMAGED,     /* the damage leaves nothing that can be read */
    STELE_ERR_LIMIT,       /* a limit of the options was reached and nothing can stand in */
    STELE_ERR_UNSUPPORTED, /* known, but not possible here: an optional part left out, a pipe */
    STELE_ERR_CLOCKS       /* the clocks of the inputs have no known relation */
} stele_status;

/* A short English text without a final period, for example "out of memory". Never NULL. */
STELE_API const char *stele_status_text(stele_status status);

#ifdef __cplusplus
}
#endif
#endif
