/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes events made from the input's bytes, through the writer of every format and back. They can
 * always be written, and what was written is a trace without errors that ends. A format's table of
 * losses has all that it cannot carry; if that is empty, what comes back is the same: as many
 * events of the same kinds, names and times. Folders are read as archives. Sinks, which nobody
 * reads back, write the events too, and not more than belongs to that many events.
 */
#include <stele/analysis.h>
#include <stele/spans.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract_archive.h"
#include "core/hash.h"
#include "formats/format.h"
#include "invariants.h"
#include "model/batch.h"
#include "sinks/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 64u
#define DEPTH_MAX  4u

typedef struct feed {
    const uint8_t *at, *end;
} feed;

typedef struct world {
    stele_context *context;
    stele_batch *batch;
    char finding[256]; /* the first error that was found */
} world;

static void require(bool condition, const char *what, const char *of)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s (%s)\n", what, of);
    abort();
}

static uint8_t take(feed *b)
{
    return b->at != b->end ? *b->at++ : 0;
}

/* Takes a number, often a small one or one near the ends of a range. */
static uint64_t take_number(feed *b)
{
    const uint8_t kind = take(b);
    uint64_t value = 0;
    if (kind < 0xc0)
        return kind;
    for (unsigned i = 0; i < (kind & 7u) + 1; i++)
        value = value << 8 | take(b);
    return (kind & 0x20) != 0 ? ~value : (kind & 0x10) != 0 ? UINT64_C(1) << (value & 63) : value;
}

static size_t take_text(feed *b, const uint8_t **text)
{
    const size_t want = take(b) & 31u, left = (size_t)(b->end - b->at);
    const size_t size = want < left ? want : left;
    *text = b->at;
    b->at += size;
    return size;
}

static stele_name take_name(world *w, feed *b)
{
    const uint8_t *text;
    const size_t size = take_text(b, &text);
    return stele_name_intern(w->context, (const char *)text, size);
}

static void make_field(world *w, feed *b, unsigned depth)
{
    const stele_name name = take_name(w, b);
    const stele_type type =
        (stele_type)(take(b) % (depth < DEPTH_MAX ? STELE_TYPE_COUNT : STELE_TYPE_RUN_FIRST));
    const uint8_t *text;
    stele_field *field;
    uint32_t first = w->batch->field_count;
    if (field_has_bytes((uint8_t)type)) {
        const size_t size = take_text(b, &text);
        uint64_t elements[4] = {0};
        memcpy(elements, text, size < sizeof elements ? size : sizeof elements);
        const bool is_array = type >= STELE_TYPE_UINTS && type < STELE_TYPE_RUN_FIRST;
        require(stele_batch_add_bytes(w->batch, name, type, is_array ? (void *)elements : text,
                                      is_array ? size / 8 * 8 : size) == STELE_OK,
                "memory", "batch");
        return;
    }
    field = stele_batch_add_field(w->batch, name, type);
    require(field != NULL, "memory", "batch");
    if (type >= STELE_TYPE_RUN_FIRST) {
        const uint32_t count = type == STELE_TYPE_VARIANT ? 1 : take(b) % 4u;
        for (uint32_t i = 0; i < count; i++)
            make_field(w, b, depth + 1);
        field = &w->batch->fields[first];
        field->u.run.count = count;
        field->u.run.length = w->batch->field_count - first - 1;
        return;
    }
    field->u.u = type == STELE_TYPE_NAME ? take_name(w, b) : take_number(b);
    field->width = (uint8_t)(take(b) % 65u);
}

static void make_tracks(world *w, feed *b)
{
    for (unsigned count = take(b) % 6u; count != 0; count--) {
        const uint32_t tracks = stele_track_count(w->context) + 1;
        const stele_track track = {.kind = 1 + take(b) % (STELE_TRACK_KIND_COUNT - 1),
                                   .parent = take(b) % tracks,
                                   .number = take_number(b)};
        const uint32_t made = stele_track_intern(w->context, &track);
        stele_track_set_name(w->context, made, take_name(w, b));
    }
}

