/* SPDX-License-Identifier: Apache-2.0 */
/* Writes names, ranges, labels and locations in the JSON metadata of CTF 2. */
#ifndef CTF_PRINT_JSON_WHERE_H
#define CTF_PRINT_JSON_WHERE_H

#include "formats/ctf/metadata/print_json_put.h"
#include "formats/ctf/metadata/print_walk.h"

/* Returns the name of a member or option of the class: the name that users see, unless another
   member has the same. */
ctf_text ctf2_name_of(const json_printer *j, const ctf_class *type, const ctf_member *member);

/* Notes whether names of members need their escape: in CTF 1.8 `a` and `_a` are two names, which
   users see as equal. */
void ctf2_check_names(json_printer *j, const ctf_class *type, const ctf_member *members,
                      uint32_t count);

/* Writes one end of a range. */
void ctf2_range_end(json_printer *j, uint64_t value, bool is_signed);

/* Writes ranges as [low, high] on one line. If `is_signed`, their ends are written as signed
   numbers. `is_first` is false if other ranges precede them. */
void ctf2_ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed,
                 bool is_first);

/* Writes the member "selector-field-ranges". */
void ctf2_put_ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed);

/* Writes a member with the labels of an integer and their ranges. */
void ctf2_put_mappings(json_printer *j, const char *name, const ctf_class *type);

/* Writes a member with a location: that of CTF 2 as it was written, others as the path to the field
   that they refer to. Returns false if CTF 2 cannot express it. */
bool ctf2_put_location(json_printer *j, const char *name, const ctf_location *location,
                       print_target *target);

#endif
