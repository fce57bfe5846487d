/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the heads of packets (packet header and context), and then their events. */
#include "formats/ctf/records/execute.h"

/* ---- Heads of packets ---- */

/* Executes the program of the packet header or context. A program with names of one batch is
   compiled again for each packet. */
static decode_outcome head_execute(ctf_decoder *r, program **kept, ctf_scope scope)
{
    if (*kept != NULL && (*kept)->has_local_names) {
        program_free(*kept);
        *kept = NULL;
    }
    if (*kept == NULL)
        *kept = compile_head(r->programs, scope, r->stream, r->head_batch);
    if (*kept == NULL || !decoder_prepare(r, *kept))
        return DECODE_MEMORY;
    return decoder_execute(r, *kept);
}

/* Finds the stream class of the packet: the given one, or that of the id in the head, or the only
   one of the trace. */
static decode_outcome head_choose(ctf_decoder *r, const ctf_stream_class *given)
{
    const ctf_schema *schema = r->programs->schema;
    const packet_head *head = r->head;
    const ctf_stream_class *stream = given;
    if (stream == NULL && (head->has & CTF_ROLE_STREAM_CLASS_ID) != 0)
        stream = schema_find_stream(schema, head->stream_class_id);
    if (stream == NULL && schema->stream_count == 1 &&
        ((head->has & CTF_ROLE_STREAM_CLASS_ID) == 0 ||
         /* Before CTF 2 the only class may have no id, whatever the packets say. */
         (!schema->streams[0]->has_id && schema->generation != CTF_2)))
        stream = schema->streams[0];
    if (stream == NULL) {
        decoder_bad(r, CTF457, 0, "the id of a stream class",
                    (head->has & CTF_ROLE_STREAM_CLASS_ID) != 0 ? "%llu" : "no id",
                    (unsigned long long)head->stream_class_id);
        return DECODE_BAD;
    }
    r->stream = stream->number;
    r->stream_class = stream;
    r->own = &r->programs->streams[r->stream];
    r->head->stream_class = stream;
    r->head->clock = stream->clock;
    return DECODE_OK;
}

static uint64_t bits_times(uint64_t length, unsigned unit)
{
    return length <= UINT64_MAX / unit ? length * unit : UINT64_MAX;
}

/* Computes sizes in bits and full times once the head is read: the clock advances to the packet's
   begin, and the packet's end counts on from there. */
static void head_finish(ctf_decoder *r)
{
    packet_head *head = r->head;
    const unsigned unit = r->programs->schema->length_unit;
    const ctf_clock *clock = head->clock;
    head->total_bits = bits_times(head->total_bits, unit);
    head->content_bits = bits_times(head->content_bits, unit);
    if ((head->has & CTF_ROLE_CONTENT_LENGTH) != 0)
        r->content_bits = head->content_bits;
    else if ((head->has & CTF_ROLE_TOTAL_LENGTH) != 0)
        r->content_bits = head->content_bits = head->total_bits;
    head->counts_on = clock != NULL && !r->programs->schema->restarts_clocks &&
                      r->programs->schema->generation == CTF_1 && r->own->begin_width < 64;
    if (head->counts_on)
        r->clocks[clock->number].now = r->clock_start;
    if (clock != NULL && (head->has & CTF_ROLE_PACKET_BEGIN) != 0) {
        clock_advance(&r->clocks[clock->number].now, head->begin_ticks,
                      bits_mask(head->counts_on ? r->own->begin_width : 64));
        head->begin_ticks = r->clocks[clock->number].now;
    }
    if (clock != NULL && (head->has & CTF_ROLE_PACKET_END) != 0) {
        uint64_t end = r->clocks[clock->number].now;
        clock_advance(&end, head->end_ticks, bits_mask(r->end_width));
        head->end_ticks = end;
    }
    head->events_at = r->position;
}

static void head_apply(ctf_decoder *r, const packet_head *head)
{
    const bool has_cpu = (head->has & CTF_ROLE_CPU) != 0 && head->cpu <= UINT16_MAX;
    const ctf_clock *clock = head->clock;
    decoder_set_clock(r, clock);
    r->rest = event_rest(
        0, 0, has_cpu ? (uint16_t)head->cpu : 0, 0,
        (uint8_t)((has_cpu ? STELE_FLAG_HAS_CPU : 0) | (clock == NULL ? STELE_FLAG_NO_TIME : 0)));
    r->tracks[0] = r->stream_track;
    if ((r->programs->columns & STELE_COLUMN_TRACK) != 0 && has_cpu)
        r->tracks[0] = decoder_cpu_track(r, head->cpu);
}

/* ---- Context fields that hold for the whole trace ---- */

static bool push_name(ctf_decoder *r, ctf_text name, stele_field field)
{
    field.name = name.size != 0
                     ? context_name(r->context, r->head_batch, name.bytes, name.size, r->source, 0)
                     : 0;
    if (field.name == UINT32_MAX || !batch_reserve_fields(r->head_batch, 1))
        return false;
    *batch_push_field(r->head_batch) = field;
    return true;
}

static bool push_text(ctf_decoder *r, ctf_text name, ctf_text text, unsigned hint)
{
    const stele_name value =
        context_name(r->context, r->head_batch, text.bytes, text.size, r->source, 0);
    return value != UINT32_MAX &&
           push_name(r, name,
                     (stele_field){.type = STELE_TYPE_NAME, .hint = (uint8_t)hint, .u.u = value});
}

