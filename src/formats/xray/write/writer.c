/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as FDR logs. Every thread fills a buffer of its own, as the runtime does; a full
 * one is written to the file after its extents. COMPLETE events become an entry and an exit: exits
 * wait on a stack of the thread until an event at or after their time comes.
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/clock.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/write/profile_write.h"
#include "formats/xray/write/writer.h"
#include "model/batch.h"

#define BUFFER_SIZE      (64u << 10)
#define BUFFER_SIZE_MIN  (32u * XRAY_METADATA_SIZE) /* bytes for an entry with its arguments */
#define BUFFER_SIZE_MAX  (64u << 20)
#define PAYLOAD_SIZE_MAX (BUFFER_SIZE - 16u * XRAY_METADATA_SIZE)
#define NS_PER_S         UINT64_C(1000000000)
#define FUNCTION_MAX     0x0fffffffu

typedef struct pending_exit {
    uint64_t tsc;
    uint32_t function;
} pending_exit;

typedef struct xray_lane {
    uint8_t *bytes; /* buffer_size bytes; NULL until the first event */
    uint32_t size;
    uint64_t tsc;       /* running counter */
    uint64_t begin_tsc; /* counter at the begin of the buffer */
    uint32_t pid, tid;
    uint16_t cpu;
    /* The function that was entered last, which arguments belong to (basic mode). */
    uint32_t function;
    pending_exit *exits;
    uint32_t exit_count, exit_capacity;
    bool is_known; /* the numbers above are set */
    bool is_told;  /* the name of the track was counted as lost */
} xray_lane;

/* Whether the name of a function is only its number. */
typedef struct known_name {
    stele_name name;
    uint32_t function;
    bool is_number;
} known_name;

#define KNOWN_NAMES 256u

typedef struct xray_writer {
    stele_writer base;
    stele_xray_header header;
    bool has_header;
    bool is_ticks;    /* the source's own ticks are written, not ns */
    xray_lane *lanes; /* indexed by track */
    uint32_t lane_count;
    uint32_t *function_of_name; /* by name; 0 if the name has no number yet */
    uint32_t function_of_name_count;
    uint32_t function_count;
    known_name known_names[KNOWN_NAMES];
    uint32_t buffer_size;
    bool is_basic; /* the output is a basic-mode log */
    /* The first event is a sample, so all samples are written to a profiling file. */
    bool is_profile;
    profile_block block; /* current block of the profiling file */
} xray_writer;

/* ---- Records of basic mode ---- */

static void record_lose(xray_writer *w, const char *what, bool is_dropped)
{
    writer_lose(&w->base, STELE_KIND_NONE, what, is_dropped, 1);
}

/* Writes the record of a basic-mode log that corresponds to one of FDR mode; the layout is drawn in
   basic.c. Version 1 only has entries and exits; version 3 added process ids. */
static void put_basic(xray_writer *w, xray_lane *lane, const stele_xray_record *record)
{
    uint8_t bytes[XRAY_BASIC_SIZE] = {0};
    const unsigned version = w->header.version;
    const bool is_argument = record->kind == STELE_XRAY_CALL_ARGUMENT;
    uint8_t kind = record->kind;
    if (is_argument && version < 2) {
        record_lose(w, "arguments of calls", true);
        return;
    }
    if (version < 2 && kind == STELE_XRAY_TAIL_EXIT) {
        record_lose(w, "tail exits, as exits", false);
        kind = STELE_XRAY_EXIT;
    }
    if (version < 2 && kind == STELE_XRAY_ENTER_ARGS)
        kind = STELE_XRAY_ENTER;
    if (version < 3 && lane->pid != 0)
        record_lose(w, "process ids", true);
    if (!is_argument)
        lane->function = record->function;
    store_le16(bytes, is_argument);
    store_le32(bytes + 4, lane->function);
    if (is_argument) {
        store_le32(bytes + 8, lane->tid);
        store_le32(bytes + 12, version < 3 ? 0 : lane->pid);
        store_le64(bytes + 16, record->value);
    } else {
        bytes[2] = (uint8_t)lane->cpu;
        bytes[3] = kind;
        store_le64(bytes + 8, record->tsc);
        store_le32(bytes + 16, lane->tid);
        store_le32(bytes + 20, version < 3 ? 0 : lane->pid);
    }
    output_write(w->base.out, bytes, sizeof bytes);
}

