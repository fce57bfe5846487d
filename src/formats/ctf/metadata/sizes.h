/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of integers by the names of their types, where a declaration of CTF 1.8 is damaged. */
#ifndef CTF_SIZES_H
#define CTF_SIZES_H

#include "formats/ctf/metadata/metadata.h"

/* Makes the declaration from `from` to `to` say what its name does, and reports it; false: it is
   not of an integer with a number in its name, or says that already. */
bool metadata_mend_size(metadata *m, size_t from, size_t to);

/* Whether it is of an integer whose size is not the number in its name. */
bool metadata_size_differs(const metadata *m, size_t from, size_t to);

#endif
