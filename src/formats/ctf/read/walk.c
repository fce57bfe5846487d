/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes over the packets of a stream's files in the order of time. Usually a stream has one file.
 * Rotations give it several files that follow each other; snapshots give it several that overlap
 * and have some packets in common. A file is opened when it is the turn of its first packet, so
 * that few files are open at a time.
 */
#include "formats/ctf/read/walk.h"
#include "formats/ctf/read/content.h"
#include "formats/ctf/read/known.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define EQUAL_STEP ((size_t)4096) /* bytes of two packets that are compared at a time */

/* ---- One file of the stream ---- */

/* Whether packets can be left out unread without making the times of the others wrong. */
static bool is_free(const ctf_walk *walk, const packet_head *head)
{
    return !head->counts_on || (walk->stream->file_count == 1 && !walk->options.is_copied);
}

/* Whether packets can be found by the times of their begins. */
static bool is_seekable(const ctf_walk *walk, const ctf_file *file)
{
    return is_free(walk, &file->first) && file->found.is_ordered && file->first.clock != NULL &&
           (file->first.has & CTF_ROLE_PACKET_BEGIN) != 0;
}

/* The time of a clock's ticks. */
static int64_t time_of(ctf_walk *walk, const ctf_clock *clock, uint64_t ticks)
{
    bool is_clamped = false;
    if (walk->rate_clock != clock) {
        walk->rate = clock_rate_make(clock);
        walk->rate_clock = clock;
    }
    return clock_rate_ns(&walk->rate, ticks, &is_clamped);
}

