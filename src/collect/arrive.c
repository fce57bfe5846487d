/* SPDX-License-Identifier: Apache-2.0 */
/* Finds packets in the bytes of senders, and assigns them to traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collector.h"
#include "core/array.h"
#include "formats/format.h"

/* ---- Bytes that are not packets ---- */

/* Reports a run of bytes that are not packets, as one finding. */
static void report_skipped(stele_collector *c, collect_sender *s)
{
    if (s->skip_size == 0)
        return;
    diag_report(c->rules.diag, &core_codes[STE019], s->name, s->skip_offset, s->skip_size,
                "a packet", "%s", s->skip_found);
    s->skip_size = 0;
}

static void skip(stele_collector *c, collect_sender *s, uint64_t offset, size_t size,
                 const char *found)
{
    if (s->skip_size != 0 && s->skip_offset + s->skip_size != offset)
        report_skipped(c, s);
    if (s->skip_size == 0) {
        s->skip_offset = offset;
        s->skip_found = found;
    }
    s->skip_size += size;
    c->skipped_size += size;
}

static void refuse(stele_collector *c, const collect_sender *s, uint64_t offset, size_t size)
{
    c->refused_count++;
    c->skipped_size += size;
    if (!c->is_full_told)
        diag_report(c->rules.diag, &core_codes[STE022], s->name, offset, size, NULL,
                    "more than %" PRIu64 " bytes that wait", c->options.memory_max);
    c->is_full_told = true;
}

/* ---- Packets to traces ---- */

stele_status collector_deliver(void *user, const receive_packet *about, const uint8_t *bytes)
{
    stele_collector *c = user;
    return collected_put(&c->trace->files, &c->rules, about, bytes, c->now_ns);
}

void collector_miss(void *user, const sequence *s, uint64_t number, uint64_t count)
{
    stele_collector *c = user;
    const char *path = c->trace->files.path;
    stele_diag finding = {.code = &core_codes[count != 0 ? STE018 : STE020],
                          .source = path != NULL ? path : c->trace->files.base,
                          .offset = STELE_NO_OFFSET,
                          .lost_count = s->counts_events ? count : 0};
    char text[160];
    if (count == 0)
        snprintf(text, sizeof text, "number %" PRIu64 " of stream %" PRIu64, number, s->stream);
    else
        snprintf(text, sizeof text,
                 "%" PRIu64 " packets of stream %" PRIu64 " from number %" PRIu64 " on", count,
                 s->stream, number);
    finding.found = text;
    c->trace->files.missing_count += count;
    if (s->counts_events)
        c->missing_event_count += count;
    diag_emit(c->rules.diag, &finding);
}

/* Bytes that a waiting datagram costs in addition to its own, however small it is. */
#define DATAGRAM_COST 512u

static bool has_room(const stele_collector *c, size_t size)
{
    return c->waiting_size + c->datagram_count * DATAGRAM_COST + c->counts.waiting_size + size <=
           c->options.memory_max;
}

/* Corrects the counts of missing packets by those that came late. */
static void correct_missing(stele_collector *c, const sequence *s, uint64_t missing_before)
{
    const uint64_t fewer =
        c->counts.missing_count < missing_before ? missing_before - c->counts.missing_count : 0;
    c->trace->files.missing_count -= fewer;
    if (s->counts_events)
        c->missing_event_count -= fewer;
}

static stele_status take_numbered(stele_collector *c, const receive_packet *packet,
                                  const uint8_t *bytes)
{
    const uint64_t missing_before = c->counts.missing_count;
    stele_status status = STELE_OK;
    bool is_full;
    sequence *s = trace_stream(c, c->trace, packet, &is_full);
    if (s == NULL)
        return is_full ? collector_deliver(c, packet, bytes) : STELE_ERR_MEMORY;
    if (s->waiting_count != 0 && !has_room(c, packet->size))
        status = sequence_give_up(s, &c->sink, INT64_MAX);
    if (status == STELE_OK)
        status = sequence_take(s, &c->sink, packet, bytes, c->now_ns);
    correct_missing(c, s, missing_before);
    return status;
}