/* ---- Buffers of threads ---- */

static void put(xray_writer *w, xray_lane *lane, const stele_xray_record *record,
                const void *payload)
{
    if (w->is_basic) {
        put_basic(w, lane, record);
        return;
    }
    lane->size += (uint32_t)stele_xray_encode(&w->header, lane->tsc, record, payload,
                                              lane->bytes + lane->size);
    if (record->kind != STELE_XRAY_CUSTOM_EVENT && record->kind != STELE_XRAY_TYPED_EVENT)
        lane->tsc = record->tsc;
    else if (w->header.version >= 5)
        lane->tsc = record->tsc;
}

/* Ends a version 1 buffer, which has the size in the header. Some readers continue after the record
   that ends it: for them the rest is one custom event. */
static void lane_end(xray_writer *w, xray_lane *lane)
{
    uint8_t *rest;
    put(w, lane, &(stele_xray_record){.kind = STELE_XRAY_END_OF_BUFFER, .tsc = lane->tsc}, NULL);
    rest = lane->bytes + lane->size;
    memset(rest, 0, w->buffer_size - lane->size);
    rest[0] = XRAY_META_CUSTOM_EVENT << 1 | 1;
    store_le32(rest + 1, w->buffer_size - lane->size - XRAY_METADATA_SIZE);
    store_le64(rest + 5, lane->tsc);
    lane->size = w->buffer_size;
}

/* Writes the buffer to the file: version 1 fills it up, later versions precede it by its size. */
static void lane_flush(xray_writer *w, xray_lane *lane)
{
    uint8_t extents[XRAY_METADATA_SIZE];
    if (lane->size == 0)
        return;
    if (w->header.version == 1) {
        lane_end(w, lane);
    } else {
        stele_xray_encode(&w->header, 0,
                          &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = lane->size},
                          NULL, extents);
        output_write(w->base.out, extents, sizeof extents);
    }
    output_write(w->base.out, lane->bytes, lane->size);
    lane->size = 0;
}

/* Writes the records that begin every buffer: "Format Grammar and Invariants". */
static void lane_begin(xray_writer *w, xray_lane *lane, uint64_t tsc)
{
    const uint64_t ns = w->header.frequency_hz == NS_PER_S ? tsc : 0;
    if (w->header.version < 3 && lane->pid != 0)
        record_lose(w, "process ids", true);
    lane->tsc = lane->begin_tsc = tsc;
    put(w, lane,
        &(stele_xray_record){.kind = STELE_XRAY_NEW_BUFFER, .value = lane->tid, .tsc = tsc}, NULL);
    put(w, lane,
        &(stele_xray_record){.kind = STELE_XRAY_WALL_TIME,
                             .value = ns / NS_PER_S,
                             .function = (uint32_t)(ns % NS_PER_S / 1000),
                             .tsc = tsc},
        NULL);
    if (w->header.version >= 3)
        put(w, lane, &(stele_xray_record){.kind = STELE_XRAY_PID, .value = lane->pid, .tsc = tsc},
            NULL);
    put(w, lane,
        &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = lane->cpu, .tsc = tsc}, NULL);
}

/* Makes room for `size` bytes and brings the counter within reach of `tsc`. */
static stele_status lane_prepare(xray_writer *w, xray_lane *lane, uint64_t tsc, size_t size)
{
    const uint64_t delta_max = w->header.version >= 3 ? INT32_MAX : UINT32_MAX;
    if (w->is_basic)
        return STELE_OK;
    if (lane->bytes == NULL) {
        lane->bytes = malloc(w->buffer_size);
        if (lane->bytes == NULL)
            return STELE_ERR_MEMORY;
    }
    /* A record that sets the counter and the end of the buffer (see lane_end) must fit, too. A time
       that decreases begins another buffer, as in the ring of a real trace. */
    if (lane->size + size + 3 * XRAY_METADATA_SIZE > w->buffer_size || tsc < lane->tsc)
        lane_flush(w, lane);
    if (lane->size == 0)
        lane_begin(w, lane, tsc);
    else if (tsc - lane->tsc > delta_max)
        put(w, lane, &(stele_xray_record){.kind = STELE_XRAY_TSC_WRAP, .tsc = tsc}, NULL);
    return STELE_OK;
}

