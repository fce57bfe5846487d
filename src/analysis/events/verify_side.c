/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/verify_side.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/saturate.h"
#include "model/trace.h"

/* The hash key of both sides. It need not be secret, because the hashes are only compared. */
static const hash_key own_key = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};

/* ---- Hashes of values ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return hash_keyed_pair(own_key, a, b);
}

static uint64_t text_number(stele_text text)
{
    return text.size == 0 ? 0 : hash_keyed_bytes(own_key, text.bytes, text.size);
}

static uint64_t name_number(const verify_side *s, const stele_batch *batch, stele_name name)
{
    return text_number(stele_name_text(s->context, batch, name));
}

/* Types that are compared as one, because formats store the same values in different ones. */
enum {
    AS_NULL = 1,
    AS_BOOL,
    AS_INTEGER,
    AS_FLOAT,
    AS_POINTER,
    AS_KOID,
    AS_TEXT,
    AS_BYTES,
    AS_BIG,
    AS_STRUCT,
    AS_ARRAY,
    AS_VARIANT,
    AS_LABEL
};

static uint64_t integer_number(bool is_negative, uint64_t bits)
{
    return mix(AS_INTEGER, mix(is_negative, bits));
}

static uint64_t float_number(double value)
{
    uint64_t bits;
    if (value != value) /* all NaNs are equal, whatever their bits */
        return mix(AS_FLOAT, 1);
    memcpy(&bits, &value, sizeof bits);
    return mix(AS_FLOAT, mix(2, bits));
}

/* Hashes an array of numbers like an array of fields that are numbers. */
static uint64_t numbers_number(const stele_batch *batch, const stele_field *field)
{
    uint64_t sum = AS_ARRAY;
    for (uint32_t at = 0; at + 8 <= field->u.bytes.size; at += 8) {
        uint64_t bits;
        double value;
        memcpy(&bits, batch->bytes + field->u.bytes.offset + at, sizeof bits);
        memcpy(&value, &bits, sizeof value);
        sum = mix(sum,
                  field->type == STELE_TYPE_FLOATS
                      ? float_number(value)
                      : integer_number(field->type == STELE_TYPE_INTS && (bits >> 63) != 0, bits));
    }
    return sum;
}

static uint64_t field_number(const verify_side *s, const stele_batch *batch,
                             const stele_field *field, unsigned depth);

static uint64_t run_number(const verify_side *s, const stele_batch *batch, const stele_field *field,
                           uint64_t as, unsigned depth)
{
    const stele_field *member = field + 1 + field->label_count;
    const stele_field *end = field + stele_field_length(field);
    uint64_t sum = as;
    for (; depth < 64 && member < end; member += stele_field_length(member))
        sum = mix(sum, mix(name_number(s, batch, member->name),
                           field_number(s, batch, member, depth + 1)));
    return sum;
}

static uint64_t field_number(const verify_side *s, const stele_batch *batch,
                             const stele_field *field, unsigned depth)
{
    switch ((stele_type)field->type) {
    case STELE_TYPE_BOOL: return mix(AS_BOOL, field->u.u != 0);
    case STELE_TYPE_UINT: return integer_number(false, field->u.u);
    case STELE_TYPE_INT: return integer_number(field->u.i < 0, field->u.u);
    case STELE_TYPE_FLOAT: return float_number(field->u.f);
    case STELE_TYPE_POINTER: return mix(AS_POINTER, field->u.u);
    case STELE_TYPE_KOID: return mix(AS_KOID, field->u.u);
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        return mix(AS_TEXT, text_number(stele_field_text(s->context, batch, field)));
    case STELE_TYPE_BYTES:
        return mix(AS_BYTES, text_number(stele_field_text(s->context, batch, field)));
    case STELE_TYPE_BIGINT:
        return mix(AS_BIG, text_number(stele_field_text(s->context, batch, field)));
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: return numbers_number(batch, field);
    case STELE_TYPE_STRUCT: return run_number(s, batch, field, AS_STRUCT, depth);
    case STELE_TYPE_ARRAY: return run_number(s, batch, field, AS_ARRAY, depth);
    case STELE_TYPE_VARIANT: return run_number(s, batch, field, AS_VARIANT, depth);
    case STELE_TYPE_NULL:
    case STELE_TYPE_COUNT: break;
    }
    return AS_NULL;
}

