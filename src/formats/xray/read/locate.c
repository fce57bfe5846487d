/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the buffers of an FDR log. From version 2 on each is announced by a BufferExtents record;
 * version 1 has buffers of the fixed size in the header:
 *
 *    version 1:    Header (NewBuffer WallTime NewCPUId body EndOfBuffer rest)*
 *    version 2-5:  Header (Extents NewBuffer WallTime [Pid] NewCPUId body)*
 *
 * A buffer may be followed by another file header, if logs were joined.
 */
#include "formats/xray/records/decode.h"
#include "formats/xray/trace.h"

static bool is_record(const xray_trace *trace, const uint8_t *at, unsigned kind)
{
    const bool big = trace->header.is_big_endian;
    return xray_is_metadata(big, at) && xray_metadata_kind(big, at) == kind;
}

/* Returns how many of the records that begin buffers are at `at`; `*count` is how many were looked
   for. */
static unsigned count_preamble(const xray_trace *trace, const uint8_t *at, size_t left,
                               unsigned *count)
{
    static const uint8_t kinds[] = {XRAY_META_EXTENTS, XRAY_META_NEW_BUFFER, XRAY_META_WALL_TIME,
                                    XRAY_META_PID, XRAY_META_NEW_CPU};
    const unsigned version = trace->header.version;
    unsigned right = 0;
    *count = 0;
    for (size_t i = version == 1 ? 1 : 0; i < sizeof kinds; i++) {
        if (version < 3 && kinds[i] == XRAY_META_PID)
            continue;
        ++*count;
        right += left >= XRAY_METADATA_SIZE && is_record(trace, at, kinds[i]);
        at += left < XRAY_METADATA_SIZE ? left : XRAY_METADATA_SIZE;
        left -= left < XRAY_METADATA_SIZE ? left : XRAY_METADATA_SIZE;
    }
    return right;
}

/* One of the records that begin a buffer may be damaged, except for the extents. */
bool xray_is_buffer(const xray_trace *trace, const uint8_t *at, size_t left)
{
    const bool has_extents = trace->header.version >= 2;
    const uint8_t *const begin = at;
    const size_t size = left;
    unsigned count;
    if (has_extents) {
        if (left < XRAY_METADATA_SIZE || !is_record(trace, at, XRAY_META_EXTENTS))
            return false;
        at += XRAY_METADATA_SIZE;
        left -= XRAY_METADATA_SIZE;
        if (left < XRAY_METADATA_SIZE)
            return true;
    }
    if (left >= XRAY_METADATA_SIZE && is_record(trace, at, XRAY_META_NEW_BUFFER) &&
        (left < 2 * XRAY_METADATA_SIZE ||
         is_record(trace, at + XRAY_METADATA_SIZE, XRAY_META_WALL_TIME)))
        return true;
    return count_preamble(trace, begin, size, &count) + 1 >= count;
}

static bool is_header(const xray_trace *trace, const uint8_t *at, size_t left)
{
    stele_xray_header header;
    return left >= XRAY_HEADER_SIZE && stele_xray_decode_header(at, &header) &&
           header.version == trace->header.version && header.type == trace->header.type &&
           header.is_big_endian == trace->header.is_big_endian &&
           header.frequency_hz == trace->header.frequency_hz;
}

/* Whether an empty buffer is at `at`: extents of 0, then the next buffer or the end. */
static bool is_empty_buffer(const xray_trace *trace, const uint8_t *at, size_t left)
{
    return trace->header.version >= 2 && left >= XRAY_METADATA_SIZE &&
           is_record(trace, at, XRAY_META_EXTENTS) &&
           xray_load64(trace->header.is_big_endian, at + 1) == 0;
}

/* Whether a buffer with damaged extents is at `at`: three of the records that begin it follow each
   other. */
static bool is_bare_buffer(const xray_trace *trace, const uint8_t *at, size_t left)
{
    return trace->header.version >= 2 && left >= 3 * XRAY_METADATA_SIZE &&
           is_record(trace, at, XRAY_META_NEW_BUFFER) &&
           is_record(trace, at + XRAY_METADATA_SIZE, XRAY_META_WALL_TIME) &&
           is_record(trace, at + 2 * XRAY_METADATA_SIZE,
                     trace->header.version >= 3 ? XRAY_META_PID : XRAY_META_NEW_CPU);
}