static stele_status put_function(xray_writer *w, xray_lane *lane, stele_xray_kind kind,
                                 uint32_t function, uint64_t tsc)
{
    const stele_status status = lane_prepare(w, lane, tsc, XRAY_FUNCTION_SIZE);
    if (status == STELE_OK)
        put(w, lane, &(stele_xray_record){.kind = (uint8_t)kind, .function = function, .tsc = tsc},
            NULL);
    return status;
}

/* ---- Lanes: threads that are written ---- */

static bool lane_reach(xray_writer *w, uint32_t track)
{
    xray_lane *lanes = track < w->lane_count
                           ? w->lanes
                           : array_reach(w->lanes, sizeof *lanes, &w->lane_count, track);
    if (lanes != NULL)
        w->lanes = lanes;
    return lanes != NULL;
}

/* Counts the name of a thread or process, once. */
static void lose_name(xray_writer *w, uint32_t track)
{
    const stele_track *known = stele_track_get(w->base.context, track);
    if (known == NULL || known->name == 0 || w->lanes[track].is_told)
        return;
    w->lanes[track].is_told = true;
    record_lose(w, "name of a track", true);
}

static xray_lane *lane_of(xray_writer *w, uint32_t track)
{
    const stele_track *known = stele_track_get(w->base.context, track);
    const stele_track *process;
    xray_lane *lane;
    if (!lane_reach(w, track) || (known != NULL && !lane_reach(w, known->parent)))
        return NULL;
    lane = &w->lanes[track];
    if (!lane->is_known && known != NULL) {
        lane->is_known = true;
        lose_name(w, track);
        lose_name(w, known->parent);
        process = stele_track_get(w->base.context, known->parent);
        lane->tid = (uint32_t)known->number;
        lane->pid = process != NULL ? (uint32_t)process->number : 0;
        if (known->number > INT32_MAX || (process != NULL && process->number > INT32_MAX))
            writer_lose(&w->base, STELE_KIND_NONE, "thread and process ids beyond 31 bits", false,
                        1);
    }
    return lane;
}

/* Writes the exits of COMPLETE events at or before `tsc`. */
static stele_status put_exits(xray_writer *w, xray_lane *lane, uint64_t tsc)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && lane->exit_count != 0 &&
           lane->exits[lane->exit_count - 1].tsc <= tsc) {
        const pending_exit *exit = &lane->exits[--lane->exit_count];
        status = put_function(w, lane, STELE_XRAY_EXIT, exit->function, exit->tsc);
    }
    return status;
}

static stele_status push_exit(xray_lane *lane, uint32_t function, uint64_t tsc)
{
    uint32_t at;
    if (lane->exit_count == lane->exit_capacity) {
        pending_exit *exits = array_grow(lane->exits, sizeof *exits, &lane->exit_capacity, 16);
        if (exits == NULL)
            return STELE_ERR_MEMORY;
        lane->exits = exits;
    }
    /* If spans overlap without nesting, the one that ends first is on top nevertheless. */
    for (at = lane->exit_count++; at != 0 && lane->exits[at - 1].tsc < tsc; at--)
        lane->exits[at] = lane->exits[at - 1];
    lane->exits[at] = (pending_exit){tsc, function};
    return STELE_OK;
}

/* ---- Numbers of functions and times ---- */

/* Whether readers take a number for that of a function: its upper bits are that of an object, whose
   functions count from 1. */
static bool is_function(uint64_t number)
{
    return number <= FUNCTION_MAX && (number & STELE_XRAY_FUNCTION_MASK) != 0;
}

/* Whether a reader gives the name to the function without knowing more than its number. The last
   answers are kept, since calls are of few functions. */
