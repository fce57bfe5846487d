/* SPDX-License-Identifier: Apache-2.0 */
/* The XRay format: recognition, opening, and the table of what it offers. */
#include <stdio.h>
#include <stdlib.h>

#include "core/path.h"
#include "formats/format.h"
#include "formats/xray/read/producers.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/records/dump.h"
#include "formats/xray/write/writer.h"

/* Clocks that count ns since 1970 stand beyond this (in 2001); no counter of ticks does. */
#define WALL_TSC_MIN UINT64_C(1000000000000000000)

/* ---- Recognition ---- */

/* The records that begin every buffer, one of which may be damaged. */
static int probe_fdr(const stele_xray_header *header, const uint8_t *at, size_t left, char *reason)
{
    static const uint8_t kinds[] = {XRAY_META_EXTENTS, XRAY_META_NEW_BUFFER, XRAY_META_WALL_TIME,
                                    XRAY_META_PID, XRAY_META_NEW_CPU};
    const bool big = header->is_big_endian;
    size_t seen = 0, right = 0;
    for (size_t i = header->version == 1 ? 1 : 0; i < sizeof kinds && left >= XRAY_METADATA_SIZE;
         i++) {
        if (kinds[i] == XRAY_META_PID && header->version < 3)
            continue;
        seen++;
        right += xray_is_metadata(big, at) && xray_metadata_kind(big, at) == kinds[i];
        at += XRAY_METADATA_SIZE;
        left -= XRAY_METADATA_SIZE;
    }
    snprintf(reason, PROBE_REASON_SIZE,
             "an FDR header of version %u (%s-endian) before %s records that begin a buffer",
             header->version, big ? "big" : "little", right == seen ? "the" : "damaged");
    if (right < seen)
        return right * 2 > seen ? PROBE_PLAUSIBLE : PROBE_NO;
    return right >= 3 ? PROBE_STRONG : PROBE_PLAUSIBLE;
}

static int probe_basic(const stele_xray_header *header, const uint8_t *at, size_t left,
                       char *reason)
{
    size_t seen = 0, right = 0;
    for (; left >= XRAY_BASIC_SIZE && seen < 16; seen++, left -= XRAY_BASIC_SIZE) {
        const unsigned type = xray_load16(header->is_big_endian, at);
        const uint32_t function = xray_load32(header->is_big_endian, at + 4);
        right += type <= 1 && (type == 1 || at[3] <= 3) && function != 0 && function <= 0x0fffffff;
        at += XRAY_BASIC_SIZE;
    }
    snprintf(reason, PROBE_REASON_SIZE,
             "a basic-mode header of version %u before %zu valid records of %zu", header->version,
             right, seen);
    if (right * 4 < seen * 3)
        return PROBE_NO;
    return seen >= 4 && right == seen ? PROBE_STRONG - 10 : seen > 0 ? PROBE_PLAUSIBLE : PROBE_NAME;
}

static int xray_probe(const format_probe *probe, char *reason)
{
    stele_xray_header header;
    int score;
    if (probe->head == NULL || probe->head_size < XRAY_HEADER_SIZE)
        return PROBE_NO;
    if (load_le64(probe->head) == XRAY_PROFILE_MAGIC &&
        load_le64(probe->head + 8) == XRAY_PROFILE_VERSION) {
        snprintf(reason, PROBE_REASON_SIZE, "the magic number of an XRay profile");
        return PROBE_SURE;
    }
    if (!stele_xray_decode_header(probe->head, &header))
        return PROBE_NO;
    score = (header.type == XRAY_TYPE_FDR ? probe_fdr : probe_basic)(
        &header, probe->head + XRAY_HEADER_SIZE, probe->head_size - XRAY_HEADER_SIZE, reason);
    if (score == PROBE_NO && path_has_extension(probe->name, ".xray")) {
        snprintf(reason, PROBE_REASON_SIZE, "the name, and an XRay header before damaged records");
        score = PROBE_NAME;
    }
    return score;
}

/* ---- Opening ---- */