static void make_event(world *w, feed *b)
{
    stele_event *event = stele_batch_add_event(w->batch);
    require(event != NULL, "memory", "batch");
    event->kind = (uint8_t)(1 + take(b) % (STELE_KIND_COUNT - 1));
    event->time_ns = (int64_t)take_number(b);
    event->ticks = (uint64_t)event->time_ns; /* the clock of the stream counts nanoseconds */
    event->value = take_number(b);
    event->id = event->kind == STELE_KIND_COMPLETE ? event->value : take_number(b);
    event->name = take_name(w, b);
    event->track = take(b) % (stele_track_count(w->context) + 1);
    event->category = stele_category_intern(w->context, take_name(w, b));
    event->cpu = take(b);
    event->flags = take(b);
    for (unsigned fields = take(b) % 4u; fields != 0; fields--)
        make_field(w, b, 0);
}

/* ---- Through a writer and back --------------------------------------------------------------- */

static void on_finding(void *user, const stele_diag *diag)
{
    world *w = user;
    if (diag->code->severity == STELE_ERROR && w->finding[0] == '\0')
        snprintf(w->finding, sizeof w->finding, "%s: %s", diag->code->code, diag->found);
}

/*
 * What is compared of events. Metadata and objects are state, which may be elsewhere. Functions of
 * XRay have numbers, and their names are in the binary. XTrace has no times: the time of an
 * instruction is its number.
 */
typedef struct summary {
    bool has_names, has_times;
    uint64_t count, digest;
} summary;

static summary summary_begin(const format *f)
{
    return (summary){.has_names = strcmp(f->name, "xray") != 0,
                     .has_times = strcmp(f->name, "xtrace") != 0};
}

static void summary_add(summary *s, const stele_context *context, const stele_batch *batch,
                        const stele_event *event)
{
    const stele_text name = stele_name_text(context, batch, event->name);
    uint64_t hash = event->kind;
    if (event->kind == STELE_KIND_METADATA || event->kind == STELE_KIND_OBJECT ||
        event->kind == STELE_KIND_LOST)
        return;
    if (s->has_names)
        hash = hash_mix(hash, hash_bytes(name.bytes, name.size));
    if (s->has_times && (event->flags & STELE_FLAG_NO_TIME) == 0)
        hash = hash_mix(hash, hash_u64((uint64_t)event->time_ns));
    s->count++;
    s->digest += hash_u64(hash);
}

static summary read_back(const format *f, const uint8_t *bytes, size_t size)
{
    summary result = summary_begin(f);
    world w = {.context = NULL};
    const stele_context_options options = {.diag = on_finding, .diag_user = &w};
    const stele_trace_options as = {.format = f->name};
    const stele_request request = {.order = STELE_ORDER_NONE, .columns = STELE_COLUMNS_ALL};
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    require(stele_context_new(&options, &w.context) == STELE_OK, "memory", f->name);
    require(stele_trace_open_memory(w.context, "fuzz", bytes, size, &as, &trace) == STELE_OK,
            "what was written can be opened", f->name);
    require(stele_reader_open(w.context, &trace, 1, &request, &reader) == STELE_OK,
            "what was written can be read", f->name);
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        const char *broken = invariant_segment(w.context, &segment, UINT64_MAX);
        require(broken == NULL, broken, f->name);
        for (uint32_t i = 0; i < segment.count; i++)
            summary_add(&result, w.context, segment.batch,
                        &segment.batch->events[segment.first + i]);
    }
    require(status == STELE_END, "reading ends", f->name);
    require(w.finding[0] == '\0', w.finding, f->name);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(w.context);
    return result;
}

/* Checks that nothing was lost without being counted. */
static void compare(const format *f, const world *w, const summary *back)
{
    summary written = summary_begin(f);
    for (uint32_t i = 0; i < w->batch->event_count; i++)
        summary_add(&written, w->context, w->batch, &w->batch->events[i]);
    require(back->count == written.count, "without a loss all events come back", f->name);
    require(f->writes_anew || back->digest == written.digest,
            "without a loss events come back as they were", f->name);
}

