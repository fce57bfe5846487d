/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the records of kept events byte by byte, and before them the state that they may need.
 * State records wait until an event is kept. If nothing was left out in between they are written as
 * they are; after a gap, state that was replaced meanwhile is dropped, and provider sections are
 * written where they are needed.
 *
 * What is open where the copy begins is begun by its own record at its place. Where records of a
 * track do not stand in the order in which they nest, or stand after events that are kept, those of
 * the track are written anew before the provider's first event, so that they nest as they did.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/load.h"
#include "formats/fxt/trace.h"

/* Most bytes of state that wait. State without events is harmless, so beyond that it is written. */
#define WAITING_MAX ((size_t)1 << 20)

#define PROVIDER_IMPLICIT UINT64_MAX

/* A state record that waits. */
typedef struct waiting {
    size_t at, size;   /* in fxt_copier.bytes */
    uint64_t provider; /* the provider in whose part of the trace it is */
    bool is_section;   /* the record only switches the provider */
    bool is_info;
    bool is_replaced;
} waiting;

/* A record that is open where the copy begins. */
typedef struct opened_record {
    uint64_t offset, ticks, before_ns;
    uint64_t outgoing, incoming; /* koids of the threads of a switch */
    uint32_t track;
    uint64_t provider;
    size_t at, size; /* the record written anew, in fxt_copier.anew; size 0: it could not be */
    bool is_moved;   /* written before the first event, instead of at its place */
} opened_record;

typedef struct fxt_copier {
    copier base;
    fxt_trace *trace;
    output *out;
    record_walk walk;
    output *bytes; /* the waiting records */
    waiting *waiting;
    uint32_t count, capacity;
    fxt_map slots; /* maps (provider, slot_of() the record) to 1 + index of the waiting record */
    uint64_t provider;         /* current provider of the walk */
    uint64_t written_provider; /* current provider of the output */
    uint64_t last_offset;      /* offset of the last kept record; UINT64_MAX if there is none */
    bool has_gap;              /* something was left out after the last kept record */
    opened_record *opened;     /* sorted by offset, once an event is kept */
    uint32_t opened_count, opened_capacity, opened_at;
    bool is_sorted;
    output *anew;         /* the open records, written anew; NULL if there is none */
    stele_writer *writer; /* writes to `anew` */
    opened_record *moved; /* those that are moved, in the order in which they nest */
    uint32_t moved_count;
    uint32_t moved_left; /* how many of them are still to be written */
} fxt_copier;

/* ---- State records that wait ---- */

static void put_word(const fxt_copier *c, output *out, uint64_t word)
{
    uint8_t bytes[FXT_WORD];
    if (c->walk.is_big_endian)
        store_be64(bytes, word);
    else
        store_le64(bytes, word);
    output_write(out, bytes, sizeof bytes);
}

/* Switches the output to a provider. It cannot return to the implicit provider after another
   one. */
static void enter_provider(fxt_copier *c, uint64_t provider)
{
    if (provider == c->written_provider || provider == PROVIDER_IMPLICIT)
        return;
    c->written_provider = provider;
    put_word(c, c->out,
             fxt_field(STELE_FXT_METADATA, 0, 3) | fxt_field(1, 4, 15) |
                 fxt_field(STELE_FXT_PROVIDER_SECTION, 16, 19) | fxt_field(provider, 20, 51));
}

/* Writes the waiting records, which are needed by the event that is kept next. */
static void flush_waiting(fxt_copier *c)
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
            enter_provider(c, w->provider);
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

/* Lets a state record wait, and marks the one that it replaces. Returns false if out of memory. */
static bool wait_for(fxt_copier *c, const walk_record *at, const stele_fxt_record *r)
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
        flush_waiting(c);
    return c->bytes->status == STELE_OK;
}

/* ---- Records that are copied ---- */

/* Writes the record itself. If its size is wrong, or the input ends inside of it, the header gets
   the size that is written, as readers of the copy could not go on otherwise. */
static void write_record(fxt_copier *c, const walk_record *at)
{
    /* The loop writes what is loaded in each pass, and ends if the input does. */
    uint64_t left = at->extent / FXT_WORD * FXT_WORD;
    const unsigned high = fxt_type(at->header) == STELE_FXT_LARGE ? 35 : 15;
    if (left < FXT_WORD)
        return;
    enter_provider(c, c->provider);
    put_word(c, c->out, (at->header & ~fxt_mask(4, high)) | fxt_field(left / FXT_WORD, 4, high));
    walk_consume(&c->walk, FXT_WORD);
    left -= FXT_WORD;
    while (left != 0) {
        const size_t want = left < WALK_LOADED ? (size_t)left : WALK_LOADED;
        size_t size = window_need(&c->walk.window, want);
        if (size == 0)
            return;
        if (size > want)
            size = want;
        output_write(c->out, c->walk.window.at, size);
        walk_consume(&c->walk, size);
        left -= size;
    }
}