static bool intern_names(xray_trace *trace, stele_context *context)
{
    static const char *const texts[] = {"custom", "typed", "data", "type",
                                        "path",   "calls", "ticks"};
    stele_name *const names[] = {&trace->name_custom, &trace->name_typed, &trace->name_data,
                                 &trace->name_type,   &trace->name_path,  &trace->name_calls,
                                 &trace->name_ticks};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *names[i] = stele_name_intern(context, texts[i], strlen(texts[i]));
    for (unsigned i = 0; i < 8; i++) {
        const char text[] = {'a', 'r', 'g', (char)('0' + i)};
        trace->name_arg[i] = stele_name_intern(context, text, sizeof text);
    }
    return trace->name_arg[7] != UINT32_MAX;
}

static bool set_texts(xray_trace *trace)
{
    static const char *const modes[] = {"FDR", "basic mode", "profile"};
    const stele_xray_header *header = &trace->header;
    char text[64];
    if (trace->mode == XRAY_MODE_PROFILE)
        return trace_set_version(&trace->base, "profile 0x20180424");
    snprintf(text, sizeof text, "%s %u", modes[trace->mode], header->version);
    if (!trace_set_version(&trace->base, text) ||
        !trace_set_property(&trace->base, "constant_tsc", header->constant_tsc ? "yes" : "no") ||
        !trace_set_property(&trace->base, "nonstop_tsc", header->nonstop_tsc ? "yes" : "no"))
        return false;
    snprintf(text, sizeof text, "%llu", (unsigned long long)trace->buffer_size);
    return trace->buffer_size == 0 || trace_set_property(&trace->base, "buffer size", text);
}

/* The first counter of the file tells whether it is a clock of ns since 1970. */
static void set_clock(xray_trace *trace, const uint8_t *head, size_t size)
{
    const bool big = trace->header.is_big_endian;
    uint64_t tsc = 0;
    trace->rate = tick_rate_make(trace->header.frequency_hz);
    trace->clock = (stele_clock){.domain = trace->header.frequency_hz == 0 ? STELE_CLOCK_TICKS
                                                                           : STELE_CLOCK_NS,
                                 .frequency_hz = trace->header.frequency_hz};
    if (trace->mode == XRAY_MODE_BASIC && size >= XRAY_HEADER_SIZE + XRAY_BASIC_SIZE)
        tsc = xray_load64(big, head + XRAY_HEADER_SIZE + 8);
    for (size_t at = XRAY_HEADER_SIZE;
         trace->mode == XRAY_MODE_FDR && tsc == 0 && at + XRAY_METADATA_SIZE <= size &&
         at < 8 * XRAY_METADATA_SIZE;
         at += XRAY_METADATA_SIZE) {
        if (xray_is_metadata(big, head + at) &&
            xray_metadata_kind(big, head + at) == XRAY_META_NEW_CPU)
            tsc = xray_load64(big, head + at + 3);
    }
    trace->clock.has_wall =
        trace->header.frequency_hz == UINT64_C(1000000000) && tsc > WALL_TSC_MIN;
}

static stele_status read_header(xray_trace *trace, stele_context *context, source *from)
{
    input *in = source_input(from);
    const uint8_t *head;
    size_t size;
    stele_status status;
    if (in == NULL)
        return STELE_ERR_FORMAT;
    status = input_peek(in, &head, &size);
    if (status != STELE_OK)
        return status;
    if (size >= XRAY_PROFILE_HEADER_SIZE && load_le64(head) == XRAY_PROFILE_MAGIC) {
        trace->mode = XRAY_MODE_PROFILE;
        trace->profile_pid = (uint32_t)load_le64(head + 24);
        trace->rate = tick_rate_make(0);
        return STELE_OK;
    }
    if (size < XRAY_HEADER_SIZE || !stele_xray_decode_header(head, &trace->header)) {
        diag_report(&context->diag, &xray_codes[XRY001], in->name, 0, XRAY_HEADER_SIZE,
                    "a header of version 1 to 5 and type 0 or 1",
                    size < XRAY_HEADER_SIZE ? "%zu bytes" : "other numbers", size);
        return STELE_ERR_FORMAT;
    }
    trace->mode = trace->header.type == XRAY_TYPE_FDR ? XRAY_MODE_FDR : XRAY_MODE_BASIC;
    if (trace->mode == XRAY_MODE_FDR)
        trace->buffer_size = xray_load64(trace->header.is_big_endian, trace->header.free_form);
    set_clock(trace, head, size);
    return STELE_OK;
}