static void write_as(const format *f, world *w)
{
    const stele_segment segment = {w->batch, 0, w->batch->event_count};
    const bool is_file = f->target == FORMAT_TARGET_FILE;
    diag_sink silent = {.fn = NULL};
    archive folder = {.at = NULL};
    summary back = summary_begin(f);
    stele_writer *writer;
    output *out;
    const uint8_t *bytes;
    size_t size;
    uint32_t loss_count;
    require((is_file ? output_open_memory(&silent, &out)
                     : output_open_folder(&silent, NULL, false, &out)) == STELE_OK,
            "memory", f->name);
    require(f->writer(w->context, out, &(stele_writer_options){0}, &writer) == STELE_OK,
            "a writer can be made", f->name);
    require(stele_writer_write(writer, &segment) == STELE_OK, "every event can be written",
            f->name);
    require(stele_writer_finish(writer) == STELE_OK, "writing can be finished", f->name);
    loss_count = writer->losses.count;
    stele_writer_close(writer);
    bytes = output_memory(out, &size);
    if (!is_file) {
        archive_add_output(&folder, out);
        size = folder.size;
        archive_end(&folder);
        bytes = folder.at;
    }
    if (size != 0)
        back = read_back(f, bytes, is_file ? size : folder.size);
    if (loss_count == 0)
        compare(f, w, &back);
    __real_free(folder.at);
    output_close(out);
}

/* ---- Through sinks --------------------------------------------------------------------------- */

/* An event has a limited number of fields of limited size, and each of them is written with some
   ten times its size around it. */
#define SINK_SIZE_MAX (EVENTS_MAX * (256u << 10))

static uint64_t wire_number(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7, ++*at) {
        require(*at != end && shift < 64, "a number ends", "perfetto");
        value |= (uint64_t)(**at & 0x7f) << shift;
        if ((**at & 0x80) == 0)
            break;
    }
    ++*at;
    return value;
}

/* Checks that a message consists of packets only, each of which holds whole fields. */
static void check_packets(const uint8_t *at, size_t size, unsigned depth)
{
    const uint8_t *const end = at + size;
    while (at != end) {
        const uint64_t key = wire_number(&at, end);
        uint64_t length;
        require(depth != 0 || key == (1 << 3 | 2), "nothing but packets", "perfetto");
        if ((key & 7) == 0) {
            (void)wire_number(&at, end);
            continue;
        }
        length = (key & 7) == 1 ? 8 : wire_number(&at, end);
        require((key & 7) <= 2 && length <= (uint64_t)(end - at), "fields are whole", "perfetto");
        if (depth == 0)
            check_packets(at, (size_t)length, 1);
        at += length;
    }
}

static stele_status to_writer(void *user, const stele_segment *segment)
{
    return stele_writer_write(user, segment);
}

/* Draws spans as viewers get them: made by the calls engine. */
static void draw(world *w, stele_writer *writer, const stele_segment *segment)
{
    stele_picture *picture;
    require(stele_picture_new(w->context, to_writer, writer, &picture) == STELE_OK, "memory",
            "picture");
    stele_picture_set_plain_ends(picture, true);
    require(stele_picture_add(picture, segment) == STELE_OK &&
                stele_picture_finish(picture) == STELE_OK,
            "every event can be drawn", "picture");
    stele_picture_free(picture);
}

static void sink_as(const sink_entry *to, world *w, bool is_drawn)
{
    const stele_segment segment = {w->batch, 0, w->batch->event_count};
    diag_sink silent = {.fn = NULL};
    stele_writer *writer;
    output *out;
    const uint8_t *bytes;
    size_t size;
    require(output_open_memory(&silent, &out) == STELE_OK, "memory", to->name);
    require(to->open(w->context, out, NULL, &writer) == STELE_OK, "a sink can be made", to->name);
    writer->owns_output = false;
    if (is_drawn)
        draw(w, writer, &segment);
    else
        require(stele_writer_write(writer, &segment) == STELE_OK, "every event can be written",
                to->name);
    require(stele_writer_finish(writer) == STELE_OK, "writing can be finished", to->name);
    stele_writer_close(writer);
    bytes = output_memory(out, &size);
    require(size <= SINK_SIZE_MAX, "what is written is bounded", to->name);
    if (strcmp(to->name, "perfetto") == 0)
        check_packets(bytes, size, 0);
    output_close(out);
}

/* ---- Through pairing into spans -------------------------------------------------------------- */