/* Hashes the name of a context field without the prefix that says where it was described. */
static uint64_t context_number(const verify_side *s, const stele_batch *batch, stele_name name)
{
    static const char before[] = "stream.";
    const size_t size = sizeof before - 1;
    stele_text text = stele_name_text(s->context, batch, name);
    if (text.size > size && memcmp(text.bytes, before, size) == 0)
        text = (stele_text){text.bytes + size, text.size - size};
    return text_number(text);
}

/* Hashes all fields of an event; their order does not matter. */
static uint64_t fields_number(const verify_side *s, const stele_batch *batch,
                              const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at])) {
        const stele_field *field = &batch->fields[first + at];
        const uint64_t name =
            (field->hint & STELE_HINT_CONTEXT) != 0 && field->type == STELE_TYPE_STRUCT
                ? context_number(s, batch, field->name)
                : name_number(s, batch, field->name);
        /* Heph's counter is not compared, because each trace counts for itself. */
        const bool is_counter = s->joins_fields && (field->hint & STELE_HINT_CONTEXT) != 0 &&
                                field->type != STELE_TYPE_STRUCT;
        if ((field->hint & STELE_HINT_RAW) == 0 && !is_counter)
            sum += mix(name, field_number(s, batch, field, 0));
    }
    return sum;
}

/* Hashes the labels of all fields of an event, at any depth and in any order. A field is
   followed by its labels, and then by the members of its run. */
static uint64_t labels_number(const verify_side *s, const stele_batch *batch,
                              const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count;) {
        const stele_field *field = &batch->fields[first + at];
        const bool is_raw = (field->hint & STELE_HINT_RAW) != 0;
        for (uint32_t i = 0; i < field->label_count && !is_raw; i++)
            sum += mix(AS_LABEL, text_number(stele_field_text(s->context, batch, &field[1 + i])));
        at += is_raw ? stele_field_length(field) : 1u + field->label_count;
    }
    return sum;
}

/* Hashes what `value` and `id` of an event mean, except for times and tracks. */
static uint64_t value_number(const stele_event *event)
{
    switch ((stele_kind)event->kind) {
    case STELE_KIND_COMPLETE: return mix(1, event->id - (uint64_t)event->time_ns);
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END: return mix(2, event->id);
    case STELE_KIND_LOG:
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT:
    case STELE_KIND_LOST: return mix(3, event->value);
    case STELE_KIND_BLOB:
    case STELE_KIND_OBJECT:
    case STELE_KIND_SAMPLE:
    case STELE_KIND_INSN:
    case STELE_KIND_LOAD:
    case STELE_KIND_STORE: return mix(event->value, event->id);
    default: return 0;
    }
}

/* Some formats say the CPU of an event as the track that it is on. */
static uint32_t cpu_of(const stele_event *event, const stele_track *track)
{
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        return event->cpu;
    return track != NULL && track->kind == STELE_TRACK_CPU ? (uint32_t)track->number
                                                           : VERIFY_NO_CPU;
}

static void make_item(const verify_side *s, const stele_batch *batch, const stele_event *event,
                      verify_item *item)
{
    const stele_text text = stele_name_text(s->context, batch, event->name);
    const stele_track *track = stele_track_get(s->context, event->track);
    *item = (verify_item){
        .time_ns = add_saturated(event->time_ns, s->shift_ns),
        .name = text_number(text),
        .category = text_number(
            stele_name_text(s->context, batch, stele_category_name(s->context, event->category))),
        .value = value_number(event),
        .fields = fields_number(s, batch, event),
        .labels = labels_number(s, batch, event),
        .offset = event->offset,
        .tracks = {event->track},
        .track_number = track != NULL ? track->number : 0,
        .stream = batch->stream,
        .cpu = cpu_of(event, track),
        .kind = event->kind,
        .from = event->kind,
        .has_time = (event->flags & STELE_FLAG_NO_TIME) == 0,
        /* each format has its own name for a loss */
        .name_matters = event->kind != STELE_KIND_LOST,
        .fields_matter = true,
        .text_size = (uint8_t)(text.size < VERIFY_TEXT_SIZE ? text.size : VERIFY_TEXT_SIZE)};
    memcpy(item->text, text.bytes, item->text_size);
    if (event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE) {
        item->tracks[1] = event->kind == STELE_KIND_SWITCH ? (uint32_t)event->value : 0;
        item->tracks[2] = (uint32_t)event->id;
    }
}