/* What the header says of the counter, for those who judge the trace. */
static void judge_counter(const xray_trace *trace)
{
    diag_sink *diag = &trace->base.context->diag;
    const char *name = source_input(trace->base.source)->name;
    if (trace->mode == XRAY_MODE_PROFILE)
        return;
    if (!trace->header.constant_tsc || !trace->header.nonstop_tsc)
        diag_report(diag, &xray_codes[XRY009], name, 4, 4, "constant_tsc and nonstop_tsc", "%s",
                    trace->header.constant_tsc  ? "constant_tsc only"
                    : trace->header.nonstop_tsc ? "nonstop_tsc only"
                                                : "neither");
    if (trace->header.frequency_hz == 0)
        diag_report(diag, &xray_codes[XRY010], name, 8, 8, "a frequency in Hz", "0");
}

static stele_status xray_produce(stele_trace *base, const produce_request *request, producer **out)
{
    xray_trace *trace = (xray_trace *)base;
    *out = NULL;
    if (request->check)
        judge_counter(trace);
    switch (trace->mode) {
    case XRAY_MODE_FDR: return xray_produce_fdr(trace, request, out);
    case XRAY_MODE_BASIC: return xray_produce_basic(trace, request, out);
    default: return xray_produce_profile(trace, request, out);
    }
}

static void xray_close(stele_trace *base)
{
    xray_trace *trace = (xray_trace *)base;
    free(trace->threads);
    hash_table_free(&trace->thread_numbers);
    free(trace->ranges);
    for (unsigned i = 0; i < XRAY_OBJECTS; i++)
        free(trace->objects[i].names);
}

static stele_status xray_open(stele_trace *base)
{
    /* A profile is small and has no times: it is read in file order. */
    static const trace_ops profile_ops = {.produce = xray_produce, .close = xray_close};
    xray_trace *trace = (xray_trace *)base;
    const stele_status status = read_header(trace, base->context, base->source);
    if (status != STELE_OK)
        return status;
    if (trace->mode == XRAY_MODE_PROFILE)
        base->ops = &profile_ops;
    base->info.is_big_endian = trace->header.is_big_endian;
    return intern_names(trace, base->context) && set_texts(trace) ? STELE_OK : STELE_ERR_MEMORY;
}

/* Of logs that begin alike, because one was forked from the other, the larger one counts as the
   first: mostly that of the parent, who waits for the child. */
static bool xray_goes_before(const stele_trace *a, const stele_trace *b)
{
    const input *in_a = source_input(a->source), *in_b = source_input(b->source);
    if (in_a == NULL || in_b == NULL || in_a->size == in_b->size)
        return strcmp(a->info.path, b->info.path) < 0;
    return in_a->size > in_b->size;
}

static const trace_ops xray_ops = {.open = xray_open,
                                   .index = xray_index,
                                   .goes_before = xray_goes_before,
                                   .save_index = xray_save_index,
                                   .load_index = xray_load_index,
                                   .produce = xray_produce,
                                   .close = xray_close,
                                   .indexes_threads = true,
                                   .has_own_threads = true,
                                   .seeks_in_file_order = true};

const format format_xray = {
    .name = "xray",
    .title = "LLVM XRay",
    .extensions = ".xray",
    .probe = xray_probe,
    .trace_size = sizeof(xray_trace),
    .ops = &xray_ops,
    .dump = xray_dump,
    .writer = xray_writer_open,
    .copier = xray_copier_open,
    .codes = xray_codes,
    .code_count = XRAY_CODE_COUNT,
};