static void decode_record(fxt_copier *c, walk_record *at, stele_fxt_record *r)
{
    stele_fxt_decode(at->bytes, at->loaded, c->walk.is_big_endian, r);
    walk_doubt(&c->walk, at, r);
}

/* ---- Events that are open where the copy begins ---- */

#define MARK_NAME      "stele.before_ns"
#define MARK_WORDS     4u
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
    put_word(c, c->out,
             fxt_field(STELE_FXT_ARGUMENT_UINT64, 0, 3) | fxt_field(MARK_WORDS, 4, 15) |
                 fxt_field(STELE_FXT_INLINE | (sizeof MARK_NAME - 1), 16, 31));
    output_write(c->out, name, sizeof name);
    put_word(c, c->out, before_ns);
}

/* Writes an argument with a 32-bit number, whose name has 17 to 24 bytes. */
static void put_priority(const fxt_copier *c, const char *text, uint32_t value)
{
    uint8_t name[3 * FXT_WORD] = {0};
    const size_t size = strlen(text);
    memcpy(name, text, size);
    put_word(c, c->out,
             fxt_field(STELE_FXT_ARGUMENT_UINT32, 0, 3) | fxt_field(PRIORITY_WORDS, 4, 15) |
                 fxt_field(STELE_FXT_INLINE | size, 16, 31) | fxt_field(value, 32, 63));
    output_write(c->out, name, sizeof name);
}

/* Writes a switch of the first kind as one of the newer kind: the first kind has no room for the
   mark. Priorities become arguments. */
static void write_old_switch(fxt_copier *c, const stele_fxt_record *r, const opened_record *opened)
{
    const unsigned words = 4 + 2 * PRIORITY_WORDS + MARK_WORDS;
    flush_waiting(c);
    enter_provider(c, c->provider);
    put_word(c, c->out,
             fxt_field(STELE_FXT_SCHEDULING, 0, 3) | fxt_field(words, 4, 15) |
                 fxt_field(3, 16, 19) | fxt_field(r->number, 20, 35) |
                 fxt_field(r->outgoing_state, 36, 39) |
                 fxt_field(STELE_FXT_CONTEXT_SWITCH, 60, 63));
    put_word(c, c->out, opened->ticks);
    put_word(c, c->out, opened->outgoing);
    put_word(c, c->out, opened->incoming);
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
    flush_waiting(c);
    enter_provider(c, c->provider);
    put_word(c, c->out, header);
    put_word(c, c->out, opened->ticks);
    output_write(c->out, at->bytes + 2 * FXT_WORD, used - 2 * FXT_WORD - last);
    if (is_marked)
        put_mark(c, opened->before_ns);
    output_write(c->out, at->bytes + used - last, size - used + last);
}

/* Writes the records of the current provider that are moved to its first event. */
static void write_moved(fxt_copier *c)
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

/* Writes the record if it is one that is open where the copy begins. */
static void pass_opened(fxt_copier *c, const walk_record *at, const stele_fxt_record *r)
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
    write_moved(c);
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

