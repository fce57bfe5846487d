/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a record and what they mean, in the words of 'stele dump'. */
#include "view/viewer.h"

#define BYTES_MAX   4096u
#define MEMBERS_MAX 32u

typedef struct record_search {
    const viewer *v;
    uint64_t offset;
    stele_json j;
    unsigned found_count;
} record_search;

static void put_bytes(stele_json *j, const char *key, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    stele_json_value(j, key);
    stele_output_byte(j->out, '"');
    for (size_t i = 0; i < size; i++) {
        stele_output_byte(j->out, (uint8_t)digits[bytes[i] >> 4]);
        stele_output_byte(j->out, (uint8_t)digits[bytes[i] & 15u]);
    }
    stele_output_byte(j->out, '"');
}

/* Begins the document, if not done yet: it begins only once there is something to answer, which
   may be that there is no record. */
static void begin(record_search *s)
{
    if (s->j.depth != 0)
        return;
    stele_json_open(&s->j, NULL, '{');
    stele_json_open(&s->j, "records", '[');
}

static bool take_record(void *user, const stele_dump_record *record)
{
    record_search *s = user;
    stele_json *j = &s->j;
    const size_t shown = record->bytes_size < BYTES_MAX ? record->bytes_size : BYTES_MAX;
    if (record->offset > s->offset || s->offset >= record->offset + record->size)
        return record->source != NULL && s->found_count < MEMBERS_MAX && viewer_goes_on(s->v);
    s->found_count++;
    begin(s);
    stele_json_open(j, NULL, '{');
    if (record->source != NULL)
        view_put_text(j, "source", record->source);
    view_put_text(j, "kind", record->kind);
    view_put_text(j, "text", record->text);
    stele_json_uint_text(j, "offset", record->offset);
    stele_json_uint(j, "size", record->size);
    put_bytes(j, "bytes", record->bytes, shown);
    stele_json_close(j, '}');
    return record->source != NULL && s->found_count < MEMBERS_MAX;
}

/* Returns the trace that a track belongs to. */
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
    record_search s = {.v = v, .offset = q->offset, .j = {.out = out, .is_line = true}};
    const stele_dump_request request = {
        .struct_size = sizeof request, .at = q->offset, .fn = take_record, .user = &s};
    const stele_status status = stele_trace_dump(trace_of(v, q->track), &request);
    if (status == STELE_OK)
        begin(&s);
    if (s.j.depth != 0) {
        stele_json_close(&s.j, ']');
        stele_json_close(&s.j, '}');
    }
    return status;
}
