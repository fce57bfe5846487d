/* SPDX-License-Identifier: Apache-2.0 */
/* Types in the metadata of CTF 1.8. */
#ifndef CTF_PRINT_TSDL_TYPE_H
#define CTF_PRINT_TSDL_TYPE_H

#include "formats/ctf/metadata/print_tsdl_put.h"

/* Ends printing: there is not enough memory. */
void ctf1_out_of_memory(tsdl_printer *t);

/* Writes what stands in front of a name that has the type; brackets of arrays stand after the name.
 */
void ctf1_type(tsdl_printer *t, const ctf_class *type);

#endif
