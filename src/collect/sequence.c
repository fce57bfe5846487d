/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sequence.h"

#include <stdlib.h>
#include <string.h>

/* Entries of the history of numbers; any other value is the hash of the packet with that number. */
#define NEVER_COUNTED 0u /* the number is before the first packet of the stream */
#define MISSING       1u
/* hashes have this bit, so that they differ from the other values */
#define HASH_BIT 2u

/* A number that is farther ahead is taken for a new start of the stream, not for a loss. */
#define JUMP_MAX (UINT64_C(1) << 20)

/* The entry of a number in the history. It is valid for the `window` numbers before s->next. */
static uint64_t *history_at(const sequence *s, uint64_t number)
{
    return &s->history[number & (s->window - 1)];
}

/* The slot of a number. Waiting numbers are in [next, next + window), so no two share a slot. */
static waiting_packet *slot_at(const sequence *s, uint64_t number)
{
    return &s->slots[number & (s->window - 1)];
}

static uint64_t hash_of(const sequence_sink *sink, const uint8_t *bytes, size_t size)
{
    return hash_keyed_bytes(sink->key, bytes, size) | HASH_BIT;
}

/* Begins the sequence with its first packet, of any number. */
static stele_status begin(sequence *s, const sequence_sink *sink, const receive_packet *about)
{
    s->mask = about->mask;
    s->counts_events = about->counts_events;
    s->window = sink->window;
    /* The window must be small against the range of numbers, or past and future numbers are
       ambiguous. */
    while (s->window > 1 && s->window - 1 > s->mask / 4)
        s->window /= 2;
    s->history = calloc(s->window, sizeof *s->history);
    if (s->history == NULL)
        return STELE_ERR_MEMORY;
    s->next = about->number;
    s->is_begun = true;
    return STELE_OK;
}

/* ---- Delivering in order ---- */

/* Delivers the packet whose number is s->next, and notes its hash in the history. */
static stele_status give(sequence *s, const sequence_sink *sink, const receive_packet *about,
                         const uint8_t *bytes)
{
    *history_at(s, s->next) = hash_of(sink, bytes, about->size);
    s->next = (s->next + 1) & s->mask;
    return sink->deliver(sink->user, about, bytes);
}

/* Delivers the waiting packet with the number s->next, and frees its slot. */
static stele_status give_waiting(sequence *s, const sequence_sink *sink, waiting_packet *slot)
{
    /* The slot is freed first: the next packet with this slot is `window` numbers ahead. */
    waiting_packet taken = *slot;
    stele_status status;
    slot->bytes = NULL;
    s->waiting_count--;
    sink->counts->waiting_size -= taken.about.size;
    status = give(s, sink, &taken.about, taken.bytes);
    free(taken.bytes);
    return status;
}

/* Delivers all waiting packets that follow without a gap. */
static stele_status drain(sequence *s, const sequence_sink *sink)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && s->waiting_count != 0 && slot_at(s, s->next)->bytes != NULL)
        status = give_waiting(s, sink, slot_at(s, s->next));
    return status;
}

/* How many missing numbers can be skipped at once: one, or all that will leave the history anyway.
   So a number far ahead does not cause much work. */
static uint64_t missing_before(const sequence *s, uint64_t number)
{
    const uint64_t ahead = (number - s->next) & s->mask;
    return s->waiting_count == 0 && ahead > s->window ? ahead - s->window : 1;
}

/* Moves on to a number: delivers waiting packets before it, and reports the others as missing. */
static stele_status advance(sequence *s, const sequence_sink *sink, uint64_t number)
{
    stele_status status = STELE_OK;
    uint64_t first = 0, count = 0, passed;
    while (status == STELE_OK && s->next != number) {
        if (s->waiting_count != 0 && slot_at(s, s->next)->bytes != NULL) {
            if (count != 0)
                sink->miss(sink->user, s, first, count);
            count = 0;
            status = give_waiting(s, sink, slot_at(s, s->next));
            continue;
        }
        if (count == 0)
            first = s->next;
        passed = missing_before(s, number);
        count += passed;
        sink->counts->missing_count += passed;
        *history_at(s, s->next) = MISSING;
        s->next = (s->next + passed) & s->mask;
    }
    if (count != 0)
        sink->miss(sink->user, s, first, count);
    return status;
}

/* Moves on to the first waiting packet, and delivers it and those that follow it. */
static stele_status advance_to_waiting(sequence *s, const sequence_sink *sink)
{
    uint64_t number = s->next;
    stele_status status;
    while (slot_at(s, number)->bytes == NULL)
        number = (number + 1) & s->mask;
    status = advance(s, sink, number);
    return status == STELE_OK ? drain(s, sink) : status;
}

/* ---- Taking one packet ---- */