/* Writes an open record anew, in case it has to be moved. Returns false if out of memory. */
static bool write_anew(fxt_copier *c, const stele_batch *batch, const stele_event *event,
                       opened_record *opened)
{
    static const stele_writer_options options;
    stele_context *context = c->trace->base.context;
    size_t end;
    if (c->walk.is_big_endian)
        return true; /* they stay where they are: records are written little-endian */
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

static stele_status copier_begin(copier *self, const stele_batch *batch, const stele_event *event,
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
    if (!write_anew(c, batch, event, opened))
        return STELE_ERR_MEMORY;
    if (event->kind == STELE_KIND_SWITCH) {
        opened->outgoing = koid_of(c, event->value);
        opened->incoming = koid_of(c, event->id);
    }
    losses_add(&self->losses, (stele_kind)event->kind, COPIER_BEGUN, LOSS_FORM, 1);
    return STELE_OK;
}

/* Handles a record that is not kept. State waits; objects are state that refers to other state. */
static bool pass_record(fxt_copier *c, walk_record *at)
{
    const bool is_provider = fxt_type(at->header) == STELE_FXT_METADATA &&
                             (fxt_bits(at->header, 16, 19) == STELE_FXT_PROVIDER_INFO ||
                              fxt_bits(at->header, 16, 19) == STELE_FXT_PROVIDER_SECTION);
    stele_fxt_record r;
    decode_record(c, at, &r);
    switch (r.type) {
    case STELE_FXT_METADATA:
        if (is_provider)
            c->provider = r.number;
        if (is_provider || (r.header == STELE_FXT_MAGIC && at->offset == 0) ||
            (r.header == STELE_FXT_MAGIC && !c->has_gap))
            return wait_for(c, at, &r);
        break;
    case STELE_FXT_INITIALIZATION:
    case STELE_FXT_STRING:
    case STELE_FXT_THREAD:
        if (!at->is_damaged)
            return wait_for(c, at, &r);
        break;
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT:
        /* Its position does not matter, but what it refers to must precede it. */
        c->has_gap = true;
        flush_waiting(c);
        write_record(c, at);
        return true;
    default: pass_opened(c, at, &r); break;
    }
    c->has_gap = true;
    return true;
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

/* Chooses which records are moved, and sorts all by their places. `first_kept` is the offset of the
   first event that is kept. Returns false if out of memory. */
static bool sort_opened(fxt_copier *c, uint64_t first_kept)
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

static stele_status copier_keep(copier *self, const stele_batch *batch, const stele_event *event)
{
    fxt_copier *c = (fxt_copier *)self;
    const uint64_t skipped_size = c->walk.skipped_size;
    stele_fxt_record r;
    walk_record at;
    (void)batch;
    if (!sort_opened(c, event->offset))
        return STELE_ERR_MEMORY;
    if (event->offset == c->last_offset)
        return STELE_OK; /* a further part of the same payload */
    while (walk_next(&c->walk, &at)) {
        if (at.offset != event->offset) {
            if (!pass_record(c, &at))
                return STELE_ERR_MEMORY;
            continue;
        }
        decode_record(c, &at, &r);
        c->has_gap |= c->walk.skipped_size != skipped_size;
        write_moved(c);
        flush_waiting(c);
        write_record(c, &at);
        c->last_offset = event->offset;
        c->has_gap = false;
        return c->out->status;
    }
    return c->walk.window.status != STELE_OK ? c->walk.window.status : STELE_ERR_ARGUMENT;
}

/* State after the last event is only needed in a copy of everything. */
static stele_status copier_finish(copier *self)
{
    fxt_copier *c = (fxt_copier *)self;
    walk_record at;
    if (!sort_opened(c, UINT64_MAX))
        return STELE_ERR_MEMORY;
    while (walk_next(&c->walk, &at)) {
        if (!pass_record(c, &at))
            return STELE_ERR_MEMORY;
    }
    if (c->walk.window.status != STELE_OK)
        return c->walk.window.status;
    if (!c->has_gap)
        flush_waiting(c);
    else if (output_offset(c->out) == 0)
        put_word(c, c->out, STELE_FXT_MAGIC);
    return c->out->status;
}

static void copier_close(copier *self)
{
    fxt_copier *c = (fxt_copier *)self;
    walk_close(&c->walk);
    output_close(c->bytes);
    fxt_map_free(&c->slots);
    free(c->waiting);
    free(c->opened);
    free(c->moved);
    stele_writer_close(c->writer);
    output_close(c->anew);
    free(c);
}

static const copier_ops fxt_copier_ops = {copier_keep, copier_finish, copier_close, copier_begin};

stele_status fxt_copier_new(stele_trace *self, output *out, copier **made)
{
    fxt_trace *trace = (fxt_trace *)self;
    stele_context *context = self->context;
    input *in = source_input(self->source);
    fxt_copier *c;
    stele_status status;
    *made = NULL;
    if (!in->is_seekable)
        return STELE_ERR_UNSUPPORTED; /* the copier reads it a second time */
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->base.ops = &fxt_copier_ops;
    c->trace = trace;
    c->out = out;
    c->provider = c->written_provider = PROVIDER_IMPLICIT;
    c->last_offset = UINT64_MAX;
    status = output_open_memory(&context->diag, &c->bytes);
    if (status == STELE_OK)
        status = walk_open(&c->walk, in, trace->is_big_endian, context->limits.window_size, NULL);
    if (status != STELE_OK) {
        copier_close(&c->base);
        return status;
    }
    *made = &c->base;
    return STELE_OK;
}
