/* SPDX-License-Identifier: Apache-2.0 */
/* Judges headers that may not be the begin of a record, to find records again after damage: see
   decode.h. */
#include "formats/fxt/records/decode.h"

static uint64_t words_of_string(uint64_t ref)
{
    return fxt_padded(fxt_string_size((uint16_t)ref)) / FXT_WORD;
}

static uint64_t words_of_thread(uint64_t ref)
{
    return ref == 0 ? 2 : 0;
}

static bool metadata_is_plausible(uint64_t h, uint64_t words)
{
    switch (fxt_bits(h, 16, 19)) {
    case STELE_FXT_PROVIDER_INFO:
        return words == 1 + (fxt_bits(h, 52, 59) + 7) / 8 && fxt_bits(h, 60, 63) == 0;
    case STELE_FXT_PROVIDER_SECTION: return words == 1 && fxt_bits(h, 52, 63) == 0;
    case STELE_FXT_PROVIDER_EVENT: return words == 1 && fxt_bits(h, 56, 63) == 0;
    default: return h == STELE_FXT_MAGIC;
    }
}

static bool event_is_plausible(uint64_t h, uint64_t words)
{
    const uint64_t type = fxt_bits(h, 16, 19), count = fxt_bits(h, 20, 23);
    const bool has_word = type == STELE_FXT_COUNTER || type >= STELE_FXT_DURATION_COMPLETE;
    const uint64_t least = 2 + words_of_thread(fxt_bits(h, 24, 31)) +
                           words_of_string(fxt_bits(h, 32, 47)) +
                           words_of_string(fxt_bits(h, 48, 63)) + count + has_word;
    /* Nothing but an instant's scope is expected after the arguments. */
    return type <= STELE_FXT_FLOW_END && words >= least &&
           (count != 0 || words <= least + (type == STELE_FXT_INSTANT));
}

static bool scheduling_is_plausible(uint64_t h, uint64_t words)
{
    switch (fxt_bits(h, 60, 63)) {
    case STELE_FXT_CONTEXT_SWITCH_OLD:
        return words ==
               2 + words_of_thread(fxt_bits(h, 28, 35)) + words_of_thread(fxt_bits(h, 36, 43));
    case STELE_FXT_CONTEXT_SWITCH:
        return words >= 4 + fxt_bits(h, 16, 19) && fxt_bits(h, 40, 59) == 0;
    case STELE_FXT_THREAD_WAKEUP:
        return words >= 3 + fxt_bits(h, 16, 19) && fxt_bits(h, 36, 59) == 0;
    default: return false;
    }
}

static bool profiler_is_plausible(uint64_t h, uint64_t words)
{
    const uint64_t inline_words = words_of_thread(fxt_bits(h, 20, 27));
    uint64_t rest;
    switch (fxt_bits(h, 16, 19)) {
    case STELE_FXT_MODULE:
        rest = (fxt_bits(h, 44, 51) + 7) / 8 + (fxt_bits(h, 52, 59) + 7) / 8;
        break;
    case STELE_FXT_MMAP: rest = 3; break;
    case STELE_FXT_BACKTRACE: rest = fxt_bits(h, 28, 35); break;
    default: return false;
    }
    return fxt_bits(h, 60, 63) == 0 && words >= 2 + rest && words <= 2 + rest + inline_words;
}

bool fxt_is_plausible(uint64_t h, uint64_t left)
{
    const uint64_t size = fxt_size(h), words = size / FXT_WORD;
    if (size == 0 || size > left)
        return false;
    switch (fxt_type(h)) {
    case STELE_FXT_METADATA: return metadata_is_plausible(h, words);
    case STELE_FXT_INITIALIZATION: return (words == 2 || words == 4) && fxt_bits(h, 16, 63) == 0;
    case STELE_FXT_STRING:
        return words == 1 + (fxt_bits(h, 32, 46) + 7) / 8 && fxt_bits(h, 16, 30) != 0 &&
               (h & (fxt_mask(31, 31) | fxt_mask(47, 63))) == 0;
    case STELE_FXT_THREAD:
        return words == 3 && fxt_bits(h, 16, 23) != 0 && fxt_bits(h, 24, 63) == 0;
    case STELE_FXT_EVENT: return event_is_plausible(h, words);
    case STELE_FXT_BLOB:
        return words == 1 + words_of_string(fxt_bits(h, 16, 31)) + (fxt_bits(h, 32, 46) + 7) / 8 &&
               (h & (fxt_mask(47, 47) | fxt_mask(56, 63))) == 0;
    case STELE_FXT_USERSPACE_OBJECT:
        return words >= 2 + (uint64_t)(fxt_bits(h, 16, 23) == 0) +
                            words_of_string(fxt_bits(h, 24, 39)) + fxt_bits(h, 40, 43) &&
               fxt_bits(h, 44, 63) == 0;
    case STELE_FXT_KERNEL_OBJECT:
        return words >= 2 + words_of_string(fxt_bits(h, 24, 39)) + fxt_bits(h, 40, 43) &&
               fxt_bits(h, 44, 63) == 0;
    case STELE_FXT_SCHEDULING: return scheduling_is_plausible(h, words);
    case STELE_FXT_LOG:
        return words == 2 + words_of_thread(fxt_bits(h, 32, 39)) + (fxt_bits(h, 16, 30) + 7) / 8 &&
               (h & (fxt_mask(31, 31) | fxt_mask(40, 63))) == 0;
    case STELE_FXT_PROFILER: return profiler_is_plausible(h, words);
    case STELE_FXT_LARGE:
        return fxt_bits(h, 36, 39) == STELE_FXT_LARGE_BLOB && fxt_bits(h, 40, 63) <= 1 &&
               words >= 3;
    default: return false;
    }
}

bool fxt_is_tight(const uint8_t *at, uint64_t h, bool is_big_endian)
{
    const uint64_t words = fxt_size(h) / FXT_WORD;
    uint64_t word, count, end = words;
    if (!fxt_is_plausible(h, UINT64_MAX))
        return false;
    if (fxt_type(h) == STELE_FXT_EVENT) {
        const uint64_t type = fxt_bits(h, 16, 19);
        count = fxt_bits(h, 20, 23);
        word = 2 + words_of_thread(fxt_bits(h, 24, 31)) + words_of_string(fxt_bits(h, 32, 47)) +
               words_of_string(fxt_bits(h, 48, 63));
        end -= type == STELE_FXT_COUNTER || type >= STELE_FXT_DURATION_COMPLETE;
    } else if (fxt_type(h) == STELE_FXT_SCHEDULING &&
               fxt_bits(h, 60, 63) != STELE_FXT_CONTEXT_SWITCH_OLD) {
        count = fxt_bits(h, 16, 19);
        word = fxt_bits(h, 60, 63) == STELE_FXT_CONTEXT_SWITCH ? 4 : 3;
    } else {
        return fxt_type(h) != STELE_FXT_INITIALIZATION &&
               fxt_type(h) != STELE_FXT_USERSPACE_OBJECT &&
               fxt_type(h) != STELE_FXT_KERNEL_OBJECT && fxt_type(h) != STELE_FXT_PROFILER;
    }
    for (; count > 0 && word < end; count--) {
        const uint64_t size = fxt_bits(fxt_word(at + word * FXT_WORD, is_big_endian), 4, 15);
        if (size == 0)
            return false;
        word += size;
    }
    return count == 0 && word == end;
}
