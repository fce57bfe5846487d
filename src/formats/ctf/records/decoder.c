/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one data stream: programs, room, outcomes, tracks. How events are decoded is
   elsewhere (execute.c). */
#include "formats/ctf/records/decoder.h"
#include "core/array.h"
#include "formats/ctf/records/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Programs for decoders ---- */

ctf_programs *programs_new(const ctf_schema *schema, stele_context *context, uint32_t trace,
                           uint32_t columns)
{
    ctf_programs *programs = calloc(1, sizeof *programs);
    bool is_good = programs != NULL;
    if (!is_good)
        return NULL;
    programs->schema = schema;
    programs->context = context;
    programs->trace = trace;
    programs->columns = columns;
    programs->streams = calloc((size_t)schema->stream_count + 1, sizeof *programs->streams);
    programs->rates = calloc((size_t)schema->clock_count + 1, sizeof *programs->rates);
    is_good = target_walk_open(&programs->walk, schema, &context->limits, schema->targets, NULL);
    is_good = is_good && class_marks_make(programs);
    if (!is_good || programs->streams == NULL || programs->rates == NULL) {
        programs_free(programs);
        return NULL;
    }
    for (uint32_t i = 0; i < schema->clock_count; i++)
        programs->rates[i] = clock_rate_make(schema->clocks[i]);
    return programs;
}

void programs_set_wanted(ctf_programs *programs, screen *passes, const field_names *fields)
{
    programs->screen = passes;
    programs->fields = fields;
}

static void stream_programs_free(stream_programs *own, const ctf_stream_class *stream)
{
    const uint64_t count = own->id_count != 0 ? own->id_count : stream->event_count;
    program_free(own->packet_context);
    program_free(own->event_header);
    for (uint64_t i = 0; own->events != NULL && i < count; i++)
        program_free(own->events[i].program);
    free(own->events);
}

void programs_free(ctf_programs *programs)
{
    if (programs == NULL)
        return;
    for (uint32_t i = 0; programs->streams != NULL && i < programs->schema->stream_count; i++)
        stream_programs_free(&programs->streams[i], programs->schema->streams[i]);
    program_free(programs->packet_header);
    target_walk_close(&programs->walk);
    arena_free(&programs->memory);
    free(programs->streams);
    free(programs->rates);
    free(programs->labels);
    hash_table_free(&programs->label_numbers);
    free(programs);
}

/* Makes the table of programs of a stream class, by id if ids are dense, so that no search is
   needed. Returns false if out of memory. */
static bool stream_programs_make(stream_programs *own, const ctf_stream_class *stream)
{
    uint64_t highest = 0;
    for (uint32_t i = 0; i < stream->event_count; i++) {
        if (stream->events[i].id > highest)
            highest = stream->events[i].id;
    }
    const bool is_dense = highest < (uint64_t)stream->event_count * 4 + 64;
    own->events =
        calloc(is_dense ? (size_t)highest + 1 : (size_t)stream->event_count, sizeof *own->events);
    if (own->events != NULL && is_dense)
        own->id_count = highest + 1;
    return own->events != NULL;
}

/* ---- Making and freeing decoders ---- */

/* The clock of events without a time, and its rate. */
static const uint64_t no_ticks;
static const clock_rate no_rate = {.ns_end = 1};

void decoder_set_clock(ctf_decoder *r, const ctf_clock *clock)
{
    r->clock = clock != NULL ? &r->clocks[clock->number].now : &no_ticks;
    r->rate = clock != NULL ? &r->programs->rates[clock->number] : &no_rate;
}

ctf_decoder *decoder_new(ctf_programs *programs)
{
    const size_t clocks = (size_t)programs->schema->clock_count + 1;
    ctf_decoder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->programs = programs;
    r->context = programs->context;
    r->clock_count = programs->schema->clock_count;
    decoder_set_clock(r, NULL);
    r->loops_max = programs->context->limits.fields_max;
    r->event_size = r->payload_end = UINT64_MAX;
    r->clocks = calloc(clocks, sizeof *r->clocks);
    r->marks = calloc(clocks, sizeof *r->marks);
    if (r->clocks == NULL || r->marks == NULL || stele_batch_new(1, &r->head_batch) != STELE_OK) {
        decoder_free(r);
        return NULL;
    }
    return r;
}

