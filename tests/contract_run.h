/* SPDX-License-Identifier: Apache-2.0 */
/* One reading of a trace, kept to be compared with another: the position of each event and a
   digest of each column, the code and position of each finding. */
#ifndef TESTS_CONTRACT_RUN_H
#define TESTS_CONTRACT_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "core/hash.h"
#include "formats/format.h"
#include "invariants.h"

enum { RUN_TIME, RUN_NAME, RUN_TRACK, RUN_VALUE, RUN_FIELDS, RUN_COLUMNS };

static const uint32_t run_column_bits[RUN_COLUMNS] = {STELE_COLUMN_TIME, STELE_COLUMN_NAME,
                                                      STELE_COLUMN_TRACK, STELE_COLUMN_VALUE,
                                                      STELE_COLUMN_FIELDS};

typedef struct run_event {
    uint64_t offset;
    uint64_t file; /* the event's file in a trace of several files, as in run_finding */
    uint32_t size;
    uint8_t kind, flags;
    int64_t time_ns;
    uint64_t columns[RUN_COLUMNS];
    size_t number; /* number of the event among those that were read */
} run_event;

typedef struct run_finding {
    const stele_code *code;
    uint64_t file; /* digest of the file's name */
    uint64_t offset, size;
    char expected[64], found[128]; /* both cut if they are longer */
} run_finding;

typedef struct run {
    stele_context *context;
    run_event *events;
    size_t event_count, event_capacity;
    run_finding *findings;
    size_t finding_count, finding_capacity;
    stele_status status; /* status of what failed first, else STELE_OK */
    stele_reader_stats stats;
    const char *broken; /* the invariant that does not hold */
} run;

/* Where a run takes its bytes from. */
typedef struct run_input {
    const char *format;
    const char *path; /* NULL: from memory */
    const uint8_t *bytes;
    size_t size;
    bool is_archive; /* offsets are in the members of the archive */
    const stele_setting *settings;
    size_t setting_count;
} run_input;

/* Returns the end of the offsets in an input. */
static inline uint64_t run_input_limit(const run_input *in)
{
    return in->path != NULL || in->is_archive ? UINT64_MAX : in->size;
}

static inline void *run_grow(void *table, size_t count, size_t *capacity, size_t entry_size)
{
    if (count < *capacity)
        return table;
    *capacity = *capacity * 2 + 256;
    table = __real_realloc(table, *capacity * entry_size);
    if (table == NULL)
        abort();
    return table;
}

/* Returns the digest of a file, made from the end of its name. */
static inline uint64_t run_file(const char *name)
{
    const char *base = name != NULL ? strrchr(name, '/') : NULL;
    base = base != NULL ? base + 1 : name;
    return base != NULL ? hash_bytes(base, strlen(base)) : 0;
}

/* Returns the file of an event. In a trace of several files, streams are named after their
   files; the snapshots of an instruction trace are in the file next to the trace's. */
static inline uint64_t run_event_file(const stele_context *context, const stele_batch *batch,
                                      const stele_event *event)
{
    static const char insns[] = "xinsndata";
    const stele_stream *stream = stele_stream_get(context, batch->stream);
    const stele_text text =
        stream != NULL ? stele_name_text(context, batch, stream->name) : (stele_text){"", 0};
    char name[256], *word;
    snprintf(name, sizeof name, "%.*s", (int)text.size, text.bytes);
    word = strstr(name, insns);
    if (word != NULL && event->kind == STELE_KIND_SNAPSHOT)
        memcpy(word, "xsnapshot", strlen(insns));
    return run_file(name);
}

static inline void run_on_finding(void *user, const stele_diag *diag)
{
    run *r = user;
    run_finding *finding;
    r->findings =
        run_grow(r->findings, r->finding_count, &r->finding_capacity, sizeof *r->findings);
    finding = &r->findings[r->finding_count++];
    *finding = (run_finding){.code = diag->code,
                             .file = run_file(diag->source),
                             .offset = diag->offset,
                             .size = diag->size};
    snprintf(finding->expected, sizeof finding->expected, "%s",
             diag->expected != NULL ? diag->expected : "");
    snprintf(finding->found, sizeof finding->found, "%s", diag->found);
}

static inline uint64_t run_hash_text(uint64_t hash, stele_text text)
{
    return hash_mix(hash ^ hash_bytes(text.bytes, text.size), text.size + 1);
}

static inline uint64_t run_hash_field(const stele_context *context, const stele_batch *batch,
                                      const stele_field *field, uint64_t hash)
{
    hash = run_hash_text(hash, stele_name_text(context, batch, field->name));
    hash = hash_mix(hash ^ ((uint64_t)field->type << 24 | (uint64_t)field->width << 16 |
                            (uint64_t)field->hint << 8 | field->label_count),
                    UINT64_C(0x9e3779b97f4a7c15));
    if (field->type == STELE_TYPE_NAME ||
        (field->type >= STELE_TYPE_STRING && field->type < STELE_TYPE_RUN_FIRST))
        return run_hash_text(hash, stele_field_text(context, batch, field));
    return hash_mix(hash ^ field->u.u, UINT64_C(0xd6e8feb86659fd93));
}

/*
 * Hashes the names and ids of a track and those above it: what the track is, whatever its number in
 * the context. A data stream with a name is numbered by its position in its trace, of which a piece
 * may lack others.
 */