static bool is_over_size(const stele_collector *c, size_t size)
{
    return c->options.size_max != 0 && c->written_size + size > c->options.size_max;
}

static stele_status take_state(stele_collector *c, const collect_sender *s,
                               const receive_from *from, const receive_packet *packet,
                               const uint8_t *bytes)
{
    bool is_news;
    stele_status status;
    if (s->scope->ops->state_file == NULL)
        return collector_deliver(c, packet, bytes);
    status = s->scope->ops->learn(s->scope->state, from, packet, bytes, &is_news);
    if (status == STELE_ERR_LIMIT) {
        refuse(c, s, STELE_NO_OFFSET, packet->size);
        return STELE_OK;
    }
    if (status != STELE_OK)
        return status;
    *(is_news ? &c->trace->files.kept_size : &c->trace->files.repeated_size) += packet->size;
    if (!is_news)
        return STELE_OK;
    c->trace->files.is_state_news = true;
    c->trace->files.state_count++;
    s->scope->has_news = true;
    return STELE_OK;
}

static stele_status take_packet(stele_collector *c, collect_sender *s, const receive_from *from,
                                const receive_packet *packet, const uint8_t *bytes, uint64_t offset)
{
    collect_trace *t = scope_trace(c, s->scope, packet->trace);
    if (t == NULL && c->trace_count < TRACES_MAX)
        return STELE_ERR_MEMORY;
    if (t == NULL) {
        refuse(c, s, offset, packet->size);
        return STELE_OK;
    }
    if (is_over_size(c, packet->size)) {
        diag_report(c->rules.diag, &core_codes[STE022], s->name, offset, packet->size, NULL,
                    "more than %" PRIu64 " bytes of traces", c->options.size_max);
        return STELE_ERR_LIMIT;
    }
    c->trace = t;
    if (packet->is_state)
        return take_state(c, s, from, packet, bytes);
    return packet->has_number ? take_numbered(c, packet, bytes)
                              : collector_deliver(c, packet, bytes);
}

/* ---- Bytes to packets ---- */

static receive_from from_of(const stele_collector *c, const collect_sender *s)
{
    return (receive_from){.sender = s->number,
                          .is_datagram = s->is_datagram,
                          .is_ended = s->is_ended,
                          .section = s->section,
                          .packet_size_max = (size_t)c->options.packet_size_max};
}

/* Takes packets from the front of the bytes; `*taken` becomes the number of bytes that are
   handled. */
static stele_status take_all(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                             size_t size, uint64_t offset, size_t *taken)
{
    const receive_from from = from_of(c, s);
    stele_status status = STELE_OK;
    size_t at = 0;
    s->want = 0;
    s->waits = false;
    while (at < size && status == STELE_OK) {
        receive_packet packet;
        const receive_outcome outcome =
            s->scope->ops->look(s->scope->state, &from, bytes + at, size - at, &packet);
        if (outcome == RECEIVE_MEMORY)
            return STELE_ERR_MEMORY;
        if (outcome == RECEIVE_MORE || outcome == RECEIVE_WAITS) {
            s->want = outcome == RECEIVE_MORE ? packet.size : 0;
            s->waits = outcome == RECEIVE_WAITS;
            break;
        }
        if (outcome == RECEIVE_NOTHING) {
            skip(c, s, offset + at, packet.size, packet.found);
        } else {
            report_skipped(c, s);
            s->packet_count++;
            status = take_packet(c, s, &from, &packet, bytes + at, offset + at);
        }
        at += packet.size;
    }
    *taken = at;
    return status;
}

/* Finds the format of a sender's first bytes. Returns NULL if none that can be collected fits. */
static const receiver_ops *find_format(const stele_collector *c, const uint8_t *bytes, size_t size)
{
    const receiver_ops *best = c->given;
    int surest = 0;
    for (size_t i = 0; i < format_count() && c->given == NULL; i++) {
        const receiver_ops *ops = format_at(i)->receiver;
        const int sure = ops != NULL ? ops->probe(bytes, size) : 0;
        if (sure > surest) {
            surest = sure;
            best = ops;
        }
    }
    return best;
}

