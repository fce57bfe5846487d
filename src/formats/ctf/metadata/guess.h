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

#endif