static bool is_named_so(xray_writer *w, const stele_batch *batch, stele_name name,
                        uint32_t function)
{
    known_name *known = &w->known_names[function % KNOWN_NAMES];
    char number[16];
    stele_text text;
    if (name == 0)
        return true;
    if (known->name == name && known->function == function && (name & STELE_NAME_LOCAL) == 0)
        return known->is_number;
    text = stele_name_text(w->base.context, batch, name);
    *known =
        (known_name){.name = name,
                     .function = function,
                     .is_number = text.size == xray_number_text(function, number, sizeof number) &&
                                  memcmp(text.bytes, number, text.size) == 0};
    return known->is_number;
}

/* Returns the number of a function: its own if it comes from an XRay trace; other names are
   numbered as they come. */
static uint32_t function_of(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_name name = event->name;
    if (is_function(event->id) && event->kind != STELE_KIND_COMPLETE) {
        if (!is_named_so(w, batch, name, (uint32_t)event->id))
            writer_lose(&w->base, (stele_kind)event->kind, "names of functions, as numbers", false,
                        1);
        return (uint32_t)event->id;
    }
    writer_lose(&w->base, (stele_kind)event->kind, "names of functions, as numbers", false, 1);
    if ((name & STELE_NAME_LOCAL) != 0)
        return FUNCTION_MAX;
    if (name >= w->function_of_name_count) {
        uint32_t *grown =
            array_reach(w->function_of_name, sizeof *grown, &w->function_of_name_count, name);
        if (grown == NULL)
            return 0;
        w->function_of_name = grown;
    }
    if (w->function_of_name[name] == 0) {
        w->function_count += is_function(w->function_count + 1) ? 1 : 2;
        w->function_of_name[name] = w->function_count;
    }
    return w->function_of_name[name];
}

static uint64_t tsc_of_ns(int64_t time_ns)
{
    return time_ns < 0 ? 0 : (uint64_t)time_ns;
}

/* Returns the counter of an event; one without a time gets that of its thread. */
static uint64_t tsc_of(xray_writer *w, const xray_lane *lane, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 && lane->size != 0)
        return lane->tsc;
    /* The format's ticks are unsigned: negative ones would be read as very late times. */
    if (w->is_ticks && (event->time_ns >= 0 || event->ticks <= INT64_MAX))
        return event->ticks;
    if (event->time_ns < 0)
        writer_lose(&w->base, (stele_kind)event->kind, "times before zero, as zero", false, 1);
    return tsc_of_ns(event->time_ns);
}

/* Counts what the event lacks and its record must say. */
static void judge_event(xray_writer *w, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_HAS_CPU) == 0)
        writer_lose(&w->base, (stele_kind)event->kind, "no CPU, now that before it or CPU 0", false,
                    1);
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        writer_lose(&w->base, (stele_kind)event->kind, "having no time", false, 1);
}

/* Whether a reader of the ticks computes the event's time: XRay counts from 0 and has one
   frequency. */
static bool counts_from_zero(const stele_clock *clock, const stele_event *event)
{
    const tick_rate rate = tick_rate_make(clock->frequency_hz);
    bool is_clamped = false;
    if (event == NULL || (event->flags & STELE_FLAG_NO_TIME) != 0)
        return clock->base_ticks == 0;
    return clock->base_ticks == 0 &&
           tick_rate_ns(&rate, event->ticks, &is_clamped) == event->time_ns;
}

/* Writes the header, made from the clock of the first stream. Ticks are kept if all streams count
   with the same frequency and nothing is shifted; otherwise times are in ns. */
static void write_header(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    const stele_stream *stream = stele_stream_get(w->base.context, batch->stream);
    uint8_t bytes[XRAY_HEADER_SIZE];
    bool is_one_clock = stream != NULL && stream->clock.frequency_hz != 0 && batch->shift_ns == 0 &&
                        counts_from_zero(&stream->clock, event);
    if (stream != NULL && stream->clock.has_wall && stream->clock.wall_ns != 0)
        record_lose(w, "wall-clock time", true);
    for (uint32_t i = 0; is_one_clock && i < stele_stream_count(w->base.context); i++)
        is_one_clock =
            stele_stream_get(w->base.context, i)->clock.frequency_hz == stream->clock.frequency_hz;
    w->is_ticks = is_one_clock;
    w->header.frequency_hz = is_one_clock ? stream->clock.frequency_hz : NS_PER_S;
    w->has_header = true;
    stele_xray_encode_header(&w->header, bytes);
    output_write(w->base.out, bytes, sizeof bytes);
}

