/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/names.h"

#include <stdlib.h>

#include "core/array.h"
#include "sinks/put.h"

/* limit of the bytes of all forms that are kept */
#define NAME_FORMS_SIZE_MAX ((size_t)16 << 20)

uint16_t text_width(const char *bytes, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++)
        width += ((uint8_t)bytes[i] & 0xc0) != 0x80;
    return width < UINT16_MAX ? (uint16_t)width : UINT16_MAX;
}

static void scratch_clear(output *scratch)
{
    scratch->at = scratch->buffer;
}

/* ---- Names of the pool ---- */

stele_status name_forms_init(name_forms *forms, stele_context *context, form_fn *form)
{
    *forms = (name_forms){.context = context, .form = form};
    return output_open_memory(&context->diag, &forms->scratch);
}

void name_forms_free(name_forms *forms)
{
    output_close(forms->scratch);
    arena_free(&forms->bytes);
    free(forms->items);
}

/* Grows the table to the size of the pool of names. Returns false if out of memory. */
static bool name_forms_grow(name_forms *forms, stele_name name)
{
    name_form *items;
    if (name < forms->count)
        return true;
    items = array_reach(forms->items, sizeof *items, &forms->count,
                        stele_name_count(forms->context) - 1);
    if (items == NULL)
        return false;
    forms->items = items;
    return true;
}

/* Copies bytes, with room after them so that they can be read in blocks. Returns NULL if out of
   memory. */
static const char *bytes_keep(arena *bytes, const uint8_t *made, size_t size)
{
    char *kept = arena_take(bytes, size + PUT_BLOCK);
    if (kept == NULL)
        return NULL;
    memcpy(kept, made, size);
    memset(kept + size, 0, PUT_BLOCK);
    return kept;
}

const name_form *name_forms_make(name_forms *forms, output *out, const stele_batch *batch,
                                 stele_name name)
{
    const stele_text text = stele_name_text(forms->context, batch, name);
    name_form *item = &forms->last;
    const uint8_t *made;
    size_t size;
    scratch_clear(forms->scratch);
    forms->last = (name_form){.is_changed = forms->form(forms->scratch, text.bytes, text.size)};
    made = output_memory(forms->scratch, &size);
    if (forms->inside != NULL) {
        scratch_clear(forms->inside);
        text_csv_inside(forms->inside, made, size);
        made = output_memory(forms->inside, &size);
    }
    forms->last.size = (uint32_t)size;
    forms->last.width = text_width((const char *)made, size);
    output_write(out, made, size);
    if (name >= stele_name_count(forms->context) || forms->bytes.size > NAME_FORMS_SIZE_MAX)
        return item;
    if (!name_forms_grow(forms, name))
        return item; /* without the table each name is made anew, which is only slower */
    item = &forms->items[name];
    *item = forms->last;
    item->bytes = bytes_keep(&forms->bytes, made, size);
    return item;
}

/* ---- Labels of tracks ---- */

stele_status track_labels_init(track_labels *labels, stele_context *context, form_fn *form)
{
    stele_status status;
    *labels = (track_labels){.context = context, .form = form};
    status = output_open_memory(&context->diag, &labels->raw);
    return status != STELE_OK ? status : output_open_memory(&context->diag, &labels->scratch);
}

void track_labels_free(track_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        free((char *)labels->items[i].form.bytes);
    free(labels->items);
    output_close(labels->raw);
    output_close(labels->scratch);
}

/* Appends a label such as "worker-3 (1234)", or "thread 1234" for a track without a name. */
static void label_put(output *out, const stele_context *context, const stele_track *track)
{
    const stele_text name = stele_name_text(context, NULL, track->name);
    if (name.size == 0) {
        output_text(out, stele_track_kind_text(track->kind));
        output_byte(out, ' ');
        output_u64(out, track->number);
        return;
    }
    output_write(out, name.bytes, name.size);
    OUTPUT_LITERAL(out, " (");
    output_u64(out, track->number);
    output_byte(out, ')');
}

static void label_put_raw(output *out, const stele_context *context, const stele_track *track)
{
    const stele_track *parent = stele_track_get(context, track->parent);
    if (context->trace_count > 1) {
        output_u64(out, track->source);
        OUTPUT_LITERAL(out, ": ");
    }
    if (track->kind == STELE_TRACK_OTHER) {
        OUTPUT_LITERAL(out, "other tracks");
    } else if (track->kind == STELE_TRACK_SUBSTREAM && parent != NULL && track->name == 0) {
        label_put(out, context, parent);
        OUTPUT_LITERAL(out, " / ");
        output_u64(out, track->number);
    } else {
        label_put(out, context, track);
    }
}

static bool labels_grow(track_labels *labels, uint32_t track)
{
    track_label *items = array_reach(labels->items, sizeof *items, &labels->count, track);
    if (items == NULL)
        return false;
    labels->items = items;
    return true;
}

static bool label_keep(track_label *label, const uint8_t *bytes, size_t size)
{
    if (label->capacity < size || label->form.bytes == NULL) {
        char *grown = array_reserve((char *)label->form.bytes, 1, &label->capacity, size + 16);
        if (grown == NULL)
            return false;
        label->form.bytes = grown;
    }
    memcpy((char *)label->form.bytes, bytes, size);
    label->form.size = (uint32_t)size;
    label->form.width = text_width(label->form.bytes, size);
    return true;
}

const name_form *track_labels_get(track_labels *labels, uint32_t number)
{
    static const stele_track none;
    static const name_form empty = {.bytes = ""};
    const stele_track *track = stele_track_get(labels->context, number);
    const stele_track *parent;
    track_label *label;
    const uint8_t *made;
    size_t size;
    if (track == NULL) {
        number = 0;
        track = &none;
    }
    if (!labels_grow(labels, number)) {
        labels->scratch->status = STELE_ERR_MEMORY;
        return &empty;
    }
    label = &labels->items[number];
    parent = stele_track_get(labels->context, track->parent);
    if (parent == NULL)
        parent = &none;
    if (label->form.bytes != NULL && label->name == track->name &&
        label->parent_name == parent->name)
        return &label->form;

    scratch_clear(labels->raw);
    scratch_clear(labels->scratch);
    if (number == 0)
        OUTPUT_LITERAL(labels->raw, "none");
    else
        label_put_raw(labels->raw, labels->context, track);
    made = output_memory(labels->raw, &size);
    label->form.is_changed = labels->form(labels->scratch, made, size);
    made = output_memory(labels->scratch, &size);
    if (!label_keep(label, made, size)) {
        labels->scratch->status = STELE_ERR_MEMORY;
        return &empty;
    }
    label->name = track->name;
    label->parent_name = parent->name;
    return &label->form;
}
