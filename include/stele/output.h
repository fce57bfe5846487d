/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output to files, folders, standard output and memory. Appending returns no status: the
 * first error is kept, and stele_output_flush() and stele_output_finish() return it.
 *
 *     stele_output *out;
 *     status = stele_output_open("list.csv", NULL, &out);
 *     if (status == STELE_OK) {
 *         stele_output_printf(out, "%u\n", 42u);
 *         status = stele_output_finish(out);
 *         stele_output_close(out);
 *     }
 *
 * One thread at a time uses an output; different outputs are independent.
 */
#ifndef STELE_OUTPUT_H
#define STELE_OUTPUT_H

#include <stele/diag.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define STELE_PRINTF(number, first) __attribute__((format(printf, number, first)))
#else
#define STELE_PRINTF(number, first)
#endif

typedef struct stele_output stele_output;

#define STELE_OWNS_HEAD 16 /* most bytes that a stele_owns_fn gets of a file */

/* Whether a file is one of those that an earlier output left in a folder. `name` is its path below
   the folder, `head` are its first bytes, `size` of them. */
typedef bool stele_owns_fn(void *user, const char *name, const void *head, size_t size);

/* How an output is made; zeros give the defaults. */
typedef struct stele_output_options {
    size_t struct_size;  /* sizeof this struct, or 0: see <stele/version.h> */
    bool replace;        /* an existing file may be replaced */
    stele_diag_fn *diag; /* receives findings about errors; NULL: only statuses report them */
    void *diag_user;
    stele_go_on_fn *go_on; /* asked before each piece is written; NULL: writing always goes on */
    void *go_on_user;
    /* Says which files of a folder that is replaced go with it: see stele_output_open_folder().
       NULL: none; stele_output_open_for() knows them by the format. */
    stele_owns_fn *owns;
    void *owns_user;
} stele_output_options;

/*
 * Creates a file. Until stele_output_finish() syncs it and puts it in place, it has no name, or a
 * temporary one in the same folder. "-" is standard output. A path to something else than a regular
 * file (/dev/null, a pipe) is written to directly. A name that ends with ".gz" or ".zst" is
 * compressed accordingly. `options` may be NULL. Errors: STELE_ERR_EXISTS, unless the options let
 * it be replaced; STELE_ERR_WRITE; STELE_ERR_MEMORY; STELE_ERR_ARGUMENT. The caller closes the
 * output.
 */
STELE_API stele_status stele_output_open(const char *path, const stele_output_options *options,
                                         stele_output **out);

/* Creates an output that grows in memory. Errors: STELE_ERR_MEMORY, STELE_ERR_ARGUMENT. */
STELE_API stele_status stele_output_open_memory(const stele_output_options *options,
                                                stele_output **out);

/* Gives the bytes that were written to an output in memory; they hold until the next call with
   it. */
STELE_API const uint8_t *stele_output_memory(const stele_output *out, size_t *size);

/* Empties an output in memory, so that it can be used again. */
STELE_API void stele_output_clear(stele_output *out);

/*
 * Creates a folder, to which files are added; nothing can be written to the folder itself. A new or
 * empty folder is made under a temporary name, and stele_output_finish() puts it in place as a
 * whole. For a folder with files in it the result is STELE_ERR_EXISTS unless the options let it be
 * replaced, all in one step where the file system can do that, else file by file. With `owns`, the
 * folder then has the new files alone: those that `owns` takes are deleted. A file that it does not
 * take is never deleted: if it has an extension, or `owns` takes none, this function fails with
 * STELE_ERR_EXISTS, so that nothing is written in vain, else stele_output_finish() does unless a
 * new file has its name. Without `owns`, files that have no new file's name stay. Errors are those
 * of stele_output_open().
 */
STELE_API stele_status stele_output_open_folder(const char *path,
                                                const stele_output_options *options,
                                                stele_output **out);

/*
 * Adds another file: in the folder `out`, where its name can be "folder/file", or in the same
 * folder as the file `out`. The new output belongs to `out`, which puts it in place or removes it.
 * Folders are made as needed. Errors: STELE_ERR_WRITE for a name that leads out of the folder;
 * STELE_ERR_UNSUPPORTED if `out` is neither a folder nor a file; those of stele_output_open().
 */
STELE_API stele_status stele_output_add(stele_output *out, const char *name, stele_output **member);

/*
 * Makes a folder of the folder `out`: what is added to it goes there, as for a writer of one of
 * several traces side by side. The caller closes it before `out`, which it belongs to; finishing it
 * does nothing. STELE_ERR_UNSUPPORTED: `out` is not a folder; STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_output_add_folder(stele_output *out, const char *name,
                                               stele_output **folder);

/* Writes the buffer to the file. Returns the first error that happened; STELE_ERR_CLOSED for a
   closed pipe. */
STELE_API stele_status stele_output_flush(stele_output *out);

/* Frees the memory and the file descriptor of an added file that is completely written, since there
   can be only so many; stele_output_finish() still puts it in place. Errors are those of
   stele_output_flush(). */
STELE_API stele_status stele_output_seal(stele_output *out);

/* Flushes the output and puts its file, and the files added to it, in place. Errors are those of
   stele_output_flush(). */
STELE_API stele_status stele_output_finish(stele_output *out);

/* Frees the output, which may be NULL; files that were not finished are removed. */
STELE_API void stele_output_close(stele_output *out);

/* The first error that happened; STELE_OK if there was none. */
STELE_API stele_status stele_output_status(const stele_output *out);

/* Makes the output fail with a status, for a caller that cannot make the data to be written. An
   earlier error stays. */
STELE_API void stele_output_fail(stele_output *out, stele_status status);

/* Bytes appended so far. */
STELE_API uint64_t stele_output_offset(const stele_output *out);

/* Appends bytes. */
STELE_API void stele_output_write(stele_output *out, const void *bytes, size_t size);
/* Appends a text that ends with a zero byte. */
STELE_API void stele_output_text(stele_output *out, const char *text);
/* Appends a byte. */
STELE_API void stele_output_byte(stele_output *out, uint8_t byte);
/* Appends formatted text, as printf(). */
STELE_API STELE_PRINTF(2, 3) void stele_output_printf(stele_output *out, const char *format, ...);

/* Appends text for people: control characters and bytes that are not UTF-8 become `\xHH`. */
STELE_API void stele_output_visible(stele_output *out, const void *bytes, size_t size);

/* Appends a text on one line: each of the ASCII characters in `ends`, each control character and
   each byte that is not UTF-8 becomes `_`. */
STELE_API void stele_output_plain(stele_output *out, const void *bytes, size_t size,
                                  const char *ends);

/* Appends the inside of a JSON string (RFC 8259), without quotes. Bytes that are not UTF-8 become
   U+FFFD. */
STELE_API void stele_output_json(stele_output *out, const void *bytes, size_t size);

/* Appends a CSV field (RFC 4180), in quotes where it needs them. Control characters except line
   feeds and tabs become `\xHH`. A field that a spreadsheet could take for a formula, because it
   begins with one of = + - @ and is not a number, gets a ' in front. */
STELE_API void stele_output_csv(stele_output *out, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