/* Returns how many of a file's seek points, in their order, begin before a time. */
static uint32_t seeks_before(ctf_walk *walk, const ctf_file *file, int64_t time_ns)
{
    uint32_t low = 0, high = file->found.seek_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (time_of(walk, file->first.clock, file->found.seeks[middle].begin) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the last seek point after which packets can reach into the requested time. */
static ctf_seek seek_point(ctf_walk *walk, const ctf_file *file)
{
    uint32_t before;
    if (walk->options.begin_ns == INT64_MIN || file->found.seek_count == 0 ||
        !is_seekable(walk, file))
        return (ctf_seek){0};
    before = seeks_before(walk, file, walk->options.begin_ns);
    /* One packet more gives a start for the counters, and events that are later than their
       packet. */
    return file->found.seeks[before > 2 ? before - 2 : 0];
}

/* Returns how many bytes of a file are read at once: no more than are likely to be wanted. */
static size_t window_size(ctf_walk *walk, const ctf_file *file, uint64_t from)
{
    uint64_t end = file->size;
    uint32_t before;
    if (walk->options.end_ns == INT64_MAX || file->found.seek_count == 0 ||
        !is_seekable(walk, file))
        return walk->options.window_size;
    /* The head of the packet that begins after the end is read, too. */
    before = seeks_before(walk, file, walk->options.end_ns);
    if (before + 1 < file->found.seek_count)
        end = file->found.seeks[before + 1].offset;
    return end > from && end - from < walk->options.window_size ? (size_t)(end - from)
                                                                : walk->options.window_size;
}

/* Returns the saved state of a file of a followed trace, or NULL if the trace is not followed. */
static known_file *file_known(const ctf_trace *trace, const ctf_file *file)
{
    return trace->known != NULL ? &trace->known->files[file->known] : NULL;
}

/* Whether only a part of the time is read, so that other parts are likely to be read, too. */
static bool is_of_part(const ctf_walk *walk)
{
    return walk->options.begin_ns != INT64_MIN && walk->options.end_ns != INT64_MAX;
}

static void file_close(const ctf_walk *walk, walk_file *self)
{
    known_file *known = file_known(self->packets.trace, self->file);
    if (known != NULL)
        known->done = self->counted;
    index_check_close(&self->index);
    window_close(&self->w);
    if (is_of_part(walk))
        ctf_keep_member(walk->trace, self->file->member, self->in);
    else
        ctf_close_member(self->file->member, self->in);
}

/* Reports once a file that all its events are doubtful, because a damaged declaration may let them
   be read as something else. */
static void report_doubt(const ctf_walk *walk, const walk_file *self)
{
    const ctf_subtrace *subtrace = ctf_schema_subtrace(walk->trace, walk->stream->subtrace);
    if (subtrace->text.is_doubtful && !self->is_sought)
        ctf_report(walk->trace, CTF459, self->file->path, 0, self->size, 0, NULL,
                   "events that may not be as they were written");
}

/* Where what indexing would find out about the packets of a file is noted; NULL: nowhere, as not
   all of them are read, or not with the clock that indexing has. */
static ctf_noted *noted_of(const ctf_walk *walk, const ctf_file *file)
{
    const ctf_trace *trace = walk->trace;
    ctf_noted *noted = trace->noted != NULL ? &trace->noted[file - trace->files] : NULL;
    if (noted == NULL || walk->stream->file_count != 1 || file->first.counts_on ||
        walk->options.begin_ns != INT64_MIN || walk->options.end_ns != INT64_MAX)
        return NULL;
    free(noted->found.seeks);
    *noted = (ctf_noted){0};
    return noted;
}

static stele_status file_open(ctf_walk *walk, walk_file *self, const ctf_file *file)
{
    const ctf_trace *trace = walk->trace;
    const stele_limits *limits = &trace->base.context->limits;
    const known_file *known = file_known(trace, file);
    ctf_seek from = seek_point(walk, file);
    size_t size;
    stele_status status;
    *self = (walk_file){.file = file, .is_sought = from.offset != 0, .lost_before = from.lost};
    if (known != NULL)
        from.offset = known->done;
    status = ctf_open_member(trace, file->member, &self->in);
    if (status != STELE_OK)
        return status;
    size = window_size(walk, file, from.offset);
    status =
        window_open(&self->w, self->in, from.offset, UINT64_MAX, size, limits->record_size_max);
    if (status != STELE_OK) {
        ctf_close_member(file->member, self->in);
        return status;
    }
    self->size = known != NULL && known->size < self->in->size ? known->size : self->in->size;
    packets_init(&self->packets, trace, file, walk->peek != NULL ? walk->peek : walk->decoder,
                 self->size);
    window_keep(&self->w, CONTENT_BACK < walk->options.window_size / 4
                              ? CONTENT_BACK
                              : walk->options.window_size / 4);
    report_doubt(walk, self);
    self->noted = noted_of(walk, file);
    self->counted = from.offset;
    self->packets.clock = self->is_sought ? from.clock : walk->clock;
    if (walk->options.check && known == NULL && walk->options.begin_ns == INT64_MIN &&
        walk->options.end_ns == INT64_MAX)
        index_check_open(&self->index, trace, file);
    return STELE_OK;
}

static bool is_before_begin(ctf_walk *walk, const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    unsigned mends;
    if (walk->options.begin_ns == INT64_MIN)
        return false;
    mends = ctf_schema_subtrace(walk->trace, walk->stream->subtrace)->mends;
    return head->clock != NULL && is_free(walk, head) && (head->has & CTF_ROLE_PACKET_END) != 0 &&
           head->end_ticks >= head->begin_ticks && (mends & CTF_MEND_AFTER_PACKET) == 0 &&
           time_of(walk, head->clock, head->end_ticks) < walk->options.begin_ns;
}

/* Whether all further packets of the file begin after the requested time. */
static bool is_after_end(ctf_walk *walk, const walk_file *self)
{
    const packet_head *head = &self->packet.head;
    unsigned mends;
    if (walk->options.end_ns == INT64_MAX)
        return false;
    mends = ctf_schema_subtrace(walk->trace, walk->stream->subtrace)->mends;
    return is_free(walk, head) && (mends & CTF_MEND_BEFORE_PACKET) == 0 && head->clock != NULL &&
           self->file->found.is_ordered && (head->has & CTF_ROLE_PACKET_BEGIN) != 0 &&
           time_of(walk, head->clock, head->begin_ticks) >= walk->options.end_ns;
}

/* How many bytes the packet that was read last claims for itself, and for its content. */
typedef struct packet_claim {
    uint64_t whole, content;
} packet_claim;

static packet_claim claim_of(const walk_file *self)
{
    packet_claim claim = {0, 0};
    if (self->has_packet)
        claim = (packet_claim){self->packet.size, ctf_packet_content_size(&self->packet)};
    return claim;
}

/*
 * Adds the bytes before `to`, where the next packet begins or the file ends, to the balance: the
 * packet that was read last, and what lies between the two. That packet may claim to reach beyond
 * `to`.
 */
static void file_count(ctf_walk *walk, walk_file *self, packet_claim claim, uint64_t to,
                       uint64_t left_out)
{
    stele_balance *balance = &walk->balance;
    const uint64_t size = to - self->counted;
    const uint64_t content = claim.content < size ? claim.content : size;
    const uint64_t whole = claim.whole < size ? claim.whole : size;
    left_out = left_out < content ? left_out : content;
    balance->record_size += content - left_out;
    balance->padding_size += whole - content;
    balance->skipped_size += size - whole + left_out;
    self->counted = to;
}

/* Reads the next head of the file. Returns STELE_END if nothing more of the file is needed. */
static stele_status file_next(ctf_walk *walk, walk_file *self, uint64_t left_out)
{
    const packet_claim claim = claim_of(self);
    stele_status status = packets_next(&self->packets, &self->w, &self->packet);
    if (status != STELE_OK && status != STELE_END)
        return status;
    file_count(walk, self, claim,
               status == STELE_OK        ? self->packet.offset
               : walk->trace->is_growing ? window_offset(&self->w)
                                         : self->size,
               left_out);
    self->has_packet = status == STELE_OK;
    if (status != STELE_OK) {
        if (self->noted != NULL)
            self->noted->is_whole = true;
        return status;
    }
    if (self->noted != NULL && !ctf_found_add(&self->noted->found, &self->packet))
        return STELE_ERR_MEMORY;
    if (self->index.is_open)
        index_check_packet(&self->index, &self->packet);
    return is_after_end(walk, self) ? STELE_END : STELE_OK;
}

/* Moves over the file's packet, of which the reader may have read a part. Returns false if the file
   ends before that. */
static bool file_skip(walk_file *self)
{
    const uint64_t end = self->packet.offset + self->packet.size;
    const uint64_t at = window_offset(&self->w);
    return !self->packet.is_cut && (end < at || window_skip(&self->w, end - at));
}

/* ---- Opening and closing of a stream ---- */

stele_status ctf_walk_open(ctf_walk *walk, const ctf_trace *trace, const ctf_stream *stream,
                           ctf_programs *programs, ctf_decoder *decoder,
                           const walk_options *options)
{
    *walk = (ctf_walk){.trace = trace, .stream = stream, .options = *options, .decoder = decoder};
    decoder_reset(decoder);
    if (stream->file_count > 1) {
        walk->peek = decoder_new(programs);
        if (walk->peek == NULL)
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

void ctf_walk_close(ctf_walk *walk)
{
    for (uint32_t i = 0; i < walk->open_count; i++) {
        file_close(walk, walk->open[i]);
        free(walk->open[i]);
    }
    free(walk->open);
    decoder_free(walk->peek);
    *walk = (ctf_walk){0};
}

/* ---- Open files: a heap, whose first file has the earliest packet ---- */

static bool is_before(const walk_file *a, const walk_file *b)
{
    const packet_head *x = &a->packet.head, *y = &b->packet.head;
    if (x->begin_ticks != y->begin_ticks)
        return x->begin_ticks < y->begin_ticks;
    if (x->sequence_number != y->sequence_number)
        return x->sequence_number < y->sequence_number;
    return a->file < b->file;
}

static void heap_up(walk_file **heap, uint32_t at)
{
    walk_file *moved = heap[at];
    for (; at > 0 && is_before(moved, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = moved;
}

static void heap_down(walk_file **heap, uint32_t count)
{
    walk_file *moved = heap[0];
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Closes the file whose turn it is. */
static void walk_drop(ctf_walk *walk)
{
    walk_file *self = walk->open[0];
    file_close(walk, self);
    free(self);
    walk->open[0] = walk->open[--walk->open_count];
    if (walk->open_count > 1)
        heap_down(walk->open, walk->open_count);
}

static stele_status walk_add(ctf_walk *walk)
{
    const ctf_file *file = &walk->trace->files[walk->stream->files[walk->next_file++]];
    walk_file *self;
    stele_status status;
    if (walk->open_count == walk->open_capacity) {
        walk_file **grown = array_grow(walk->open, sizeof *grown, &walk->open_capacity, 2);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        walk->open = grown;
    }
    self = malloc(sizeof *self);
    if (self == NULL)
        return STELE_ERR_MEMORY;
    status = file_open(walk, self, file);
    if (status != STELE_OK) {
        free(self);
        return status;
    }
    status = file_next(walk, self, 0);
    if (status != STELE_OK) {
        if (status == STELE_END)
            index_check_end(&self->index, self->file);
        file_close(walk, self);
        free(self);
        return status == STELE_END ? STELE_OK : status;
    }
    walk->open[walk->open_count++] = self;
    heap_up(walk->open, walk->open_count - 1);
    return STELE_OK;
}

/* Opens the files whose first packet does not begin after the earliest one of the files that are
   open. */
static stele_status walk_fill(ctf_walk *walk)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && walk->next_file < walk->stream->file_count) {
        const ctf_file *file = &walk->trace->files[walk->stream->files[walk->next_file]];
        const known_file *known = file_known(walk->trace, file);
        if (known != NULL && known->done >= known->size) {
            walk->next_file++;
            continue;
        }
        /* Times depend on earlier packets, so files are read one after the other. */
        if (walk->open_count != 0 && file->first.counts_on)
            break;
        if (walk->open_count != 0 &&
            file->first.begin_ticks > walk->open[0]->packet.head.begin_ticks)
            break;
        status = walk_add(walk);
    }
    return status;
}

/* Moves over the packet that was returned last. */
static stele_status walk_step(ctf_walk *walk)
{
    walk_file *self = walk->current;
    stele_status status;
    walk->current = NULL;
    walk->clock = self->packets.clock;
    if (file_skip(self)) {
        status = file_next(walk, self, walk->left_out);
    } else {
        file_count(walk, self, claim_of(self), self->size, walk->left_out);
        if (self->noted != NULL)
            self->noted->is_whole = self->w.status == STELE_OK;
        status = STELE_END;
    }
    walk->left_out = 0;
    if (status == STELE_OK)
        heap_down(walk->open, walk->open_count);
    if (status != STELE_END)
        return status;
    index_check_end(&self->index, self->file);
    walk_drop(walk);
    return STELE_OK;
}

/* Whether two stretches of files have the same bytes. Bytes that cannot be read differ. */
static bool has_same_bytes(input *a, uint64_t a_offset, input *b, uint64_t b_offset, uint64_t size)
{
    uint8_t left[EQUAL_STEP], right[EQUAL_STEP];
    for (uint64_t at = 0; at < size; at += EQUAL_STEP) {
        const size_t want = size - at < EQUAL_STEP ? (size_t)(size - at) : EQUAL_STEP;
        size_t left_size = 0, right_size = 0;
        if (input_read(a, a_offset + at, left, want, &left_size) != STELE_OK ||
            input_read(b, b_offset + at, right, want, &right_size) != STELE_OK ||
            left_size != want || right_size != want || memcmp(left, right, want) != 0)
            return false;
    }
    return true;
}

/* Whether the packet has the same content as the last one. Comparing the heads does not suffice:
   parts that were cut out of one packet have the same head, and may have the same size. */
static __attribute__((noinline)) bool is_same_content(const ctf_walk *walk,
                                                      const ctf_packet *packet)
{
    const walk_file *self = walk->current;
    input *last;
    bool is_same;
    if (ctf_open_member(walk->trace, walk->last_file->member, &last) != STELE_OK)
        return false;
    is_same = has_same_bytes(last, walk->last_offset, self->in, packet->offset,
                             ctf_packet_content_size(packet));
    ctf_close_member(walk->last_file->member, last);
    return is_same;
}

/* Whether the packet repeats the last one, in another file. */
static bool is_equal(const ctf_walk *walk, const ctf_packet *packet)
{
    const packet_head *a = &walk->last, *b = &packet->head;
    return walk->last_file != NULL && walk->last_file != walk->current->file &&
           (b->has & CTF_ROLE_PACKET_BEGIN) != 0 && a->has == b->has &&
           a->begin_ticks == b->begin_ticks && a->end_ticks == b->end_ticks &&
           a->sequence_number == b->sequence_number && a->discarded == b->discarded &&
           walk->last_content_bits == packet->content_bits && is_same_content(walk, packet);
}

/* Moves the main decoder to the packet's events, as another decoder has read the head. */
static __attribute__((noinline)) stele_status walk_enter_again(ctf_walk *walk, walk_file *self)
{
    packet_view view = {.size = 0};
    packet_head head;
    decode_outcome outcome;
    /* A search after a packet of impossible size leaves the window empty. */
    view.size = window_need(&self->w, (size_t)(self->packet.head.events_at / 8 + 1));
    view.bytes = self->w.at;
    outcome = decoder_packet(walk->decoder, &view, self->file->path, self->packet.offset,
                             self->packets.type, &head);
    if (self->w.status != STELE_OK)
        return self->w.status;
    return outcome == DECODE_OK       ? STELE_OK
           : outcome == DECODE_MEMORY ? STELE_ERR_MEMORY
                                      : STELE_ERR_FORMAT;
}

static stele_status walk_enter(ctf_walk *walk, walk_file *self)
{
    decoder_set_clock_start(walk->decoder, self->packet.clock_start);
    return walk->peek != NULL ? walk_enter_again(walk, self) : STELE_OK;
}

stele_status ctf_walk_next(ctf_walk *walk, const ctf_packet **packet)
{
    stele_status status;
    for (;;) {
        status = walk->current != NULL ? walk_step(walk) : STELE_OK;
        if (status == STELE_OK)
            status = walk_fill(walk);
        if (status != STELE_OK)
            return status;
        if (walk->open_count == 0)
            return STELE_END;
        walk->current = walk->open[0];
        walk->is_repeat = is_equal(walk, &walk->current->packet);
        if (walk->is_repeat && !walk->options.repeats)
            continue;
        *packet = &walk->current->packet;
        walk->is_after_gap = walk->current->is_sought;
        walk->lost_before = walk->current->lost_before;
        walk->current->is_sought = false;
        if (walk->peek != NULL && !walk->is_repeat) {
            walk->last_file = walk->current->file;
            walk->last = (*packet)->head;
            walk->last_content_bits = (*packet)->content_bits;
            walk->last_offset = (*packet)->offset;
        }
        walk->is_outside = is_before_begin(walk, *packet);
        return walk->is_outside ? STELE_OK : walk_enter(walk, walk->current);
    }
}
