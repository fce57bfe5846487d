/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a trace: makes a schema of all classes, labels and tracks that its events needed, and prints
   it as metadata of its generation. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stele/ctf.h>

#include "formats/ctf/metadata/print.h"
#include "formats/ctf/schema/marks.h"
#include "formats/ctf/schema/spans.h"
#include "formats/ctf/write/writer_metadata.h"
#include "formats/ctf/write/writer_packets.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"

static int label_compare(const void *a, const void *b)
{
    const writer_label *x = a, *y = b;
    if (x->class_number != y->class_number)
        return x->class_number < y->class_number ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Makes a mapping of one value for the label. */
static bool make_mapping(ctf_writer *w, ctf_schema *schema, const writer_label *label,
                         ctf_mapping *mapping)
{
    const stele_text text = stele_name_text(w->base.context, NULL, label->name);
    ctf_range *range = schema_take(schema, 1, sizeof *range);
    if (range == NULL)
        return false;
    if (w->generation == CTF_2 && !shape_is_utf8(text))
        writer_lose(&w->base, STELE_KIND_NONE, "label that is no UTF-8", false, 1);
    *range = (ctf_range){label->value, label->value, false};
    mapping->name = schema_text(schema, text.bytes, text.size);
    mapping->ranges = range;
    mapping->range_count = 1;
    return mapping->name.bytes != NULL;
}

/* Whether labels of the same value come from different events: each event with this value then
   shows all of them. */
static bool labels_differ(const writer_label *labels, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (labels[i].value == labels[i - 1].value &&
            labels[i].event_number != labels[i - 1].event_number)
            return true;
    return false;
}

/* Makes the mappings of a class, slot by slot, and moves `*next` after its labels. */
static bool make_enums(ctf_writer *w, ctf_schema *schema, uint32_t class_number, uint32_t *next,
                       shape_enum *enums)
{
    memset(enums, 0, w->classes[class_number].slot_count * sizeof *enums);
    while (*next < w->label_count && w->labels[*next].class_number == class_number) {
        const uint32_t slot = w->labels[*next].slot;
        ctf_mapping *mappings;
        uint32_t count = 0;
        while (*next + count < w->label_count &&
               w->labels[*next + count].class_number == class_number &&
               w->labels[*next + count].slot == slot)
            count++;
        mappings = schema_take(schema, count, sizeof *mappings);
        if (mappings == NULL)
            return false;
        if (labels_differ(&w->labels[*next], count))
            writer_lose(&w->base, STELE_KIND_NONE, "values with other labels at other times", false,
                        1);
        for (uint32_t i = 0; i < count; i++)
            if (!make_mapping(w, schema, &w->labels[*next + i], &mappings[i]))
                return false;
        enums[slot] = (shape_enum){mappings, count};
        *next += count;
    }
    return true;
}

/* Adds the marks of a class to the environment: see schema/marks.h. */
static bool add_marks(ctf_schema *schema, const ctf_stream_class *stream,
                      const ctf_event_class *event, byte_buffer *marks)
{
    char name[64];
    if (marks->size == 0)
        return true;
    snprintf(name, sizeof name, MARKS_ENV "%" PRIu64 "_%" PRIu64, stream->id, event->id);
    return byte_buffer_take(marks, 1) != NULL && (marks->bytes[marks->size - 1] = 0) == 0 &&
           writer_schema_env(schema, name, (const char *)marks->bytes, 0);
}

static bool make_event(ctf_writer *w, ctf_schema *schema, ctf_stream_class *stream,
                       uint32_t class_number, const shape_enum *enums, byte_buffer *marks)
{
    const uint8_t *key = (const uint8_t *)w->keys.entries[class_number].bytes;
    ctf_event_class *event = schema_add_event(stream);
    if (event == NULL)
        return false;
    event->id = w->classes[class_number].id;
    return shape_class(&w->shape, key, schema, enums, event, marks) &&
           add_marks(schema, stream, event, marks);
}

static bool make_events(ctf_writer *w, ctf_schema *schema, ctf_stream_class *const *streams)
{
    shape_enum *enums = calloc((size_t)w->slots_max + 1, sizeof *enums);
    byte_buffer marks = {0};
    uint32_t next = 0;
    bool is_ok = enums != NULL;
    if (w->label_count != 0)
        qsort(w->labels, w->label_count, sizeof *w->labels, label_compare);
    for (uint32_t i = 1; i < w->class_count && is_ok; i++) {
        ctf_stream_class *stream =
            streams[shape_key_flags((const uint8_t *)w->keys.entries[i].bytes)];
        is_ok = make_enums(w, schema, i, &next, enums);
        if (is_ok && stream != NULL)
            is_ok = make_event(w, schema, stream, i, enums, &marks);
    }
    free(marks.bytes);
    free(enums);
    return is_ok;
}

#define TRACK_TEXT_SIZE 512

/* Adds an entry to the environment for each track: see spans.h. Returns false if out of memory. */
static bool make_tracks(ctf_writer *w, ctf_schema *schema)
{
    char key[32], text[TRACK_TEXT_SIZE];
    bool is_ok = true;
    for (uint32_t i = 0; i < w->track_count && is_ok; i++) {
        const stele_track *track = stele_track_get(w->base.context, w->tracks[i]);
        const stele_text name = stele_name_text(w->base.context, NULL, track->name);
        size_t used, taken;
        snprintf(key, sizeof key, SPAN_TRACK "%" PRIu32, i + 1);
        snprintf(text, sizeof text, "%s %" PRIu64 " %" PRIu32 "%s",
                 stele_track_kind_text(track->kind), track->number,
                 track->parent != 0 ? w->track_numbers[track->parent] : 0,
                 name.size != 0 ? " " : "");
        used = strlen(text);
        used += marks_escape(text + used, sizeof text - 1 - used, name.bytes, name.size, &taken);
        text[used] = 0;
        if (taken < name.size)
            writer_lose(&w->base, STELE_KIND_NONE, "end of a long name of a track", true, 1);
        is_ok = writer_schema_env(schema, key, text, 0);
    }
    return is_ok && (!w->shape.has_function || writer_schema_env(schema, "domain", "ust", 0));
}

static bool make_schema(ctf_writer *w, ctf_schema *schema)
{
    ctf_stream_class *streams[SHAPE_FLAGS] = {NULL};
    bool has[SHAPE_FLAGS] = {false};
    for (uint32_t i = 0; i < w->stream_count; i++)
        has[w->streams[i].flags] = true;
    if (w->stream_count == 0 && w->generation == CTF_2)
        has[0] = true; /* CTF 2 needs at least one data stream class */
    return writer_schema_make(schema, w->generation, &w->layout, w->uuid, &w->clock, w->base_ns,
                              has, streams) &&
           (w->generation == CTF_RFC || make_tracks(w, schema)) && make_events(w, schema, streams);
}

/* Counts what the generation's metadata cannot express, by its own name. */
static void lose_metadata(void *user, ctf_text where, const char *what)
{
    ctf_writer *w = user;
    (void)where;
    writer_lose(&w->base, STELE_KIND_NONE, what, false, 1);
}

/* Writes the metadata of the RFC as a packet with one text. */
static void rfc_metadata_write(ctf_writer *w, schema_printer *printer, output *out)
{
    stele_ctf_rfc_header header = {.is_big_endian = false};
    const uint8_t encryption = w->packer.encryption;
    const uint8_t *bytes;
    size_t size;
    w->status = output_open_memory(&w->base.context->diag, &printer->out);
    if (w->status != STELE_OK)
        return;
    print_rfc(printer);
    output_byte(printer->out, 0);
    bytes = output_memory(printer->out, &size);
    w->status = printer->out->status;
    /* Metadata are not encrypted, so that types can be read without the key. */
    w->packer.encryption = STELE_CTF_RFC_NO_ENCRYPTION;
    if (w->status == STELE_OK)
        writer_rfc_write(w, out, &header, bytes, size);
    w->packer.encryption = encryption;
    output_close(printer->out);
}

static void metadata_write(ctf_writer *w, const ctf_schema *schema, output *out)
{
    schema_printer printer = {.out = out, .schema = schema, .lose = lose_metadata, .user = w};
    switch (w->generation) {
    case CTF_1: print_tsdl(&printer); break;
    case CTF_2: print_json(&printer); break;
    case CTF_RFC: rfc_metadata_write(w, &printer, out); break;
    }
}

void writer_metadata_finish(ctf_writer *w)
{
    ctf_schema schema = {0};
    output *out;
    w->status =
        make_schema(w, &schema) ? output_add(w->base.out, "metadata", &out) : STELE_ERR_MEMORY;
    if (w->status == STELE_OK) {
        metadata_write(w, &schema, out);
        if (w->status == STELE_OK)
            w->status = out->status;
    }
    schema_free(&schema);
}
