/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes metadata, a zero, and the bytes of one packet: from text to schema, to programs, to
 * events. Decoding always ends, and finds the same events whether or not their fields are wanted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/schema/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fields of skipped elements without a size are not counted, so these limits are never reached. */
static const stele_limits limits = {.names_size_max = (size_t)1 << 20,
                                    .tracks_max = 1024,
                                    .fields_max = 4096,
                                    .depth_max = 32,
                                    .metadata_size_max = (size_t)1 << 20};

typedef struct reading {
    uint64_t events;
    decode_outcome outcome;
} reading;

static void on_finding(void *user, const stele_diag *diag)
{
    bool *is_limited = user;
    if (diag->code->code[3] == '4' && diag->code->code[5] == '6') /* CTF456: beyond the limits */
        *is_limited = true;
}

static reading read_packet(const ctf_schema *schema, stele_context *context, uint32_t columns,
                           const uint8_t *bytes, size_t size)
{
    ctf_programs *programs = programs_new(schema, context, 0, columns);
    ctf_decoder *run = programs != NULL ? decoder_new(programs) : NULL;
    packet_view view = {bytes, size, 0};
    reading result = {0};
    packet_head head;
    stele_batch *batch;
    if (run == NULL || stele_batch_new(16, &batch) != STELE_OK)
        abort();
    result.outcome = decoder_packet(run, &view, "packet", 0, NULL, &head);
    if (result.outcome == DECODE_OK)
        decoder_set_content(run, (uint64_t)size * 8);
    while (result.outcome == DECODE_OK) {
        const uint64_t at = decoder_position(run);
        stele_batch_clear(batch);
        result.outcome = decoder_events(run, &view, batch);
        result.events += batch->event_count;
        if (result.outcome == DECODE_OK && decoder_position(run) == at)
            abort(); /* decoding makes no progress */
    }
    stele_batch_free(batch);
    decoder_free(run);
    programs_free(programs);
    return result;
}

static void read_both(const ctf_schema *schema, stele_context *context, const bool *is_limited,
                      const uint8_t *bytes, size_t size)
{
    const reading all = read_packet(schema, context, STELE_COLUMNS_ALL, bytes, size);
    const reading few = read_packet(schema, context, STELE_COLUMN_TIME, bytes, size);
    if (!*is_limited && (all.events != few.events || all.outcome != few.outcome))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size != 0 ? memchr(data, 0, size) : NULL;
    const size_t text_size = zero != NULL ? (size_t)(zero - data) : size;
    const size_t packet_at = zero != NULL ? text_size + 1 : size;
    bool is_limited = false;
    stele_context *context;
    ctf_schema schema = {0};
    metadata m;
    input *in;
    if (stele_context_new(&(stele_context_options){.limits = &limits,
                                                   .diag = on_finding,
                                                   .diag_user = &is_limited},
                          &context) != STELE_OK ||
        input_open_memory(&context->diag, "metadata", data, text_size, &in) != STELE_OK)
        abort();
    if (metadata_read(&m, &context->diag, stele_context_limits(context), in) == STELE_OK) {
        const bool is_parsed = m.generation == CTF_2   ? json_parse(&m, &schema)
                               : m.generation == CTF_1 ? tsdl_parse(&m, &schema)
                                                       : rfc_parse(&m, &schema);
        if (is_parsed && schema_check(&m, &schema))
            read_both(&schema, context, &is_limited, data + packet_at, size - packet_at);
    }
    metadata_free(&m);
    schema_free(&schema);
    input_close(in);
    stele_context_free(context);
    return 0;
}
