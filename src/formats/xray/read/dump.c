/* SPDX-License-Identifier: Apache-2.0 */
/* Shows records one by one, with their fields in the format's own words. */
#include "formats/xray/read/dump.h"

#include <stdio.h>

#include "core/text.h"
#include "formats/xray/read/grid.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/trace.h"

/* Bytes that are searched for records at a time. */
#define SEARCH_SIZE ((size_t)64 << 10)

typedef struct dumper {
    xray_trace *trace;
    window w;
    const dump_request *request;
    uint64_t count;
    xray_habits habits;
    bool is_done;
    bool is_out_of_memory;
    bool is_lost; /* records have not been found again after damage */
    /* Upper digits of the counter that was shown last, which rarely change. */
    uint64_t tsc_high;
    char tsc_digits[TEXT_U64_SIZE];
    size_t tsc_size;
} dumper;

static const char *const function_kinds[] = {"Function Enter", "Function Exit",
                                             "Function Tail Exit", "Function Enter With Args"};
static const char *const metadata_kinds[] = {
    "New Buffer",   "End Of Buffer", "New CPU ID",     "TSC Wrap",    "Wall Time",
    "Custom Event", "Call Argument", "Buffer Extents", "Typed Event", "PID"};

/* Gives `size` bytes of the input at the window as one record, and steps over them. */
static void give(dumper *d, uint64_t size, const char *kind, const char *text)
{
    const uint64_t offset = window_offset(&d->w);
    const size_t there = (size_t)(d->w.end - d->w.at);
    if (d->w.in->has_size && size > d->w.in->size - offset)
        size = d->w.in->size - offset; /* the file ends before the record */
    if (offset >= d->request->at) {
        const dump_record record = {.offset = offset,
                                    .size = size,
                                    .kind = kind,
                                    .text = text,
                                    .bytes = d->w.at,
                                    .bytes_size = there < size ? there : (size_t)size};
        d->is_done = !d->request->fn(d->request->user, &record) || ++d->count == d->request->count;
    }
    if (size <= there)
        d->w.at += size;
    else if (!window_skip(&d->w, size))
        d->is_done = true;
}