/* Appends the environment and the name of the trace as raw context fields. */
static bool push_trace(ctf_decoder *r)
{
    static const ctf_text env_name = {"trace.env", 9}, trace_name = {"trace.name", 10};
    const unsigned hint = STELE_HINT_RAW | STELE_HINT_CONTEXT;
    const ctf_schema *schema = r->programs->schema;
    bool is_good = push_name(r, env_name,
                             (stele_field){.type = STELE_TYPE_STRUCT,
                                           .hint = (uint8_t)hint,
                                           .u.run = {schema->env_count, schema->env_count}});
    for (uint32_t i = 0; i < schema->env_count && is_good; i++) {
        const ctf_env *env = &schema->env[i];
        if (env->is_text)
            is_good = push_text(r, env->name, env->text, 0);
        else
            is_good =
                push_name(r, env->name,
                          (stele_field){.type = env->is_negative ? STELE_TYPE_INT : STELE_TYPE_UINT,
                                        .width = 64,
                                        .u.u = env->value});
    }
    if (is_good && schema->shown_name.bytes != NULL)
        is_good = push_text(r, trace_name, schema->shown_name, hint);
    return is_good;
}

/* ---- Decoding of a packet's head ---- */

decode_outcome decoder_packet(ctf_decoder *r, const packet_view *view, const char *source,
                              uint64_t file_offset, const ctf_stream_class *stream_class,
                              packet_head *head)
{
    const ctf_schema *schema = r->programs->schema;
    decode_outcome outcome = DECODE_OK;
    *head = (packet_head){0};
    r->source = source;
    r->file_offset = file_offset;
    r->content_bits = UINT64_MAX;
    r->position = 0;
    r->head = head;
    r->batch = r->head_batch;
    r->batch_serial++;
    r->joint_count = 0;
    memset(r->clocks, 0, schema->clock_count * sizeof *r->clocks);
    stele_batch_clear(r->head_batch);
    decoder_load(r, view);
    if (schema->packet_header != NULL)
        outcome = head_execute(r, &r->programs->packet_header, CTF_SCOPE_PACKET_HEADER);
    if (outcome == DECODE_OK)
        outcome = head_choose(r, stream_class);
    if (outcome == DECODE_OK && r->stream_class->packet_context != NULL)
        outcome = head_execute(r, &r->own->packet_context, CTF_SCOPE_PACKET_CONTEXT);
    if (outcome == DECODE_OK) {
        head_finish(r);
        head_apply(r, head);
        if (r->content_bits < head->events_at) {
            decoder_bad(r, CTF450, 0, "a content size that is not below the size of the head",
                        "%llu bits", (unsigned long long)r->content_bits);
            outcome = DECODE_BAD;
        }
    }
    if (outcome == DECODE_OK && (r->programs->columns & STELE_COLUMN_RAW) != 0 && !push_trace(r))
        outcome = DECODE_MEMORY;
    r->head = NULL;
    return outcome;
}

/* ---- Decoding of events ---- */

/* Whether a field of the event header, at any depth, is the id of the event class. */
static bool header_has_id(const ctf_class *type)
{
    switch (type->kind) {
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++) {
            if (header_has_id(type->u.structure.members[i].type))
                return true;
        }
        return false;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            if (header_has_id(type->u.variant.options[i].type))
                return true;
        }
        return false;
    case CTF_OPTIONAL: return header_has_id(type->u.optional.element);
    default: return (type->roles & CTF_ROLE_EVENT_CLASS_ID) != 0;
    }
}

/* Returns the program of the event header, with which all events begin, or NULL if out of
   memory. */
static program *header_program(ctf_decoder *r)
{
    stream_programs *own = r->own;
    const ctf_class *header = r->stream_class->event_header;
    if (own->event_header != NULL && own->event_header->has_local_names) {
        program_free(own->event_header);
        own->event_header = NULL;
    }
    if (own->event_header == NULL) {
        own->event_header = compile_event_header(r->programs, r->stream, r->batch);
        own->event_header_has_id = header != NULL && header_has_id(header);
    }
    return own->event_header;
}

/* Appends the context fields of the packet to the batch, before those of its events. Returns false
   if out of memory. */
static bool push_context(ctf_decoder *r, stele_batch *batch)
{
    const stele_batch *from = r->head_batch;
    batch->context_first = batch->field_count;
    batch->context_count = from->field_count;
    return batch_copy_fields(batch, from, 0, from->field_count);
}

decode_outcome decoder_events(ctf_decoder *r, const packet_view *view, stele_batch *batch)
{
    program *header;
    if (r->position == r->content_bits) /* many packets of some traces have no events */
        return DECODE_END;
    r->batch = batch;
    r->batch_serial++;
    decoder_load(r, view);
    r->ns_end = view->size < UINT32_MAX ? r->rate->ns_end : 0;
    r->zero_ns = (uint64_t)r->rate->zero_ns;
    if (batch->event_count == 0 && (r->programs->columns & STELE_COLUMN_CONTEXT) != 0 &&
        !push_context(r, batch))
        return DECODE_MEMORY;
    if (r->position > r->content_bits) {
        decoder_bad(r, CTF450, r->position - r->data_at, NULL, "the content has %llu bits in all",
                    (unsigned long long)r->content_bits);
        return DECODE_BAD;
    }
    /* An empty batch takes an event even if the context fields fill it. */
    if (batch->event_count != 0 && batch_is_full(batch))
        return DECODE_OK;
    header = header_program(r);
    decoder_look_up(r);
    if (header == NULL || !decoder_prepare(r, header) ||
        !decoder_reserve(r, r->own->slots, r->own->depth) ||
        !batch_reserve_fields(batch, r->entries))
        return DECODE_MEMORY;
    return decoder_execute(r, header);
}
