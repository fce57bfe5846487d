/* SPDX-License-Identifier: Apache-2.0 */
/* A misspelled word of the metadata: which one was meant. */
#ifndef CTF_SPELLING_H
#define CTF_SPELLING_H

#include "formats/ctf/metadata/metadata.h"

/*
 * Whether the word at a place (or one part of the path there) is a known one with a letter too few,
 * one too many, or two the wrong way round, so that the text from `from` to `to` can be read with
 * it, and with one word only. Changes the text and reports it.
 */
bool metadata_mend_spelling(metadata *m, size_t place, size_t from, size_t to);

#endif
