/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where events continue after damage. A record does not say where the next one begins, so
 * each position that one could begin at is tried: several events in a row must be of known classes,
 * at times that neither decrease nor leave the packet, or end exactly where the content does. The
 * cost is bounded by the bytes that a trial may read, and by the number of positions.
 */
#include <inttypes.h>
#include <stdio.h>

#include "formats/ctf/read/content.h"

#define ROW_MAX 8u /* events that must follow each other if they have no times */
/* Events that must follow each other if they have times and the packet has an end time. */
#define ROW_TIMED     4u
#define AHEAD         ((uint64_t)4 << 10)  /* bytes that the trial of a position may read */
#define LOADED        ((uint64_t)32 << 10) /* bytes that are loaded at a time */
#define PACKET_PLACES ((uint64_t)32 << 10) /* positions that are tried after one damage */
#define ALL_PLACES    ((uint64_t)2 << 20)  /* positions that are tried in the whole trace */

typedef struct search {
    ctf_content *content;
    uint64_t from; /* position of the record that cannot be read, in bits of the packet */
    /* Distance of positions that are tried, in bits. */
    uint64_t step;
    /* Times that the events must be between, in ticks. */
    uint64_t begin_ticks, end_ticks;
    uint32_t row;    /* events that must follow each other for a position to be sure */
    uint32_t recent; /* see first_recent() */
    bool has_clock, has_end;
    bool is_to_end; /* the events of the last trial end exactly where the content does */
} search;

typedef enum verdict { PLACE_FALSE, PLACE_WEAK, PLACE_SURE, PLACE_MEMORY } verdict;

/* Whether the first events of the batch have times that do not decrease and stay in the packet. */
static bool times_fit(const search *s, const stele_batch *batch, uint32_t count)
{
    uint64_t last = s->begin_ticks;
    for (uint32_t i = 0; i < count && s->has_clock; i++) {
        const uint64_t ticks = batch->events[i].ticks;
        if (ticks < last || (s->has_end && ticks > s->end_ticks))
            return false;
        last = ticks;
    }
    return true;
}

static verdict try_place(search *s, const packet_view *loaded, uint64_t at)
{
    ctf_content *content = s->content;
    const stele_batch *batch = content->trial;
    const uint64_t skip = at / 8 - loaded->offset;
    packet_view view = {loaded->bytes + skip, loaded->size - (size_t)skip, at / 8};
    decode_outcome outcome;
    uint32_t count;
    if (view.size > AHEAD)
        view.size = AHEAD;
    outcome = decoder_try(content->decoder, &view, at, content->trial);
    count = batch->event_count < s->row ? batch->event_count : s->row;
    s->is_to_end = outcome == DECODE_END;
    if (outcome == DECODE_MEMORY)
        return PLACE_MEMORY;
    if (count == 0 || !times_fit(s, batch, count))
        return PLACE_FALSE;
    if (count == s->row || (count > 1 && (outcome == DECODE_END || outcome == DECODE_MORE)))
        return PLACE_SURE;
    return outcome == DECODE_END && s->has_clock ? PLACE_WEAK : PLACE_FALSE;
}

/* Finds the next position that is sure, or else the first one that could be the last record of the
   packet. `*place` is the end of the content if there is neither. */
static decode_outcome find_place(search *s, uint64_t *place)
{
    ctf_content *content = s->content;
    const uint64_t end = content->content_bits;
    uint64_t at = (s->from + s->step) & ~(s->step - 1), weak = end, tried = 0;
    packet_view view = {NULL, 0, 0};
    while (at < end && tried < PACKET_PLACES && content->tried_count < ALL_PLACES) {
        const uint64_t left = (end + 7) / 8 - at / 8;
        uint64_t stop = end;
        content_load(content, at / 8, left < LOADED ? left : LOADED, &view);
        if (view.bytes == NULL || view.offset != at / 8 || view.size == 0)
            break;
        if (view.size < left)
            stop = (view.offset + (view.size > 2 * AHEAD ? view.size - AHEAD : 1)) * 8;
        for (; at < stop && tried < PACKET_PLACES; at += s->step, tried++) {
            const verdict v = try_place(s, &view, at);
            content->tried_count++;
            if (v == PLACE_MEMORY)
                return DECODE_MEMORY;
            if (v == PLACE_WEAK && weak == end)
                weak = at;
            if (v != PLACE_SURE)
                continue;
            *place = at;
            return DECODE_OK;
        }
    }
    *place = weak;
    return DECODE_OK;
}

