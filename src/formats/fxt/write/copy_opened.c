/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins of what is open where a copy of FXT begins, and ends of what is open where it ends.
 *
 * What is open at the begin is begun by its own record at its place. Where records of a track do
 * not stand in the order in which they nest, or stand after events that are kept, those of the
 * track are written anew before the provider's first event, so that they nest as they did.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/load.h"
#include "formats/fxt/write/copy.h"

/* ---- Begins ---- */

#define MARK_NAME      "stele.before_ns"
#define MARK_WORDS     4u
#define END_MARK_NAME  "stele.unfinished"
#define END_MARK_WORDS 3u
#define PRIORITY_WORDS 4u
#define WORDS_MAX      0xfffu

/* Whether a word follows the arguments of the event record. */
static bool has_last_word(const stele_fxt_record *r)
{
    return r->subtype == STELE_FXT_COUNTER || r->subtype >= STELE_FXT_DURATION_COMPLETE;
}

/* Returns the bit of the header at which the number of arguments begins, or 0 if the record cannot
   have arguments. */
static unsigned arguments_bit(const stele_fxt_record *r)
{
    return r->type == STELE_FXT_EVENT                                                      ? 20
           : r->type == STELE_FXT_SCHEDULING && r->subtype != STELE_FXT_CONTEXT_SWITCH_OLD ? 16
                                                                                           : 0;
}

/* Whether the record can get one more argument: neither their number nor its size exceeds the
   format. */
static bool has_room_for_mark(const walk_record *at, const stele_fxt_record *r)
{
    const unsigned bit = arguments_bit(r);
    return bit != 0 && r->fault == STELE_FXT_OK && fxt_bits(at->header, bit, bit + 3) < 15 &&
           at->size / FXT_WORD + MARK_WORDS <= WORDS_MAX;
}

/* Writes the argument that says how much earlier the event really began. */
static void put_mark(const fxt_copier *c, uint64_t before_ns)
{
    const uint8_t name[2 * FXT_WORD] = MARK_NAME;
    copy_put_word(c, c->out,
                  fxt_field(STELE_FXT_ARGUMENT_UINT64, 0, 3) | fxt_field(MARK_WORDS, 4, 15) |
                      fxt_field(STELE_FXT_INLINE | (sizeof MARK_NAME - 1), 16, 31));
    output_write(c->out, name, sizeof name);
    copy_put_word(c, c->out, before_ns);
}

/* Writes an argument with a 32-bit number, whose name has 17 to 24 bytes. */
static void put_priority(const fxt_copier *c, const char *text, uint32_t value)
{
    uint8_t name[3 * FXT_WORD] = {0};
    const size_t size = strlen(text);
    memcpy(name, text, size);
    copy_put_word(c, c->out,
                  fxt_field(STELE_FXT_ARGUMENT_UINT32, 0, 3) | fxt_field(PRIORITY_WORDS, 4, 15) |
                      fxt_field(STELE_FXT_INLINE | size, 16, 31) | fxt_field(value, 32, 63));
    output_write(c->out, name, sizeof name);
}

/* Writes a switch of the first kind as one of the newer kind: the first kind has no room for the
   mark. Priorities become arguments. */
static void write_old_switch(fxt_copier *c, const stele_fxt_record *r, const opened_record *opened)
{
    const unsigned words = 4 + 2 * PRIORITY_WORDS + MARK_WORDS;
    copy_flush_waiting(c);
    copy_enter_provider(c, c->provider);
    copy_put_word(c, c->out,
                  fxt_field(STELE_FXT_SCHEDULING, 0, 3) | fxt_field(words, 4, 15) |
                      fxt_field(3, 16, 19) | fxt_field(r->number, 20, 35) |
                      fxt_field(r->outgoing_state, 36, 39) |
                      fxt_field(STELE_FXT_CONTEXT_SWITCH, 60, 63));
    copy_put_word(c, c->out, opened->ticks);
    copy_put_word(c, c->out, opened->outgoing);
    copy_put_word(c, c->out, opened->incoming);
    put_priority(c, "outgoing_priority", r->outgoing_priority);
    put_priority(c, "incoming_priority", r->incoming_priority);
    put_mark(c, opened->before_ns);
}

static void write_opened(fxt_copier *c, const walk_record *at, const stele_fxt_record *r,
                         const opened_record *opened)
{
    const bool is_marked = has_room_for_mark(at, r);
    /* After the arguments: an optional last word, and words of an extension. */
    const size_t size = (size_t)at->size, used = is_marked ? (size_t)r->used : size,
                 last = is_marked && r->type == STELE_FXT_EVENT && has_last_word(r) ? FXT_WORD : 0;
    uint64_t header = at->header;
    if (is_marked)
        header +=
            fxt_field(MARK_WORDS, 4, 15) + fxt_field(1, arguments_bit(r), arguments_bit(r) + 3);
    copy_flush_waiting(c);
    copy_enter_provider(c, c->provider);
    copy_put_word(c, c->out, header);
    copy_put_word(c, c->out, opened->ticks);
    output_write(c->out, at->bytes + 2 * FXT_WORD, used - 2 * FXT_WORD - last);
    if (is_marked)
        put_mark(c, opened->before_ns);
    output_write(c->out, at->bytes + used - last, size - used + last);
}

