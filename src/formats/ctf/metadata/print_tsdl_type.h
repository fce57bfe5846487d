/* SPDX-License-Identifier: Apache-2.0 */
/* Writes types in the metadata of CTF 1.8. */
#ifndef CTF_PRINT_TSDL_TYPE_H
#define CTF_PRINT_TSDL_TYPE_H

#include "formats/ctf/metadata/print_tsdl_put.h"

/* Stops printing because memory is exhausted. */
void ctf1_out_of_memory(tsdl_printer *t);

/* Writes the part of a type that precedes the name; the brackets of arrays follow the name. */
void ctf1_type(tsdl_printer *t, const ctf_class *type);

#endif
