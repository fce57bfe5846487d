/* SPDX-License-Identifier: Apache-2.0 */
/* Knows which names CTF 1.8 can write as they are. */
#ifndef CTF_PRINT_NAMES_H
#define CTF_PRINT_NAMES_H

#include "formats/ctf/schema/schema.h"

/* Whether a name may contain the ASCII character. */
bool name_has_character(uint8_t c);

/* Whether a `_` must precede the name, which readers remove: before keywords, before digits, and
   before names that begin with `_` themselves, or will once other characters are replaced. */
bool name_needs_escape(ctf_text name);

#endif