static stele_status leave_out(const sequence_sink *sink, const receive_packet *about)
{
    sink->counts->duplicate_count++;
    sink->counts->duplicate_size += about->size;
    return STELE_OK;
}

/* Keeps a packet that is ahead of s->next, but within the window, until it is its turn. */
static stele_status wait(sequence *s, const sequence_sink *sink, const receive_packet *about,
                         const uint8_t *bytes, int64_t now_ns)
{
    waiting_packet *slot;
    if (s->slots == NULL)
        s->slots = calloc(s->window, sizeof *s->slots);
    if (s->slots == NULL)
        return STELE_ERR_MEMORY;
    slot = slot_at(s, about->number);
    if (slot->bytes != NULL && slot->about.size == about->size &&
        memcmp(slot->bytes, bytes, about->size) == 0) {
        return leave_out(sink, about);
    }
    /* Two different packets have the number: both are delivered, so that nothing new is lost. */
    if (slot->bytes != NULL)
        return sink->deliver(sink->user, about, bytes);
    slot->bytes = malloc(about->size);
    if (slot->bytes == NULL)
        return STELE_ERR_MEMORY;
    memcpy(slot->bytes, bytes, about->size);
    slot->about = *about;
    slot->since_ns = now_ns;
    s->waiting_count++;
    sink->counts->waiting_size += about->size;
    sink->counts->reordered_count++;
    return STELE_OK;
}

/* Takes a packet whose number was already passed: it is a duplicate, or came late. */
static stele_status take_past(sequence *s, const sequence_sink *sink, const receive_packet *about,
                              const uint8_t *bytes)
{
    uint64_t *known = history_at(s, about->number);
    const uint64_t hash = hash_of(sink, bytes, about->size);
    if (*known == hash) {
        return leave_out(sink, about);
    }
    if (*known == MISSING)
        sink->counts->missing_count--;
    if (*known == MISSING || *known == NEVER_COUNTED) {
        sink->counts->late_count++;
        *known = hash;
    }
    return sink->deliver(sink->user, about, bytes);
}

/* Handles a number too far from s->next: the stream began again, or another sender uses it. Waiting
   packets are delivered, then the sequence continues from the new number. */
static stele_status restart(sequence *s, const sequence_sink *sink, const receive_packet *about,
                            const uint8_t *bytes)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && s->waiting_count != 0)
        status = advance_to_waiting(s, sink);
    if (status != STELE_OK)
        return status;
    memset(s->history, 0, s->window * sizeof *s->history);
    s->next = about->number;
    sink->counts->restart_count++;
    sink->miss(sink->user, s, about->number, 0);
    return give(s, sink, about, bytes);
}

stele_status sequence_take(sequence *s, const sequence_sink *sink, const receive_packet *about,
                           const uint8_t *bytes, int64_t now_ns)
{
    /* Distances are computed modulo the range of numbers, so that wrapping needs no special
       case. */
    const uint64_t number = about->number & about->mask;
    stele_status status = s->is_begun ? STELE_OK : begin(s, sink, about);
    uint64_t ahead, past;
    if (status != STELE_OK)
        return status;
    if (about->mask != s->mask) /* the metadata of the stream have changed */
        return sink->deliver(sink->user, about, bytes);
    ahead = (number - s->next) & s->mask;
    past = (s->next - number) & s->mask;
    if (ahead != 0 && past <= s->window)
        return take_past(s, sink, about, bytes);
    if (ahead > s->mask / 2 || ahead > JUMP_MAX)
        return restart(s, sink, about, bytes);
    /* The window moves until the number is in it; packets that leave it at its start are
       missing. */
    if (ahead >= s->window)
        status = advance(s, sink, (number - s->window + 1) & s->mask);
    if (status == STELE_OK)
        status = drain(s, sink);
    if (status != STELE_OK)
        return status;
    if (number != s->next)
        return wait(s, sink, about, bytes, now_ns);
    status = give(s, sink, about, bytes);
    return status == STELE_OK ? drain(s, sink) : status;
}

stele_status sequence_give_up(sequence *s, const sequence_sink *sink, int64_t before_ns)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && sequence_oldest(s) < before_ns)
        status = advance_to_waiting(s, sink);
    return status;
}

int64_t sequence_oldest(const sequence *s)
{
    int64_t oldest_ns = INT64_MAX;
    for (uint32_t i = 0; s->waiting_count != 0 && i < s->window; i++)
        if (s->slots[i].bytes != NULL && s->slots[i].since_ns < oldest_ns)
            oldest_ns = s->slots[i].since_ns;
    return oldest_ns;
}

void sequence_free(sequence *s)
{
    for (uint32_t i = 0; s->slots != NULL && i < s->window; i++)
        free(s->slots[i].bytes);
    free(s->slots);
    free(s->history);
}
