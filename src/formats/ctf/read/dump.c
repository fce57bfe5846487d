/* SPDX-License-Identifier: Apache-2.0 */
/* Shows packets and event records one by one, file by file. */
#include <inttypes.h>

#include "core/text.h"
#include "core/text_double.h"
#include "formats/ctf/read/content.h"

#define DUMP_EVENTS 64u /* events decoded at a time */

typedef struct dumper {
    const ctf_trace *trace;
    const dump_request *request;
    output *text;
    stele_batch *batch;
    ctf_content content;
    uint64_t count;
    bool is_ended; /* the callback stopped the dump, or the requested number of records was shown */
} dumper;

/* ---- Values of fields ---- */

static void put_field(dumper *d, const stele_field *field);

static void put_fields(dumper *d, uint32_t first, uint32_t count, const char *open,
                       const char *close)
{
    const stele_field *field = d->batch->fields + first, *end = field + count;
    output_text(d->text, open);
    for (const char *between = ""; field < end; field += stele_field_length(field)) {
        if (field->type == STELE_TYPE_NULL && (field->hint & STELE_HINT_CONTEXT) != 0)
            continue; /* the entry only marks where the payload begins */
        output_text(d->text, between);
        put_field(d, field);
        between = " ";
    }
    output_text(d->text, close);
}

static void put_numbers(dumper *d, const stele_field *field)
{
    const uint8_t *at = d->batch->bytes + field->u.bytes.offset;
    output_byte(d->text, '[');
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++) {
        const uint64_t bits = load_native64(at + 8 * (size_t)i);
        double real;
        memcpy(&real, &bits, sizeof real);
        if (i != 0)
            output_byte(d->text, ' ');
        if (field->type == STELE_TYPE_FLOATS)
            output_double(d->text, real);
        else if (field->type == STELE_TYPE_INTS)
            output_i64(d->text, (int64_t)bits);
        else
            output_u64(d->text, bits);
    }
    output_byte(d->text, ']');
}

static void put_bytes(dumper *d, const stele_field *field)
{
    const uint8_t *at = d->batch->bytes + field->u.bytes.offset;
    for (uint32_t i = 0; i < field->u.bytes.size; i++)
        output_printf(d->text, "%02x", at[i]);
}

static void put_text(dumper *d, const stele_field *field)
{
    const stele_text text = stele_field_text(d->trace->base.context, d->batch, field);
    output_byte(d->text, '"');
    text_visible(d->text, text.bytes, text.size);
    output_byte(d->text, '"');
}

static void put_value(dumper *d, const stele_field *field)
{
    const uint32_t inside = (uint32_t)(field - d->batch->fields) + 1 + field->label_count;
    switch (field->type) {
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_VARIANT: put_fields(d, inside, field->u.run.length, "{", "}"); break;
    case STELE_TYPE_ARRAY: put_fields(d, inside, field->u.run.length, "[", "]"); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: put_numbers(d, field); break;
    case STELE_TYPE_BYTES:
    case STELE_TYPE_BIGINT: put_bytes(d, field); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME: put_text(d, field); break;
    case STELE_TYPE_NULL: output_text(d->text, "none"); break;
    case STELE_TYPE_FLOAT: output_double(d->text, field->u.f); break;
    case STELE_TYPE_INT: output_i64(d->text, field->u.i); break;
    default:
        if ((field->hint & STELE_HINT_BASE_MASK) == STELE_HINT_HEX)
            output_hex(d->text, field->u.u);
        else
            output_u64(d->text, field->u.u);
    }
}

static void put_field(dumper *d, const stele_field *field)
{
    const stele_text name = stele_name_text(d->trace->base.context, d->batch, field->name);
    if (name.size != 0) {
        text_visible(d->text, name.bytes, name.size);
        output_byte(d->text, '=');
    }
    put_value(d, field);
    for (uint32_t i = 1; i <= field->label_count; i++) {
        output_byte(d->text, i == 1 ? '(' : ' ');
        put_text(d, field + i);
        if (i == field->label_count)
            output_byte(d->text, ')');
    }
}

/* ---- Packets and event records ---- */

static stele_status put_record(dumper *d, const window *w, const char *name, uint64_t offset,
                               uint64_t size, const char *kind)
{
    const uint64_t at = window_offset(w);
    const size_t left = (size_t)(w->end - w->at);
    const bool is_loaded = offset >= at && offset - at < left;
    const size_t skip = is_loaded ? (size_t)(offset - at) : 0;
    dump_record record = {.offset = offset, .size = size, .source = name, .kind = kind};
    size_t text_size;
    output_byte(d->text, '\0');
    record.text = (const char *)output_memory(d->text, &text_size);
    if (d->text->status != STELE_OK)
        return d->text->status;
    if (is_loaded) {
        record.bytes = w->at + skip;
        record.bytes_size = left - skip < size ? left - skip : (size_t)size;
    }
    if (offset < d->request->at)
        return STELE_OK;
    d->is_ended = !d->request->fn(d->request->user, &record) || ++d->count == d->request->count;
    return STELE_OK;
}

