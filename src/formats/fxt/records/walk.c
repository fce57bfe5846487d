/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/fxt/records/resume.h"

const stele_code fxt_codes[FXT_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "formats/fxt/codes.def"
#undef STELE_CODE
};

/* Bytes that are loaded in search of records: two of the longest and a header. */
#define AHEAD ((size_t)2 * STELE_FXT_RECORD_SIZE_MAX + FXT_WORD)

/* Bytes that are loaded at a position far ahead. */
#define AHEAD_FAR 4096u
/* In how many bytes together records are looked for that do not begin at a multiple of a word, and
   how many must follow each other, or lead exactly to the end: numbers must not look like so many
   records. */
#define ASKEW_SIZE   512u
#define ASKEW_DEPTH  8u
#define ASKEW_TO_END 2u

stele_status walk_open(record_walk *k, input *in, bool is_big_endian, size_t window_size,
                       diag_sink *diag)
{
    *k = (record_walk){.is_big_endian = is_big_endian, .diag = diag};
    /* With room for twice of what is asked for at most, bytes are not moved each time. */
    return window_open(&k->window, in, 0, UINT64_MAX, window_size, 2 * WALK_LOADED_MAX);
}

void walk_close(record_walk *k)
{
    free(k->judged);
    k->judged = NULL;
    window_close(&k->window);
}

void walk_move(record_walk *k, uint64_t start, uint64_t stop)
{
    window_move(&k->window, start, stop);
    k->step = 0;
    k->is_lost = k->is_ended = false;
    k->unreported_size = 0;
    if (k->judged != NULL)
        k->judged->first = UINT64_MAX; /* another end may change the answers */
}

/* Loads bytes like window_need(), but does not ask an input again that has ended: in damaged data
   that would move the window for each word. */
static size_t walk_need(record_walk *k, size_t want)
{
    size_t left = (size_t)(k->window.end - k->window.at);
    if (left >= want || k->is_ended)
        return left;
    left = window_fill(&k->window, want);
    /* Failing to load a record that is longer than the window can grow does not mean the end. */
    k->is_ended = left < want && left < WALK_LOADED_MAX;
    return left;
}

/* Loads bytes that only serve to judge those before them: of a file that is followed, only those
   that are there. */
static size_t walk_look(record_walk *k, size_t want)
{
    if (!k->window.in->is_followed)
        return walk_need(k, want);
    window_await(&k->window, want, 0);
    return (size_t)(k->window.end - k->window.at);
}

size_t walk_want(const record_walk *k)
{
    const window *w = &k->window;
    const uint64_t left = (uint64_t)(w->end - w->at);
    uint64_t size;
    if (left < FXT_WORD || k->step > left - FXT_WORD)
        return (size_t)k->step + FXT_WORD;
    size = fxt_size(fxt_word(w->at + k->step, k->is_big_endian));
    return (size_t)(k->step + (size > WALK_LOADED_MAX ? WALK_LOADED_MAX : size));
}

void walk_load(record_walk *k, walk_record *r, size_t want)
{
    size_t loaded = walk_need(k, want < r->size ? want : (size_t)r->size);
    /* How much more is loaded by chance must not decide what the record is taken for. */
    if (loaded > WALK_LOADED_MAX)
        loaded = WALK_LOADED_MAX;
    r->bytes = k->window.at;
    r->loaded = loaded < r->size ? loaded : (size_t)r->size;
}

void walk_consume(record_walk *k, uint64_t size)
{
    k->window.at += size;
    k->step -= size;
}

/* Returns the bytes from the window's position to the end of the range, as far as known. */
static uint64_t walk_left(const record_walk *k)
{
    if (k->is_ended)
        return (uint64_t)(k->window.end - k->window.at);
    return k->window.stop - window_offset(&k->window);
}

__attribute__((format(printf, 5, 6))) static void
walk_report(record_walk *k, fxt_code code, uint64_t offset, uint64_t size, const char *found, ...)
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

/* ---- Judgement of bytes ---- */

static fxt_view walk_view(const record_walk *k)
{
    const uint64_t loaded = (uint64_t)(k->window.end - k->window.at);
    return (fxt_view){k->window.at, loaded, walk_left(k), k->is_big_endian};
}

/* ---- Search for records after damage ---- */

