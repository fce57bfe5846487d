/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: what the lines of an event class have in common is the text between the values. A form is
 * made of the first event, and fits others whose entries have the same shape:
 *
 *     entries   [vpid: uint] [vtid: uint] [name: string] [x: float]
 *     form      "{ vpid = " UINT ", vtid = " UINT " }, { name = " STRING ", x = " VALUE " }\n"
 */
#ifndef SINKS_CTF_PRETTY_FORM_H
#define SINKS_CTF_PRETTY_FORM_H

#include "sinks/ctf_pretty_value.h"

/* Entries of an event that are no members of its payload, by their names. */
typedef enum pretty_about {
    PRETTY_ABOUT_LOG_LEVEL,
    PRETTY_ABOUT_EMF_URI,
    PRETTY_ABOUT_COMMON_CONTEXT,
    PRETTY_ABOUT_SPECIFIC_CONTEXT,
    PRETTY_ABOUT_PAYLOAD, /* that there is one, though it may be empty */
    PRETTY_ABOUT_COUNT
} pretty_about;

/* What stands before a line's form, as far as the form depends on it. */
#define PRETTY_AFTER_TIME   0x1u /* with its name: commas are due */
#define PRETTY_AFTER_ENV    0x2u /* something of the environment */
#define PRETTY_AFTER_PACKET 0x4u /* between the two parts of the form */

typedef struct pretty_form pretty_form;

#define PRETTY_FORM_SETS 4096u
#define PRETTY_FORM_WAYS 2u
#define PRETTY_FORMS_MAX ((size_t)16 << 20) /* bytes of forms that are kept */

typedef struct pretty_forms {
    pretty_values *values;
    unsigned fields, names; /* PRETTY_FIELD_..., PRETTY_NAME_... */
    stele_name about[PRETTY_ABOUT_COUNT];
    output *scratch; /* the text of the form that is being made */
    pretty_form *sets[PRETTY_FORM_SETS][PRETTY_FORM_WAYS];
    size_t size;          /* of all of these */
    pretty_form *passing; /* with names that are known in one batch only */
} pretty_forms;

/* STELE_ERR_MEMORY */
stele_status pretty_forms_init(pretty_forms *forms, pretty_values *values,
                               const stele_pretty_options *options);
void pretty_forms_free(pretty_forms *forms);

/* "key = ", for things that have a name in the line's head or are a whole scope. */
void pretty_add_key(const pretty_forms *forms, output *out, const char *key);

/* What goes before a thing in the head: a comma and its name, or a colon between two. */
void pretty_add_item(const pretty_forms *forms, output *out, const char *key, unsigned *after);

/* The form of an event, whose batch is that of the values, until the next call; NULL if out of
 * memory. */
const pretty_form *pretty_form_find(pretty_forms *forms, const stele_event *event, unsigned after);

/* What stands before the packet context, and what stands after it. */
char *pretty_form_put_head(const pretty_form *form, output *out, char *to);
char *pretty_form_put_fields(const pretty_form *form, pretty_values *values, char *to,
                             const stele_event *event);

#endif