/* Moves to the next position where a buffer begins. Returns false at the end of the input. */
static bool seek_buffer(xray_locator *locator, window *w, const char *name)
{
    const uint64_t start = window_offset(w);
    bool is_found = false;
    size_t left;
    while (!is_found && (left = window_need(w, XRAY_HEAD_SIZE)) > 0) {
        const uint8_t *const last = left >= XRAY_HEAD_SIZE ? w->end - XRAY_HEAD_SIZE : w->end - 1;
        while (w->at <= last && !is_found) {
            const size_t there = (size_t)(w->end - w->at);
            is_found =
                (xray_is_buffer(locator->trace, w->at, there) && there >= 3 * XRAY_METADATA_SIZE) ||
                is_bare_buffer(locator->trace, w->at, there);
            w->at += !is_found;
        }
    }
    locator->next = window_offset(w);
    locator->skipped += locator->next - start;
    if (!locator->is_quiet)
        diag_report(&locator->trace->base.context->diag, &xray_codes[XRY006], name, start,
                    locator->next - start, "a buffer", "%llu bytes that begin none",
                    (unsigned long long)(locator->next - start));
    return is_found;
}

/* Reads thread, process and first time from the records that begin every buffer. */
static bool read_preamble(xray_trace *trace, window *w, xray_range *range)
{
    uint64_t tsc = 0, pid = 0, tid = 0;
    size_t left = window_need(w, XRAY_HEAD_SIZE);
    const uint8_t *at = w->at;
    for (int i = 0; i < 4; i++) {
        stele_xray_record record;
        if (left < XRAY_METADATA_SIZE || !xray_is_metadata(trace->header.is_big_endian, at) ||
            xray_decode_record(trace->header.is_big_endian, trace->header.version, &tsc, at, left,
                               &record) != STELE_XRAY_OK)
            break;
        if (record.kind == STELE_XRAY_NEW_BUFFER)
            tid = record.value;
        else if (record.kind == STELE_XRAY_PID)
            pid = record.value;
        else if (record.kind == STELE_XRAY_NEW_CPU)
            break;
        at += record.size;
        left -= record.size;
    }
    range->first_tsc = tsc;
    range->thread = xray_trace_thread(trace, (uint32_t)pid, (uint32_t)tid);
    return range->thread != UINT32_MAX;
}

bool xray_ends_well(const xray_trace *trace, const uint8_t *at, size_t left)
{
    return xray_is_buffer(trace, at, left) || is_header(trace, at, left) ||
           is_empty_buffer(trace, at, left) ||
           (left > XRAY_METADATA_SIZE &&
            is_bare_buffer(trace, at + XRAY_METADATA_SIZE, left - XRAY_METADATA_SIZE));
}

/*
 * Whether the buffer that ends at `end` is followed by a buffer, a header or the end of the file.
 * Otherwise its extents are damaged, and it ends where the next buffer is found. Only for inputs
 * that can be read at any position.
 */
static bool ends_well(const xray_trace *trace, input *in, uint64_t end)
{
    uint8_t bytes[XRAY_HEAD_SIZE];
    size_t got;
    if (!in->is_seekable || end >= in->size)
        return true;
    if (input_read(in, end, bytes, sizeof bytes, &got) != STELE_OK)
        return true;
    return xray_ends_well(trace, bytes, got);
}

/* Whether a buffer begins at `at` into which the one before must not reach. In version 1 all
   records that begin it must be there: there are no extents, but stale bytes. */
static bool begins_next(const xray_trace *trace, const uint8_t *at, size_t left)
{
    unsigned count;
    return trace->header.version >= 2 ? xray_is_buffer(trace, at, left)
                                      : count_preamble(trace, at, left, &count) == count;
}