static inline char *put_text(char *to, const char *text)
{
    const size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

static inline char *put_number(char *to, const char *label, uint64_t value)
{
    return text_u64(put_text(to, label), value);
}

#define TSC_LOW_DIGITS 8u
#define TSC_LOW        UINT64_C(100000000)

static char *put_tsc(dumper *d, char *to, uint64_t tsc)
{
    const uint64_t high = tsc / TSC_LOW;
    to = put_text(to, "tsc ");
    if (high == 0)
        return text_u64(to, tsc);
    if (high != d->tsc_high) {
        d->tsc_high = high;
        d->tsc_size = (size_t)(text_u64(d->tsc_digits, high) - d->tsc_digits);
    }
    memcpy(to, d->tsc_digits, sizeof d->tsc_digits);
    return text_padded(to + d->tsc_size, tsc % TSC_LOW, TSC_LOW_DIGITS);
}

/* Room for at most three numbers with their labels. */
#define DESCRIPTION_SIZE (4 * TEXT_U64_SIZE + 36)

static void describe(dumper *d, const stele_xray_record *r, char text[DESCRIPTION_SIZE])
{
    const unsigned version = d->trace->header.version;
    char *to = text;
    switch (r->kind) {
    case STELE_XRAY_NEW_BUFFER: to = put_number(to, "thread ", r->value); break;
    case STELE_XRAY_NEW_CPU:
        to = put_number(to, "cpu ", r->function);
        to = put_tsc(d, put_text(to, ", "), r->tsc);
        break;
    case STELE_XRAY_TSC_WRAP: to = put_tsc(d, to, r->tsc); break;
    case STELE_XRAY_WALL_TIME:
        to = put_number(to, "seconds ", r->value);
        to = put_number(to, ", microseconds ", r->function);
        break;
    case STELE_XRAY_CUSTOM_EVENT:
    case STELE_XRAY_TYPED_EVENT:
        to = put_number(to, "size ", r->value);
        if (r->kind == STELE_XRAY_TYPED_EVENT)
            to = put_number(to, ", type ", r->function);
        else if (version == 4)
            to = put_number(to, ", cpu ", r->function);
        to = put_tsc(d, put_text(to, ", "), r->tsc);
        break;
    case STELE_XRAY_CALL_ARGUMENT: to = text_hex(put_text(to, "argument 0x"), r->value, 1); break;
    case STELE_XRAY_EXTENTS: to = put_text(text_u64(to, r->value), " bytes"); break;
    case STELE_XRAY_PID: to = put_number(to, "process ", r->value); break;
    case STELE_XRAY_END_OF_BUFFER: break;
    default:
        to = put_number(to, "function ", r->function);
        to = put_number(to, ", delta ", r->value);
        to = put_tsc(d, put_text(to, ", "), r->tsc);
        break;
    }
    *to = '\0';
}

/* Shows bytes of a buffer that are not records, up to where records go on, in pieces if they are
   many. */
static void dump_damage(dumper *d, uint64_t left, bool has_payload)
{
    const size_t want = left < SEARCH_SIZE ? (size_t)left : SEARCH_SIZE;
    const size_t loaded = window_need(&d->w, want), there = loaded < want ? loaded : want;
    const bool is_all = there == left || there < want;
    const uint8_t *const found =
        xray_find_records(d->trace, d->w.at, d->w.at + there, is_all, has_payload);
    d->is_lost = found == NULL && !is_all;
    if (found != NULL)
        give(d, (uint64_t)(found - d->w.at), "Skipped", "no records; they go on after it");
    else if (is_all)
        give(d, left, "Unknown", "");
    else
        give(d, there - XRAY_SOUND_SIZE, "Skipped", "no records");
}

/* Returns the size of an event with those bytes of its payload that are there. `left` bytes of the
   buffer are left. */
static uint64_t size_of_event(dumper *d, const stele_xray_record *record, uint64_t left)
{
    const uint64_t want = (uint64_t)record->size + XRAY_JUDGE_SIZE;
    const size_t loaded = window_need(&d->w, (size_t)(want < left ? want : left));
    const size_t there = loaded < left ? loaded : (size_t)left;
    uint32_t size;
    if (there < left && there < want)
        return record->size;
    switch (xray_judge_payload(d->trace, d->w.at, (uint32_t)record->value, d->w.at + there,
                               &d->habits, &size)) {
    case XRAY_PAYLOAD_OVERWRITTEN:
    case XRAY_PAYLOAD_DAMAGED: return (uint64_t)XRAY_METADATA_SIZE + size;
    default: return record->size;
    }
}

static bool is_no_function(const stele_xray_record *record)
{
    return record->kind < STELE_XRAY_NEW_BUFFER &&
           (record->function & STELE_XRAY_FUNCTION_MASK) == 0;
}

/* Shows one record of a buffer that ends at `end`. After damage it goes on where the reader
   does. */
static void dump_fdr_record(dumper *d, uint64_t end, uint64_t *tsc)
{
    const stele_xray_header *header = &d->trace->header;
    const uint64_t left = end - window_offset(&d->w);
    stele_xray_record record = {0};
    stele_xray_result result;
    uint64_t size;
    char text[DESCRIPTION_SIZE];
    size_t there = window_need(&d->w, XRAY_METADATA_SIZE);
    if (there > left)
        there = (size_t)left;
    result =
        xray_decode_record(header->is_big_endian, header->version, tsc, d->w.at, there, &record);
    size = record.size;
    if (!d->is_lost && result <= STELE_XRAY_SHORT && there >= XRAY_METADATA_SIZE &&
        (record.kind == STELE_XRAY_CUSTOM_EVENT || record.kind == STELE_XRAY_TYPED_EVENT))
        size = size_of_event(d, &record, left);
    if (result == STELE_XRAY_SHORT && there >= XRAY_METADATA_SIZE && size <= left)
        result = STELE_XRAY_OK;
    if (result > STELE_XRAY_SHORT || d->is_lost || is_no_function(&record)) {
        dump_damage(d, left, result == STELE_XRAY_BAD_SIZE);
        return;
    }
    if (result == STELE_XRAY_SHORT) {
        give(d, left, "Cut Record", "");
        return;
    }
    describe(d, &record, text);
    if (record.kind < STELE_XRAY_NEW_BUFFER) {
        d->habits.entered = xray_entered(record.kind, record.function);
        if (!xray_trace_reserve(d->trace, record.function))
            d->is_out_of_memory = d->is_done = true;
        else
            give(d, size, function_kinds[record.kind], text);
        return;
    }
    give(d, size, metadata_kinds[record.kind - STELE_XRAY_NEW_BUFFER], text);
    if (record.kind == STELE_XRAY_END_OF_BUFFER && !d->is_done && window_offset(&d->w) < end)
        give(d, end - window_offset(&d->w), "Stale Bytes", "after the end of the buffer");
}

/* Shows what precedes a buffer that begins at `end`: its extents, another file header, or skipped
   bytes. */
static void dump_between(dumper *d, uint64_t end)
{
    const stele_xray_header *header = &d->trace->header;
    const uint64_t left = end - window_offset(&d->w);
    stele_xray_record record = {0};
    uint64_t tsc = 0;
    char text[DESCRIPTION_SIZE];
    const size_t there = window_need(&d->w, XRAY_METADATA_SIZE);
    if (left >= XRAY_METADATA_SIZE && left % XRAY_METADATA_SIZE == 0 &&
        xray_decode_record(header->is_big_endian, header->version, &tsc, d->w.at, there, &record) ==
            STELE_XRAY_OK &&
        record.kind == STELE_XRAY_EXTENTS) {
        describe(d, &record, text);
        give(d, record.size, metadata_kinds[STELE_XRAY_EXTENTS - STELE_XRAY_NEW_BUFFER], text);
        return;
    }
    give(d, left, "Skipped", "no buffer");
}

static stele_status dump_fdr(dumper *d)
{
    xray_locator locator = {.trace = d->trace, .next = XRAY_HEADER_SIZE, .is_quiet = true};
    xray_range range = {0};
    stele_status status;
    while (!d->is_done) {
        const uint64_t expected = locator.next;
        uint64_t tsc = 0;
        status = xray_locate(&locator, &d->w, &range);
        if (status != STELE_OK)
            return status == STELE_END ? STELE_OK : status;
        /* What stands before the buffer: its extents, or bytes that were skipped. */
        if (d->w.in->is_seekable && range.begin > expected) {
            window_move(&d->w, expected, UINT64_MAX);
            while (!d->is_done && window_offset(&d->w) < range.begin)
                dump_between(d, range.begin);
            window_move(&d->w, range.begin, UINT64_MAX);
        }
        d->is_lost = false;
        while (!d->is_done && window_offset(&d->w) < range.end && window_need(&d->w, 1) != 0)
            dump_fdr_record(d, range.end, &tsc);
    }
    return STELE_OK;
}

static stele_status dump_basic(dumper *d)
{
    const stele_xray_header *header = &d->trace->header;
    const bool big = header->is_big_endian;
    xray_basic_past past = {.count = 0};
    size_t left;
    while (!d->is_done && (left = window_need(&d->w, XRAY_BASIC_SIZE)) != 0) {
        const unsigned skip = left < XRAY_BASIC_SIZE ? 0 : xray_basic_skip(d->trace, &d->w, &past);
        const uint8_t *at = d->w.at;
        char text[128];
        if (left < XRAY_BASIC_SIZE) {
            give(d, left, "Cut Record", "");
        } else if (skip != 0) {
            give(d, skip, "Skipped", "no record; they go on after it");
        } else if (xray_load16(big, at) == 1) {
            snprintf(text, sizeof text, "function %u, thread %u, argument 0x%llx",
                     xray_load32(big, at + 4), xray_load32(big, at + 8),
                     (unsigned long long)xray_load64(big, at + 16));
            give(d, XRAY_BASIC_SIZE, "Argument", text);
        } else {
            snprintf(text, sizeof text, "function %u, tsc %llu, thread %u, cpu %u",
                     xray_load32(big, at + 4), (unsigned long long)xray_load64(big, at + 8),
                     xray_load32(big, at + 16), at[2]);
            give(d, XRAY_BASIC_SIZE, function_kinds[at[3]], text);
        }
    }
    return d->w.status;
}

static stele_status dump_profile(dumper *d)
{
    size_t left;
    while (!d->is_done && (left = window_need(&d->w, XRAY_PROFILE_BLOCK_SIZE)) != 0) {
        char text[96];
        const uint32_t size = left < XRAY_PROFILE_BLOCK_SIZE ? 0 : load_le32(d->w.at);
        if (size < XRAY_PROFILE_BLOCK_SIZE) {
            give(d, left, "Unknown", "");
            continue;
        }
        snprintf(text, sizeof text, "number %u, thread %llu", load_le32(d->w.at + 4),
                 (unsigned long long)load_le64(d->w.at + 8));
        give(d, size, "Block", text);
    }
    return d->w.status;
}

stele_status xray_dump(stele_trace *base, const dump_request *request)
{
    dumper d = {.trace = (xray_trace *)base, .request = request};
    char text[96];
    stele_status status =
        window_open(&d.w, source_input(base->source), 0, UINT64_MAX,
                    base->context->limits.window_size, base->context->limits.record_size_max);
    if (status != STELE_OK)
        return status;
    window_need(&d.w, XRAY_HEADER_SIZE);
    snprintf(text, sizeof text, "version %u, type %u, frequency %llu Hz", d.trace->header.version,
             d.trace->header.type, (unsigned long long)d.trace->header.frequency_hz);
    give(&d, XRAY_HEADER_SIZE,
         d.trace->mode == XRAY_MODE_PROFILE ? "Profile Header" : "File Header", text);
    if (!d.is_done)
        status = d.trace->mode == XRAY_MODE_FDR     ? dump_fdr(&d)
                 : d.trace->mode == XRAY_MODE_BASIC ? dump_basic(&d)
                                                    : dump_profile(&d);
    window_close(&d.w);
    return d.is_out_of_memory ? STELE_ERR_MEMORY : status;
}
