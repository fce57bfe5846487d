/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/look.h"

#include <string.h>

#include "core/follow.h"

void look_take_settings(ctf_trace *look, const ctf_trace *first)
{
    *look = (ctf_trace){.base = {.ops = first->base.ops,
                                 .format = first->base.format,
                                 .context = first->base.context,
                                 .info = first->base.info,
                                 .options = first->base.options},
                        .name_lost_events = first->name_lost_events,
                        .name_lost_packets = first->name_lost_packets,
                        .name_packets = first->name_packets,
                        .has_packing = first->has_packing,
                        .rfc = first->rfc,
                        .clock_frequency_hz = first->clock_frequency_hz,
                        .clock_offset_ns = first->clock_offset_ns,
                        .rounds_twice = first->rounds_twice,
                        .restarts_clocks = first->restarts_clocks,
                        .shows_as_written = first->shows_as_written,
                        .known = first->known};
    memcpy(look->key, first->key, sizeof look->key);
    if (first->rfc.key != NULL)
        look->rfc.key = look->key;
}

bool look_is_sound(const ctf_trace *first, source *from, uint64_t *size)
{
    diag_sink *diag = &first->base.context->diag;
    const diag_sink told = *diag;
    ctf_trace trial;
    bool is_sound;
    look_take_settings(&trial, first);
    trial.known = NULL;
    trial.base.source = from;
    diag->fn = NULL;
    is_sound =
        ctf_collect(&trial) == STELE_OK && diag->counts[STELE_ERROR] == told.counts[STELE_ERROR];
    *diag = told;
    *size = 0;
    for (uint32_t i = 0; i < trial.subtrace_count; i++)
        *size += trial.subtraces[i].text.stored_size;
    trial.base.ops->close(&trial.base);
    return is_sound;
}

void look_await_metadata(const ctf_trace *first)
{
    const diag_sink *diag = &first->base.context->diag;
    int64_t changed_ms = follow_now_ms();
    uint64_t before = 0, size;
    follow waiting;
    follow_begin(&waiting, first->base.options.idle_ns / 1000000);
    while (!look_is_sound(first, first->base.source, &size)) {
        if (size != before)
            changed_ms = follow_now_ms();
        else if (follow_now_ms() - changed_ms >= LOOK_METADATA_MS)
            break;
        before = size;
        if (!follow_sleep(&waiting, diag, LOOK_METADATA_MS / 10))
            break;
    }
    follow_end(&waiting);
}
