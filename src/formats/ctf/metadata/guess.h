/* SPDX-License-Identifier: Apache-2.0 */
/* One wrong byte of the metadata: which one it must have been. */
#ifndef CTF_GUESS_H
#define CTF_GUESS_H

#include "formats/ctf/metadata/metadata.h"

/*
 * Looks near the last error for one byte that, were it another one, would let the text from `from`
 * to `to` (a block or a fragment, with all before it) be read. There must be one such byte only:
 * numbers are never guessed, as many would do. Changes and reports it; false: there is none.
 */
bool metadata_guess(metadata *m, size_t from, size_t to);

/*
 * The same for one byte of a word near the last error: with it, the word is a keyword, a name with
 * a meaning, or one that stands elsewhere in the text. Of a type that is not known, the byte may be
 * one of its declaration.
 */
bool metadata_guess_word(metadata *m, size_t from, size_t to);

/* Whether the text up to `to` has no error at or after `from`, and no attribute of an unknown name
   at or beside the place `changed`. */
bool metadata_is_good(metadata *m, size_t from, size_t to, size_t changed);

/* Words with a meaning; NULL after the last. */
extern const char *const metadata_words[];

/* Takes the byte at a place as another one, and reports it. */
void metadata_take_byte(metadata *m, size_t at, char byte);

#endif
