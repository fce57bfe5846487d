/* SPDX-License-Identifier: Apache-2.0 */
/* Shows packets as they are in the file, in the format's own words. */
#include "core/text.h"
#include "core/text_double.h"
#include "formats/heph/trace.h"

static void dump_text(output *out, stele_heph_text text)
{
    output_byte(out, '"');
    text_visible(out, text.bytes, text.size);
    output_byte(out, '"');
}

static void dump_value(output *out, uint8_t type, const stele_heph_value *value)
{
    switch (type & ~STELE_HEPH_ARRAY) {
    case STELE_HEPH_UINT: output_u64(out, value->u); break;
    case STELE_HEPH_INT: output_i64(out, value->i); break;
    case STELE_HEPH_FLOAT: output_double(out, value->f); break;
    default: dump_text(out, value->text); break;
    }
}

static void dump_attribute(output *out, const stele_heph_attribute *attribute)
{
    static const char *const types[] = {"", "u64", "i64", "f64", "string"};
    const bool is_array = (attribute->type & STELE_HEPH_ARRAY) != 0;
    const uint8_t *at = attribute->values;
    stele_heph_value value;
    output_byte(out, ' ');
    text_visible(out, attribute->name.bytes, attribute->name.size);
    output_text(out, is_array ? ":[" : ":");
    output_text(out, types[attribute->type & ~STELE_HEPH_ARRAY]);
    if (is_array) {
        output_byte(out, ';');
        output_u64(out, attribute->count);
        output_byte(out, ']');
    }
    output_text(out, is_array ? "=[" : "=");
    for (uint32_t i = 0; stele_heph_value_next(attribute, &at, &value); i++) {
        if (i != 0)
            output_text(out, ", ");
        dump_value(out, attribute->type, &value);
    }
    if (is_array)
        output_byte(out, ']');
}

static void dump_number(output *out, const char *label, uint64_t value)
{
    output_text(out, label);
    output_u64(out, value);
}

static void dump_event(output *out, const heph_packet *packet)
{
    const stele_heph_event *event = &packet->event;
    const uint8_t *at = event->attributes;
    stele_heph_attribute attribute;
    dump_number(out, "stream=", event->stream);
    dump_number(out, " counter=", event->counter);
    if (packet->layout == STELE_HEPH_SUBSTREAMS)
        dump_number(out, " substream=", event->substream);
    dump_number(out, " start=", event->start);
    dump_number(out, " end=", event->end);
    output_text(out, " description=");
    dump_text(out, event->description);
    while (at < event->attributes_end &&
           stele_heph_attribute_decode(&at, event->attributes_end, &attribute) == STELE_HEPH_SOUND)
        dump_attribute(out, &attribute);
}

static void dump_option(output *out, const stele_heph_option *option)
{
    uint64_t epoch_ns;
    text_visible(out, option->name.bytes, option->name.size);
    output_byte(out, '=');
    if (stele_heph_option_epoch(option, &epoch_ns)) {
        output_u64(out, epoch_ns);
        return;
    }
    for (size_t i = 0; i < option->value_size; i++)
        output_printf(out, "%02x", option->value[i]);
}

/* Writes one packet as text into a memory buffer, which is used again for the next packet. */
static stele_status dump_packet(output *out, const heph_packet *packet, const dump_request *request,
                                bool *goes_on)
{
    dump_record record = {.offset = packet->offset,
                          .size = packet->size,
                          .bytes = packet->bytes,
                          .bytes_size = packet->bytes_size};
    size_t size;
    out->at = out->buffer;
    switch (packet->kind) {
    case STELE_HEPH_EVENT:
        record.kind = packet->is_damaged ? "Event packet, damaged" : "Event packet";
        dump_event(out, packet);
        break;
    case STELE_HEPH_METADATA:
        record.kind = packet->is_damaged ? "Metadata packet, damaged" : "Metadata packet";
        dump_option(out, &packet->option);
        break;
    default: record.kind = "No packet"; break;
    }
    output_byte(out, '\0');
    record.text = (const char *)output_memory(out, &size);
    if (out->status != STELE_OK)
        return out->status;
    *goes_on = request->fn(request->user, &record);
    return STELE_OK;
}

stele_status heph_dump(stele_trace *trace, const dump_request *request)
{
    stele_context *context = trace->context;
    uint64_t count = 0;
    bool goes_on = true;
    heph_packet packet;
    heph_scan scan;
    output *text;
    stele_status status = output_open_memory(&context->diag, &text);
    if (status != STELE_OK)
        return status;
    status = heph_scan_open(&scan, source_input(trace->source), ((heph_trace *)trace)->layout,
                            &context->diag, context->limits.window_size,
                            context->limits.record_size_max);
    while (status == STELE_OK && goes_on && (request->count == 0 || count < request->count)) {
        status = heph_scan_next(&scan, &packet);
        if (status != STELE_OK || packet.offset < request->at)
            continue;
        status = dump_packet(text, &packet, request, &goes_on);
        count++;
    }
    heph_scan_close(&scan);
    output_close(text);
    return status == STELE_END ? STELE_OK : status;
}