/* Shows header and context of the packet, without fields that have the same value in all
   packets. */
static void put_context(dumper *d)
{
    const stele_field *at = d->batch->fields + d->batch->context_first;
    const stele_field *end = at + d->batch->context_count;
    for (; at < end; at += stele_field_length(at)) {
        if ((at->hint & STELE_HINT_RAW) != 0)
            continue;
        output_byte(d->text, ' ');
        put_field(d, at);
    }
}

static stele_status dump_packet(dumper *d, const window *w, const char *name,
                                const ctf_packet *packet)
{
    d->text->at = d->text->buffer;
    output_printf(d->text, "packet_size=%" PRIu64 " content_bits=%" PRIu64, packet->size,
                  packet->content_bits);
    put_context(d);
    return put_record(d, w, name, packet->offset, packet->size, "Packet");
}

static stele_status dump_events(dumper *d, const window *w, const char *name)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < d->batch->event_count && status == STELE_OK && !d->is_ended; i++) {
        const stele_event *event = &d->batch->events[i];
        const stele_text text = stele_name_text(d->trace->base.context, d->batch, event->name);
        uint32_t first;
        const uint32_t count = stele_event_fields(d->batch, event, &first);
        d->text->at = d->text->buffer;
        text_visible(d->text, text.bytes, text.size);
        if ((event->flags & STELE_FLAG_NO_TIME) == 0)
            output_printf(d->text, " ticks=%" PRIu64, event->ticks);
        put_fields(d, first, count, " ", "");
        status = put_record(d, w, name, event->offset, event->size, "Event record");
    }
    return status;
}

/* Shows the packet, and then its events. */
static stele_status dump_content(dumper *d, ctf_packets *packets, window *w,
                                 const ctf_packet *packet)
{
    const char *name = packets->file->name;
    stele_status status = content_enter(&d->content, packets, w, packet, packets->decoder);
    const bool has_events = status == STELE_OK;
    decode_outcome outcome = DECODE_OK;
    bool is_first = true;
    if (status == STELE_ERR_FORMAT)
        status = STELE_OK;
    while (status == STELE_OK && !d->is_ended && outcome == DECODE_OK) {
        stele_batch_clear(d->batch);
        outcome = has_events ? content_events(&d->content, d->batch) : DECODE_END;
        if (is_first)
            status = dump_packet(d, w, name, packet);
        is_first = false;
        if (status == STELE_OK && !d->is_ended)
            status = dump_events(d, w, name);
    }
    if (outcome == DECODE_BAD && status == STELE_OK)
        status = w->status;
    return outcome == DECODE_MEMORY ? STELE_ERR_MEMORY : status;
}

static stele_status dump_file(dumper *d, const ctf_file *file, ctf_decoder *decoder)
{
    const stele_limits *limits = &d->trace->base.context->limits;
    ctf_packets packets;
    ctf_packet packet;
    window w;
    input *in;
    stele_status status = ctf_open_member(d->trace, file->member, &in);
    if (status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_READ)
        return STELE_OK; /* reported; the other files can be read */
    if (status != STELE_OK)
        return status;
    status = window_open(&w, in, 0, UINT64_MAX, limits->window_size, limits->record_size_max);
    if (status == STELE_OK) {
        packets_init(&packets, d->trace, file, decoder, in->size);
        while (!d->is_ended && (status = packets_next(&packets, &w, &packet)) == STELE_OK) {
            const uint64_t end = packet.offset + packet.size;
            status = dump_content(d, &packets, &w, &packet);
            packets_leave(&packets, &packet, decoder_ticks(decoder));
            if (status != STELE_OK || packet.is_cut || !window_skip(&w, end - window_offset(&w)))
                break;
        }
        window_close(&w);
    }
    ctf_close_member(file->member, in);
    return status == STELE_END ? STELE_OK : status;
}

stele_status ctf_dump(stele_trace *base, const dump_request *request)
{
    ctf_trace *trace = (ctf_trace *)base;
    dumper d = {.trace = trace, .request = request};
    stele_status status = output_open_memory(&base->context->diag, &d.text);
    if (status == STELE_OK)
        status = stele_batch_new(DUMP_EVENTS, &d.batch);
    for (uint32_t i = 0; i < trace->file_count && status == STELE_OK && !d.is_ended; i++) {
        const ctf_subtrace *subtrace = ctf_schema_subtrace(trace, trace->files[i].subtrace);
        ctf_programs *programs;
        ctf_decoder *decoder;
        if (!subtrace->is_open)
            continue;
        programs = programs_new(&subtrace->schema, base->context, base->info.number,
                                STELE_COLUMNS_ALL & ~STELE_COLUMN_TRACK);
        decoder = programs != NULL ? decoder_new(programs) : NULL;
        status = decoder != NULL ? dump_file(&d, &trace->files[i], decoder) : STELE_ERR_MEMORY;
        decoder_free(decoder);
        programs_free(programs);
    }
    content_free(&d.content);
    stele_batch_free(d.batch);
    output_close(d.text);
    return status;
}