/* ---- Begins and ends of spans ---- */

static void heap_swap(verify_item *a, verify_item *b)
{
    const verify_item kept = *a;
    *a = *b;
    *b = kept;
}

static stele_status push_end(verify_side *s, const verify_item *item)
{
    uint32_t at = s->end_count;
    if (s->end_count == s->end_capacity) {
        verify_item *grown = array_grow(s->ends, sizeof *grown, &s->end_capacity, 64);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->ends = grown;
    }
    s->ends[s->end_count++] = *item;
    for (; at > 0 && s->ends[(at - 1) / 2].time_ns > s->ends[at].time_ns; at = (at - 1) / 2)
        heap_swap(&s->ends[at], &s->ends[(at - 1) / 2]);
    return STELE_OK;
}

static void pop_end(verify_side *s, verify_item *item)
{
    uint32_t at = 0, least;
    *item = s->ends[0];
    s->ends[0] = s->ends[--s->end_count];
    for (; (least = 2 * at + 1) < s->end_count; at = least) {
        if (least + 1 < s->end_count && s->ends[least + 1].time_ns < s->ends[least].time_ns)
            least++;
        if (s->ends[at].time_ns <= s->ends[least].time_ns)
            break;
        heap_swap(&s->ends[at], &s->ends[least]);
    }
}

/* Turns a span into its begin, and keeps its end for later. An end has a time and a track; its
   name and fields belong to the span. */
static stele_status make_points(verify_side *s, const stele_event *event, verify_item *item)
{
    verify_item end = *item;
    if (event->kind == STELE_KIND_END || event->kind == STELE_KIND_TAIL_EXIT) {
        item->kind = STELE_KIND_END;
        item->name_matters = item->fields_matter = false;
        item->value = 0;
    } else if (event->kind == STELE_KIND_BEGIN) {
        item->fields_matter = !s->joins_fields;
    } else if (event->kind == STELE_KIND_COMPLETE) {
        end.kind = STELE_KIND_END;
        end.cpu = VERIFY_ANY_CPU;
        /* Where begins and ends are compared, a span that ends before it begins has no length. */
        if ((int64_t)event->id > event->time_ns)
            end.time_ns = add_saturated((int64_t)event->id, s->shift_ns);
        end.name_matters = end.fields_matter = false;
        end.value = item->value = 0;
        item->kind = STELE_KIND_BEGIN;
        return push_end(s, &end);
    }
    return STELE_OK;
}

/* ---- Nesting ---- */