/* Sets the times that events must be between: from the last event's time, or the packet's begin if
   that cannot be right, to the packet's end. */
static void set_times(search *s)
{
    const packet_head *head = &s->content->packet->head;
    ctf_decoder *decoder = s->content->decoder;
    s->has_clock = head->clock != NULL;
    s->has_end = (head->has & CTF_ROLE_PACKET_END) != 0 && head->end_ticks >= head->begin_ticks &&
                 (s->content->packets->subtrace->mends & CTF_MEND_AFTER_PACKET) == 0;
    s->end_ticks = head->end_ticks;
    if (s->has_end && decoder_ticks(decoder) > s->end_ticks)
        decoder_set_ticks(decoder, head->begin_ticks);
    s->begin_ticks = decoder_ticks(decoder);
    s->row = s->has_clock && s->has_end && decoder_has_event_id(decoder) ? ROW_TIMED : ROW_MAX;
}

/* Whether the events of the last trial lead beyond the record that cannot be read. */
static bool leads_beyond(const search *s)
{
    const stele_batch *batch = s->content->trial;
    const uint64_t offset = s->content->packet->offset + s->from / 8;
    return batch->event_count != 0 && batch->events[batch->event_count - 1].offset > offset;
}

/* Returns the index in `recent` of the first event that is still loaded and not too far away, or
   CONTENT_RECENT if there is none. */
static uint32_t first_recent(const search *s)
{
    const ctf_content *content = s->content;
    const uint64_t from = content->packet->offset + s->from / 8;
    const window *w = content->w;
    for (uint32_t i = 0; i < content->recent_count && content->bytes == NULL; i++) {
        const uint64_t offset = content->recent[i];
        if (offset < from && from - offset <= CONTENT_BACK &&
            offset >= window_offset_of(w, w->data) && offset < window_offset_of(w, w->end))
            return i;
    }
    return CONTENT_RECENT;
}

/* Loads what trials before the record that cannot be read may look at. What they find then does not
   depend on how much is read at once. */
static void load_ahead(const search *s)
{
    const ctf_content *content = s->content;
    const uint64_t size = (content->content_bits + 7) / 8, from = s->from / 8;
    const uint64_t to = content->packet->offset + (from + AHEAD < size ? from + AHEAD : size);
    window *w = content->w;
    if (content->bytes == NULL && to > window_offset(w))
        window_need(w, (size_t)(to - window_offset(w)));
}

/*
 * An event whose length is damaged can hide the next ones: reading fails soon after its false end.
 * Finds out whether events that begin inside of the last events lead beyond the record that cannot
 * be read, or else whether those from the first such position end exactly with the content.
 * Contents that were unpacked are not searched in this way.
 */
static decode_outcome find_hidden(search *s, uint64_t *place)
{
    ctf_content *content = s->content;
    window *w = content->w;
    packet_view view = {NULL, 0, 0};
    uint32_t recent;
    load_ahead(s);
    recent = s->recent = first_recent(s);
    *place = s->from;
    if (recent == CONTENT_RECENT)
        return DECODE_OK;
    view.bytes = w->data + (content->recent[recent] - window_offset_of(w, w->data));
    view.size = (size_t)(w->end - view.bytes);
    view.offset = content->recent[recent] - content->packet->offset;
    for (uint64_t at = (view.offset * 8 + s->step) & ~(s->step - 1);
         at < s->from && at / 8 - view.offset < view.size && content->tried_count < ALL_PLACES;
         at += s->step) {
        const verdict v = try_place(s, &view, at);
        content->tried_count++;
        if (v == PLACE_MEMORY)
            return DECODE_MEMORY;
        if (v == PLACE_SURE && leads_beyond(s)) {
            *place = at;
            return DECODE_OK;
        }
        if (v != PLACE_FALSE && s->is_to_end && *place == s->from)
            *place = at;
    }
    return DECODE_OK;
}

