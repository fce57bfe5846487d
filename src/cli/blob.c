/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/blob.h"

#include <string.h>

/* Writes the payloads of all blobs of one name, in their order in the trace. */
typedef struct extraction {
    cli *c;
    const char *name;
    size_t name_size;
    stele_name data; /* name of the field that has the bytes */
    stele_output *out;
    uint64_t event_count;
} extraction;

static void write_payload(const extraction *x, const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at])) {
        const stele_field *field = &batch->fields[first + at];
        if (field->name != x->data || field->type != STELE_TYPE_BYTES)
            continue;
        const stele_text bytes = stele_field_text(x->c->context, batch, field);
        stele_output_write(x->out, bytes.bytes, bytes.size);
    }
}

static stele_status take_blobs(void *user, const stele_segment *segment)
{
    extraction *x = user;
    for (uint32_t i = segment->first; i < segment->first + segment->count; i++) {
        const stele_event *event = &segment->batch->events[i];
        const stele_text name = stele_name_text(x->c->context, segment->batch, event->name);
        if (event->kind != STELE_KIND_BLOB || name.size != x->name_size ||
            memcmp(name.bytes, x->name, name.size) != 0)
            continue;
        write_payload(x, segment->batch, event);
        x->event_count++;
    }
    return stele_output_status(x->out);
}

void blob_extract(cli *c, stele_trace *trace, const char *name)
{
    static const char data[] = "data";
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const bool is_stdout = path == NULL || strcmp(path, "-") == 0;
    const stele_request request = {.kinds = STELE_KIND_BIT(STELE_KIND_BLOB),
                                   .columns =
                                       STELE_COLUMN_NAME | STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS,
                                   .order = STELE_ORDER_NONE};
    extraction x = {.c = c, .name = name, .name_size = strlen(name), .out = c->out};
    x.data = stele_name_intern(c->context, data, sizeof data - 1);
    if (!is_stdout && !cli_check(c, cli_output_open(c, path, &x.out), path))
        return;
    if (cli_check(
            c, cli_read(c, &trace, 1, &request, &(consumer){.take = take_blobs, .user = &x}, NULL),
            name)) {
        if (x.event_count == 0) {
            cli_remark(c, "no blob is named '%s'; 'stele cat --kind blob' lists them", name);
            cli_exit(c, EXIT_FINDINGS);
        } else if (!is_stdout) {
            cli_check(c, stele_output_finish(x.out), path);
        }
    }
    if (!is_stdout)
        stele_output_close(x.out);
}
