/* SPDX-License-Identifier: Apache-2.0 */
/* State records of a copy of FXT (strings, threads, providers), which wait until an event is kept
   that may need them. */
#include "core/array.h"
#include "formats/fxt/write/copy.h"

/* Most bytes of state that wait. State without events is harmless, so beyond that it is written. */
#define WAITING_MAX ((size_t)1 << 20)

void copy_put_word(const fxt_copier *c, output *out, uint64_t word)
{
    uint8_t bytes[FXT_WORD];
    if (c->walk.is_big_endian)
        store_be64(bytes, word);
    else
        store_le64(bytes, word);
    output_write(out, bytes, sizeof bytes);
}

void copy_enter_provider(fxt_copier *c, uint64_t provider)
{
    if (provider == c->written_provider || provider == PROVIDER_IMPLICIT)
        return;
    c->written_provider = provider;
    copy_put_word(c, c->out,
                  fxt_field(STELE_FXT_METADATA, 0, 3) | fxt_field(1, 4, 15) |
                      fxt_field(STELE_FXT_PROVIDER_SECTION, 16, 19) | fxt_field(provider, 20, 51));
}

void copy_write_waiting(fxt_copier *c)
{
    size_t size;
    const uint8_t *bytes = output_memory(c->bytes, &size);
    /* Without a gap all are written, so that a copy of everything is identical. */
    for (uint32_t i = 0; i < c->count; i++) {
        const waiting *w = &c->waiting[i];
        if (c->has_gap && (w->is_replaced || w->is_section))
            continue;
        if (w->is_section || w->is_info)
            c->written_provider = w->provider;
        else
            copy_enter_provider(c, w->provider);
        output_write(c->out, bytes + w->at, w->size);
    }
    c->count = 0;
    c->bytes->at = c->bytes->buffer;
    fxt_map_free(&c->slots);
}

/* Returns a number for what a state record sets within its provider, or 0 if no later record
   replaces it. */
static uint64_t slot_of(const stele_fxt_record *r)
{
    switch (r->type) {
    /* Records that introduce a provider or set its tick rate are never replaced: the first ones
       identify its clock. */
    case STELE_FXT_STRING: return 0x10000u | r->number;
    case STELE_FXT_THREAD: return 0x20000u | r->number;
    default: return 0;
    }
}

bool copy_wait_for(fxt_copier *c, const walk_record *at, const stele_fxt_record *r)
{
    const uint64_t slot = slot_of(r);
    size_t before;
    if (c->count == c->capacity) {
        waiting *grown = array_grow(c->waiting, sizeof *grown, &c->capacity, 64);
        if (grown == NULL)
            return false;
        c->waiting = grown;
    }
    output_memory(c->bytes, &before);
    output_write(c->bytes, at->bytes, (size_t)at->extent);
    c->waiting[c->count++] = (waiting){
        .at = before,
        .size = (size_t)at->extent,
        .provider = c->provider,
        .is_section = r->type == STELE_FXT_METADATA && r->subtype == STELE_FXT_PROVIDER_SECTION,
        .is_info = r->type == STELE_FXT_METADATA && r->subtype == STELE_FXT_PROVIDER_INFO,
    };
    if (slot != 0) {
        const uint32_t known = fxt_map_get(&c->slots, c->provider, slot);
        if (known != 0)
            c->waiting[known - 1].is_replaced = true;
        if (!fxt_map_set(&c->slots, c->provider, slot, c->count))
            return false;
    }
    if (before + at->extent > WAITING_MAX)
        copy_flush_waiting(c);
    return c->bytes->status == STELE_OK;
}