void decoder_free(ctf_decoder *r)
{
    if (r == NULL)
        return;
    stele_batch_free(r->head_batch);
    program_free(r->local);
    free(r->clocks);
    free(r->marks);
    free(r->slots);
    free(r->frames);
    free(r->joints);
    free(r);
}

void decoder_reset(ctf_decoder *r)
{
    r->last_ticks = r->clock_start = 0;
    r->order = ORDER_UNKNOWN;
}

bool decoder_reserve(ctf_decoder *r, uint32_t slots, uint32_t depth)
{
    if (r->slot_count < slots) {
        slot_value *grown = array_fit(r->slots, sizeof *grown, slots);
        if (grown == NULL)
            return false;
        memset(grown + r->slot_count, 0, (slots - r->slot_count) * sizeof *grown);
        r->slots = grown;
        r->slot_count = slots;
    }
    if (r->frame_capacity < depth) {
        decoder_frame *grown = array_fit(r->frames, sizeof *grown, depth);
        if (grown == NULL)
            return false;
        r->frames = grown;
        r->frame_capacity = depth;
    }
    return true;
}

/* ---- Programs of event classes ---- */

/* Keeps a program with names of one batch. It is made again for each event class and batch. */
static program *decoder_keep_local(ctf_decoder *r, program *made)
{
    program_free(r->local);
    r->local = made;
    r->local_serial = r->batch_serial;
    return made;
}

/* Bytes of programs that are held at once: a trace may have so many classes, each used once, that
   it is better to compile some again. */
#define PROGRAMS_SIZE_MAX ((size_t)32 << 20)

/* Frees the programs of all event classes. To be called between two events, when none is in use. */
static void programs_forget(ctf_programs *programs)
{
    for (uint32_t i = 0; i < programs->schema->stream_count; i++) {
        stream_programs *own = &programs->streams[i];
        const uint64_t count =
            own->id_count != 0 ? own->id_count : programs->schema->streams[i]->event_count;
        for (uint64_t k = 0; own->events != NULL && k < count; k++) {
            program_free(own->events[k].program);
            own->events[k] = (event_entry){0};
        }
    }
    programs->size = 0;
}

/* Returns the entry of an event class in the table of its stream class. */
static event_entry *event_place(ctf_decoder *r, const ctf_event_class *event)
{
    const uint64_t index =
        r->own->id_count != 0 ? event->id : (uint64_t)(event - r->stream_class->events);
    return &r->own->events[index];
}

/* Returns the program of an event class, compiling it if it is not there, or NULL if out of
   memory. */
static program *program_make(ctf_decoder *r, const ctf_event_class *event)
{
    program *made;
    if (r->own->events == NULL && !stream_programs_make(r->own, r->stream_class))
        return NULL;
    if (event_place(r, event)->program != NULL)
        return event_place(r, event)->program;
    if (r->local != NULL && r->local->event == event && r->local_serial == r->batch_serial)
        return r->local;
    if (r->programs->size > PROGRAMS_SIZE_MAX)
        programs_forget(r->programs);
    made = compile_event(r->programs, r->stream, event, r->batch);
    if (made == NULL)
        return NULL;
    if (made->has_local_names)
        return decoder_keep_local(r, made);
    /* A program in the table is linked by the loop that finds it there. */
    if (!decoder_prepare(r, made)) {
        program_free(made);
        return NULL;
    }
    r->programs->size += made->size;
    r->own->slots = made->slots > r->own->slots ? made->slots : r->own->slots;
    r->own->depth = made->depth > r->own->depth ? made->depth : r->own->depth;
    r->own->entries = made->entries > r->own->entries ? made->entries : r->own->entries;
    *event_place(r, event) = event_entry_make(made);
    return made;
}

