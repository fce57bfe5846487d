/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which stele flame writes call paths. */
#ifndef CLI_FLAME_FORMS_H
#define CLI_FLAME_FORMS_H

typedef enum flame_form {
    FLAME_FORM_FOLDED,
    FLAME_FORM_SPEEDSCOPE,
    FLAME_FORM_SVG,
    FLAME_FORM_HTML,
    FLAME_FORM_PPROF,
    FLAME_FORM_CALLGRIND,
    FLAME_FORM_EVENTED,
    FLAME_FORM_FIREFOX,
    FLAME_FORM_COUNT
} flame_form;

typedef struct flame_form_info {
    const char *name;  /* what --format calls it */
    const char *ends;  /* what only the names of such files end with, separated by spaces */
    const char *title; /* what it is for */
} flame_form_info;

extern const flame_form_info flame_forms[FLAME_FORM_COUNT];

/* Finds the form with this name; FLAME_FORM_COUNT if there is none. */
flame_form flame_form_find(const char *name);

/* Finds the form that a path is for, by what no other output ends with; FLAME_FORM_COUNT if it is
   for none. */
flame_form flame_form_for_path(const char *path);

#endif