static void mend_end(xray_locator *locator, window *w, xray_range *range)
{
    const uint64_t begin = range->begin, claimed = range->end;
    const bool has_extents = locator->trace->header.version >= 2;
    size_t left;
    window_move(w, begin, w->in->size);
    while ((left = window_need(w, XRAY_HEAD_SIZE)) >= 3 * XRAY_METADATA_SIZE &&
           !(window_offset(w) > begin && begins_next(locator->trace, w->at, left)))
        w->at++;
    /* Extents may be too small. In version 1 the bytes after a buffer that is too small are not
       padding. */
    range->end = has_extents ? w->in->size : claimed;
    if ((size_t)(w->end - w->at) >= 3 * XRAY_METADATA_SIZE &&
        (has_extents || window_offset(w) < claimed)) {
        range->end = window_offset(w);
        range->is_cut = false;
        if (!locator->is_quiet && claimed != UINT64_MAX &&
            (has_extents || locator->trace->buffer_size != 0))
            diag_report(&locator->trace->base.context->diag, &xray_codes[XRY006], w->in->name,
                        has_extents ? begin - XRAY_METADATA_SIZE : 16,
                        has_extents ? XRAY_METADATA_SIZE : 8,
                        has_extents ? "extents that lead to a buffer"
                                    : "a size of buffers that leads to one",
                        "%llu bytes, which lead to none; the next is at %llu",
                        (unsigned long long)(claimed - begin), (unsigned long long)range->end);
    }
    window_move(w, begin, UINT64_MAX);
}

static void set_end(xray_locator *locator, window *w, xray_range *range, uint64_t size)
{
    const xray_trace *trace = locator->trace;
    const bool has_end = w->in->has_size;
    /* Version 1 may have one buffer with all of the rest, or a damaged size. */
    const bool is_rest =
        trace->header.version == 1 && (trace->buffer_size == 0 || size < trace->buffer_size);
    bool is_beyond;
    range->end = size > UINT64_MAX - range->begin ? UINT64_MAX : range->begin + size;
    is_beyond = has_end && range->end > w->in->size;
    range->is_cut = size != UINT64_MAX && (is_beyond || (is_rest && trace->buffer_size != 0));
    if (w->in->is_seekable && (is_beyond || is_rest || !ends_well(trace, w->in, range->end)))
        mend_end(locator, w, range);
    locator->next = range->end;
}

/* Returns the size of a version 1 buffer: that in the header, or less for the last one of the
   file. */
static uint64_t size_of_v1(const xray_trace *trace, const window *w, uint64_t begin)
{
    const uint64_t left = w->in->has_size ? w->in->size - begin : UINT64_MAX;
    if (trace->buffer_size == 0 || trace->buffer_size > left)
        return left;
    return trace->buffer_size;
}

stele_status xray_locate(xray_locator *locator, window *w, xray_range *range)
{
    xray_trace *trace = locator->trace;
    const bool has_extents = trace->header.version >= 2;
    for (;;) {
        const uint64_t offset = window_offset(w);
        size_t left;
        bool is_bare;
        if (w->in->is_seekable)
            window_move(w, locator->next, UINT64_MAX);
        else if (locator->next > offset && !window_skip(w, locator->next - offset))
            return w->status != STELE_OK ? w->status : STELE_END;
        left = window_need(w, XRAY_HEAD_SIZE);
        if (left == 0)
            return w->status != STELE_OK ? w->status : STELE_END;
        if (is_header(trace, w->at, left)) {
            locator->next += XRAY_HEADER_SIZE;
            continue;
        }
        if (is_empty_buffer(trace, w->at, left)) {
            locator->next += XRAY_METADATA_SIZE;
            continue;
        }
        if (!xray_is_buffer(trace, w->at, left) && !seek_buffer(locator, w, w->in->name))
            return w->status != STELE_OK ? w->status : STELE_END;
        is_bare = is_bare_buffer(trace, w->at, (size_t)(w->end - w->at));
        range->begin = locator->next + (has_extents && !is_bare ? XRAY_METADATA_SIZE : 0);
        set_end(locator, w, range,
                !has_extents ? size_of_v1(trace, w, range->begin)
                : is_bare    ? UINT64_MAX
                             : xray_load64(trace->header.is_big_endian, w->at + 1));
        if (w->in->is_seekable)
            window_move(w, range->begin, UINT64_MAX);
        else
            window_skip(w, range->begin - window_offset(w));
        return read_preamble(trace, w, range) ? STELE_OK : STELE_ERR_MEMORY;
    }
}