program *decoder_find_program(ctf_decoder *r, uint64_t at)
{
    const stream_programs *own = r->own;
    const ctf_event_class *event;
    program *p = NULL;
    if (r->id < own->id_count)
        p = own->events[r->id].program;
    if (UNLIKELY(p == NULL)) {
        event = schema_find_event(r->stream_class, r->id);
        if (event == NULL && !r->own->event_header_has_id && r->stream_class->event_count == 1)
            event = &r->stream_class->events[0];
        if (event == NULL) {
            decoder_bad(r, CTF451, at, "the id of an event class of the stream", "%llu",
                        (unsigned long long)r->id);
            return NULL;
        }
        p = program_make(r, event);
        decoder_look_up(r);
    }
    if (p == NULL || !decoder_prepare(r, p)) {
        decoder_exhausted(r);
        return NULL;
    }
    return p;
}

/* ---- Tracks of threads and CPUs ---- */

void decoder_thread(ctf_decoder *r, uint64_t tid, uint64_t pid)
{
    kept_track *kept = &r->threads[(tid ^ pid) % TRACKS_KEPT];
    stele_track track = {.kind = STELE_TRACK_PROCESS, .source = r->programs->trace, .number = pid};
    if (kept->track == 0 || kept->tid != tid || kept->pid != pid) {
        if (pid != UINT64_MAX)
            track.parent = stele_track_intern(r->context, &track);
        track.kind = STELE_TRACK_THREAD;
        track.number = tid;
        *kept = (kept_track){tid, pid, stele_track_intern(r->context, &track)};
    }
    r->tid = tid;
    r->pid = pid;
    r->tracks[1] = kept->track;
    r->thread_form = 0;
}

uint32_t decoder_cpu_track(ctf_decoder *r, uint32_t cpu)
{
    if (r->cpu_track.track == 0 || r->cpu_track.tid != cpu)
        r->cpu_track = (kept_track){
            .tid = cpu,
            .track = stele_track_intern(r->context, &(stele_track){.kind = STELE_TRACK_CPU,
                                                                   .source = r->programs->trace,
                                                                   .number = cpu})};
    return r->cpu_track.track;
}

uint64_t decoder_cpu(ctf_decoder *r, const program *p)
{
    const uint64_t cpu = r->slots[p->cpu_slot].value;
    r->event_track = r->tracks[0];
    if ((r->rest & event_rest(0, 0, 0, 0, STELE_FLAG_HAS_CPU)) != 0 || cpu > UINT16_MAX)
        return 0;
    if ((r->programs->columns & STELE_COLUMN_TRACK) != 0)
        r->event_track = decoder_cpu_track(r, (uint32_t)cpu);
    return event_rest(0, 0, (uint16_t)cpu, 0, STELE_FLAG_HAS_CPU);
}

/* ---- Settings of packets ---- */

void decoder_load(ctf_decoder *r, const packet_view *view)
{
    const uint64_t loaded = (uint64_t)view->size * 8;
    r->data = view->bytes;
    r->data_size = view->size;
    r->data_at = view->offset * 8;
    r->data_offset = r->file_offset + view->offset;
    r->content_end = r->content_bits - r->data_at;
    r->end = r->content_end < loaded ? r->content_end : loaded;
    r->near_end = view->size > BITS_SPAN_MAX ? loaded - BITS_SPAN_MAX * 8 : 0;
    if (r->end < r->near_end)
        r->near_end = r->end;
}

void decoder_set_track(ctf_decoder *r, uint32_t track)
{
    r->stream_track = track;
}

void decoder_set_clock_start(ctf_decoder *r, uint64_t ticks)
{
    r->clock_start = ticks;
}

void decoder_set_content(ctf_decoder *r, uint64_t content_bits)
{
    r->content_bits = content_bits;
}

/* ---- The state that callers may ask for ---- */

uint64_t decoder_position(const ctf_decoder *r)
{
    return r->position;
}

uint64_t decoder_want_size(const ctf_decoder *r)
{
    return r->want_size;
}

uint64_t decoder_ticks(const ctf_decoder *r)
{
    return *r->clock;
}