static bool walk_resumes(const record_walk *k, unsigned depth, unsigned depth_to_end)
{
    const fxt_view v = walk_view(k);
    return fxt_view_resumes(&v, 0, depth, depth_to_end);
}

/* Moves to where records go on at a distance that is not a number of words, because bytes were lost
   or came in between. Returns false if there are none in the next ASKEW_SIZE bytes, or if records
   go on before them at a whole number of words. */
static bool walk_goes_on_askew(record_walk *k, const fxt_view *v)
{
    for (uint64_t ahead = 1; ahead < ASKEW_SIZE && ahead + FXT_WORD <= v->loaded; ahead++) {
        if (ahead % FXT_WORD == 0) {
            if (fxt_view_goes_on(v, ahead))
                return false;
        } else if (fxt_view_resumes(v, ahead, ASKEW_DEPTH, ASKEW_TO_END)) {
            k->window.at += ahead;
            return true;
        }
    }
    return false;
}

/* Skips words until a header that other records confirm, or the end. */
static void walk_resync(record_walk *k, fxt_code code, const char *found)
{
    const uint64_t from = window_offset(&k->window);
    uint64_t size;
    k->window.at += FXT_WORD;
    while (walk_need(k, AHEAD) >= FXT_WORD) {
        const fxt_view v = walk_view(k);
        if (fxt_view_goes_on(&v, 0))
            break;
        size = window_offset(&k->window) - from;
        if (size % ASKEW_SIZE == FXT_WORD && walk_goes_on_askew(k, &v))
            break;
        k->window.at += FXT_WORD;
    }
    size = window_offset(&k->window) - from;
    k->skipped_size += size;
    walk_report(k, code, from, size, "%s; %llu bytes skipped", found, (unsigned long long)size);
}

/* Tells what is the matter with a record after which others follow, although its size says
   otherwise. */
static void walk_tell_size(record_walk *k)
{
    if (k->unreported_size != 0)
        walk_report(k, FXT038, k->unreported_offset, k->unreported_extent,
                    "a size of %llu bytes, and records after %llu",
                    (unsigned long long)k->unreported_size,
                    (unsigned long long)k->unreported_extent);
    k->unreported_size = 0;
}

/* Ends the walk: less than a word is left, or nothing. */
static bool walk_end(record_walk *k)
{
    const uint64_t left = (uint64_t)(k->window.end - k->window.at);
    if (left == 0)
        walk_tell_size(k);
    if (left != 0 && k->window.status == STELE_OK) {
        walk_report(k, FXT029, window_offset(&k->window), left, "%llu bytes",
                    (unsigned long long)left);
        k->skipped_size += left;
    }
    k->window.at = k->window.end;
    k->step = 0;
    return false;
}

/* ---- Records with doubtful sizes ---- */

/* Gives the record as damaged, `step` bytes long; the next header is not trusted. */
static bool walk_deliver_damaged(record_walk *k, walk_record *r, uint64_t step)
{
    r->is_damaged = true;
    r->extent = k->step = step;
    k->is_lost = true;
    return true;
}

/* Gives the record as damaged. What is wrong is reported where its contents end. */
static bool walk_deliver_unreported(record_walk *k, walk_record *r, uint64_t step)
{
    k->unreported_offset = r->offset;
    k->unreported_size = r->size;
    k->unreported_extent = step;
    return walk_deliver_damaged(k, r, step);
}

/* Gives the record with the size of its contents, after which records follow. */
static bool walk_deliver_resized(record_walk *k, walk_record *r, fxt_code code, uint64_t used)
{
    walk_report(k, code, r->offset, used, "a size of %llu bytes, contents of %llu",
                (unsigned long long)r->size, (unsigned long long)used);
    return walk_deliver_damaged(k, r, used);
}

/* Judges a position for a search, and remembers the answer unless bytes that may change it are not
   loaded. */
static bool walk_judge(record_walk *k, const fxt_view *v, judged_kind kind, uint64_t ahead)
{
    const bool is_good = kind == JUDGED_ASKEW
                             ? fxt_view_resumes(v, ahead, ASKEW_DEPTH, ASKEW_TO_END)
                             : fxt_view_resumes(v, ahead, 3, kind == JUDGED_ONE_TO_END ? 1 : 2);
    if (v->loaded == v->left || v->loaded - ahead >= AHEAD)
        judged_set(k->judged, kind, window_offset(&k->window) + ahead, is_good);
    return is_good;
}

