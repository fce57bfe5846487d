/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as FDR logs, basic-mode logs or profiling files. COMPLETE events become an entry
 * and an exit.
 */
#include <stdlib.h>

#include "core/clock.h"
#include "formats/xray/write/writer_state.h"

#define BUFFER_SIZE_MIN (32u * XRAY_METADATA_SIZE) /* bytes for an entry with its arguments */
#define BUFFER_SIZE_MAX (64u << 20)

/* Whether a reader of the ticks computes the event's time: XRay counts from 0 and has one
   frequency. */
static bool counts_from_zero(const stele_clock *clock, const stele_event *event)
{
    const tick_rate rate = tick_rate_make(clock->frequency_hz);
    bool is_clamped = false;
    if (event == NULL || (event->flags & STELE_FLAG_NO_TIME) != 0)
        return clock->base_ticks == 0;
    return clock->base_ticks == 0 &&
           tick_rate_ns(&rate, event->ticks, &is_clamped) == event->time_ns;
}

/* Writes the header, made from the clock of the first stream. Ticks are kept if all streams count
   with the same frequency and nothing is shifted; otherwise times are in ns. */
static void write_header(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    uint8_t bytes[XRAY_HEADER_SIZE];
    bool is_one_clock = stream != NULL && stream->clock.frequency_hz != 0 && batch->shift_ns == 0 &&
                        counts_from_zero(&stream->clock, event);
    if (stream != NULL && stream->clock.has_wall && stream->clock.wall_ns != 0)
        xray_lose(w, "wall-clock time", true);
    for (uint32_t i = 0; is_one_clock && i < stele_stream_count(w->base.context); i++)
        is_one_clock =
            stele_stream_get(w->base.context, i)->clock.frequency_hz == stream->clock.frequency_hz;
    w->is_ticks = is_one_clock;
    w->header.frequency_hz = is_one_clock ? stream->clock.frequency_hz : NS_PER_S;
    w->has_header = true;
    stele_xray_encode_header(&w->header, bytes);
    output_write(w->base.out, bytes, sizeof bytes);
}

static stele_status put_sample(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    if (profile_can_write(w->base.context, batch, event))
        return profile_write(&w->block, w->base.context, w->base.out, batch, event);
    writer_lose(&w->base, (stele_kind)event->kind, "events beside the samples of a profile", true,
                1);
    return STELE_OK;
}

static stele_status xray_writer_write(stele_writer *base, const stele_segment *segment)
{
    xray_writer *w = (xray_writer *)base;
    stele_status status = STELE_OK;
    stele_event placed;
    if (!w->has_header && segment->count != 0) {
        w->is_profile = profile_can_write(base->context, segment->batch,
                                          &segment->batch->events[segment->first]);
        if (w->is_profile)
            w->has_header = true;
        else
            write_header(w, segment->batch, &segment->batch->events[segment->first]);
    }
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_event *event = timeless_event(&base->timeless, segment, i, &placed);
        status = w->is_profile ? put_sample(w, segment->batch, event)
                               : xray_put_event(w, segment->batch, event);
    }
    timeless_end(&base->timeless, segment);
    return status != STELE_OK ? status : base->out->status;
}

static stele_status xray_writer_finish(stele_writer *base)
{
    xray_writer *w = (xray_writer *)base;
    stele_status status;
    if (!w->has_header) {
        static const stele_batch nothing = {.stream = UINT32_MAX};
        write_header(w, &nothing, NULL);
    }
    status = xray_flush_lanes(w);
    if (status == STELE_OK && w->is_profile)
        status = profile_flush(&w->block, base->context, base->out);
    return status != STELE_OK ? status : base->out->status;
}

static void xray_writer_close(stele_writer *base)
{
    xray_writer *w = (xray_writer *)base;
    for (uint32_t i = 0; i < w->lane_count; i++) {
        free(w->lanes[i].bytes);
        free(w->lanes[i].exits);
    }
    profile_block_free(&w->block);
    free(w->lanes);
    free(w->function_of_name);
    free(w);
}

static const writer_ops xray_writer_ops = {xray_writer_write, xray_writer_finish,
                                           xray_writer_close};

/* Reads a version: "5", "basic3", or as traces show it, "FDR 5", "basic mode 3". Returns 0 if it is
   not a version. */
static uint16_t parse_version(const char *text, bool *is_basic)
{
    static const char *const prefixes[] = {"basic mode ", "basic", "FDR ", ""};
    size_t i = 0;
    while (strncmp(text, prefixes[i], strlen(prefixes[i])) != 0)
        i++;
    text += strlen(prefixes[i]);
    *is_basic = i < 2;
    if (*is_basic && *text == '\0')
        return 3;
    if (*text < '1' || *text > (*is_basic ? '3' : '5') || text[1] != '\0')
        return 0;
    return (uint16_t)(*text - '0');
}

stele_status xray_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer)
{
    const char *text = options != NULL && options->version != NULL ? options->version : "5";
    bool is_basic;
    const uint16_t version = parse_version(text, &is_basic);
    xray_writer *w;
    *writer = NULL;
    if (version == 0) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "1 to 5 (FDR), or basic1 to basic3", "version '%s'", text);
        return STELE_ERR_ARGUMENT;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base.ops = &xray_writer_ops;
    w->base.timeless.is_wanted = true;
    w->base.context = context;
    w->base.out = out;
    w->is_basic = is_basic;
    w->buffer_size = BUFFER_SIZE;
    w->header = (stele_xray_header){.version = version,
                                    .type = is_basic ? XRAY_TYPE_BASIC : XRAY_TYPE_FDR,
                                    .constant_tsc = true,
                                    .nonstop_tsc = true};
    if (!is_basic)
        store_le64(w->header.free_form, BUFFER_SIZE);
    *writer = &w->base;
    return STELE_OK;
}

stele_status xray_begins_open(const xray_trace *trace, output *out, stele_writer **writer)
{
    const bool has_size = trace->header.version == 1;
    xray_writer *w;
    *writer = NULL;
    if (has_size && (trace->buffer_size < BUFFER_SIZE_MIN || trace->buffer_size > BUFFER_SIZE_MAX))
        return STELE_ERR_UNSUPPORTED;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base.ops = &xray_writer_ops;
    w->base.timeless.is_wanted = true;
    w->base.context = trace->base.context;
    w->base.out = out;
    w->buffer_size = has_size ? (uint32_t)trace->buffer_size : BUFFER_SIZE;
    w->header = trace->header;
    w->has_header = w->is_ticks = true;
    *writer = &w->base;
    return STELE_OK;
}
