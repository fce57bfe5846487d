/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/content.h"

#include <inttypes.h>

/* ---- Unpacking of packets of the RFC ---- */

/* Whether the bytes may be sound although they cannot be unpacked here: the right key, a library in
   this build, or memory is missing. */
static bool is_only_sealed(stele_status status, const stele_ctf_rfc_header *header)
{
    return status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_LIMIT ||
           (status == STELE_ERR_DAMAGED && header->encryption != STELE_CTF_RFC_NO_ENCRYPTION);
}

static stele_status unpack(ctf_content *content)
{
    const ctf_trace *trace = content->packets->trace;
    stele_context *context = trace->base.context;
    rfc_unpacker *u = &content->unpacker;
    window *w = content->w;
    size_t size = 0;
    stele_ctf_rfc_header header;
    stele_status status;
    if (window_need(w, STELE_CTF_RFC_HEADER_SIZE) < STELE_CTF_RFC_HEADER_SIZE ||
        !stele_ctf_rfc_header_read(w->at, &header))
        return w->status;
    /* The checksum cannot be right; that the packet is cut was reported. */
    if (content->packet->is_cut) {
        header.checksum_scheme = STELE_CTF_RFC_NO_CHECKSUM;
        header.content_size = (uint32_t)(content->packet->content_bits / 8);
    }
    if (header.compression == STELE_CTF_RFC_NO_COMPRESSION &&
        header.encryption == STELE_CTF_RFC_NO_ENCRYPTION &&
        header.checksum_scheme == STELE_CTF_RFC_NO_CHECKSUM)
        return STELE_OK;
    u->is_copied = trace->copier != NULL && trace->copier->keeps_all && !content->packet->is_cut;
    if (window_need(w, header.content_size) < header.content_size) {
        if (w->status != STELE_OK)
            return w->status;
        if (header.compression == STELE_CTF_RFC_NO_COMPRESSION &&
            header.encryption == STELE_CTF_RFC_NO_ENCRYPTION) {
            ctf_report(trace, CTF313, content->packets->file->path,
                       content->packet->offset * 8 + (uint64_t)47 * 8, 1, 0,
                       "a content that can be held in memory", "%" PRIu32 " bytes",
                       header.content_size);
            return STELE_OK;
        }
        if (!u->is_copied)
            ctf_report(trace, CTF470, content->packets->file->path, content->packet->offset * 8,
                       header.content_size, 0, "a packet that can be held in memory",
                       "%" PRIu32 " bytes of content", header.content_size);
        content->is_sealed = true;
        return STELE_ERR_FORMAT;
    }
    u->diag = &context->diag;
    u->name = content->packets->file->path;
    u->key = trace->rfc.key;
    u->key_size = trace->rfc.key_size;
    u->size_max = context->limits.record_size_max;
    u->gives_part = true;
    status = rfc_unpack(u, &header, w->at, content->packet->offset, &content->bytes, &size);
    content->is_sealed = is_only_sealed(status, &header);
    if (status != STELE_OK)
        return status == STELE_ERR_MEMORY ? status : STELE_ERR_FORMAT;
    if (content->bytes == w->at)
        /* Only the checksum was verified; the content is loaded from the window. */
        content->bytes = NULL;
    else
        content->content_bits = (uint64_t)size * 8;
    return STELE_OK;
}

stele_status content_enter(ctf_content *content, const ctf_packets *packets, window *w,
                           const ctf_packet *packet, ctf_decoder *decoder)
{
    stele_status status = STELE_OK;
    content->packets = packets;
    content->packet = packet;
    content->w = w;
    content->decoder = decoder;
    content->bytes = NULL;
    content->is_sealed = false;
    content->content_bits = packet->content_bits;
    content->left_out = 0;
    content->recent_count = 0;
    decoder_defer(decoder);
    if (packets->subtrace->schema.generation == CTF_RFC)
        status = unpack(content);
    if (status == STELE_OK)
        decoder_set_content(decoder, content->content_bits);
    return status;
}

/* Decodes events up to the end of the content or something that cannot be read. */
static decode_outcome decode(ctf_content *content, stele_batch *batch)
{
    decode_outcome outcome;
    uint64_t want = 1;
    const uint64_t position = decoder_position(content->decoder);
    if (position == content->content_bits) {
        content->view = (packet_view){NULL, 0, position / 8};
        return decoder_events(content->decoder, &content->view, batch);
    }
    do {
        packet_view *view = &content->view;
        if (!content_load(content, decoder_position(content->decoder) / 8, want, view)) {
            decoder_unloadable(content->decoder, (size_t)(content->w->end - content->w->at));
            return DECODE_BAD;
        }
        outcome = decoder_events(content->decoder, view, batch);
        want = decoder_want_size(content->decoder);
        if (outcome == DECODE_MORE && want <= view->size &&
            decoder_position(content->decoder) / 8 == view->offset)
            want = view->size + 1;
    } while (outcome == DECODE_MORE);
    return outcome;
}

static decode_outcome decode_events(ctf_content *content, stele_batch *batch)
{
    const uint32_t before = batch->event_count;
    const decode_outcome outcome = decode(content, batch);
    if (batch->event_count > before) {
        const uint32_t made = batch->event_count - before;
        content->recent_count = made < CONTENT_RECENT ? made : CONTENT_RECENT;
        for (uint32_t i = 0; i < content->recent_count; i++)
            content->recent[i] =
                batch->events[batch->event_count - content->recent_count + i].offset;
    }
    return outcome;
}

decode_outcome content_events(ctf_content *content, stele_batch *batch)
{
    decode_outcome outcome = decode_events(content, batch);
    while (outcome == DECODE_BAD && content->w->status == STELE_OK) {
        outcome = content_search(content);
        if (outcome != DECODE_OK || batch->event_count != 0)
            break;
        outcome = decode_events(content, batch);
    }
    return outcome;
}

void content_free(ctf_content *content)
{
    rfc_unpacker_free(&content->unpacker);
    stele_batch_free(content->trial);
    *content = (ctf_content){0};
}