#define PROBE_SIZE 8u

/* Whether the sender has a scope, which its first bytes determine. If not, the bytes were reported,
   or more are needed. */
static bool has_scope(stele_collector *c, collect_sender *s, const uint8_t *bytes, size_t size,
                      stele_status *status)
{
    const receiver_ops *ops;
    if (s->scope != NULL)
        return true;
    if (size < PROBE_SIZE && !s->is_datagram && !s->is_ended) {
        s->want = PROBE_SIZE;
        return false;
    }
    s->want = 0;
    ops = find_format(c, bytes, size);
    if (ops != NULL)
        *status = scope_enter(c, s, ops);
    if (ops != NULL && *status != STELE_ERR_LIMIT)
        return *status == STELE_OK;
    if (ops != NULL) {
        *status = STELE_OK;
        c->refused_count++;
        c->skipped_size += size;
        return false;
    }
    skip(c, s, s->offset, size, "no format that can be collected");
    report_skipped(c, s);
    return false;
}

/* ---- Datagrams ---- */

static stele_status keep_datagram(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                                  size_t size, uint64_t offset)
{
    collect_datagram *kept;
    if (!has_room(c, size)) {
        refuse(c, s, offset, size);
        return STELE_OK;
    }
    if (s->datagram_count == s->datagram_capacity) {
        collect_datagram *grown = array_grow(s->datagrams, sizeof *grown, &s->datagram_capacity, 8);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->datagrams = grown;
    }
    kept = &s->datagrams[s->datagram_count];
    *kept = (collect_datagram){malloc(size), size, offset};
    if (kept->bytes == NULL)
        return STELE_ERR_MEMORY;
    memcpy(kept->bytes, bytes, size);
    s->datagram_count++;
    c->datagram_count++;
    c->waiting_size += size;
    return STELE_OK;
}

stele_status arrive_datagram(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                             size_t size)
{
    const uint64_t offset = s->offset;
    stele_status status = STELE_OK;
    size_t taken = 0;
    if (has_scope(c, s, bytes, size, &status))
        status = take_all(c, s, bytes, size, offset, &taken);
    s->offset = offset + size;
    report_skipped(c, s);
    return status == STELE_OK && s->waits && taken < size
               ? keep_datagram(c, s, bytes + taken, size - taken, offset + taken)
               : status;
}

/* Tries the datagrams again that waited for metadata, in the order in which they came. */
static stele_status retry_datagrams(stele_collector *c, collect_sender *s)
{
    const uint32_t count = s->datagram_count;
    collect_datagram *all = s->datagrams;
    stele_status status = STELE_OK;
    s->datagrams = NULL;
    s->datagram_count = s->datagram_capacity = 0;
    c->datagram_count -= count;
    for (uint32_t i = 0; i < count; i++) {
        size_t taken = 0;
        c->waiting_size -= all[i].size;
        if (status == STELE_OK)
            status = take_all(c, s, all[i].bytes, all[i].size, all[i].offset, &taken);
        if (status == STELE_OK && s->waits && taken < all[i].size)
            status = keep_datagram(c, s, all[i].bytes + taken, all[i].size - taken,
                                   all[i].offset + taken);
        free(all[i].bytes);
    }
    free(all);
    return status;
}

/* ---- Streams of bytes ---- */

