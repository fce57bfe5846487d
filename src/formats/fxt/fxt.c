/* SPDX-License-Identifier: Apache-2.0 */
/* The format's table; recognition and opening of traces. */
#include "formats/fxt/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "formats/receive.h"

/* ---- Recognition of traces ---- */

bool fxt_is_magic(const uint8_t *head, size_t size, bool *is_big_endian)
{
    if (size < FXT_WORD)
        return false;
    *is_big_endian = load_be64(head) == STELE_FXT_MAGIC;
    return *is_big_endian || load_le64(head) == STELE_FXT_MAGIC;
}

/* Whether exactly one byte of the magic number is wrong. */
static bool is_damaged_magic(const uint8_t *head, size_t size, bool is_big_endian)
{
    uint64_t wrong;
    unsigned count = 0;
    if (size < FXT_WORD)
        return false;
    wrong = fxt_word(head, is_big_endian) ^ STELE_FXT_MAGIC;
    for (; wrong != 0; wrong >>= 8)
        count += (wrong & 0xff) != 0;
    return count == 1;
}

/* Returns how many plausible records follow each other from the start. */
static unsigned plausible_records(const format_probe *probe, bool is_big_endian, bool *is_all)
{
    size_t at = is_damaged_magic(probe->head, probe->head_size, is_big_endian) ? FXT_WORD : 0;
    unsigned count = 0;
    *is_all = false;
    while (probe->head_size - at >= FXT_WORD && count < 64) {
        const uint64_t header = fxt_word(probe->head + at, is_big_endian);
        const uint64_t left = probe->head_size - at, size = fxt_size(header);
        if (!fxt_is_plausible(header, UINT64_MAX))
            return count;
        count++;
        if (size > left) {
            *is_all = !probe->head_is_all;
            return count;
        }
        at += (size_t)size;
    }
    *is_all = count != 0;
    return count;
}

static int probe_records(const format_probe *probe, bool is_big_endian, char *reason)
{
    bool is_all;
    const unsigned count = plausible_records(probe, is_big_endian, &is_all);
    if (count == 0 || (!is_all && count < 4))
        return PROBE_NO;
    snprintf(reason, PROBE_REASON_SIZE, "no magic number, but the first %u records are plausible",
             count);
    return count >= 8 ? PROBE_STRONG : PROBE_PLAUSIBLE;
}

static int fxt_probe(const format_probe *probe, char *reason)
{
    bool is_big_endian;
    int sure;
    if (probe->head == NULL)
        return PROBE_NO;
    if (fxt_is_magic(probe->head, probe->head_size, &is_big_endian)) {
        snprintf(reason, PROBE_REASON_SIZE, "magic number at the start%s",
                 is_big_endian ? ", big-endian" : "");
        return PROBE_SURE;
    }
    for (unsigned order = 0; order < 2; order++) {
        if (is_damaged_magic(probe->head, probe->head_size, order == 1)) {
            snprintf(reason, PROBE_REASON_SIZE, "magic number with one damaged byte%s",
                     order == 1 ? ", big-endian" : "");
            return PROBE_STRONG;
        }
    }
    sure = probe_records(probe, false, reason);
    return sure != PROBE_NO ? sure : probe_records(probe, true, reason);
}

/* ---- Opening and closing ---- */

static void trace_close(stele_trace *self)
{
    fxt_trace *trace = (fxt_trace *)self;
    fxt_trace_forget_streams(trace);
    free(trace->streams);
    fxt_seek_free(&trace->seek);
    fxt_map_free(&trace->shared.koids);
    fxt_map_free(&trace->shared.tids);
}

/* Returns the byte order of a trace without a magic number: that in which its first records make
   sense. */
static bool guess_big_endian(const uint8_t *head, size_t size)
{
    const format_probe probe = {.head = head, .head_size = size, .head_is_all = true};
    bool is_all;
    if (is_damaged_magic(head, size, true) || is_damaged_magic(head, size, false))
        return is_damaged_magic(head, size, true);
    return plausible_records(&probe, true, &is_all) > plausible_records(&probe, false, &is_all);
}

/* Returns from how many of the first words on at least three plausible records follow each
   other. */
static unsigned order_votes(const uint8_t *head, size_t size, bool is_big_endian)
{
    unsigned votes = 0;
    for (size_t at = FXT_WORD; at < size && at <= 1024; at += FXT_WORD) {
        const format_probe probe = {.head = head + at, .head_size = size - at, .head_is_all = true};
        bool is_all;
        votes += plausible_records(&probe, is_big_endian, &is_all) >= 3;
    }
    return votes;
}

/* Whether the records contradict the byte order of the magic number, which is then damaged. */
static bool is_contradicted(const uint8_t *head, size_t size, bool is_big_endian)
{
    return order_votes(head, size, !is_big_endian) > 4 * order_votes(head, size, is_big_endian) + 3;
}

static stele_status trace_open(stele_trace *self)
{
    fxt_trace *trace = (fxt_trace *)self;
    stele_context *context = self->context;
    input *in = source_input(self->source);
    const uint8_t *head;
    size_t size;
    stele_status status;
    if (in == NULL)
        return format_refuse_set(self);
    status = input_peek(in, &head, &size);
    if (status != STELE_OK)
        return status;
    if (!fxt_is_magic(head, size, &trace->is_big_endian))
        trace->is_big_endian = guess_big_endian(head, size);
    if (is_contradicted(head, size, trace->is_big_endian))
        trace->is_big_endian = !trace->is_big_endian;
    trace->base.info.is_big_endian = trace->is_big_endian;
    trace->shared.objects_left = context->limits.tracks_max * 4;
    trace->shared.other = stele_name_intern(context, "<other>", 7);
    if (trace->shared.other == UINT32_MAX)
        trace->shared.other = 0;
    return STELE_OK;
}

static const trace_ops fxt_trace_ops = {.open = trace_open,
                                        .index = fxt_trace_index,
                                        .save_index = fxt_trace_save_index,
                                        .load_index = fxt_trace_load_index,
                                        .extend_index = fxt_trace_extend_index,
                                        .cut = fxt_trace_cut,
                                        .has_parts = fxt_trace_has_parts,
                                        .has_own_threads = true,
                                        .produce = fxt_trace_produce,
                                        .is_nearly_ordered = true,
                                        .close = trace_close};

const format format_fxt = {
    .name = "fxt",
    .title = "Fuchsia Trace Format",
    .extensions = ".fxt",
    .probe = fxt_probe,
    .trace_size = sizeof(fxt_trace),
    .ops = &fxt_trace_ops,
    .dump = fxt_trace_dump,
    .writer = fxt_writer_new,
    .copier = fxt_copier_new,
    .receiver = &fxt_receiver,
    .links_tracks = true,
    .read_kinds = STELE_KINDS_ALL & ~FORMAT_INSN_KINDS,
    .codes = fxt_codes,
    .code_count = FXT_CODE_COUNT,
};
