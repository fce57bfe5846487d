/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out byte order and alignment of traces of the RFC, which leaves both to the architecture
 * that recorded the trace; the metadata do not name it. The byte order is found by the magic number
 * of the packets; the alignment is the one with which decoded packets end where their content ends.
 */
#include "formats/ctf/read/content.h"

#define TRIED_FILES   16u  /* files of the trace that are tried */
#define TRIED_PACKETS 8u   /* packets with events that are tried in each file */
#define TRIED_EVENTS  256u /* events decoded at a time */
#define WINDOW_SIZE   ((size_t)16 << 10)

typedef struct trial {
    ctf_trace *trace;
    stele_batch *batch;
    ctf_content content;
    /* How many packets with events were decoded, and how many of them ended where their content
       does. */
    uint32_t tried, fitting;
} trial;

static stele_status open_file(const trial *t, const ctf_file *file, input **in, window *w)
{
    const size_t size_max = t->trace->base.context->limits.record_size_max;
    stele_status status = ctf_open_member(t->trace, file->member, in);
    if (status != STELE_OK)
        return status;
    status = (*in)->is_seekable && (*in)->has_size
                 ? window_open(w, *in, 0, UINT64_MAX, WINDOW_SIZE, size_max)
                 : STELE_ERR_UNSUPPORTED;
    if (status != STELE_OK)
        ctf_close_member(file->member, *in);
    return status;
}

/* Ignores errors other than exhausted memory: they are reported when the file is read for its
   events. */
static stele_status ignore_reading(stele_status status)
{
    return status == STELE_ERR_MEMORY ? status : STELE_OK;
}

/* ---- Byte order of data streams ---- */

/* Reads the byte order of the first packet of the subtrace's files. `*has_order` is false if there
   is no packet. */
static stele_status find_order(const trial *t, const ctf_subtrace *subtrace, bool *has_order,
                               bool *is_big)
{
    stele_status status = STELE_OK;
    *has_order = false;
    for (uint32_t i = 0; i < t->trace->file_count && status == STELE_OK && !*has_order; i++) {
        const ctf_file *file = &t->trace->files[i];
        stele_ctf_rfc_header header;
        input *in;
        window w;
        if (file->subtrace != subtrace->number)
            continue;
        status = open_file(t, file, &in, &w);
        if (status != STELE_OK) {
            status = ignore_reading(status);
            continue;
        }
        *has_order = window_need(&w, STELE_CTF_RFC_HEADER_SIZE) >= STELE_CTF_RFC_HEADER_SIZE &&
                     stele_ctf_rfc_header_read(w.at, &header);
        if (*has_order)
            *is_big = header.is_big_endian;
        window_close(&w);
        ctf_close_member(file->member, in);
    }
    return status;
}

/* ---- Alignment of fields ---- */

static stele_status try_packet(trial *t, const ctf_packets *packets, window *w,
                               const ctf_packet *packet)
{
    stele_status status = content_enter(&t->content, packets, w, packet, packets->decoder);
    decode_outcome outcome = DECODE_OK;
    if (status != STELE_OK)
        return ignore_reading(status); /* an encrypted packet without its key shows nothing */
    while (outcome == DECODE_OK) {
        stele_batch_clear(t->batch);
        outcome = content_events(&t->content, t->batch);
    }
    t->tried++;
    t->fitting += outcome == DECODE_END;
    return outcome == DECODE_MEMORY ? STELE_ERR_MEMORY : STELE_OK;
}

