/* SPDX-License-Identifier: Apache-2.0 */
/* The XRay format: recognition, opening, and the table of what it offers. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/path.h"
#include "formats/format.h"
#include "formats/xray/read/dump.h"
#include "formats/xray/read/header.h"
#include "formats/xray/read/producers.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/write/writer.h"

/* Least counter of clocks that count ns since 1970 (in 2001), which no counter of ticks reaches. */
#define WALL_TSC_MIN UINT64_C(1000000000000000000)

/* Bounds of the frequencies of processors' counters. */
#define FREQUENCY_MIN UINT64_C(1000)
#define FREQUENCY_MAX UINT64_C(1000000000000)

/* ---- Recognition of traces ---- */

static int xray_probe(const format_probe *probe, char *reason)
{
    stele_xray_header header;
    unsigned damaged;
    int score;
    if (probe->head == NULL || probe->head_size < XRAY_HEADER_SIZE)
        return PROBE_NO;
    damaged = xray_profile_damage(probe->head);
    if (damaged <= XRAY_PROFILE_DAMAGE) {
        snprintf(reason, PROBE_REASON_SIZE, "the magic number of an XRay profile%s",
                 damaged != 0 ? ", damaged" : "");
        return damaged == 0 ? PROBE_SURE : PROBE_STRONG;
    }
    score = xray_fit_header(probe->head, probe->head_size, &header, &damaged, reason);
    /* Without a matching name, one byte of the header may be damaged if all that follows is
       sound. */
    if (damaged > 1 || (damaged == 1 && score < PROBE_STRONG - 10))
        score = PROBE_NO;
    if (score == PROBE_NO && damaged == 0 && path_has_extension(probe->name, ".xray")) {
        snprintf(reason, PROBE_REASON_SIZE, "the name, and an XRay header before damaged records");
        score = PROBE_NAME;
    }
    return score;
}

/* ---- Opening of traces ---- */

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

/* Sets the clock. The first counter of the file shows whether it counts ns since 1970. */
static void set_clock(xray_trace *trace, const uint8_t *head, size_t size)
{
    const bool big = trace->header.is_big_endian;
    uint64_t tsc = 0;
    trace->rate = tick_rate_make(trace->header.frequency_hz);
    trace->clock = (stele_clock){.domain = trace->header.frequency_hz == 0 ? STELE_CLOCK_TICKS
                                                                           : STELE_CLOCK_NS,
                                 .frequency_hz = trace->header.frequency_hz};
    trace->base.time_unit = trace->clock.domain;
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
    char reason[PROBE_REASON_SIZE];
    unsigned damaged;
    size_t size;
    stele_status status;
    int score;
    if (in == NULL)
        return STELE_ERR_FORMAT;
    status = input_peek(in, &head, &size);
    if (status != STELE_OK)
        return status;
    if (size >= XRAY_PROFILE_HEADER_SIZE && xray_profile_damage(head) <= XRAY_PROFILE_DAMAGE) {
        if (xray_profile_damage(head) != 0)
            diag_report(&context->diag, &xray_codes[XRY001], in->name, 0, 16,
                        "the magic number and the version of a profile",
                        "others in %u bytes; blocks follow", xray_profile_damage(head));
        trace->mode = XRAY_MODE_PROFILE;
        trace->profile_pid = (uint32_t)load_le64(head + 24);
        trace->rate = tick_rate_make(0);
        return STELE_OK;
    }
    if (size < XRAY_HEADER_SIZE) {
        diag_report(&context->diag, &xray_codes[XRY001], in->name, 0, size, "a header of 32 bytes",
                    "%zu bytes", size);
        return STELE_ERR_FORMAT;
    }
    score = xray_fit_header(head, size, &trace->header, &damaged, reason);
    if (damaged != 0) {
        const bool fits = score != PROBE_NO && damaged != UINT_MAX;
        diag_report(&context->diag, &xray_codes[XRY001], in->name, 0, 4,
                    "a version from 1 to 5 and a type 0 or 1 that fit what follows",
                    fits ? "bytes %02x %02x %02x %02x, before what follows %s"
                         : "bytes %02x %02x %02x %02x",
                    head[0], head[1], head[2], head[3], reason);
        if (!fits)
            return STELE_ERR_FORMAT;
    }
    trace->mode = trace->header.type == XRAY_TYPE_FDR ? XRAY_MODE_FDR : XRAY_MODE_BASIC;
    if (trace->mode == XRAY_MODE_FDR)
        trace->buffer_size = xray_load64(trace->header.is_big_endian, trace->header.free_form);
    set_clock(trace, head, size);
    return STELE_OK;
}

/* Reports what is unusual in the header's description of the counter. */
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
    else if (trace->header.frequency_hz < FREQUENCY_MIN ||
             trace->header.frequency_hz > FREQUENCY_MAX)
        diag_report(diag, &xray_codes[XRY020], name, 8, 8, "a frequency that counters have",
                    "%llu Hz", (unsigned long long)trace->header.frequency_hz);
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

/* A profile has no times that could be found: it is known to have no beginning and no end. */
static stele_status profile_index(stele_trace *base)
{
    (void)base;
    return STELE_OK;
}

static stele_status xray_open(stele_trace *base)
{
    /* A profile is small and has no times, so it is read in file order. */
    static const trace_ops profile_ops = {
        .index = profile_index, .produce = xray_produce, .close = xray_close};
    xray_trace *trace = (xray_trace *)base;
    const stele_status status = read_header(trace, base->context, base->source);
    if (status != STELE_OK)
        return status;
    if (trace->mode == XRAY_MODE_PROFILE)
        base->ops = &profile_ops;
    base->info.is_big_endian = trace->header.is_big_endian;
    return intern_names(trace, base->context) && set_texts(trace) ? STELE_OK : STELE_ERR_MEMORY;
}

/* Whether `a` counts as the first of two logs that begin alike because one was forked from the
   other: the larger one, which is usually that of the parent, as it waits for the child. */
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
                                   .has_parts = xray_has_parts,
                                   .indexes_threads = true,
                                   .has_own_threads = true,
                                   .seeks_in_file_order = true,
                                   .file_blocks = xray_file_blocks};

const format format_xray = {
    .name = "xray",
    .versions = "1, 2, 3, 4, 5, basic1, basic2, basic3",
    .title = "LLVM XRay",
    .extensions = ".xray",
    .probe = xray_probe,
    .trace_size = sizeof(xray_trace),
    .ops = &xray_ops,
    .dump = xray_dump,
    .writer = xray_writer_open,
    .copier = xray_copier_open,
    .read_kinds = STELE_KINDS_ALL & ~FORMAT_INSN_KINDS,
    .written_kinds = STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END) |
                     STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) | STELE_KIND_BIT(STELE_KIND_COMPLETE) |
                     STELE_KIND_BIT(STELE_KIND_INSTANT) | STELE_KIND_BIT(STELE_KIND_LOG) |
                     STELE_KIND_BIT(STELE_KIND_SAMPLE),
    .codes = xray_codes,
    .code_count = XRAY_CODE_COUNT,
};
