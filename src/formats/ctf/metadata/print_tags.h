/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CTF 1.8 selects the options of a variant by the labels of an enumeration, CTF 2 by ranges of an
 * integer: each range that selects something becomes a label of the field. Who prints finds them by
 * printing once for nothing, because the field stands in front of those that it selects.
 */
#ifndef CTF_PRINT_TAGS_H
#define CTF_PRINT_TAGS_H

#include "formats/ctf/schema/schema.h"

/* A label that a field gets. */
typedef struct tag_label {
    ctf_text name;
    const ctf_range *ranges;
    uint32_t range_count;
    struct tag_label *next;
} tag_label;

typedef struct print_tags print_tags;

print_tags *tags_new(void); /* Returns NULL if out of memory */
void tags_free(print_tags *tags);

/* Whether CTF 1.8 can select by fields of the class. */
bool tags_can(const ctf_class *type);

/* What of a range the field can hold; false: nothing. */
bool tags_clip(const ctf_class *type, const ctf_range *range, ctf_range *clipped);

/*
 * The label by which the ranges of a field select an option that should be called `wanted`; one
 * with these ranges, also its own, is used again, and another name taken where it means something
 * else. `*name` is as label and option are written: with an escape where the name needs one; it
 * lives as long as the tags; {NULL, 0}: no value of the field is in the ranges. Returns false if
 * out of memory.
 */
bool tags_select(print_tags *tags, const ctf_member *tag, ctf_text wanted, const ctf_range *ranges,
                 uint32_t count, ctf_text *name);

/* The same for all values of the field that are in none of the ranges. */
bool tags_select_rest(print_tags *tags, const ctf_member *tag, ctf_text wanted,
                      const ctf_range *ranges, uint32_t count, ctf_text *name);

/* The labels that a field gets besides its own. */
const tag_label *tags_of(const print_tags *tags, const ctf_member *tag);

/* How an own label of this name is written: as options are that it selects. */
ctf_text tags_own_label(const print_tags *tags, const ctf_member *tag, ctf_text name);

#endif