static inline uint64_t run_hash_track(const stele_context *context, uint32_t number)
{
    uint64_t hash = 0;
    const stele_track *track;
    for (unsigned depth = 0; depth < 8 && (track = stele_track_get(context, number)) != NULL;
         depth++) {
        const stele_text name = stele_name_text(context, NULL, track->name);
        const uint64_t own = track->kind == STELE_TRACK_STREAM && name.size != 0
                                 ? run_hash_text(0, name)
                                 : hash_u64(track->number);
        hash = hash_mix(hash ^ own, (uint64_t)track->kind + 3);
        number = track->parent;
    }
    return hash;
}

static inline uint64_t run_hash_fields(const stele_context *context, const stele_batch *batch,
                                       const stele_event *event)
{
    uint64_t hash = 1;
    uint32_t first;
    uint32_t count = stele_event_fields(batch, event, &first);
    while (count != 0) {
        const stele_field *field = &batch->fields[first];
        const uint32_t length = stele_field_length(field);
        if ((field->hint & STELE_HINT_RAW) == 0) {
            for (uint32_t i = 0; i < length; i++)
                hash = run_hash_field(context, batch, field + i, hash);
        }
        first += length;
        count -= length;
    }
    return hash;
}

/* Hashes the value of an event. If it is the number of a track, hashes what the track is. */
static inline uint64_t run_hash_value(const stele_context *context, const stele_event *event)
{
    const bool is_switch = event->kind == STELE_KIND_SWITCH;
    const bool has_track = is_switch || event->kind == STELE_KIND_WAKE;
    const uint64_t value =
        is_switch ? run_hash_track(context, (uint32_t)event->value) : event->value;
    const uint64_t id = has_track ? run_hash_track(context, (uint32_t)event->id) : event->id;
    return hash_mix(value ^ UINT64_C(0x9e3779b97f4a7c15), hash_u64(id));
}

static inline void run_add_event(run *r, const stele_batch *batch, const stele_event *event)
{
    const stele_context *c = r->context;
    run_event *kept;
    r->events = run_grow(r->events, r->event_count, &r->event_capacity, sizeof *r->events);
    kept = &r->events[r->event_count++];
    *kept = (run_event){.offset = event->offset,
                        .file = run_event_file(c, batch, event),
                        .size = event->size,
                        .kind = event->kind,
                        .flags = event->flags,
                        .time_ns = event->time_ns,
                        .number = r->event_count - 1};
    if ((event->flags & STELE_FLAG_NO_TIME) == 0)
        kept->columns[RUN_TIME] = hash_mix(hash_u64((uint64_t)event->time_ns), event->ticks + 1);
    kept->columns[RUN_NAME] =
        run_hash_text(run_hash_text(1, stele_name_text(c, batch, event->name)),
                      stele_name_text(c, batch, stele_category_name(c, event->category)));
    kept->columns[RUN_TRACK] = run_hash_track(c, event->track) + event->cpu;
    kept->columns[RUN_VALUE] = run_hash_value(c, event);
    kept->columns[RUN_FIELDS] = run_hash_fields(c, batch, event);
}

/* Called with each segment of a run; a status other than STELE_OK stops the run. */
typedef stele_status run_segment_fn(void *user, const stele_segment *segment);

static inline void run_fail(run *r, stele_status status)
{
    if (r->status == STELE_OK && status != STELE_END)
        r->status = status;
}

static inline void run_pull(run *r, stele_trace *trace, const stele_request *request,
                            uint64_t input_size, run_segment_fn *fn, void *user)
{
    stele_reader *reader;
    stele_segment segment;
    stele_status status = stele_reader_open(r->context, &trace, 1, request, &reader);
    if (status != STELE_OK) {
        run_fail(r, status);
        return;
    }
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK && r->broken == NULL) {
        r->broken = invariant_segment(r->context, &segment, input_size);
        for (uint32_t i = 0; r->broken == NULL && i < segment.count; i++)
            run_add_event(r, segment.batch, &segment.batch->events[segment.first + i]);
        if (r->broken == NULL && fn != NULL && (status = fn(user, &segment)) != STELE_OK)
            break;
    }
    run_fail(r, status);
    stele_reader_get_stats(reader, &r->stats);
    stele_reader_close(reader);
}

/* Opens the trace of an input. Returns NULL if it cannot be opened. */
static inline stele_trace *run_open(run *r, const run_input *in)
{
    const stele_trace_options options = {
        .format = in->format, .settings = in->settings, .setting_count = in->setting_count};
    stele_trace *trace = NULL;
    run_fail(r, in->path != NULL ? stele_trace_open(r->context, in->path, &options, &trace)
                                 : stele_trace_open_memory(r->context, "sample", in->bytes,
                                                           in->size, &options, &trace));
    return trace;
}

/* Forgets the last reading and makes a new context. */
static inline bool run_begin(run *r)
{
    const stele_context_options options = {.diag = run_on_finding, .diag_user = r};
    r->event_count = r->finding_count = 0;
    r->status = STELE_OK;
    r->broken = NULL;
    run_fail(r, stele_context_new(&options, &r->context));
    return r->status == STELE_OK;
}

static inline void run_end(run *r)
{
    stele_context_free(r->context);
    r->context = NULL;
}

/* Opens, reads and closes a trace. */
static inline void run_read(run *r, const run_input *in, const stele_request *request)
{
    stele_trace *trace;
    if (!run_begin(r))
        return;
    trace = run_open(r, in);
    if (trace != NULL)
        run_pull(r, trace, request, run_input_limit(in), NULL, NULL);
    stele_trace_close(trace);
    run_end(r);
}

static inline void run_free(run *r)
{
    __real_free(r->events);
    __real_free(r->findings);
    *r = (run){0};
}

static inline bool run_event_is_same(const run_event *a, const run_event *b)
{
    return a->kind == b->kind && memcmp(a->columns, b->columns, sizeof a->columns) == 0;
}

#endif