/* Whether records follow each other at one of the positions between two of the loaded bytes. At
   whole numbers of words the first of them must not be a record of state, as numbers and headers of
   arguments look like those. */
static bool walk_finds(record_walk *k, const fxt_view *v, judged_kind kind, uint64_t from,
                       uint64_t stop)
{
    const uint64_t base = window_offset(&k->window);
    const uint8_t whole = (uint8_t)(1u << base % FXT_WORD);
    const uint8_t pattern = kind == JUDGED_ASKEW ? (uint8_t)~whole : whole;
    bool is_good = false;
    for (uint64_t ahead = from; ahead + FXT_WORD <= stop; ahead++) {
        ahead = judged_next(k->judged, kind, base + ahead, base + stop - FXT_WORD + 1, pattern,
                            &is_good) -
                base;
        if (is_good)
            return true;
        if (ahead + FXT_WORD > stop)
            return false;
        if (kind != JUDGED_ASKEW &&
            fxt_type(fxt_word(v->at + ahead, v->is_big_endian)) < STELE_FXT_EVENT)
            judged_set(k->judged, kind, base + ahead, false);
        else if (walk_judge(k, v, kind, ahead))
            return true;
    }
    return false;
}

/* Whether records follow each other somewhere in the first bytes of this one, as `kind` wants
   them. */
static bool walk_hides(record_walk *k, const walk_record *at, judged_kind kind, uint64_t from)
{
    const fxt_view v = walk_view(k);
    uint64_t stop = at->size < v.loaded ? at->size : v.loaded;
    if (stop > JUDGED_SIZE - 64)
        stop = JUDGED_SIZE - 64;
    if (k->judged == NULL)
        k->judged = calloc(1, sizeof *k->judged);
    if (k->judged == NULL) {
        k->window.status = STELE_ERR_MEMORY;
        return false;
    }
    judged_move(k->judged, window_offset(&k->window));
    return walk_finds(k, &v, kind, from, stop);
}

/* The same with three records at a whole number of words, or more of them elsewhere. */
static bool walk_hides_records(record_walk *k, const walk_record *at, uint64_t from,
                               unsigned depth_to_end)
{
    return walk_hides(k, at, depth_to_end == 1 ? JUDGED_ONE_TO_END : JUDGED_TWO_TO_END, from) ||
           walk_hides(k, at, JUDGED_ASKEW, from);
}

/* Whether records follow each other within the first `size` bytes of a record, its own contents. */
static bool walk_holds_records(record_walk *k, const walk_record *at, uint64_t size)
{
    walk_record contents = *at;
    contents.size = size;
    return walk_hides_records(k, &contents, FXT_WORD, 2);
}

/* Whether records, or the end, follow after `ahead` bytes, or that cannot be seen. With `is_sure`
   the records must be sound. */
static bool walk_leads_far(const record_walk *k, uint64_t ahead, bool is_sure)
{
    const uint64_t left = walk_left(k) - ahead;
    uint8_t bytes[AHEAD_FAR];
    fxt_view v = {bytes, 0, left, k->is_big_endian};
    size_t got;
    if (left == 0 || !k->window.in->is_seekable)
        return true;
    got = left < AHEAD_FAR ? (size_t)left : AHEAD_FAR;
    if (ahead + got <= (uint64_t)(k->window.end - k->window.at))
        v.at = k->window.at + ahead;
    else if (input_read(k->window.in, window_offset(&k->window) + ahead, bytes, got, &got) !=
             STELE_OK)
        return true;
    v.loaded = got;
    if (!is_sure)
        return fxt_view_is_followed(&v, 0);
    return fxt_view_goes_on(&v, 0);
}

/*
 * Judges a large record. Its size is right if its contents end there, as a single wrong byte cannot
 * achieve that. Otherwise three things decide: where the contents end, whether records are inside
 * of it, and whether some follow it. Returns false if it is not a record.
 */
