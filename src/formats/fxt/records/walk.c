/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/walk.h"

#include <stdarg.h>
#include <stdio.h>

const stele_code fxt_codes[FXT_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/fxt/codes.def"
#undef STELE_CODE
};

/* Loaded while looking for the way: two of the longest records and a header. */
#define AHEAD ((size_t)2 * STELE_FXT_RECORD_SIZE_MAX + FXT_WORD)

/* In a record shorter than that a few numbers look like records more easily than they are some. */
#define HIDING_SIZE 256u

stele_status walk_open(walk *k, input *in, bool is_big_endian, size_t window_size, diag_sink *diag)
{
    *k = (walk){.is_big_endian = is_big_endian, .diag = diag};
    return window_open(&k->window, in, 0, UINT64_MAX, window_size, WALK_LOADED_MAX);
}

void walk_close(walk *k)
{
    window_close(&k->window);
}

void walk_move(walk *k, uint64_t start, uint64_t stop)
{
    window_move(&k->window, start, stop);
    k->step = 0;
    k->is_lost = k->is_ended = false;
}

/* window_need() that asks the input no more once it has ended: damage must not cost a move of the
   window for each word. */
static size_t walk_need(walk *k, size_t want)
{
    size_t left = (size_t)(k->window.end - k->window.at);
    if (left >= want || k->is_ended)
        return left;
    left = window_fill(&k->window, want);
    /* A record longer than the window can grow ends nothing. */
    k->is_ended = left < want && left < WALK_LOADED_MAX;
    return left;
}

void walk_load(walk *k, walk_record *r, size_t want)
{
    const size_t loaded = walk_need(k, want < r->size ? want : (size_t)r->size);
    r->bytes = k->window.at;
    r->loaded = loaded < r->size ? loaded : (size_t)r->size;
}

void walk_consume(walk *k, uint64_t size)
{
    k->window.at += size;
    k->step -= size;
}

/* Bytes from the window's `at` to the end of the range, as far as that is known. */
static uint64_t walk_left(const walk *k)
{
    if (k->is_ended)
        return (uint64_t)(k->window.end - k->window.at);
    return k->window.stop - window_offset(&k->window);
}

__attribute__((format(printf, 5, 6))) static void
walk_report(walk *k, fxt_code code, uint64_t offset, uint64_t size, const char *found, ...)
{
    char text[128];
    va_list args;
    if (k->diag == NULL)
        return;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(k->diag, &(stele_diag){.code = &fxt_codes[code],
                                     .source = k->window.in->name,
                                     .offset = offset,
                                     .size = size,
                                     .found = text});
}

/* ---- Finding the way again ---- */

/*
 * A record between two damaged places has no successor to vouch for it: its contents must fit its
 * size. Short records of state look too much like numbers.
 */
static bool walk_stands_alone(const walk *k, uint64_t ahead)
{
    const uint8_t *at = k->window.at + ahead;
    const uint64_t loaded = (uint64_t)(k->window.end - at);
    stele_fxt_record record;
    return stele_fxt_decode(at, (size_t)loaded, k->is_big_endian, &record) == STELE_FXT_OK &&
           record.type >= STELE_FXT_EVENT && record.type <= STELE_FXT_PROFILER &&
           record.type != STELE_FXT_BLOB && record.used == record.size;
}

/*
 * True when records follow each other from `ahead` bytes behind the window's `at` on: `depth`
 * headers, or to the end by `depth_to_end` ones.
 */
static bool walk_resumes(const walk *k, uint64_t ahead, unsigned depth, unsigned depth_to_end)
{
    const uint64_t from = ahead;
    const uint64_t loaded = (uint64_t)(k->window.end - k->window.at), left = walk_left(k);
    for (unsigned i = 0; i < depth; i++) {
        uint64_t header;
        if (ahead == left)
            return i >= depth_to_end;
        if (ahead + FXT_WORD > loaded)
            return i >= depth_to_end && ahead < left; /* out of sight */
        header = fxt_word(k->window.at + ahead, k->is_big_endian);
        if (!fxt_is_plausible(header, i == 0 ? left - ahead : UINT64_MAX))
            return i == 1 && depth == 2 && walk_stands_alone(k, from);
        if (fxt_size(header) > left - ahead)
            return true; /* the last one is cut off */
        ahead += fxt_size(header);
    }
    return true;
}

