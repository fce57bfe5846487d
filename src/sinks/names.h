/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps names and tracks in the form in which a sink writes them, so that each is made once and not
 * for every event. Names beyond the limit of the cache, and those known in one batch only, are made
 * each time.
 */
#ifndef SINKS_NAMES_H
#define SINKS_NAMES_H

#include "model/context.h"
#include "sinks/put.h"

/* Appends a string in the sink's form. Returns true if it had to be changed to be shown at all. */
typedef bool form_fn(output *out, const void *bytes, size_t size);

typedef struct name_form {
    const char *bytes; /* NULL: not made; for names, PUT_BLOCK more bytes can be read */
    uint32_t size;
    uint16_t width;  /* in characters, at most UINT16_MAX */
    bool is_changed; /* form_fn returned true for it */
} name_form;

/* How many characters a valid UTF-8 text has, at most UINT16_MAX. */
uint16_t text_width(const char *bytes, size_t size);

/* ---- Names of the pool ----------------------------------------------------------------------- */

typedef struct name_forms {
    const stele_context *context;
    form_fn *form;
    output *inside;   /* helper for forms inside of a quoted CSV cell; NULL: not used */
    name_form *items; /* by number of the name */
    uint32_t count;
    arena bytes;
    output *scratch; /* its status says whether memory was exhausted */
    name_form last;  /* form of the last name that is not kept; it has no bytes */
} name_forms;

stele_status name_forms_init(name_forms *forms, stele_context *context, form_fn *form);
void name_forms_free(name_forms *forms);
const name_form *name_forms_make(name_forms *forms, output *out, const stele_batch *batch,
                                 stele_name name);

/* Appends a name. The result is valid until the next call. */
static inline const name_form *name_forms_put(name_forms *forms, output *out,
                                              const stele_batch *batch, stele_name name)
{
    const name_form *item;
    char *to;
    if (name >= forms->count || forms->items[name].bytes == NULL)
        return name_forms_make(forms, out, batch, name);
    item = &forms->items[name];
    to = (char *)output_reserve(out, (size_t)item->size + PUT_BLOCK);
    if (to != NULL)
        output_advance(out, (size_t)(put_blocks(to, item->bytes, item->size) - to));
    return item;
}

/* ---- Labels of tracks ------------------------------------------------------------------------ */

typedef struct track_label {
    name_form form; /* form.bytes is owned */
    uint32_t capacity;
    stele_name name, parent_name; /* names that the label was made from, which can change later */
} track_label;

typedef struct track_labels {
    const stele_context *context;
    form_fn *form;
    track_label *items; /* by track number */
    uint32_t count;
    output *raw, *scratch; /* buffers; the status of `scratch` says whether memory was exhausted */
} track_labels;

stele_status track_labels_init(track_labels *labels, stele_context *context, form_fn *form);
void track_labels_free(track_labels *labels);

/*
 * The label of a track, such as "worker-3 (1234)", "thread 1234", "cpu 2" or "stream 1 / 7"; "none"
 * for 0. If several traces are read together, the number of the trace comes first: "1: cpu 2".
 * Never NULL; empty if out of memory.
 */
const name_form *track_labels_get(track_labels *labels, uint32_t track);

#endif