static bool walk_large(record_walk *k, walk_record *r, uint64_t left)
{
    stele_fxt_record record;
    stele_fxt_fault fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    bool is_known;
    if (fault == STELE_FXT_FAULT_CUT && r->loaded < r->size) {
        walk_load(k, r, WALK_LOADED_MAX); /* the names may be long */
        fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    }
    is_known = fault == STELE_FXT_OK || fault == STELE_FXT_FAULT_SIZE;
    if (fault == STELE_FXT_OK && record.used == r->size) {
        if (r->size <= left)
            return true;
        walk_report(k, FXT003, r->offset, left, "%llu of %llu bytes", (unsigned long long)left,
                    (unsigned long long)r->size);
        return walk_deliver_damaged(k, r, left);
    }
    if (fault == STELE_FXT_OK && record.used <= left && walk_leads_far(k, record.used, true))
        return walk_deliver_resized(k, r, r->size > left ? FXT002 : FXT038, record.used);
    /* A size that leads to another record proves little: among many records each third or fourth
       word begins one. */
    walk_look(k, JUDGED_SIZE + AHEAD);
    r->bytes = k->window.at;
    if (walk_hides_records(k, r, FXT_WORD, 1))
        return false;
    if (r->size <= left)
        return (is_known && fxt_is_plausible(r->header, left) &&
                walk_leads_far(k, r->size, true)) ||
               walk_leads_far(k, r->size, false);
    if (fault == STELE_FXT_FAULT_SUBTYPE)
        return false;
    walk_report(k, FXT003, r->offset, left, "%llu of %llu bytes", (unsigned long long)left,
                (unsigned long long)r->size);
    return walk_deliver_damaged(k, r, left);
}

/* Handles a record whose size exceeds the input. Either the input ends inside of it, or the size is
   wrong: then its contents end before, or records follow. Returns false if it is not a record. */
static bool walk_overlong(record_walk *k, walk_record *r, uint64_t left)
{
    const fxt_view v = walk_view(k);
    stele_fxt_record record;
    const stele_fxt_fault fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    uint64_t step = FXT_WORD;
    if (fault == STELE_FXT_OK && record.used <= r->loaded) {
        if (walk_holds_records(k, r, record.used) ||
            (!fxt_view_goes_on(&v, record.used) && walk_hides_records(k, r, FXT_WORD, 1)))
            return false;
        return walk_deliver_resized(k, r, FXT002, record.used);
    }
    if (fault != STELE_FXT_OK && fault != STELE_FXT_FAULT_CUT)
        return false;
    while (step < left && !fxt_view_resumes(&v, step, 3, 2))
        step += FXT_WORD;
    if (step < left) {
        walk_report(k, FXT002, r->offset, step, "a size of %llu bytes, %llu are left",
                    (unsigned long long)r->size, (unsigned long long)left);
    } else if (walk_hides(k, r, JUDGED_ASKEW, FXT_WORD)) {
        return false; /* bytes before it are missing, or were added */
    } else {
        step = left;
        walk_report(k, FXT003, r->offset, left, "%llu of %llu bytes", (unsigned long long)left,
                    (unsigned long long)r->size);
    }
    return walk_deliver_damaged(k, r, step);
}

/* Whether the last record, which ends with the input, is sound: that proves nothing if the input
   was cut. */
static bool walk_ends_well(record_walk *k, const walk_record *at)
{
    stele_fxt_record record;
    return stele_fxt_decode(at->bytes, at->loaded, k->is_big_endian, &record) != STELE_FXT_OK ||
           !walk_hides_records(k, at, record.used, 2);
}

/* Whether the record's contents end exactly where its size says. */
static bool walk_is_exact(const record_walk *k, const walk_record *r, uint64_t *used)
{
    stele_fxt_record record;
    const stele_fxt_fault fault = stele_fxt_decode(r->bytes, r->loaded, k->is_big_endian, &record);
    *used = fault == STELE_FXT_OK ? record.used : FXT_WORD;
    return fault == STELE_FXT_OK && record.used == r->size;
}

/* Whether a sound header, or the end, follows the record. */
static bool walk_leads_on(record_walk *k, walk_record *r)
{
    const bool is_alone = !window_await(&k->window, (size_t)r->size + FXT_WORD, 0);
    uint64_t left, used;
    r->bytes = k->window.at;
    if (is_alone && walk_is_exact(k, r, &used))
        return true; /* bytes that may still arrive are not waited for */
    left = walk_need(k, (size_t)r->size + FXT_WORD);
    r->bytes = k->window.at;
    if (left < r->size + FXT_WORD)
        return walk_ends_well(k, r);
    return fxt_size(fxt_word(r->bytes + r->size, k->is_big_endian)) != 0;
}