void copy_write_moved(fxt_copier *c)
{
    size_t all;
    const uint8_t *bytes = c->moved_left != 0 ? output_memory(c->anew, &all) : NULL;
    for (uint32_t i = 0; c->moved_left != 0 && i < c->moved_count; i++) {
        opened_record *moved = &c->moved[i];
        walk_record at = {.bytes = bytes + moved->at, .size = moved->size, .loaded = moved->size};
        stele_fxt_record r;
        if (moved->provider != c->provider || moved->size == 0)
            continue;
        at.header = load_le64(at.bytes);
        stele_fxt_decode(at.bytes, at.loaded, false, &r);
        c->has_gap = true;
        if (r.type == STELE_FXT_SCHEDULING && r.subtype == STELE_FXT_CONTEXT_SWITCH_OLD)
            write_old_switch(c, &r, moved);
        else
            write_opened(c, &at, &r, moved);
        moved->size = 0;
        c->moved_left--;
    }
}

void copy_pass_opened(fxt_copier *c, const walk_record *at, const stele_fxt_record *r)
{
    const opened_record *next;
    if (c->opened_count == 0)
        return;
    while (c->opened_at < c->opened_count && c->opened[c->opened_at].offset < at->offset)
        c->opened_at++;
    next = &c->opened[c->opened_at];
    if (c->opened_at == c->opened_count || next->offset != at->offset || at->is_damaged ||
        at->loaded < at->size || at->size < 2 * FXT_WORD)
        return;
    copy_write_moved(c);
    if (next->is_moved)
        return;
    c->has_gap = true;
    if (r->type == STELE_FXT_SCHEDULING && r->subtype == STELE_FXT_CONTEXT_SWITCH_OLD &&
        r->fault == STELE_FXT_OK)
        write_old_switch(c, r, next);
    else
        write_opened(c, at, r, next);
}

static int opened_compare(const void *left, const void *right)
{
    const opened_record *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static uint64_t koid_of(const fxt_copier *c, uint64_t number)
{
    const stele_track *track = stele_track_get(c->trace->base.context, (uint32_t)number);
    return track != NULL ? track->number : 0;
}

/* The provider of a batch's events, by the number that its records have. */
static uint64_t provider_of(const fxt_copier *c, const stele_batch *batch)
{
    const stele_context *context = c->trace->base.context;
    const stele_stream *stream = stele_stream_get(context, batch->stream);
    const stele_track *track = stream != NULL ? stele_track_get(context, stream->track) : NULL;
    return track != NULL && track->kind == STELE_TRACK_PROVIDER ? track->number : PROVIDER_IMPLICIT;
}

/* Writes a record anew, little-endian, with its thread, category and name inline. Returns false if
   out of memory. */
static bool write_anew(fxt_copier *c, const stele_batch *batch, const stele_event *event,
                       opened_record *opened)
{
    static const stele_writer_options options;
    stele_context *context = c->trace->base.context;
    size_t end;
    if (c->anew == NULL && output_open_memory(&context->diag, &c->anew) != STELE_OK)
        return false;
    if (c->writer == NULL && fxt_writer_new(context, c->anew, &options, &c->writer) != STELE_OK)
        return false;
    output_memory(c->anew, &opened->at);
    if (!fxt_writer_put_alone(c->writer, batch, event))
        return false;
    output_memory(c->anew, &end);
    opened->size = end - opened->at;
    return true;
}

stele_status copy_begin_opened(copier *self, const stele_batch *batch, const stele_event *event,
                               uint64_t before_ns)
{
    fxt_copier *c = (fxt_copier *)self;
    opened_record *opened;
    /* Room for one more, which is never read as a record. */
    if (c->opened_count + 1 >= c->opened_capacity) {
        opened_record *grown = array_grow(c->opened, sizeof *grown, &c->opened_capacity, 16);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->opened = grown;
    }
    opened = &c->opened[c->opened_count++];
    *opened = (opened_record){.offset = event->offset,
                              .ticks = event->ticks,
                              .before_ns = before_ns,
                              .track = event->track,
                              .provider = provider_of(c, batch)};
    /* A record that is big-endian stays where it is. */
    if (!c->walk.is_big_endian && !write_anew(c, batch, event, opened))
        return STELE_ERR_MEMORY;
    if (event->kind == STELE_KIND_SWITCH) {
        opened->outgoing = koid_of(c, event->value);
        opened->incoming = koid_of(c, event->id);
    }
    losses_add(&self->losses, (stele_kind)event->kind, COPIER_BEGUN, LOSS_FORM, 1);
    return STELE_OK;
}

/* Marks the records of tracks on which one stands after a record that it is around, or after the
   first event that is kept. Returns false if out of memory. */
static bool choose_moved(fxt_copier *c, uint64_t first_kept)
{
    fxt_map latest = {0}; /* maps (0, track) to 1 + index of its last record, (1, track) to 1 */
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < c->opened_count; i++) {
        const opened_record *o = &c->opened[i];
        const uint32_t before = fxt_map_get(&latest, 0, o->track);
        if (o->offset > first_kept || (before != 0 && c->opened[before - 1].offset > o->offset))
            is_done = fxt_map_set(&latest, 1, o->track, 1);
        is_done = is_done && fxt_map_set(&latest, 0, o->track, i + 1);
    }
    for (uint32_t i = 0; is_done && i < c->opened_count; i++) {
        opened_record *o = &c->opened[i];
        o->is_moved = o->size != 0 && fxt_map_get(&latest, 1, o->track) != 0;
        c->moved_count += o->is_moved;
    }
    fxt_map_free(&latest);
    return is_done;
}

