/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a CTF trace, a directory, of a thousand events with two fields each. */
#include <stele/stele.h>

#include <stdio.h>
#include <string.h>

static stele_name name(stele_context *context, const char *text)
{
    return stele_name_intern(context, text, strlen(text));
}

int main(int argc, char **argv)
{
    stele_context *context;
    stele_writer *writer;
    stele_batch *batch;
    if (argc != 2 || stele_context_new(NULL, &context) != STELE_OK)
        return 2;
    /* "1.8" is the other version; NULL instead of `options` takes the default. */
    const stele_writer_options options = {.version = "2"};
    if (stele_batch_new(0, &batch) != STELE_OK ||
        stele_writer_open(context, argv[1], "ctf", &options, &writer) != STELE_OK)
        return 1;
    const stele_name request = name(context, "request"), size = name(context, "size"),
                     path = name(context, "path");
    for (unsigned i = 0; i < 1000; i++) {
        stele_event *event = stele_batch_add_event(batch);
        if (event == NULL) { /* the batch is full: its events are written to the trace */
            const stele_segment segment = {batch, 0, batch->event_count};
            if (stele_writer_write(writer, &segment) != STELE_OK)
                return 1;
            stele_batch_clear(batch);
            event = stele_batch_add_event(batch);
        }
        event->kind = STELE_KIND_INSTANT;
        event->time_ns = (int64_t)i * 1000;
        event->ticks = (uint64_t)event->time_ns;
        event->name = request;
        /* Fields that are added now belong to this event, until the next one is added. */
        stele_field *field = stele_batch_add_field(batch, size, STELE_TYPE_UINT);
        field->u.u = 512u * (i % 9);
        field->width = 32;
        if (stele_batch_add_bytes(batch, path, STELE_TYPE_STRING, "/index", 6) != STELE_OK)
            return 1;
    }
    const stele_segment last = {batch, 0, batch->event_count};
    const bool is_written =
        stele_writer_write(writer, &last) == STELE_OK && stele_writer_finish(writer) == STELE_OK;
    stele_writer_close(writer);
    stele_batch_free(batch);
    stele_context_free(context);
    return is_written ? 0 : 1;
}
