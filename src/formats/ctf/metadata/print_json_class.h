/* SPDX-License-Identifier: Apache-2.0 */
/* Writes field classes in the JSON metadata of CTF 2. */
#ifndef CTF_PRINT_JSON_CLASS_H
#define CTF_PRINT_JSON_CLASS_H

#include "formats/ctf/metadata/print_json_put.h"

/* Writes a member with a field class. */
void ctf2_put_class(json_printer *j, const char *name, const ctf_class *type);

#endif
