/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pieces that all fragments of CTF 2 metadata consist of. Their names begin with ctf2_,
   as json_ is taken. */
#ifndef CTF_PRINT_JSON_PUT_H
#define CTF_PRINT_JSON_PUT_H

#include <stele/json.h>

#include "core/intern.h"
#include "core/text_set.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_walk.h"

typedef struct json_printer {
    schema_printer *p;
    output *out;
    print_walk walk;
    stele_json json;
    ctf_text where;  /* name of the thing that is written, for losses */
    text_set names;  /* names of the members of one structure or variant, to find equal ones */
    intern clashing; /* Pointers to classes with two member names that only differ by the escape. */
} json_printer;

/* Opens an object or an array: see <stele/json.h>; `name` is NULL for elements. */
void ctf2_open(json_printer *j, const char *name, char bracket);

/* Closes what was opened last. */
void ctf2_close(json_printer *j, char bracket);

/* Begins a member whose value is then written by hand, on one line. */
void ctf2_key(json_printer *j, const char *name);

/* Writes a string within a value that is written by hand, on one line. */
void ctf2_string(json_printer *j, ctf_text value);

/* Writes a member with a text; nothing if there is no text. */
void ctf2_put_text(json_printer *j, const char *name, ctf_text value);

/* Writes a member with a text, which may be empty. */
void ctf2_put_name(json_printer *j, const char *name, ctf_text value);

/* Writes a member with a text that ends with a zero. */
void ctf2_put_word(json_printer *j, const char *name, const char *value);

/* Writes a member with a number. */
void ctf2_put_u64(json_printer *j, const char *name, uint64_t value);

/* Writes a member with JSON that the metadata had; nothing if it had none. */
void ctf2_put_raw(json_printer *j, const char *name, ctf_text value);

/* Writes attributes and extensions, where there are some. */
void ctf2_put_extra(json_printer *j, const ctf_extra *extra);

/* Counts something that CTF 2 cannot say. */
void ctf2_lose(json_printer *j, const char *what);

/* Counts a loss that makes packets be read in another way than they were written. */
void ctf2_lose_layout(json_printer *j, const char *what);

#endif
