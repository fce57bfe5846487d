/* SPDX-License-Identifier: Apache-2.0 */
/* Which names CTF 1.8 can write as they are. */
#ifndef CTF_PRINT_NAMES_H
#define CTF_PRINT_NAMES_H

#include "formats/ctf/schema/schema.h"

/* Of ASCII. */
bool name_has_character(uint8_t c);

/* Whether a `_` must stand in front, which readers take away: of keywords, of what begins with a
   digit, and of what begins, or will begin, with a `_` of its own. */
bool name_needs_escape(ctf_text name);

#endif