/* Moves to where the next record should begin. Returns false if an input of unknown size ends
   before. */
static bool walk_settle(record_walk *k)
{
    const uint64_t step = k->step, target = window_offset(&k->window) + step;
    const uint64_t left = (uint64_t)(k->window.end - k->window.at);
    uint64_t missing;
    k->step = 0;
    if (step <= left) {
        k->window.at += step;
        return true;
    }
    if (window_skip(&k->window, step))
        return true;
    missing = target - (k->window.in->position < target ? k->window.in->position : target);
    k->record_size -= missing;
    if (k->window.status == STELE_OK)
        walk_report(k, FXT003, target - step, step - missing, "%llu bytes less than its size",
                    (unsigned long long)missing);
    return false;
}

/* Tries one header after damage. Returns true if it gave a record; otherwise the walk has moved
   on. */
static bool walk_try(record_walk *k, walk_record *r)
{
    uint64_t left, used;
    r->header = fxt_word(k->window.at, k->is_big_endian);
    r->size = fxt_size(r->header);
    r->extent = r->size;
    r->offset = window_offset(&k->window);
    r->is_damaged = false;
    if (r->size == 0) {
        walk_resync(k, FXT001, "a header without size");
        return false;
    }
    walk_load(k, r, WALK_LOADED);
    k->step = r->size;
    if (!k->window.in->has_size)
        walk_load(k, r, WALK_LOADED_MAX); /* only in this way the end can be found */
    left = walk_left(k);
    if (fxt_type(r->header) == STELE_FXT_LARGE) {
        if (walk_large(k, r, left))
            return true;
        walk_resync(k, r->size > left ? FXT002 : FXT030, "a large record that holds others");
        return false;
    }
    if (r->size > left) {
        if (walk_overlong(k, r, left))
            return true;
        walk_resync(k, FXT002, "a size beyond the end");
        return false;
    }
    if (walk_leads_on(k, r) || walk_is_exact(k, r, &used))
        return true;
    return walk_deliver_unreported(k, r, used);
}

bool walk_next_slow(record_walk *k, walk_record *r)
{
    if (!walk_settle(k))
        return walk_end(k);
    for (;;) {
        if (walk_need(k, FXT_WORD) < FXT_WORD)
            return walk_end(k);
        if (k->is_lost) {
            k->is_lost = false;
            walk_look(k, AHEAD);
            if (walk_resumes(k, 2, 1))
                walk_tell_size(k);
            else
                walk_resync(k, FXT030, "no header where the record's contents end");
            k->unreported_size = 0;
            continue;
        }
        if (walk_try(k, r)) {
            k->record_size += r->extent;
            return true;
        }
    }
}

void walk_doubt_slow(record_walk *k, walk_record *at, stele_fxt_record *r)
{
    uint64_t step;
    fxt_view v;
    if (fxt_type(at->header) == STELE_FXT_LARGE)
        return; /* walk_large() has judged it */
    walk_look(k, (size_t)at->size + AHEAD);
    walk_load(k, at, (size_t)at->size);
    stele_fxt_decode(at->bytes, at->loaded, k->is_big_endian, r);
    v = walk_view(k);
    step = r->fault == STELE_FXT_OK ? fxt_used_least(r) : FXT_WORD;
    k->record_size -= at->extent;
    if (r->fault == STELE_FXT_OK && step < at->size && fxt_view_resumes(&v, step, 2, 1) &&
        !walk_holds_records(k, at, step)) {
        walk_deliver_resized(k, at, FXT038, step);
    } else if ((r->fault != STELE_FXT_OK || r->used != at->size) &&
               (!fxt_view_is_led_to(&v, at->size, r) || walk_hides_records(k, at, FXT_WORD, 2))) {
        /* If its contents contain other records, only its header word is its own. */
        if (walk_hides_records(k, at, FXT_WORD, 2))
            step = FXT_WORD;
        if (fxt_view_resumes(&v, step, 2, 1))
            walk_deliver_resized(k, at, FXT038, step);
        else
            walk_deliver_unreported(k, at, step);
    }
    k->record_size += at->extent;
}
