/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and tracks in the form in which a sink writes them, made once each instead of once an
 * event. Names beyond the cache and those known in one batch only are made each time.
 */
#ifndef SINKS_NAMES_H
#define SINKS_NAMES_H

#include "model/context.h"
#include "sinks/put.h"

/* Appends a string in the sink's form; true when it had to be changed to be shown at all. */
typedef bool form_fn(output *out, const void *bytes, size_t size);

typedef struct name_form {
    const char *bytes; /* NULL: not made; those of names can be read for PUT_BLOCK bytes more */
    uint32_t size;
    uint16_t width;  /* in characters, at most UINT16_MAX */
    bool is_changed; /* see form_fn */
} name_form;

/* Characters of a valid UTF-8 text, at most UINT16_MAX. */
uint16_t text_width(const char *bytes, size_t size);

/* ---- Names ----------------------------------------------------------------------------------- */

typedef struct name_forms {
    const stele_context *context;
    form_fn *form;
    output *inside;   /* NULL, or what helps to make forms for the inside of a quoted CSV cell */
    name_form *items; /* by name */
    uint32_t count;
    arena bytes;
    output *scratch; /* its status tells whether memory was exhausted */
    name_form last;  /* of the latest name that is in no cache: without bytes */
} name_forms;

stele_status name_forms_init(name_forms *forms, stele_context *context, form_fn *form);
void name_forms_free(name_forms *forms);
const name_form *name_forms_make(name_forms *forms, output *out, const stele_batch *batch,
                                 stele_name name);

/* Appends a name. The result holds until the next call. */
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

/* ---- Tracks ---------------------------------------------------------------------------------- */

typedef struct track_label {
    name_form form; /* its bytes are owned */
    uint32_t capacity;
    stele_name name, parent_name; /* what it was made from: both can become known later */
} track_label;

typedef struct track_labels {
    const stele_context *context;
    form_fn *form;
    track_label *items; /* by track */
    uint32_t count;
    output *raw, *scratch; /* the status of `scratch` */
} track_labels;

stele_status track_labels_init(track_labels *labels, stele_context *context, form_fn *form);
void track_labels_free(track_labels *labels);

/*
 * The label of a track: "worker-3 (1234)", "thread 1234", "cpu 2", "stream 1 / 7", "none" for 0.
 * Where several traces are read together the number of the trace stands before it: "1: cpu 2".
 * Never NULL, and empty when memory is exhausted.
 */
const name_form *track_labels_get(track_labels *labels, uint32_t track);

#endif
