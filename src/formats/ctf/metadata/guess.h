/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses one damaged byte of the metadata. */
#ifndef CTF_GUESS_H
#define CTF_GUESS_H

#include "formats/ctf/metadata/metadata.h"

/*
 * Searches near the last error for one byte such that, if it is replaced, the text from `from` to
 * `to` (a block or a fragment, given all before it) can be read. Exactly one byte must do; digits
 * are never guessed, as many would do. Replaces and reports the byte. Returns false if there is
 * none.
 */
bool metadata_guess(metadata *m, size_t from, size_t to);

/*
 * Searches near the last error for one byte of a word such that with another byte the word is a
 * keyword, a reserved name, or a word that is elsewhere in the text. If a type is not known, the
 * byte may be one of its declaration. Replaces and reports the byte. Returns false if there is
 * none.
 */
bool metadata_guess_word(metadata *m, size_t from, size_t to);

/* Whether the text up to `to` has no error at or after `from`, and the byte at `changed` is not
   part of an attribute with an unknown name. */
bool metadata_is_good(metadata *m, size_t from, size_t to, size_t changed);

/* Keywords and reserved names of all generations; NULL ends the list. */
extern const char *const metadata_words[];

/* Replaces the byte at a position of the text, and reports it. */
void metadata_take_byte(metadata *m, size_t at, char byte);

#endif