stele_status verify_side_begin(verify_side *s, const stele_batch *batch, const stele_event *event)
{
    return nesting_begin(&s->open, event->track, name_number(s, batch, event->name))
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

/* Follows begins and ends, to know which ends cross other spans. Complete events that are taken
   apart are not among them. */
static stele_status follow_nesting(verify_side *s, const stele_event *event, verify_item *item)
{
    s->has_complete |= event->kind == STELE_KIND_COMPLETE;
    if (event->kind == STELE_KIND_BEGIN)
        return nesting_begin(&s->open, event->track, item->name) ? STELE_OK : STELE_ERR_MEMORY;
    if (event->kind == STELE_KIND_END || event->kind == STELE_KIND_TAIL_EXIT) {
        item->is_crossing = nesting_end(&s->open, event->track, item->name);
        item->knows_nesting = !s->has_complete;
    }
    return STELE_OK;
}

/* ---- Reading of one side ---- */

stele_status verify_side_open(verify_side *s, stele_context *context, stele_trace *const *traces,
                              size_t count, const stele_request *request, bool has_points,
                              bool joins_fields)
{
    stele_request wanted = {.struct_size = sizeof wanted};
    s->context = context;
    s->traces = traces;
    s->trace_count = count;
    s->has_points = has_points;
    s->joins_fields = joins_fields;
    if (request != NULL)
        wanted = *request;
    wanted.struct_size = sizeof wanted;
    wanted.columns = STELE_COLUMNS_ALL & ~(STELE_COLUMN_RAW | STELE_COLUMN_CONTEXT);
    wanted.order = STELE_ORDER_TIME;
    /* Without an index of the trace, only this order is exact. */
    for (size_t i = 0; i < count; i++)
        if (!traces[i]->info.is_seekable)
            wanted.order = STELE_ORDER_FULL;
    wanted.from_start = wanted.open_only = wanted.order_by_end = false;
    return stele_reader_open(context, traces, count, &wanted, &s->reader);
}

void verify_side_close(verify_side *s)
{
    stele_reader_close(s->reader);
    free(s->ends);
    free(s->items);
    nesting_free(&s->open);
}

void verify_side_shift(verify_side *s, int64_t shift_ns)
{
    s->shift_ns = add_saturated(s->shift_ns, shift_ns);
    s->next.time_ns = add_saturated(s->next.time_ns, shift_ns);
    for (uint32_t i = 0; i < s->end_count; i++)
        s->ends[i].time_ns = add_saturated(s->ends[i].time_ns, shift_ns);
}

/* Goes to the next event that is compared. `*is_there` is false after the last one. */
static stele_status reach_event(verify_side *s, bool *is_there)
{
    stele_status status = STELE_OK;
    while (!s->is_over && s->at == s->segment.count) {
        status = stele_reader_next(s->reader, &s->segment);
        s->at = 0;
        if (status == STELE_OK)
            continue;
        s->is_over = true;
        s->segment.count = 0;
    }
    *is_there = s->at < s->segment.count;
    return status == STELE_END ? STELE_OK : status;
}

/* The wall-clock time at time 0 of the reader. Returns false if it is not known. */
static bool wall_of(verify_side *s, int64_t *wall_ns)
{
    const stele_stream *first;
    bool is_there;
    for (size_t i = 0; i < s->trace_count; i++) {
        const stele_trace *trace = s->traces[i];
        for (uint32_t k = 0; trace->is_indexed && k < trace->stream_count; k++) {
            const stele_stream *stream = stele_stream_get(s->context, trace->stream_first + k);
            if (!stream->clock.has_wall)
                return false;
            *wall_ns = s->trace_count == 1 ? stream->clock.wall_ns : 0;
            return true;
        }
    }
    /* A trace that is read only once has no index: its first event says it. */
    if (reach_event(s, &is_there) != STELE_OK || !is_there)
        return false;
    first = stele_stream_get(s->context, s->segment.batch->stream);
    if (first == NULL || !stele_batch_wall(s->segment.batch, &first->clock, wall_ns))
        return false;
    if (s->trace_count != 1)
        *wall_ns = 0;
    return true;
}

bool verify_side_relate(verify_side *s, verify_side *to)
{
    int64_t own_ns, other_ns;
    const bool has_own = wall_of(s, &own_ns), has_other = wall_of(to, &other_ns);
    if (has_own && has_other)
        s->shift_ns = subtract_saturated(own_ns, other_ns);
    return has_own == has_other;
}

stele_status verify_side_step(verify_side *s)
{
    const stele_event *event;
    bool is_there;
    const stele_status status = reach_event(s, &is_there);
    s->has_next = false;
    if (status != STELE_OK)
        return status;
    if (is_there) {
        event = &s->segment.batch->events[s->segment.first + s->at];
        if (s->end_count == 0 || s->ends[0].time_ns > add_saturated(event->time_ns, s->shift_ns)) {
            make_item(s, s->segment.batch, event, &s->next);
            s->at++;
            s->has_next = true;
            if (follow_nesting(s, event, &s->next) != STELE_OK)
                return STELE_ERR_MEMORY;
            return s->has_points ? make_points(s, event, &s->next) : STELE_OK;
        }
    }
    if (s->end_count != 0) {
        pop_end(s, &s->next);
        s->has_next = true;
    }
    return STELE_OK;
}

stele_status verify_side_add(verify_side *s, const verify_item *item)
{
    if (s->count == s->capacity) {
        verify_item *grown = array_grow(s->items, sizeof *grown, &s->capacity, 64);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->items = grown;
    }
    s->items[s->count++] = *item;
    return STELE_OK;
}

const char *verify_side_path(const verify_side *s, const verify_item *item)
{
    const stele_stream *stream = stele_stream_get(s->context, item->stream);
    for (size_t i = 0; stream != NULL && i < s->trace_count; i++)
        if (s->traces[i]->info.number == stream->trace)
            return s->traces[i]->info.path;
    return s->traces[0]->info.path;
}