/* Steps over words until a header follows that others vouch for, or the end. */
static void walk_resync(walk *k, fxt_code code, const char *found)
{
    const uint64_t from = window_offset(&k->window);
    uint64_t size;
    k->window.at += FXT_WORD;
    while (walk_need(k, AHEAD) >= FXT_WORD && !walk_resumes(k, 0, 2, 1))
        k->window.at += FXT_WORD;
    size = window_offset(&k->window) - from;
    k->skipped_size += size;
    walk_report(k, code, from, size, "%s; %llu bytes skipped", found, (unsigned long long)size);
}

/* What is left is less than a word, or nothing. */
static bool walk_end(walk *k)
{
    const uint64_t left = (uint64_t)(k->window.end - k->window.at);
    if (left != 0 && k->window.status == STELE_OK) {
        walk_report(k, FXT029, window_offset(&k->window), left, "%llu bytes",
                    (unsigned long long)left);
        k->skipped_size += left;
    }
    k->window.at = k->window.end;
    k->step = 0;
    return false;
}

/* ---- Records that need a closer look ---- */

/* Deliver the record, and trust nothing before `step` bytes further on. */
static bool walk_deliver_damaged(walk *k, walk_record *r, uint64_t step)
{
    r->is_damaged = true;
    r->extent = k->step = step;
    return true;
}

/*
 * The record's size leads beyond the end. Either the input was cut off inside of it, or its size
 * is wrong: then its contents end before, or records follow. False: nothing can be made of it.
 */
static bool walk_overlong(walk *k, walk_record *r, uint64_t left)
{
    stele_fxt_record record;
    const stele_fxt_fault fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    uint64_t step = left;
    if (fault == STELE_FXT_OK && record.used <= r->loaded) {
        k->is_lost = true;
        k->step = record.used;
        walk_report(k, FXT002, r->offset, r->size, "a size of %llu bytes, contents of %llu",
                    (unsigned long long)r->size, (unsigned long long)record.used);
        return walk_deliver_damaged(k, r, record.used);
    }
    if (fault != STELE_FXT_OK && fault != STELE_FXT_FAULT_CUT)
        return false;
    if (r->size <= STELE_FXT_RECORD_SIZE_MAX) {
        for (step = FXT_WORD; step < left && !walk_resumes(k, step, 3, 2);)
            step += FXT_WORD;
    }
    if (step < left) {
        walk_report(k, FXT002, r->offset, step, "a size of %llu bytes, %llu are left",
                    (unsigned long long)r->size, (unsigned long long)left);
        k->skipped_size += step;
    } else {
        step = left;
        walk_report(k, FXT003, r->offset, left, "%llu of %llu bytes", (unsigned long long)left,
                    (unsigned long long)r->size);
    }
    return walk_deliver_damaged(k, r, step);
}

/*
 * True when records follow each other inside of this one (two at least, as a single number may look
 * like a header), from `from` bytes behind its start on: then they are the ones that are meant.
 */
static bool walk_hides_records(const walk *k, const walk_record *at, uint64_t from)
{
    for (uint64_t ahead = from; ahead < at->size; ahead += FXT_WORD) {
        const uint64_t first = fxt_size(fxt_word(at->bytes + ahead, k->is_big_endian));
        if (first < at->size - ahead && walk_resumes(k, ahead, 3, 2))
            return true;
    }
    return false;
}

/* The last record ends where the input does, which vouches for nothing if that was cut. */
static bool walk_ends_well(const walk *k, const walk_record *at)
{
    stele_fxt_record record;
    return stele_fxt_decode(at->bytes, at->loaded, k->is_big_endian, &record) != STELE_FXT_OK ||
           !walk_hides_records(k, at, record.used);
}

/* The same for a record that is longer than what is loaded. */
static bool walk_leads_far(walk *k, const walk_record *r)
{
    const uint64_t left = walk_left(k) - r->size;
    uint8_t bytes[FXT_WORD];
    uint64_t header;
    size_t got;
    if (!k->window.in->is_seekable || left < FXT_WORD)
        return true; /* nothing to be seen */
    if (input_read(k->window.in, r->offset + r->size, bytes, sizeof bytes, &got) != STELE_OK)
        return true;
    header = fxt_word(bytes, k->is_big_endian);
    return got == sizeof bytes && fxt_is_plausible(header, left);
}

