/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses that functions return, and the visibility macro of public functions. Texts of statuses
   are constants, which any thread may use. */
#ifndef STELE_STATUS_H
#define STELE_STATUS_H

/* Makes a function visible outside of the shared library. */
#if defined(STELE_BUILD) && defined(__GNUC__)
#define STELE_API __attribute__((visibility("default")))
#else
#define STELE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The rules of all functions: a pointer must not be NULL where its description does not say what
 * NULL means, except that functions whose names end with _free or _close do nothing for NULL. Of a
 * function that makes a handle, the handle is NULL after an error.
 */

/* The result of every function that can fail. What was wrong, where, what was expected and what was
   found is reported to the diagnostic handler (diag.h) at the moment of detection; the status only
   says how the caller can go on. */
typedef enum stele_status {
    STELE_OK = 0,
    STELE_END, /* nothing more to read; not an error */
    /* The call itself is wrong: an option that is not valid, a wrong order of calls. */
    STELE_ERR_ARGUMENT,
    STELE_ERR_MEMORY, /* an allocation failed */
    STELE_ERR_READ,   /* the operating system refused to open or read an input */
    STELE_ERR_WRITE,  /* the operating system refused to create or write an output */
    /* The reader of an output pipe has closed it, or a go_on function ended the work. */
    STELE_ERR_CLOSED,
    STELE_ERR_EXISTS,  /* the output exists, and the options do not let it be replaced */
    STELE_ERR_FORMAT,  /* the input is in no known format, or not in the one that was given */
    STELE_ERR_DAMAGED, /* the damage leaves nothing that can be read */
    /* A limit of the options was reached, and the work cannot go on without more. */
    STELE_ERR_LIMIT,
    /* Known, but not possible here: a part that this build does not have, a pipe. */
    STELE_ERR_UNSUPPORTED,
    STELE_ERR_CLOCKS /* the clocks of the inputs have no known relation */
} stele_status;

/* A short English text without a final period, for example "out of memory". Never NULL. */
STELE_API const char *stele_status_text(stele_status status);

#ifdef __cplusplus
}
#endif
#endif