/* ---- Events as records ---- */

/* Whether the field has a name that the reader gives to arguments. */
static bool is_argument_name(const xray_writer *w, const stele_batch *batch,
                             const stele_field *field)
{
    const stele_text name = stele_name_text(w->base.context, batch, field->name);
    return name.size > 3 && memcmp(name.bytes, "arg", 3) == 0 && name.bytes[3] >= '0' &&
           name.bytes[3] <= '9';
}

/* Writes the arguments of a call, which are the reader's fields arg0, arg1, ... */
static stele_status put_arguments(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                                  const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < count && status == STELE_OK;
         i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        if (field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT &&
            field->type != STELE_TYPE_POINTER) {
            writer_lose(&w->base, (stele_kind)event->kind, "fields that are no integers", true, 1);
            continue;
        }
        if (!is_argument_name(w, batch, field))
            writer_lose(&w->base, (stele_kind)event->kind, "names of arguments", true, 1);
        status = lane_prepare(w, lane, lane->tsc, XRAY_METADATA_SIZE);
        put(w, lane,
            &(stele_xray_record){
                .kind = STELE_XRAY_CALL_ARGUMENT, .value = field->u.u, .tsc = lane->tsc},
            NULL);
    }
    return status;
}

static bool has_integers(const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const uint8_t type = batch->fields[first + i].type;
        if (type == STELE_TYPE_UINT || type == STELE_TYPE_INT || type == STELE_TYPE_POINTER)
            return true;
    }
    return false;
}

static stele_status put_call(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                             const stele_event *event, uint64_t tsc)
{
    const uint32_t function = function_of(w, batch, event);
    const bool is_entry = event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_COMPLETE;
    const bool has_arguments = is_entry && has_integers(batch, event);
    const stele_xray_kind kind = event->kind == STELE_KIND_END         ? STELE_XRAY_EXIT
                                 : event->kind == STELE_KIND_TAIL_EXIT ? STELE_XRAY_TAIL_EXIT
                                 : has_arguments                       ? STELE_XRAY_ENTER_ARGS
                                                                       : STELE_XRAY_ENTER;
    stele_status status;
    judge_event(w, event);
    if (event->category != 0)
        writer_lose(&w->base, (stele_kind)event->kind, "categories", true, 1);
    /* An entry and its arguments must be in one buffer. */
    status =
        lane_prepare(w, lane, tsc, has_arguments ? 8 * XRAY_METADATA_SIZE : XRAY_FUNCTION_SIZE);
    if (status == STELE_OK)
        status = put_function(w, lane, kind, function, tsc);
    if (status == STELE_OK && is_entry)
        status = put_arguments(w, lane, batch, event);
    if (status == STELE_OK && event->kind == STELE_KIND_COMPLETE)
        status =
            push_exit(lane, function, w->is_ticks ? event->value : tsc_of_ns((int64_t)event->id));
    return status;
}

static const stele_field *find_field(const xray_writer *w, const stele_batch *batch,
                                     const stele_event *event, const char *name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_text text =
            stele_name_text(w->base.context, batch, batch->fields[first + i].name);
        if (text.size == strlen(name) && memcmp(text.bytes, name, text.size) == 0)
            return &batch->fields[first + i];
    }
    return NULL;
}

/* Writes an instant or a log as a custom event: with its payload if it came from one, otherwise
   with its name as the payload. */