static stele_status try_file(trial *t, const ctf_file *file, ctf_decoder *decoder)
{
    ctf_packets packets;
    ctf_packet packet;
    window w;
    input *in;
    uint32_t count = 0;
    stele_status status = open_file(t, file, &in, &w);
    if (status != STELE_OK)
        return ignore_reading(status);
    packets_init(&packets, t->trace, file, decoder, in->size);
    packets.is_quiet = true;
    while (count < TRIED_PACKETS && (status = packets_next(&packets, &w, &packet)) == STELE_OK) {
        const uint64_t end = packet.offset + packet.size;
        if (packet.content_bits > packet.head.events_at && !packet.is_cut) {
            status = try_packet(t, &packets, &w, &packet);
            count++;
        }
        if (status != STELE_OK || packet.is_cut || !window_skip(&w, end - window_offset(&w)))
            break;
    }
    window_close(&w);
    ctf_close_member(file->member, in);
    return ignore_reading(status);
}

/* Counts how many packets fit the subtrace's schema as it is now. */
static stele_status try_subtrace(trial *t, const ctf_subtrace *subtrace)
{
    ctf_programs *programs = programs_new(&subtrace->schema, t->trace->base.context,
                                          t->trace->base.info.number, STELE_COLUMN_TIME);
    ctf_decoder *decoder = programs != NULL ? decoder_new(programs) : NULL;
    stele_status status = decoder != NULL ? STELE_OK : STELE_ERR_MEMORY;
    uint32_t count = 0;
    t->tried = t->fitting = 0;
    for (uint32_t i = 0; i < t->trace->file_count && status == STELE_OK; i++)
        if (t->trace->files[i].subtrace == subtrace->number && count++ < TRIED_FILES) {
            decoder_reset(decoder);
            status = try_file(t, &t->trace->files[i], decoder);
        }
    decoder_free(decoder);
    programs_free(programs);
    return status;
}

static stele_status reparse(trial *t, ctf_subtrace *subtrace, stele_ctf_alignment packing)
{
    subtrace->text.rfc.packing = packing;
    return ctf_subtrace_parse(t->trace, subtrace) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status find_packing(trial *t, ctf_subtrace *subtrace)
{
    const stele_ctf_alignment last = STELE_CTF_PACKED;
    stele_ctf_alignment best = STELE_CTF_NATURAL_64;
    uint32_t best_fitting = 0;
    for (unsigned i = STELE_CTF_NATURAL_64; i <= (unsigned)last; i++) {
        stele_status status =
            i != STELE_CTF_NATURAL_64 ? reparse(t, subtrace, (stele_ctf_alignment)i) : STELE_OK;
        if (status == STELE_OK)
            status = try_subtrace(t, subtrace);
        if (status != STELE_OK)
            return status;
        if (t->fitting == t->tried)
            return STELE_OK; /* every packet fits */
        if (t->fitting > best_fitting) {
            best = (stele_ctf_alignment)i;
            best_fitting = t->fitting;
        }
    }
    return best != last ? reparse(t, subtrace, best) : STELE_OK;
}

static stele_status find_for_subtrace(trial *t, ctf_subtrace *subtrace)
{
    bool has_order, is_big;
    stele_status status = find_order(t, subtrace, &has_order, &is_big);
    if (status == STELE_OK && has_order && is_big != subtrace->text.is_big_endian) {
        subtrace->text.is_big_endian = is_big;
        status = reparse(t, subtrace, subtrace->text.rfc.packing);
    }
    return status == STELE_OK && !t->trace->has_packing ? find_packing(t, subtrace) : status;
}

stele_status ctf_find_architecture(ctf_trace *trace)
{
    stele_context *context = trace->base.context;
    const diag_sink told = context->diag;
    trial t = {.trace = trace, .content = {.is_exact = true}};
    stele_status status = stele_batch_new(TRIED_EVENTS, &t.batch);
    context->diag.fn = NULL; /* the reader of the events reports what is wrong */
    for (uint32_t i = 0; i < trace->subtrace_count && status == STELE_OK; i++)
        if (trace->subtraces[i].is_open && trace->subtraces[i].text.generation == CTF_RFC)
            status = find_for_subtrace(&t, &trace->subtraces[i]);
    context->diag = told;
    content_free(&t.content);
    stele_batch_free(t.batch);
    return status;
}
