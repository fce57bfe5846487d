/* SPDX-License-Identifier: Apache-2.0 */
/* Finds sizes of integers by the names of their types, if a declaration of CTF 1.8 is damaged. */
#ifndef CTF_SIZES_H
#define CTF_SIZES_H

#include "formats/ctf/metadata/metadata.h"

/* Changes the declaration from `from` to `to` to what its name says, and reports it. Returns false
   if it does not declare an integer with a number in its name, or says so already. */
bool metadata_mend_size(metadata *m, size_t from, size_t to);

/* Whether it declares an integer whose size is not the number in its name. */
bool metadata_size_differs(const metadata *m, size_t from, size_t to);

#endif
