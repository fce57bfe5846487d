/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes labels for selectors. CTF 1.8 selects the options of a variant by the labels of an
 * enumeration, CTF 2 by ranges of an integer: each range that selects an option becomes a label of
 * the field. The field precedes what it selects, so the printer prints once without output to find
 * all labels.
 */
#ifndef CTF_PRINT_TAGS_H
#define CTF_PRINT_TAGS_H

#include "formats/ctf/schema/schema.h"

/* A label that a field gets for an option. */
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

/* Gives the part of a range that values of the field can be in. Returns false if there is none. */
bool tags_clip(const ctf_class *type, const ctf_range *range, ctf_range *clipped);

/*
 * Gives the label by which the ranges of a field select an option that should be named `wanted`. A
 * label with exactly these ranges, also one of the field's own, is used again; if `wanted` is the
 * name of another label, a new name is made. `*name` is the label and the option as written, with
 * an escape if it needs one. It lives as long as the tags; {NULL, 0} means that no value of the
 * field is in the ranges. Returns false if out of memory.
 */
bool tags_select(print_tags *tags, const ctf_member *tag, ctf_text wanted, const ctf_range *ranges,
                 uint32_t count, ctf_text *name);

/* Like tags_select(), for all values of the field that are in none of the ranges. */
bool tags_select_rest(print_tags *tags, const ctf_member *tag, ctf_text wanted,
                      const ctf_range *ranges, uint32_t count, ctf_text *name);

/* Returns the labels that were made for a field, without its own. */
const tag_label *tags_of(const print_tags *tags, const ctf_member *tag);

/* Returns how a label of the field's own with this name is written: like the options that it
   selects. */
ctf_text tags_own_label(const print_tags *tags, const ctf_member *tag, ctf_text name);

#endif
