/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parts of an event's JSON: time, name, process and thread, arguments. */
#include "sinks/chrome_sink.h"

const char *const chrome_mark_texts[CHROME_MARK_COUNT] = {"stele.unwound", "stele.unfinished",
                                                          "stele.before_ns", "stele.after_ns"};

/* ---- Times ---- */

/* Writes a time relative to the origin, in microseconds. Viewers read times as doubles, which
   distinguish nanoseconds up to 104 days from the origin. */
static inline char *put_ts(chrome_sink *chrome, char *to, int64_t ns)
{
    bool is_negative;
    const uint64_t distance = time_distance(ns, chrome->origin_ns, &is_negative);
    if (!is_negative)
        return text_thousands_near(to, distance, &chrome->ts);
    *to = '-';
    return text_thousands(to + 1, distance);
}

/* ---- Parts of an event ---- */

/* Writes the separator from the event before, and the event's first member, such as `{"ph":"X"`. */
void chrome_begin_put(chrome_sink *chrome, char phase)
{
    char *to = (char *)output_reserve(chrome->base.out, CHROME_EVENT_SIZE);
    const char *const start = to;
    if (to == NULL)
        return;
    if (chrome->has_events)
        *to++ = ',';
    to = PUT(to, "\n{\"ph\":\"");
    *to++ = phase;
    *to++ = '"';
    output_advance(chrome->base.out, (size_t)(to - start));
    chrome->has_events = true;
    chrome->has_args = false;
}

void chrome_category_put(chrome_sink *chrome, const stele_event *event)
{
    if (event->category == 0)
        return;
    OUTPUT_LITERAL(chrome->base.out, ",\"cat\":");
    value_put_name(&chrome->values, chrome->base.out, chrome->batch,
                   stele_category_name(chrome->base.context, event->category));
}

/* Writes the name of an event; without a name `standard`, or the address of its function. */
void chrome_name_put(chrome_sink *chrome, const stele_event *event, const char *standard)
{
    output *out = chrome->base.out;
    OUTPUT_LITERAL(out, ",\"name\":");
    if (event->name != 0 || (standard == NULL && event->id == 0)) {
        value_put_name(&chrome->values, out, chrome->batch, event->name);
        return;
    }
    output_byte(out, '"');
    if (standard != NULL)
        output_text(out, standard);
    else
        output_hex(out, event->id);
    output_byte(out, '"');
}

/* Writes process, thread and time, such as `,"pid":1,"tid":2,"ts":3.004`. */
void chrome_place_put(chrome_sink *chrome, const chrome_track *track, int64_t ns)
{
    char *to = (char *)output_reserve(chrome->base.out, CHROME_EVENT_SIZE);
    const char *const start = to;
    if (to == NULL)
        return;
    memcpy(to, track->place, CHROME_PLACE_SIZE);
    to = put_ts(chrome, PUT(to + track->place_size, ",\"ts\":"), ns);
    output_advance(chrome->base.out, (size_t)(to - start));
}

/* ---- The beginning of events ---- */

/* The two fragments that are kept: up to the number of the time, and up to the name only. */
enum { PLACE_HEAD, PLACE_TITLE };

static fragment_key head_key(const chrome_sink *chrome, const stele_event *event, char phase,
                             uint8_t which)
{
    return fragment_key_make(&chrome->heads, event->name, which == PLACE_HEAD ? event->track : 0,
                             event->category, (uint8_t)phase, which);
}

static void title_write(chrome_sink *chrome, const stele_event *event, char phase,
                        const char *standard)
{
    chrome_begin_put(chrome, phase);
    if (event->category == 0 && strchr("bnestf", phase) != NULL)
        OUTPUT_LITERAL(chrome->base.out, ",\"cat\":\"\"");
    chrome_category_put(chrome, event);
    chrome_name_put(chrome, event, standard);
}

/* Writes the beginning of an event, up to its name or, with a track, up to the number of the time.
   Keeps it unless the name had to be changed. The first event is not kept: it has no separator. */
static __attribute__((noinline)) void head_make(chrome_sink *chrome, const chrome_track *track,
                                                const stele_event *event, fragment_key key,
                                                char phase, const char *standard)
{
    output *const out = chrome->base.out;
    const bool is_first = !chrome->has_events;
    const uint32_t changes = chrome->values.changes;
    const uint8_t *made;
    size_t size;
    char *to;
    output_clear(chrome->scratch);
    chrome->base.out = chrome->scratch;
    chrome->values.changes = 0;
    title_write(chrome, event, phase, standard);
    to = (char *)output_reserve(chrome->scratch, CHROME_EVENT_SIZE);
    if (to != NULL && track != NULL) {
        memcpy(to, track->place, CHROME_PLACE_SIZE);
        to = PUT(to + track->place_size, ",\"ts\":");
        output_advance(chrome->scratch, (size_t)(to - (char *)chrome->scratch->at));
    }
    chrome->base.out = out;
    made = output_memory(chrome->scratch, &size);
    chrome->is_exhausted |= chrome->scratch->status != STELE_OK;
    if (!is_first && event->name != 0 && chrome->values.changes == 0 && !chrome->is_exhausted)
        fragments_keep(&chrome->heads, key, made, size);
    chrome->values.changes |= changes;
    output_put(out, made, size);
}

