/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: the text that the lines of an event class have in common, between their values. A form is
 * made from the first event of a class, and fits other events whose entries have the same shape:
 *
 *     entries   [vpid: uint] [vtid: uint] [name: string] [x: float]
 *     form      "{ vpid = " UINT ", vtid = " UINT " }, { name = " STRING ", x = " VALUE " }\n"
 */
#ifndef SINKS_CTF_PRETTY_FORM_H
#define SINKS_CTF_PRETTY_FORM_H

#include "sinks/ctf_pretty_value.h"

/* Entries of an event that are not members of its payload; the order is that of their names. */
typedef enum pretty_about {
    PRETTY_ABOUT_LOG_LEVEL,
    PRETTY_ABOUT_EMF_URI,
    PRETTY_ABOUT_COMMON_CONTEXT,
    PRETTY_ABOUT_SPECIFIC_CONTEXT,
    PRETTY_ABOUT_PAYLOAD, /* says that there is a payload, which may be empty */
    PRETTY_ABOUT_COUNT
} pretty_about;

/* What a line has before the text of its form, as far as the form depends on it. */
#define PRETTY_AFTER_TIME   0x1u /* a time with its name, so that a comma must follow */
#define PRETTY_AFTER_ENV    0x2u /* some part of the environment */
#define PRETTY_AFTER_PACKET 0x4u /* a packet context, between the two parts of the form */

typedef struct pretty_form pretty_form;

#define PRETTY_FORM_SETS 4096u
#define PRETTY_FORM_WAYS 2u
#define PRETTY_FORMS_MAX ((size_t)16 << 20) /* bytes of all forms that are kept */

typedef struct pretty_forms {
    pretty_values *values;
    unsigned fields, names; /* PRETTY_FIELD_... and PRETTY_NAME_... bits */
    stele_name about[PRETTY_ABOUT_COUNT];
    output *scratch; /* text of the form that is being made */
    pretty_form *sets[PRETTY_FORM_SETS][PRETTY_FORM_WAYS];
    size_t size;          /* bytes of all forms in `sets` */
    pretty_form *passing; /* the last form with names that are known in one batch only */
} pretty_forms;

/* Starts without forms. Returns STELE_ERR_MEMORY if out of memory. */
stele_status pretty_forms_init(pretty_forms *forms, pretty_values *values,
                               const stele_pretty_options *options);
void pretty_forms_free(pretty_forms *forms);

/* Adds "key = ", for an item of the line's head, or for a whole scope. */
void pretty_add_key(const pretty_forms *forms, output *out, const char *key);

/*
 * Adds what comes before an item of the head: a comma and its name, or a colon between two items.
 */
void pretty_add_item(const pretty_forms *forms, output *out, const char *key, unsigned *after);

/* Finds or makes the form of an event, whose batch is that of `values`. Valid until the next
   call. Returns NULL if out of memory. */
const pretty_form *pretty_form_find(pretty_forms *forms, const stele_event *event, unsigned after);

/* Write the parts of a line before and after the packet context. Return the end of the text. */
char *pretty_form_put_head(const pretty_form *form, output *out, char *to);
char *pretty_form_put_fields(const pretty_form *form, pretty_values *values, char *to,
                             const stele_event *event);

#endif
