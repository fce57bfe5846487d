/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as traces of CTF 1.8, CTF 2 and the RFC v1.1: folders with the metadata, a file for
 * each data stream and, except for the RFC, LTTng's index of its packets.
 *
 * A data stream has the events of one stream of the source; events with a thread or CPU in their
 * context belong to other stream classes than those without. Everything is little-endian and
 * byte-packed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stele/ctf.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/write/writer.h"
#include "formats/ctf/write/writer_events.h"
#include "formats/ctf/write/writer_metadata.h"
#include "formats/ctf/write/writer_packets.h"
#include "formats/ctf/write/writer_schema.h"
#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_streams.h"

/* ---- Finishing a trace ---- */

/* Numbers the tracks that no event is on but that have a name, after the others. */
static void number_tracks(ctf_writer *w)
{
    const stele_track *first =
        w->track_count != 0 ? stele_track_get(w->base.context, w->tracks[0]) : NULL;
    bool has_others = false;
    for (uint32_t i = 1; first != NULL && i <= stele_track_count(w->base.context); i++) {
        const stele_track *track = stele_track_get(w->base.context, i);
        if (track->source != first->source)
            has_others |= i < w->number_count && w->track_numbers[i] != 0;
        else if (track->name != 0 && track->kind != STELE_TRACK_STREAM)
            writer_track_number(w, i);
    }
    if (has_others)
        writer_lose(&w->base, STELE_KIND_NONE, "tracks of several traces as those of one", false,
                    1);
}

/* Counts the names of processes and threads as lost: contexts only have their numbers. */
static void lose_tracks(ctf_writer *w)
{
    if (w->shape.is_marked) {
        number_tracks(w);
        return;
    }
    for (uint32_t i = 1; i <= stele_track_count(w->base.context); i++) {
        const stele_track *track = stele_track_get(w->base.context, i);
        if (track != NULL && track->name != 0 && track->kind != STELE_TRACK_STREAM)
            writer_lose(&w->base, STELE_KIND_NONE, "name of a track", true, 1);
    }
}

static stele_status ctf_finish(stele_writer *self)
{
    ctf_writer *w = (ctf_writer *)self;
    lose_tracks(w);
    writer_end_sources(w);
    for (uint32_t i = 0; i < w->stream_count; i++)
        writer_stream_end(w, &w->streams[i]);
    if (w->status == STELE_OK)
        writer_metadata_finish(w);
    for (uint32_t i = 0; i < w->stream_count && w->generation != CTF_RFC; i++)
        if (w->status == STELE_OK)
            writer_index_write(w, &w->streams[i]);
    return w->status;
}

static void ctf_close(stele_writer *self)
{
    ctf_writer *w = (ctf_writer *)self;
    for (uint32_t i = 0; i < w->stream_count; i++) {
        free(w->streams[i].packet.bytes);
        free(w->streams[i].index.bytes);
    }
    free(w->streams);
    free(w->sources);
    free(w->classes);
    free(w->track_numbers);
    free(w->tracks);
    free(w->labels);
    intern_free(&w->keys);
    intern_free(&w->label_keys);
    shape_free(&w->shape);
    rfc_packer_free(&w->packer);
    free(w);
}

/* ---- Opening and settings ---- */

static stele_status refuse(stele_context *context, const char *expected, const char *what,
                           const char *value)
{
    diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected, "%s '%s'",
                what, value);
    return STELE_ERR_ARGUMENT;
}

static stele_status key_read(stele_context *context, const char *path, rfc_packer *packer)
{
    if (!rfc_key_read(path, packer->key, &packer->key_size))
        return refuse(context, "a file of 16, 24 or 32 bytes", "key file", path);
    packer->encryption = STELE_CTF_RFC_AES;
    return STELE_OK;
}

/* Takes a setting for one of the choices that the RFC offers. */
static stele_status setting_take(stele_context *context, const stele_setting *setting,
                                 rfc_packer *packer, rfc_layout *layout)
{
    static const struct {
        const char *key, *expected, *words[5];
    } choices[] = {{"compress", "bzip2 or gzip", {"none", "bzip2", "gzip", NULL}},
                   {"checksum", "md5, sha1 or crc32", {"none", "md5", "sha1", "crc32", NULL}},
                   {"event-header", "type1 or type2", {"type1", "type2", NULL}},
                   {"header-alignment",
                    "natural64, natural32 or packed",
                    {"natural64", "natural32", "packed", NULL}}};
    uint8_t *const values[] = {&packer->compression, &packer->checksum, &layout->event_header,
                               &layout->packing};
    uint8_t number = 0;
    size_t i = 0;
    if (strcmp(setting->key, "to-key-file") == 0)
        return key_read(context, setting->value, packer);
    while (i < sizeof choices / sizeof *choices && strcmp(setting->key, choices[i].key) != 0)
        i++;
    if (i == sizeof choices / sizeof *choices)
        return refuse(context, "compress, checksum, event-header, header-alignment or to-key-file",
                      "setting", setting->key);
    while (choices[i].words[number] != NULL &&
           strcmp(choices[i].words[number], setting->value) != 0)
        number++;
    if (choices[i].words[number] == NULL)
        return refuse(context, choices[i].expected, setting->key, setting->value);
    *values[i] = number;
    return STELE_OK;
}

static stele_status settings_take(stele_context *context, const stele_writer_options *options,
                                  ctf_generation generation, rfc_packer *packer, rfc_layout *layout)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; i < options->setting_count && status == STELE_OK; i++)
        status = setting_take(context, &options->settings[i], packer, layout);
    if (status == STELE_OK && options->setting_count != 0 && generation != CTF_RFC)
        return refuse(context, "the version rfc, which alone has such settings", "setting",
                      options->settings[0].key);
    if (status == STELE_OK && !rfc_packer_begin(packer))
        return refuse(context, "a build with libbz2 and libcrypto, where both are installed",
                      "setting", options->settings[0].key);
    return status;
}

stele_status ctf_writer_open(stele_context *context, output *out,
                             const stele_writer_options *options, stele_writer **writer)
{
    static const writer_ops ops = {writer_put_segment, ctf_finish, ctf_close};
    ctf_writer *w;
    rfc_packer packer = {.key_size = 0};
    rfc_layout layout = {.event_header = RFC_TYPE_2, .packing = STELE_CTF_NATURAL_64};
    ctf_generation generation;
    stele_status status;
    *writer = NULL;
    if (!ctf_version_find(options->version, &generation))
        return refuse(context, "1.8, 2 or rfc", "version", options->version);
    status = settings_take(context, options, generation, &packer, &layout);
    if (status != STELE_OK)
        return status;
    w = calloc(1, sizeof *w);
    if (w == NULL) {
        rfc_packer_free(&packer);
        return STELE_ERR_MEMORY;
    }
    w->base =
        (stele_writer){.ops = &ops, .context = context, .out = out, .timeless.is_wanted = true};
    w->generation = generation;
    w->packer = packer;
    w->layout = layout;
    w->shape.is_marked = generation != CTF_RFC;
    w->shape.track_number = writer_track_number;
    w->shape.user = w;
    w->streams = calloc(STREAMS_MAX, sizeof *w->streams);
    if (w->streams == NULL || !intern_init(&w->keys, SIZE_MAX) ||
        !intern_init(&w->label_keys, LABELS_SIZE_MAX) || !shape_open(&w->shape, &w->base)) {
        ctf_close(&w->base);
        return STELE_ERR_MEMORY;
    }
    *writer = &w->base;
    return STELE_OK;
}
