/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a record, and what they mean in the words of 'stele dump'. */
#include <stele/text.h>

#include <inttypes.h>
#include <string.h>

#include "view/viewer.h"

#define BYTES_MAX   4096u
#define MEMBERS_MAX 32u

typedef struct record_search {
    const viewer *v;
    uint64_t offset;
    stele_output *out;
    unsigned found_count;
} record_search;

static void put_text(stele_output *out, const char *key, const char *text)
{
    stele_output_printf(out, "\"%s\":", key);
    view_put_text(out, text, strlen(text), VIEW_VALUE_MAX);
    stele_output_byte(out, ',');
}

static bool take_record(void *user, const stele_dump_record *record)
{
    static const char digits[] = "0123456789abcdef";
    record_search *s = user;
    const size_t shown = record->bytes_size < BYTES_MAX ? record->bytes_size : BYTES_MAX;
    if (record->offset > s->offset || s->offset >= record->offset + record->size)
        return record->source != NULL && s->found_count < MEMBERS_MAX && viewer_goes_on(s->v);
    stele_output_text(s->out, s->found_count++ != 0 ? ",\n{" : "\n{");
    if (record->source != NULL)
        put_text(s->out, "source", record->source);
    put_text(s->out, "kind", record->kind);
    put_text(s->out, "text", record->text);
    stele_output_printf(s->out, "\"offset\":\"%" PRIu64 "\",\"size\":%" PRIu64 ",\"bytes\":\"",
                        record->offset, record->size);
    for (size_t i = 0; i < shown; i++) {
        stele_output_byte(s->out, (uint8_t)digits[record->bytes[i] >> 4]);
        stele_output_byte(s->out, (uint8_t)digits[record->bytes[i] & 15u]);
    }
    stele_output_text(s->out, "\"}");
    return record->source != NULL && s->found_count < MEMBERS_MAX;
}

/* The trace that a track is of. */
static stele_trace *trace_of(const viewer *v, uint32_t track)
{
    const stele_track *about = stele_track_get(v->context, track);
    for (size_t i = 0; i < v->trace_count; i++) {
        if (about != NULL && stele_trace_get_info(v->traces[i])->number == about->source)
            return v->traces[i];
    }
    return v->traces[0];
}

stele_status answer_record(viewer *v, const question *q, stele_output *out)
{
    record_search s = {.v = v, .offset = q->offset, .out = out};
    const stele_dump_request request = {
        .struct_size = sizeof request, .at = q->offset, .fn = take_record, .user = &s};
    stele_status status;
    stele_output_text(out, "{\"records\":[");
    status = stele_trace_dump(trace_of(v, q->track), &request);
    stele_output_text(out, "]}\n");
    return status;
}