/* What the spans of the input were made from, and what was made from them. */
typedef struct spanned {
    world *w;
    stele_spans *spans;
    stele_outliers *outliers;
    stele_latency *latency;
    uint64_t count;
} spanned;

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    spanned *s = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        require(spans[i].end_ns >= spans[i].begin_ns, "a span ends after it began", "spans");
        require(spans[i].self_ns <= stele_span_duration_ns(&spans[i]), "self time", "spans");
        require(spans[i].id != 0 && spans[i].parent != spans[i].id, "numbers", "spans");
        require((int64_t)event->id == spans[i].end_ns || event->kind == STELE_KIND_BEGIN,
                "the event says the same", "spans");
        s->count += event->kind == STELE_KIND_COMPLETE;
        require(stele_latency_add(s->latency, &spans[i]) == STELE_OK, "memory", "spans");
    }
    return stele_outliers_add(s->outliers, segment, spans);
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    const char *broken = invariant_segment(((spanned *)user)->w->context, segment, UINT64_MAX);
    require(broken == NULL, broken, "pairing");
    return stele_spans_add(((spanned *)user)->spans, segment);
}

static void make_spans(world *w, uint8_t how)
{
    const stele_segment segment = {w->batch, 0, w->batch->event_count};
    const stele_span_options options = {.has_paths = (how & 1) != 0,
                                        .has_begins = (how & 2) != 0,
                                        .open_max = 1 + (how >> 5),
                                        .timeout_ns = (how & 4) != 0 ? 100 : 0};
    const stele_pairing_options pairs = {.has_table = true,
                                         .has_lanes = (how & 8) != 0,
                                         .open_max = 1 + (how >> 5),
                                         .timeout_ns = options.timeout_ns};
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    spanned s = {.w = w};
    const stele_outlier *rows;
    stele_pairing *pairing = NULL;
    size_t count;
    require(stele_spans_new(w->context, &options, take_spans, &s, &s.spans) == STELE_OK &&
                stele_outliers_new(w->context, NULL, &s.outliers) == STELE_OK &&
                stele_latency_new(4, &s.latency) == STELE_OK &&
                stele_pairing_new(w->context, &pairs, &pairing) == STELE_OK,
            "memory", "spans");
    if ((how & 16) != 0)
        require(stele_pairing_add_pair(pairing, "* => *", "arg.a,thread") == STELE_OK, "a pair",
                "pairing");
    require(stele_pairing_add(pairing, &segment, take_paired, &s) == STELE_OK, "pairing", "spans");
    stele_pairing_finish(pairing);
    require(stele_spans_finish(s.spans) == STELE_OK, "the end", "spans");
    stele_spans_get_counts(s.spans, &counts);
    require(counts.span_count == s.count, "each span is given once", "spans");
    require(stele_outliers_rows(s.outliers, &rows, &count) == STELE_OK, "memory", "outliers");
    stele_pairing_free(pairing);
    stele_latency_free(s.latency);
    stele_outliers_free(s.outliers);
    stele_spans_free(s.spans);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const stele_stream stream = {
        .clock = {.domain = STELE_CLOCK_NS, .frequency_hz = 1000000000}};
    feed b = {data, data + size};
    for (size_t i = 0; i < format_count(); i++) {
        const format *f = format_at(i);
        world w = {.context = NULL};
        if (f->writer == NULL)
            continue;
        require(stele_context_new(NULL, &w.context) == STELE_OK &&
                    stele_batch_new(EVENTS_MAX, &w.batch) == STELE_OK &&
                    context_add_stream(w.context, &stream) == 0,
                "memory", f->name);
        b.at = data;
        make_tracks(&w, &b);
        while (b.at != b.end && w.batch->event_count < EVENTS_MAX)
            make_event(&w, &b);
        w.batch->columns = STELE_COLUMNS_ALL;
        write_as(f, &w);
        if (i == 0)
            for (size_t at = 0; at < sink_count(); at++)
                sink_as(sink_at(at), &w, size != 0 && (data[size - 1] & 1) != 0);
        make_spans(&w, size != 0 ? data[size - 1] : 0);
        stele_batch_free(w.batch);
        stele_context_free(w.context);
    }
    return 0;
}