static const fragment *head_find(const chrome_sink *chrome, fragment_key key)
{
    return chrome->has_events ? fragments_find(&chrome->heads, key) : NULL;
}

void chrome_title_put(chrome_sink *chrome, const stele_event *event, char phase,
                      const char *standard)
{
    const fragment_key key = head_key(chrome, event, phase, PLACE_TITLE);
    const fragment *found = head_find(chrome, key);
    char *to = found != NULL ? (char *)output_reserve(chrome->base.out, FRAGMENT_ROOM) : NULL;
    chrome->has_args = false;
    if (to == NULL)
        head_make(chrome, NULL, event, key, phase, standard);
    else
        output_advance(chrome->base.out, (size_t)(fragment_copy(&chrome->heads, found, to) - to));
}

void chrome_head_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                     char phase, const char *standard)
{
    const fragment_key key = head_key(chrome, event, phase, PLACE_HEAD);
    const fragment *found = head_find(chrome, key);
    output *out = chrome->base.out;
    char *to;
    if (found == NULL)
        head_make(chrome, track, event, key, phase, standard);
    to = (char *)output_reserve(out, FRAGMENT_ROOM + CHROME_EVENT_SIZE);
    if (to == NULL)
        return;
    chrome->has_args = false;
    if (found != NULL)
        to = fragment_copy(&chrome->heads, found, to);
    to = put_ts(chrome, to, event->time_ns);
    output_advance(out, (size_t)(to - (char *)out->at));
}

/* Writes what separates an argument from the one before, or begins the arguments. */
void chrome_arg_next(chrome_sink *chrome)
{
    if (chrome->has_args)
        output_byte(chrome->base.out, ',');
    else
        OUTPUT_LITERAL(chrome->base.out, ",\"args\":{");
    chrome->has_args = true;
}

void chrome_arg_u64(chrome_sink *chrome, const char *key, uint64_t value)
{
    chrome_arg_next(chrome);
    output_text(chrome->base.out, key);
    value_put_u64(&chrome->values, chrome->base.out, value);
}

void chrome_arg_id(chrome_sink *chrome, const char *key, uint64_t id)
{
    chrome_arg_next(chrome);
    output_text(chrome->base.out, key);
    output_byte(chrome->base.out, '"');
    output_hex(chrome->base.out, id);
    output_byte(chrome->base.out, '"');
}

/* Writes the event's own name as an argument, if another name is written in its place. */
void chrome_arg_name(chrome_sink *chrome, const stele_event *event)
{
    chrome_arg_next(chrome);
    OUTPUT_LITERAL(chrome->base.out, "\"stele.name\":");
    value_put_name(&chrome->values, chrome->base.out, chrome->batch, event->name);
}

void chrome_arg_track(chrome_sink *chrome, const char *key, uint32_t track)
{
    const name_form *label = track_labels_get(&chrome->labels, track);
    chrome_arg_next(chrome);
    output_text(chrome->base.out, key);
    output_write(chrome->base.out, label->bytes, label->size);
}

static inline bool has_shown(const chrome_sink *chrome, uint32_t first, uint32_t count)
{
    const stele_field *fields = chrome->batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (field_is_shown(&fields[at]) && fields[at].name != chrome->values.skipped)
            return true;
    }
    return false;
}

static inline bool is_of_span(const stele_event *event)
{
    return event->kind == STELE_KIND_BEGIN || event->kind == STELE_KIND_END ||
           event->kind == STELE_KIND_TAIL_EXIT || event->kind == STELE_KIND_COMPLETE;
}

/* Which mark of stele_picture the event has as its last field; CHROME_MARK_COUNT: none. */
static inline unsigned mark_of(const chrome_sink *chrome, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(chrome->batch, event, &first);
    stele_name last;
    unsigned i = 0;
    if (count == 0)
        return CHROME_MARK_COUNT;
    last = chrome->batch->fields[first + count - 1].name;
    if ((chrome->mark_bits >> (last & 63) & 1) == 0)
        return CHROME_MARK_COUNT;
    while (i < CHROME_MARK_COUNT && last != chrome->marks[i])
        i++;
    return i;
}

static void args_put_fields(chrome_sink *chrome, const stele_event *event)
{
    const stele_batch *batch = chrome->batch;
    output *out = chrome->base.out;
    uint32_t first;
    const bool has_mark = is_of_span(event) && chrome->mark != CHROME_MARK_COUNT;
    const uint32_t count = stele_event_fields(batch, event, &first) - has_mark;
    if (has_shown(chrome, first, count)) {
        chrome_arg_next(chrome);
        value_put_members(&chrome->values, out, batch, first, count);
    }
    if (has_shown(chrome, batch->context_first, batch->context_count)) {
        chrome_arg_next(chrome);
        value_put_context(&chrome->values, out, batch);
    }
}