static stele_status put_custom(xray_writer *w, xray_lane *lane, const stele_batch *batch,
                               const stele_event *event, uint64_t tsc)
{
    const stele_field *data = find_field(w, batch, event, "data");
    const stele_field *type = find_field(w, batch, event, "type");
    const bool is_own = data != NULL && data->type == STELE_TYPE_BYTES;
    const bool has_type =
        is_own && type != NULL && type->type == STELE_TYPE_UINT && type->u.u <= UINT16_MAX;
    const bool is_typed = has_type && w->header.version >= 2;
    stele_text text = is_own ? stele_field_text(w->base.context, batch, data)
                             : stele_name_text(w->base.context, batch, event->name);
    stele_status status;
    if (w->is_basic) {
        writer_lose(&w->base, (stele_kind)event->kind, "events of this kind", true, 1);
        return STELE_OK;
    }
    judge_event(w, event);
    if (!is_own)
        writer_lose(&w->base, (stele_kind)event->kind, "all but the name, in a custom event", false,
                    1);
    if (has_type && !is_typed)
        writer_lose(&w->base, (stele_kind)event->kind, "types of events", false, 1);
    if (text.size > PAYLOAD_SIZE_MAX) {
        text.size = PAYLOAD_SIZE_MAX;
        writer_lose(&w->base, (stele_kind)event->kind, "payload beyond the size of a buffer", true,
                    1);
    }
    status = lane_prepare(w, lane, tsc, XRAY_METADATA_SIZE + text.size);
    if (status == STELE_OK)
        put(w, lane,
            &(stele_xray_record){.kind =
                                     is_typed ? STELE_XRAY_TYPED_EVENT : STELE_XRAY_CUSTOM_EVENT,
                                 .function = is_typed ? (uint32_t)type->u.u : event->cpu,
                                 .value = text.size,
                                 .tsc = tsc},
            text.bytes);
    return status;
}

static stele_status put_event(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    xray_lane *lane = lane_of(w, event->track);
    stele_status status;
    uint64_t tsc;
    if (lane == NULL)
        return STELE_ERR_MEMORY;
    tsc = tsc_of(w, lane, event);
    if ((event->flags & STELE_FLAG_REPEATED) != 0) {
        writer_lose(&w->base, (stele_kind)event->kind, "copies of other events", true, 1);
        return STELE_OK;
    }
    status = put_exits(w, lane, tsc);
    if (status == STELE_OK && (event->flags & STELE_FLAG_HAS_CPU) != 0 && event->cpu != lane->cpu) {
        lane->cpu = event->cpu;
        if (lane->size != 0) {
            status = lane_prepare(w, lane, tsc, XRAY_METADATA_SIZE);
            put(w, lane,
                &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = lane->cpu, .tsc = tsc},
                NULL);
        }
    }
    if (status != STELE_OK)
        return status;
    switch (event->kind) {
    case STELE_KIND_BEGIN:
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT:
    case STELE_KIND_COMPLETE: return put_call(w, lane, batch, event, tsc);
    case STELE_KIND_INSTANT:
    case STELE_KIND_LOG: return put_custom(w, lane, batch, event, tsc);
    default:
        writer_lose(&w->base, (stele_kind)event->kind, "events of this kind", true, 1);
        return STELE_OK;
    }
}

static stele_status put_sample(xray_writer *w, const stele_batch *batch, const stele_event *event)
{
    if (profile_can_write(w->base.context, batch, event))
        return profile_write(&w->block, w->base.context, w->base.out, batch, event);
    writer_lose(&w->base, (stele_kind)event->kind, "events beside the samples of a profile", true,
                1);
    return STELE_OK;
}

static stele_status xray_writer_write(stele_writer *base, const stele_segment *segment)
{
    xray_writer *w = (xray_writer *)base;
    stele_status status = STELE_OK;
    if (!w->has_header && segment->count != 0) {
        w->is_profile = profile_can_write(base->context, segment->batch,
                                          &segment->batch->events[segment->first]);
        if (w->is_profile)
            w->has_header = true;
        else
            write_header(w, segment->batch, &segment->batch->events[segment->first]);
    }
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        status = w->is_profile ? put_sample(w, segment->batch, event)
                               : put_event(w, segment->batch, event);
    }
    return status != STELE_OK ? status : base->out->status;
}