/* True when a sound header, or the end, comes behind the record. */
static bool walk_leads_on(walk *k, walk_record *r)
{
    uint64_t left;
    if (r->size > STELE_FXT_RECORD_SIZE_MAX)
        return walk_leads_far(k, r);
    left = walk_need(k, (size_t)r->size + FXT_WORD);
    r->bytes = k->window.at;
    if (left < r->size + FXT_WORD)
        return walk_ends_well(k, r);
    return fxt_size(fxt_word(r->bytes + r->size, k->is_big_endian)) != 0;
}

/* True when the record's contents end exactly where its size says. */
static bool walk_is_exact(const walk *k, const walk_record *r, uint64_t *used)
{
    stele_fxt_record record;
    const stele_fxt_fault fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    *used = fault == STELE_FXT_OK ? record.used : FXT_WORD;
    return fault == STELE_FXT_OK && record.used == r->size;
}

/* Steps to where the next record should be; false when the range ends before. */
static bool walk_settle(walk *k)
{
    const uint64_t step = k->step;
    const uint64_t left = (uint64_t)(k->window.end - k->window.at);
    k->step = 0;
    if (step <= left) {
        k->window.at += step;
        return true;
    }
    return window_skip(&k->window, step);
}

bool walk_next_slow(walk *k, walk_record *r)
{
    if (!walk_settle(k))
        return walk_end(k);
    for (;;) {
        uint64_t left, used;
        if (walk_need(k, FXT_WORD) < FXT_WORD)
            return walk_end(k);
        if (k->is_lost) {
            k->is_lost = false;
            if (!walk_resumes(k, 0, 2, 1))
                walk_resync(k, FXT030, "no header where the record's contents end");
            continue;
        }
        r->header = fxt_word(k->window.at, k->is_big_endian);
        r->size = fxt_size(r->header);
        r->extent = r->size;
        r->offset = window_offset(&k->window);
        r->is_damaged = false;
        if (r->size == 0) {
            walk_resync(k, FXT001, "a header without size");
            continue;
        }
        walk_load(k, r, WALK_LOADED);
        k->step = r->size;
        if (!k->window.in->has_size)
            walk_load(k, r, WALK_LOADED_MAX); /* only so can its end be told */
        left = walk_left(k);
        if (r->size > left) {
            if (walk_overlong(k, r, left))
                return true;
            walk_resync(k, FXT002, "a size beyond the end");
            continue;
        }
        if (walk_leads_on(k, r) || walk_is_exact(k, r, &used))
            return true;
        k->is_lost = true;
        return walk_deliver_damaged(k, r, used);
    }
}

/*
 * True when a record comes behind this one, perhaps after some of a kind that is not known: one
 * with a header that is plausible, or with contents that decode without a fault.
 */
static bool walk_is_followed(const walk *k, const walk_record *at)
{
    const uint64_t loaded = (uint64_t)(k->window.end - at->bytes), left = walk_left(k);
    uint64_t ahead = at->size;
    for (unsigned i = 0; i < 8 && ahead + FXT_WORD <= loaded; i++) {
        stele_fxt_record next;
        const stele_fxt_fault fault =
            stele_fxt_decode(at->bytes + ahead, (size_t)(loaded - ahead), k->is_big_endian, &next);
        if (next.size == 0)
            return false;
        if (next.size > left - ahead) /* cut off, if it is one */
            return fault == STELE_FXT_FAULT_CUT || fault == STELE_FXT_FAULT_SUBTYPE;
        if (fault == STELE_FXT_OK || fault == STELE_FXT_FAULT_CUT ||
            fxt_is_plausible(next.header, left - ahead))
            return true;
        if (fault != STELE_FXT_FAULT_SUBTYPE)
            return false;
        ahead += next.size;
    }
    return true; /* as far as can be seen */
}

void walk_doubt_slow(walk *k, walk_record *at, const stele_fxt_record *r)
{
    const uint64_t step = r->fault == STELE_FXT_OK ? r->used : FXT_WORD;
    if (at->size > STELE_FXT_RECORD_SIZE_MAX ||
        (walk_is_followed(k, at) && (at->size < HIDING_SIZE || !walk_hides_records(k, at, step))))
        return;
    k->is_lost = true;
    walk_deliver_damaged(k, at, step);
}