#define FLAGS_TOLD \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

/* Writes the fields of an event as its arguments, and its end. */
static void plain_args_put(chrome_sink *chrome, const stele_event *event)
{
    static const char head[] = ",\"args\":{";
    output *out = chrome->base.out;
    uint32_t first;
    const uint32_t count = stele_event_fields(chrome->batch, event, &first);
    char *to = (char *)output_reserve(out, sizeof head);
    if (to == NULL)
        return;
    output_advance(out, (size_t)(PUT(to, ",\"args\":{") - to));
    if (value_put_members(&chrome->values, out, chrome->batch, first, count))
        output_byte(out, '}');
    else
        out->at -= sizeof head - 1; /* no field is shown: take the key back */
    output_byte(out, '}');
}

bool chrome_plain_put(chrome_sink *chrome, const stele_event *event, char phase,
                      uint64_t duration_ns)
{
    const fragment *found;
    output *out = chrome->base.out;
    char *to;
    if (chrome->batch->context_count != 0 || (event->flags & FLAGS_TOLD) != 0 ||
        (event->field_count != 0 && mark_of(chrome, event) != CHROME_MARK_COUNT))
        return false;
    found = head_find(chrome, head_key(chrome, event, phase, PLACE_HEAD));
    to = found != NULL ? (char *)output_reserve(out, FRAGMENT_ROOM + CHROME_EVENT_SIZE) : NULL;
    if (to == NULL)
        return false;
    to = put_ts(chrome, fragment_copy(&chrome->heads, found, to), event->time_ns);
    if (duration_ns != CHROME_NO_DURATION)
        to = text_thousands(PUT(to, ",\"dur\":"), duration_ns);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0)
        to = text_u64(PUT(to, ",\"stele.cpu\":"), event->cpu);
    if (event->field_count == 0)
        *to++ = '}';
    output_advance(out, (size_t)(to - (char *)out->at));
    if (event->field_count != 0)
        plain_args_put(chrome, event);
    return true;
}

static void args_put_flags(chrome_sink *chrome, unsigned flags)
{
    char text[CELL_SIZE];
    chrome_arg_next(chrome);
    OUTPUT_LITERAL(chrome->base.out, "\"stele.flags\":\"");
    output_write(chrome->base.out, text, (size_t)(cell_flags(text, flags & FLAGS_TOLD) - text));
    output_byte(chrome->base.out, '"');
}

/*
 * Writes what belongs beside the arguments of a span's event: its CPU and its mark. They are not
 * arguments, because viewers take spans of one name with different arguments for different
 * functions, and an end with other arguments for that of another span.
 */
void chrome_beside_put(chrome_sink *chrome, const stele_event *event)
{
    const unsigned mark = chrome->mark = mark_of(chrome, event);
    output *out = chrome->base.out;
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0) {
        OUTPUT_LITERAL(out, ",\"stele.cpu\":");
        output_u64(out, event->cpu);
    }
    if (mark != CHROME_MARK_COUNT) {
        uint32_t first;
        const uint32_t count = stele_event_fields(chrome->batch, event, &first);
        OUTPUT_LITERAL(out, ",\"");
        output_text(out, chrome_mark_texts[mark]);
        OUTPUT_LITERAL(out, "\":");
        value_put_scalar(&chrome->values, out, chrome->batch,
                         &chrome->batch->fields[first + count - 1]);
    }
}

/* Writes an event's fields, those of its batch's context and the rest as arguments, and ends the
   event. */
void chrome_end_put(chrome_sink *chrome, const stele_event *event)
{
    args_put_fields(chrome, event);
    if ((event->flags & STELE_FLAG_HAS_CPU) != 0 && !is_of_span(event))
        chrome_arg_u64(chrome, "\"stele.cpu\":", event->cpu);
    if ((event->flags & FLAGS_TOLD) != 0)
        args_put_flags(chrome, event->flags);
    if (chrome->has_args)
        output_byte(chrome->base.out, '}');
    output_byte(chrome->base.out, '}');
}

/* Writes an instant up to its arguments. */
void chrome_moment_put(chrome_sink *chrome, const chrome_track *track, const stele_event *event,
                       const char *standard, char scope)
{
    char *to;
    chrome_head_put(chrome, track, event, 'i', standard);
    to = (char *)output_reserve(chrome->base.out, CHROME_EVENT_SIZE);
    if (to == NULL)
        return;
    to = PUT(to, ",\"s\":\"t\"");
    to[-2] = scope;
    output_advance(chrome->base.out, (size_t)(to - (char *)chrome->base.out->at));
}