static int lane_compare(const void *left, const void *right)
{
    const xray_lane *a = *(xray_lane *const *)left, *b = *(xray_lane *const *)right;
    if (a->begin_tsc != b->begin_tsc)
        return a->begin_tsc < b->begin_tsc ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Writes the last buffers in the order of their times, so that equal events make equal files. */
static stele_status flush_lanes(xray_writer *w)
{
    xray_lane **lanes = malloc((w->lane_count + 1) * sizeof *lanes);
    stele_status status = lanes != NULL ? STELE_OK : STELE_ERR_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->lane_count && status == STELE_OK; i++) {
        status = put_exits(w, &w->lanes[i], UINT64_MAX);
        if (w->lanes[i].size != 0)
            lanes[count++] = &w->lanes[i];
    }
    if (status == STELE_OK) {
        qsort(lanes, count, sizeof *lanes, lane_compare);
        for (uint32_t i = 0; i < count; i++)
            lane_flush(w, lanes[i]);
    }
    free(lanes);
    return status;
}

static stele_status xray_writer_finish(stele_writer *base)
{
    xray_writer *w = (xray_writer *)base;
    stele_status status;
    if (!w->has_header) {
        static const stele_batch nothing = {.stream = UINT32_MAX};
        write_header(w, &nothing, NULL);
    }
    status = flush_lanes(w);
    if (status == STELE_OK && w->is_profile)
        status = profile_flush(&w->block, base->context, base->out);
    return status != STELE_OK ? status : base->out->status;
}

static void xray_writer_close(stele_writer *base)
{
    xray_writer *w = (xray_writer *)base;
    for (uint32_t i = 0; i < w->lane_count; i++) {
        free(w->lanes[i].bytes);
        free(w->lanes[i].exits);
    }
    profile_block_free(&w->block);
    free(w->lanes);
    free(w->function_of_name);
    free(w);
}

static const writer_ops xray_writer_ops = {xray_writer_write, xray_writer_finish,
                                           xray_writer_close};

/* Reads a version: "5", "basic3", or as traces show it, "FDR 5", "basic mode 3". Returns 0 if it is
   not a version. */
static uint16_t parse_version(const char *text, bool *is_basic)
{
    static const char *const prefixes[] = {"basic mode ", "basic", "FDR ", ""};
    size_t i = 0;
    while (strncmp(text, prefixes[i], strlen(prefixes[i])) != 0)
        i++;
    text += strlen(prefixes[i]);
    *is_basic = i < 2;
    if (*is_basic && *text == '\0')
        return 3;
    if (*text < '1' || *text > (*is_basic ? '3' : '5') || text[1] != '\0')
        return 0;
    return (uint16_t)(*text - '0');
}

stele_status xray_writer_open(stele_context *context, output *out,
                              const stele_writer_options *options, stele_writer **writer)
{
    const char *text = options != NULL && options->version != NULL ? options->version : "5";
    bool is_basic;
    const uint16_t version = parse_version(text, &is_basic);
    xray_writer *w;
    *writer = NULL;
    if (version == 0) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "1 to 5 (FDR), or basic1 to basic3", "version '%s'", text);
        return STELE_ERR_ARGUMENT;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base.ops = &xray_writer_ops;
    w->base.context = context;
    w->base.out = out;
    w->is_basic = is_basic;
    w->buffer_size = BUFFER_SIZE;
    w->header = (stele_xray_header){.version = version,
                                    .type = is_basic ? XRAY_TYPE_BASIC : XRAY_TYPE_FDR,
                                    .constant_tsc = true,
                                    .nonstop_tsc = true};
    if (!is_basic)
        store_le64(w->header.free_form, BUFFER_SIZE);
    *writer = &w->base;
    return STELE_OK;
}

stele_status xray_begins_open(const xray_trace *trace, output *out, stele_writer **writer)
{
    const bool has_size = trace->header.version == 1;
    xray_writer *w;
    *writer = NULL;
    if (has_size && (trace->buffer_size < BUFFER_SIZE_MIN || trace->buffer_size > BUFFER_SIZE_MAX))
        return STELE_ERR_UNSUPPORTED;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base.ops = &xray_writer_ops;
    w->base.context = trace->base.context;
    w->base.out = out;
    w->buffer_size = has_size ? (uint32_t)trace->buffer_size : BUFFER_SIZE;
    w->header = trace->header;
    w->has_header = w->is_ticks = true;
    *writer = &w->base;
    return STELE_OK;
}