/* Reports the event that hides others: the last one that begins before the position. */
static void report_hidden(const search *s, uint64_t place)
{
    const ctf_content *content = s->content;
    const uint64_t packet = content->packet->offset;
    uint32_t at = s->recent;
    if (place >= s->from || at == CONTENT_RECENT)
        return;
    while (at + 1 < content->recent_count && content->recent[at + 1] < packet + place / 8)
        at++;
    ctf_report(content->packets->trace, CTF460, content->packets->file->path,
               content->recent[at] * 8, packet + (s->from + 7) / 8 - content->recent[at], 0, NULL,
               "an event, in which events that lead on begin at byte %" PRIu64, packet + place / 8);
}

/* Searches without findings, as positions that are only tried prove nothing. */
static decode_outcome search_quietly(search *s, uint64_t *place, uint64_t *hidden)
{
    stele_context *context = s->content->packets->trace->base.context;
    const diag_sink told = context->diag;
    decode_outcome outcome;
    context->diag.fn = NULL;
    outcome = find_hidden(s, hidden);
    if (outcome == DECODE_OK)
        outcome = find_place(s, place);
    context->diag = told;
    return outcome;
}

/* Whether nothing of the packet can be read from here on because the file ends within it, because
   where its content ends had to be guessed, or because only a part of it could be unpacked. That
   was reported of the packet as a whole (CTF405, CTF403, CTF311), and its last record is not
   reported again. */
static bool is_of_packet(const search *s, uint64_t place)
{
    const ctf_content *content = s->content;
    const ctf_packets *packets = content->packets;
    const ctf_packet *packet = content->packet;
    const uint64_t head = content->bytes != NULL ? packet->size : 1;
    return place == content->content_bits &&
           diag_is_explained(&packets->trace->base.context->diag, STELE_ERROR, packets->file->path,
                             packet->offset, head);
}

static void report(const search *s, const decoder_problem *problem, uint64_t place, uint64_t size)
{
    const ctf_packets *packets = s->content->packets;
    const bool is_end = place == s->content->content_bits;
    const uint64_t offset_bits = s->content->packet->offset * 8 + s->from;
    char at[40] = "", on[96] = "; the rest of the packet is skipped";
    if (problem->offset_bits / 8 != offset_bits / 8)
        snprintf(at, sizeof at, ", at byte %" PRIu64, problem->offset_bits / 8);
    if (!is_end)
        snprintf(on, sizeof on, "; skipped to byte %" PRIu64 ", where a search found events again",
                 s->content->packet->offset + place / 8);
    /* If the content ends inside of a record, the packet's content size may be too small. */
    if (is_end && problem->code == CTF450 && s->content->bytes == NULL &&
        s->content->packet->size > s->from / 8)
        size = s->content->packet->size - s->from / 8;
    ctf_report(packets->trace, problem->code, packets->file->path, offset_bits, size, 0,
               problem->expected[0] != '\0' ? problem->expected : NULL, "%s%s%s", problem->found,
               at, on);
}

decode_outcome content_search(ctf_content *content)
{
    search s = {
        .content = content, .from = decoder_position(content->decoder), .recent = CONTENT_RECENT};
    const decoder_problem problem = *decoder_last_problem(content->decoder);
    uint64_t place = content->content_bits, hidden = s.from, size;
    decode_outcome outcome = DECODE_OK;
    if (content->trial == NULL && stele_batch_new(ROW_MAX, &content->trial) != STELE_OK)
        return DECODE_MEMORY;
    s.step = decoder_event_alignment(content->decoder);
    set_times(&s);
    if (s.from < place && !content->is_exact && s.step != 0 &&
        (s.has_clock || decoder_has_event_id(content->decoder)))
        outcome = search_quietly(&s, &place, &hidden);
    if (outcome != DECODE_OK)
        return outcome;
    size = s.from < place ? (place + 7) / 8 - s.from / 8 : 0;
    content->left_out += size;
    if (!is_of_packet(&s, place)) {
        report_hidden(&s, hidden);
        report(&s, &problem, place, size);
    }
    if (place == content->content_bits)
        return DECODE_BAD;
    decoder_move(content->decoder, place);
    return DECODE_OK;
}
