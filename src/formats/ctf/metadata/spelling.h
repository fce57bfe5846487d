/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects a misspelled word of the metadata. */
#ifndef CTF_SPELLING_H
#define CTF_SPELLING_H

#include "formats/ctf/metadata/metadata.h"

/*
 * Whether the word at a place (or one part of the path there) becomes a known word by adding or
 * removing one letter or swapping two, and with exactly one such word the text from `from` to `to`
 * can be read. Changes the text and reports it.
 */
bool metadata_mend_spelling(metadata *m, size_t place, size_t from, size_t to);

/* Whether the text from `from` to `to` has a declaration that tracers write the same each time, but
   for one byte, which is put right then and reported. */
bool metadata_mend_idiom(metadata *m, size_t from, size_t to);

#endif