bool copy_sort_opened(fxt_copier *c, uint64_t first_kept)
{
    if (c->is_sorted || c->opened_count == 0)
        return true;
    c->is_sorted = true;
    if (!choose_moved(c, first_kept))
        return false;
    if (c->moved_count != 0) {
        c->moved = calloc(c->moved_count, sizeof *c->moved);
        if (c->moved == NULL)
            return false;
        for (uint32_t i = 0; i < c->opened_count; i++)
            if (c->opened[i].is_moved)
                c->moved[c->moved_left++] = c->opened[i];
    }
    qsort(c->opened, c->opened_count, sizeof *c->opened, opened_compare);
    return true;
}

/* ---- Ends ---- */

stele_status copy_end_opened(copier *self, const stele_batch *batch, const stele_event *event)
{
    fxt_copier *c = (fxt_copier *)self;
    stele_event end = *event;
    opened_record *ended;
    if (c->ended_count == c->ended_capacity) {
        opened_record *grown = array_grow(c->ended, sizeof *grown, &c->ended_capacity, 16);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->ended = grown;
    }
    ended = &c->ended[c->ended_count++];
    *ended = (opened_record){.provider = provider_of(c, batch)};
    end.kind = STELE_KIND_END;
    end.field_count = 0;
    return write_anew(c, batch, &end, ended) ? STELE_OK : STELE_ERR_MEMORY;
}

/* Writes an end that was written anew, with the argument that marks it, in the byte order of the
   copy. Its numbers come first: the header, the time, and the thread if it is inline. */
static void put_end(const fxt_copier *c, const uint8_t *bytes, size_t size)
{
    const uint8_t name[2 * FXT_WORD] = END_MARK_NAME;
    const uint64_t header = load_le64(bytes);
    const size_t number_count = fxt_bits(header, 24, 31) == 0 ? 4 : 2;
    copy_put_word(c, c->out, header + fxt_field(END_MARK_WORDS, 4, 15) + fxt_field(1, 20, 23));
    for (size_t i = 1; i < number_count; i++)
        copy_put_word(c, c->out, load_le64(bytes + i * FXT_WORD));
    output_write(c->out, bytes + number_count * FXT_WORD, size - number_count * FXT_WORD);
    copy_put_word(c, c->out,
                  fxt_field(STELE_FXT_ARGUMENT_BOOL, 0, 3) | fxt_field(END_MARK_WORDS, 4, 15) |
                      fxt_field(STELE_FXT_INLINE | (sizeof END_MARK_NAME - 1), 16, 31) |
                      fxt_field(1, 32, 32));
    output_write(c->out, name, sizeof name);
}

void copy_write_ends(fxt_copier *c)
{
    size_t all;
    const uint8_t *bytes =
        c->ended_count != 0 && c->anew != NULL ? output_memory(c->anew, &all) : NULL;
    for (uint32_t i = c->ended_count; i > 0; i--) {
        const opened_record *ended = &c->ended[i - 1];
        const bool is_possible = ended->size != 0 && (ended->provider == c->written_provider ||
                                                      ended->provider != PROVIDER_IMPLICIT);
        losses_add(&c->base.losses, STELE_KIND_END, is_possible ? COPIER_ENDED : COPIER_NOT_ENDED,
                   LOSS_FORM, 1);
        if (!is_possible)
            continue;
        copy_enter_provider(c, ended->provider);
        put_end(c, bytes + ended->at, ended->size);
    }
}
