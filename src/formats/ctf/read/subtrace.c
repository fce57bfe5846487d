/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/subtrace.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/saturate.h"
#include "core/wide.h"
#include "formats/ctf/metadata/salvage.h"

#define NS_PER_S 1000000000

stele_status ctf_open_member(const ctf_trace *trace, size_t member, input **in)
{
    if (member != CTF_WHOLE)
        return source_open_member(trace->base.source, member, in);
    *in = source_input(trace->base.source);
    return STELE_OK;
}

void ctf_close_member(size_t member, input *in)
{
    if (member != CTF_WHOLE)
        input_close(in);
}

void ctf_keep_member(const ctf_trace *trace, size_t member, input *in)
{
    if (member != CTF_WHOLE)
        source_keep_member(trace->base.source, member, in);
}

/* Applies the user's settings to a clock of the metadata. */
static void clock_adjust(ctf_clock *clock, const ctf_trace *trace, ctf_generation generation)
{
    int64_t seconds = trace->clock_offset_ns / NS_PER_S,
            rest_ns = trace->clock_offset_ns % NS_PER_S;
    wide_u128 cycles;
    uint64_t rest;
    if (rest_ns < 0) {
        seconds--;
        rest_ns += NS_PER_S;
    }
    clock->rounds_twice = trace->rounds_twice;
    /* Before CTF 2 the metadata do not name the origin of an offset; tracers that give one mean
       1970. */
    clock->is_wall = clock->is_unix_epoch ||
                     (generation == CTF_1 && (clock->offset_s != 0 || clock->offset_cycles != 0));
    if (trace->clock_frequency_hz != 0 && generation == CTF_RFC)
        clock->frequency_hz = trace->clock_frequency_hz;
    clock->offset_s = add_saturated(clock->offset_s, seconds);
    cycles = u128_divide(u128_multiply((uint64_t)rest_ns, clock->frequency_hz), NS_PER_S, &rest);
    clock->offset_cycles = add_saturated(clock->offset_cycles, (int64_t)u128_low(cycles));
}

bool ctf_subtrace_parse(const ctf_trace *trace, ctf_subtrace *subtrace)
{
    schema_free(&subtrace->schema);
    subtrace->schema = (ctf_schema){0};
    subtrace->is_open = metadata_salvage(&subtrace->text, &subtrace->schema);
    subtrace->schema.restarts_clocks = trace->restarts_clocks;
    for (uint32_t i = 0; i < subtrace->schema.clock_count; i++)
        clock_adjust(subtrace->schema.clocks[i], trace, subtrace->schema.generation);
    return subtrace->is_open;
}

/* Parses the metadata again, in the byte order of the packets. The finding that is reported first
   brings the text back to memory. */
static stele_status read_swapped(const ctf_trace *trace, ctf_subtrace *subtrace)
{
    const uint32_t error_count = subtrace->text.error_count;
    metadata_report(&subtrace->text, &ctf_codes[CTF416], (ctf_place){0},
                    subtrace->schema.is_big_endian ? "packets in big-endian byte order"
                                                   : "packets in little-endian byte order",
                    "the other one");
    subtrace->text.is_order_other = true;
    if (ctf_subtrace_parse(trace, subtrace))
        return STELE_OK;
    return subtrace->text.error_count != error_count ? STELE_ERR_FORMAT : STELE_ERR_MEMORY;
}

stele_status ctf_subtrace_read(ctf_trace *trace, ctf_subtrace *subtrace)
{
    stele_context *context = trace->base.context;
    input *in = NULL;
    uint32_t error_count;
    stele_status status = ctf_open_member(trace, subtrace->metadata_member, &in);
    if (status != STELE_OK)
        return status;
    status = metadata_read_rfc(&subtrace->text, &context->diag, &context->limits, in, &trace->rfc);
    subtrace->text.name = subtrace->path != NULL ? subtrace->path : source_path(trace->base.source);
    if (status == STELE_OK) {
        metadata_keep_input(&subtrace->text, in);
        error_count = subtrace->text.error_count;
        if (!ctf_subtrace_parse(trace, subtrace))
            status =
                subtrace->text.error_count != error_count ? STELE_ERR_FORMAT : STELE_ERR_MEMORY;
    }
    if (status == STELE_OK && ctf_subtrace_is_swapped(trace, subtrace))
        status = read_swapped(trace, subtrace);
    ctf_close_member(subtrace->metadata_member, in);
    if (status == STELE_OK)
        subtrace->mends = ctf_mends_of(&subtrace->schema);
    if (status != STELE_OK || subtrace->text.generation != CTF_RFC) /* which may be parsed again */
        metadata_forget_text(&subtrace->text);
    return status;
}

bool ctf_subtrace_know(ctf_subtrace *subtrace)
{
    const ctf_schema *schema = &subtrace->schema;
    const ctf_identity *id = &schema->identity;
    const bool has_identity = id->name.bytes != NULL && id->uid.bytes != NULL;
    const size_t uuid_size = schema->has_uuid ? sizeof schema->uuid : 0;
    size_t size = uuid_size;
    char *bytes;
    if (uuid_size == 0 && !has_identity)
        return true;
    if (has_identity) /* each with the zero after it */
        size += (size_t)id->name_space.size + id->name.size + id->uid.size + 3;
    bytes = calloc(1, size);
    if (bytes == NULL)
        return false;
    subtrace->known_by = (ctf_text){bytes, (uint32_t)size};
    memcpy(bytes, schema->uuid, uuid_size);
    if (has_identity)
        snprintf(bytes + uuid_size, size - uuid_size, "%s%c%s%c%s",
                 id->name_space.bytes != NULL ? id->name_space.bytes : "", 0, id->name.bytes, 0,
                 id->uid.bytes);
    return true;
}