static stele_status keep_bytes(stele_collector *c, collect_sender *s, const uint8_t *bytes,
                               size_t size)
{
    while (s->size + size > s->capacity) {
        uint8_t *grown = array_grow_size(s->bytes, 1, &s->capacity, (size_t)64 << 10);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->bytes = grown;
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    c->waiting_size += size;
    return STELE_OK;
}

static stele_status take_kept(stele_collector *c, collect_sender *s)
{
    stele_status status = STELE_OK;
    size_t taken = 0;
    if (s->size == 0 || (s->size < s->want && !s->is_ended))
        return STELE_OK;
    if (has_scope(c, s, s->bytes, s->size, &status))
        status = take_all(c, s, s->bytes, s->size, s->offset, &taken);
    else if (status == STELE_OK && s->want == 0)
        taken = s->size;
    memmove(s->bytes, s->bytes + taken, s->size - taken);
    s->size -= taken;
    s->offset += taken;
    c->waiting_size -= taken;
    return status;
}

/* Tries again what waits for metadata. Called once for all metadata that came since, not for each
   piece: a sender could otherwise cause all waiting packets to be looked at for each of them. */
stele_status arrive_news(stele_collector *c, collect_scope *scope)
{
    stele_status status = STELE_OK;
    if (!scope->has_news)
        return STELE_OK;
    scope->has_news = false;
    for (uint32_t i = 0; i < c->sender_count && status == STELE_OK; i++) {
        collect_sender *s = c->senders[i];
        if (s->scope == scope && s->datagram_count != 0)
            status = retry_datagrams(c, s);
        if (status == STELE_OK && s->scope == scope && s->waits && s->size != 0)
            status = take_kept(c, s);
    }
    return status;
}

stele_status arrive_bytes(stele_collector *c, collect_sender *s, const uint8_t *bytes, size_t size)
{
    stele_status status;
    if (!has_room(c, size)) {
        refuse(c, s, s->offset + s->size, size);
        s->is_ended = true; /* after a gap no packet can be found in the stream */
        return STELE_OK;
    }
    status = keep_bytes(c, s, bytes, size);
    return status == STELE_OK ? take_kept(c, s) : status;
}

/* ---- The end of a sender ---- */

static void give_up_waiting(stele_collector *c, collect_sender *s)
{
    for (uint32_t i = 0; i < s->datagram_count; i++) {
        c->refused_count++;
        c->skipped_size += s->datagrams[i].size;
        c->waiting_size -= s->datagrams[i].size;
        c->datagram_count--;
        free(s->datagrams[i].bytes);
    }
    if (s->datagram_count != 0)
        diag_report(c->rules.diag, &core_codes[STE021], s->name, s->datagrams[0].offset, 0,
                    "metadata before or after them", "%u datagrams", s->datagram_count);
    s->datagram_count = 0;
}

stele_status arrive_end(stele_collector *c, collect_sender *s)
{
    stele_status status;
    if (s->is_ended && s->size == 0 && s->datagram_count == 0)
        return STELE_OK;
    s->is_ended = true;
    status = s->scope != NULL ? arrive_news(c, s->scope) : STELE_OK;
    if (status == STELE_OK)
        status = take_kept(c, s);
    if (s->size != 0) {
        c->refused_count++;
        c->skipped_size += s->size;
        c->waiting_size -= s->size;
        if (status == STELE_OK)
            diag_report(c->rules.diag, &core_codes[STE021], s->name, s->offset, s->size,
                        "metadata before them", "%zu bytes", s->size);
        s->size = 0;
    }
    give_up_waiting(c, s);
    report_skipped(c, s);
    return status;
}

/* Closes the traces of a scope that has one sender only: nothing can be added to them. */
static stele_status close_own(stele_collector *c, collect_scope *scope)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < scope->trace_count && status == STELE_OK; i++)
        status = collected_close(&scope->traces[i]->files, &c->rules);
    scope->ops->close(scope->state);
    scope->state = NULL;
    return status;
}

stele_status arrive_leave(stele_collector *c, collect_sender *s)
{
    stele_status status = arrive_end(c, s);
    if (s->scope != NULL && s->scope->ops->is_of_sender && s->scope->state != NULL) {
        const stele_status closed = close_own(c, s->scope);
        status = status == STELE_OK ? closed : status;
        if (s->scope->trace_count == 0)
            scope_forget(c, s->scope);
        s->scope = NULL;
    }
    free(s->bytes);
    s->bytes = NULL;
    s->capacity = 0;
    s->is_gone = true;
    return status;
}
