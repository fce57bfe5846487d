/* SPDX-License-Identifier: Apache-2.0 */
/* Writes events of any format as records. */
#include "formats/fxt/write/writer.h"
#include "core/unset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/fxt/trace.h"

/* Bytes of a provider's records that are collected before they are written as a section. */
#define STAGE_SIZE ((size_t)32 << 10)

/* ---- Events as records ---- */

/* Writes the record, with the words that followed it when it was read. */
static void finish_record(fxt_making *m)
{
    output *out = m->w->to;
    uint8_t *to = output_reserve(out, STELE_FXT_RECORD_SIZE_MAX);
    size_t size;
    if (to == NULL) {
        m->w->is_exhausted = true;
        return;
    }
    size = stele_fxt_encode(&m->record, m->arguments, to, STELE_FXT_RECORD_SIZE_MAX);
    if (size == 0) {
        fxt_writer_lose(m, "records beyond 32760 bytes", true);
        return;
    }
    if (m->extension != NULL) {
        memcpy(to + size, m->extension, m->extension_size);
        size += m->extension_size;
        store_le64(to, load_le64(to) + fxt_field(m->extension_size / FXT_WORD, 4, 15));
    }
    output_advance(out, size);
}

static void set_extension(fxt_making *m)
{
    const stele_field *field = fxt_writer_field(m, FXT_NAME_EXTENSION, STELE_TYPE_BYTES, 64);
    if (field == NULL || field->u.bytes.size % FXT_WORD != 0 || field->u.bytes.size > m->left)
        return;
    m->extension = m->batch->bytes + field->u.bytes.offset;
    m->extension_size = field->u.bytes.size;
    m->left -= m->extension_size;
}

static uint64_t field_number(const fxt_making *m, fxt_name name, uint8_t width)
{
    const stele_field *field = fxt_writer_field(m, name, STELE_TYPE_UINT, width);
    return field != NULL ? field->u.u : 0;
}

static stele_text field_bytes(const fxt_making *m, fxt_name name, stele_type type, uint8_t width)
{
    const stele_field *field = fxt_writer_field(m, name, type, width);
    return field != NULL ? stele_field_text(m->w->base.context, m->batch, field)
                         : (stele_text){NULL, 0};
}

/* Sets the scope of an instant, which is a field that no argument looks like: a number with a
   label. */
static void set_scope(fxt_making *m)
{
    const stele_field *field = fxt_writer_field(m, FXT_NAME_SCOPE, STELE_TYPE_UINT, 64);
    if (m->event->kind != STELE_KIND_INSTANT || field == NULL || field->label_count != 1)
        return;
    m->record.word_count = 1;
    m->record.words[0] = field->u.u;
}

static int event_type(stele_kind kind)
{
    switch (kind) {
    case STELE_KIND_COMPLETE: return STELE_FXT_DURATION_COMPLETE;
    case STELE_KIND_BEGIN: return STELE_FXT_DURATION_BEGIN;
    case STELE_KIND_END: return STELE_FXT_DURATION_END;
    case STELE_KIND_INSTANT: return STELE_FXT_INSTANT;
    case STELE_KIND_COUNTER: return STELE_FXT_COUNTER;
    case STELE_KIND_ASYNC_BEGIN: return STELE_FXT_ASYNC_BEGIN;
    case STELE_KIND_ASYNC_STEP: return STELE_FXT_ASYNC_INSTANT;
    case STELE_KIND_ASYNC_END: return STELE_FXT_ASYNC_END;
    case STELE_KIND_FLOW_BEGIN: return STELE_FXT_FLOW_BEGIN;
    case STELE_KIND_FLOW_STEP: return STELE_FXT_FLOW_STEP;
    case STELE_KIND_FLOW_END: return STELE_FXT_FLOW_END;
    default: return -1;
    }
}

static void write_event(fxt_making *m, stele_fxt_event type)
{
    const stele_event *event = m->event;
    uint64_t end;
    m->record.type = STELE_FXT_EVENT;
    m->record.subtype = (uint8_t)type;
    m->record.thread = fxt_writer_thread(m, event->track);
    m->record.category =
        fxt_writer_string(m, stele_category_name(m->w->base.context, event->category), false);
    m->record.name = fxt_writer_string(m, event->name, false);
    fxt_writer_arguments(m);
    fxt_writer_cpu(m);
    fxt_writer_set_time(m, &end);
    if (type == STELE_FXT_COUNTER ||
        (type >= STELE_FXT_DURATION_COMPLETE && type <= STELE_FXT_FLOW_END)) {
        m->record.word_count = 1;
        m->record.words[0] = type == STELE_FXT_DURATION_COMPLETE ? end : event->id;
    }
    set_scope(m);
    finish_record(m);
}

/* Writes an event that the format has no record for as an instant with its name, track, time and
   fields. */
static void write_other(fxt_making *m)
{
    fxt_writer_lose(m, "kind: written as an instant",
                    m->event->kind == STELE_KIND_METADATA ? LOSS_FORM : LOSS_CHANGED);
    if (m->event->value != 0 || m->event->id != 0)
        fxt_writer_lose(m, "value and id", true);
    write_event(m, STELE_FXT_INSTANT);
}

static void write_switch(fxt_making *m)
{
    const stele_event *event = m->event;
    const stele_track *track = stele_track_get(m->w->base.context, event->track);
    uint64_t end;
    if (stele_name_text(m->w->base.context, m->batch, event->name).size != 0)
        fxt_writer_lose(m, "name of a switch or wakeup", LOSS_FORM);
    m->record.type = STELE_FXT_SCHEDULING;
    m->record.number = (event->flags & STELE_FLAG_HAS_CPU) != 0 ? event->cpu
                       : track != NULL                          ? (uint32_t)track->number
                                                                : 0;
    if (event->kind == STELE_KIND_WAKE) {
        m->record.subtype = STELE_FXT_THREAD_WAKEUP;
        m->record.thread = fxt_writer_lone_thread(m, event->id);
        fxt_writer_arguments(m);
        fxt_writer_set_time(m, &end);
        finish_record(m);
        return;
    }
    m->record.outgoing_state = (uint8_t)field_number(m, FXT_NAME_OUTGOING_STATE, 4);
    if (fxt_writer_field(m, FXT_NAME_OUTGOING_PRIORITY, STELE_TYPE_UINT, 8) != NULL) {
        m->record.subtype = STELE_FXT_CONTEXT_SWITCH_OLD;
        m->record.outgoing_priority = (uint8_t)field_number(m, FXT_NAME_OUTGOING_PRIORITY, 8);
        m->record.incoming_priority = (uint8_t)field_number(m, FXT_NAME_INCOMING_PRIORITY, 8);
        m->record.thread = fxt_writer_thread(m, (uint32_t)event->value);
        m->record.incoming = fxt_writer_thread(m, (uint32_t)event->id);
    } else {
        m->record.subtype = STELE_FXT_CONTEXT_SWITCH;
        m->record.thread = fxt_writer_lone_thread(m, event->value);
        m->record.incoming = fxt_writer_lone_thread(m, event->id);
        fxt_writer_arguments(m);
    }
    fxt_writer_set_time(m, &end);
    finish_record(m);
}

static void write_log(fxt_making *m)
{
    stele_text text = field_bytes(m, FXT_NAME_MESSAGE, STELE_TYPE_STRING, 0);
    uint64_t end;
    m->record.type = STELE_FXT_LOG;
    if (m->event->value != 0)
        fxt_writer_lose(m, "severity", true);
    if (m->event->name != 0 || m->event->category != 0)
        fxt_writer_lose(m, "name and category", true);
    if (text.size > STELE_FXT_STRING_SIZE_MAX) {
        text.size = STELE_FXT_STRING_SIZE_MAX;
        fxt_writer_lose(m, "text beyond 32000 bytes", false);
    }
    m->record.thread = fxt_writer_thread(m, m->event->track);
    m->record.payload = (const uint8_t *)text.bytes;
    m->record.payload_size = text.size;
    fxt_writer_arguments(m);
    if (m->record.argument_count != 0)
        fxt_writer_lose(m, "fields of a log message", true);
    m->record.argument_count = 0;
    fxt_writer_set_time(m, &end);
    finish_record(m);
}

/* Whether a blob is small enough for a blob record, which has no room for more about it. */
static bool is_small_blob(const fxt_making *m, uint64_t size)
{
    return size <= 30u << 10 &&
           (fxt_writer_field(m, FXT_NAME_BLOB_TYPE, STELE_TYPE_UINT, 8) != NULL ||
            ((m->event->flags & STELE_FLAG_NO_TIME) != 0 && m->event->category == 0));
}

/* Whether an event is of the large blob that is being written. Parts of one record stand at its
   offset in FXT, and at offsets of their own in other formats. */
static bool is_of_payload(const fxt_making *m)
{
    const fxt_payload *p = &m->w->payload;
    return p->left != 0 && m->event->kind == STELE_KIND_BLOB && m->batch->stream == p->stream &&
           m->event->track == p->track && m->event->time_ns == p->time_ns &&
           m->event->value == p->size &&
           (m->event->name == p->name || (m->event->name & STELE_NAME_LOCAL) != 0);
}

/* Writes the next part of the large blob that is being written. */
static bool write_part(fxt_making *m, stele_text data)
{
    fxt_writer *w = m->w;
    if (!is_of_payload(m) || data.size > w->payload.left ||
        m->event->id != w->payload.size - w->payload.left)
        return false;
    fxt_writer_put_payload(w, data.bytes, data.size);
    return true;
}

static void write_large_blob(fxt_making *m, stele_text data)
{
    const bool has_parts = (m->event->flags & STELE_FLAG_PART) != 0 && m->event->id == 0 &&
                           m->event->value > data.size;
    uint64_t end;
    m->record.type = STELE_FXT_LARGE;
    m->record.subtype = STELE_FXT_LARGE_BLOB;
    m->record.event = (m->event->flags & STELE_FLAG_NO_TIME) != 0;
    m->record.category =
        fxt_writer_string(m, stele_category_name(m->w->base.context, m->event->category), false);
    if (m->record.event == 0) {
        m->record.thread = fxt_writer_thread(m, m->event->track);
        fxt_writer_arguments(m);
        fxt_writer_set_time(m, &end);
    }
    m->record.payload_size = has_parts ? m->event->value : data.size;
    finish_record(m);
    m->w->payload = (fxt_payload){.size = m->record.payload_size,
                                  .left = m->record.payload_size,
                                  .time_ns = m->event->time_ns,
                                  .name = m->event->name,
                                  .stream = m->batch->stream,
                                  .track = m->event->track};
    if (data.size != 0)
        fxt_writer_put_payload(m->w, data.bytes, data.size);
}

static void write_blob(fxt_making *m)
{
    const stele_text data = field_bytes(m, FXT_NAME_DATA, STELE_TYPE_BYTES, 8);
    const stele_field *type = fxt_writer_field(m, FXT_NAME_BLOB_TYPE, STELE_TYPE_UINT, 8);
    if (write_part(m, data))
        return;
    fxt_writer_end_payload(m->w);
    m->record.name = fxt_writer_string(m, m->event->name, false);
    if (data.bytes == NULL && m->event->value != 0) {
        fxt_writer_lose(m, "payload that was not read", true);
        return;
    }
    if ((m->event->flags & STELE_FLAG_PART) != 0 || !is_small_blob(m, data.size)) {
        write_large_blob(m, data);
        return;
    }
    m->record.type = STELE_FXT_BLOB;
    m->record.number = type != NULL ? (uint32_t)type->u.u : 1;
    m->record.payload = (const uint8_t *)data.bytes;
    m->record.payload_size = data.size;
    finish_record(m);
}

static void write_object(fxt_making *m)
{
    const stele_event *event = m->event;
    const stele_track *track = stele_track_get(m->w->base.context, event->track);
    m->record.words[0] = event->id;
    m->record.name = fxt_writer_string(m, event->name, false);
    if (event->value == FXT_OBJECT_USERSPACE) {
        m->record.type = STELE_FXT_USERSPACE_OBJECT;
        fxt_writer_names_object(m, FXT_OBJECT_USERSPACE, event->id);
        if (track != NULL && track->kind == STELE_TRACK_PROCESS)
            m->record.thread.process = track->number;
        else
            m->record.thread = fxt_writer_thread(m, event->track);
    } else {
        m->record.type = STELE_FXT_KERNEL_OBJECT;
        m->record.number = (uint32_t)event->value;
        if (event->value > UINT8_MAX) {
            m->record.number = 0;
            fxt_writer_lose(m, "kind of object", true);
        }
        fxt_writer_names_object(m, m->record.number, event->id);
    }
    fxt_writer_arguments(m);
    finish_record(m);
}

static void write_provider_event(fxt_making *m, uint8_t id)
{
    const stele_track *track = stele_track_get(m->w->base.context, m->event->track);
    m->record.type = STELE_FXT_METADATA;
    m->record.subtype = STELE_FXT_PROVIDER_EVENT;
    m->record.event = id;
    m->record.number = track != NULL && track->kind == STELE_TRACK_PROVIDER
                           ? (uint32_t)track->number
                           : m->target->id;
    finish_record(m);
}

static void write_lost(fxt_making *m)
{
    if (m->event->value != 0 || (m->event->flags & STELE_FLAG_NO_TIME) == 0)
        fxt_writer_lose(m, "time and number of lost events", true);
    write_provider_event(m, 0);
}

/* Gives the process of a profiler record, which can be on a process without a thread. */
static stele_fxt_thread profiler_thread(fxt_making *m)
{
    const stele_track *track = stele_track_get(m->w->base.context, m->event->track);
    if (track != NULL && track->kind == STELE_TRACK_PROCESS)
        return (stele_fxt_thread){.has_process = true, .process = track->number};
    return fxt_writer_thread(m, m->event->track);
}

/* Writes a profiler sample. Its frames are an array of words, which the codec takes as they are
   stored. */
static void write_sample(fxt_making *m)
{
    const stele_text frames = field_bytes(m, FXT_NAME_FRAMES, STELE_TYPE_UINTS, 64);
    uint8_t words[UINT8_MAX * FXT_WORD];
    size_t count = frames.size / FXT_WORD;
    uint64_t end;
    if (frames.bytes == NULL) {
        write_other(m);
        return;
    }
    if (count > UINT8_MAX) {
        count = UINT8_MAX;
        fxt_writer_lose(m, "frames beyond 255", true);
    }
    for (size_t i = 0; i < count; i++)
        store_le64(words + i * FXT_WORD, load_native64(frames.bytes + i * FXT_WORD));
    m->record.type = STELE_FXT_PROFILER;
    m->record.subtype = STELE_FXT_BACKTRACE;
    m->record.thread = profiler_thread(m);
    m->record.payload = words;
    m->record.payload_size = count * FXT_WORD;
    fxt_writer_set_time(m, &end);
    finish_record(m);
}

static void write_module(fxt_making *m, bool is_mmap)
{
    const stele_text build_id = field_bytes(m, FXT_NAME_BUILD_ID, STELE_TYPE_BYTES, 8);
    const stele_text name = stele_name_text(m->w->base.context, m->batch, m->event->name);
    uint64_t end;
    m->record.type = STELE_FXT_PROFILER;
    m->record.subtype = is_mmap ? STELE_FXT_MMAP : STELE_FXT_MODULE;
    m->record.number = (uint32_t)m->event->id;
    m->record.thread = profiler_thread(m);
    if (is_mmap) {
        m->record.words[0] = field_number(m, FXT_NAME_START, 64);
        m->record.words[1] = field_number(m, FXT_NAME_RANGE, 64);
        m->record.words[2] = field_number(m, FXT_NAME_VADDR, 64);
        m->record.event = (uint8_t)field_number(m, FXT_NAME_ACCESS, 3);
    } else {
        m->record.name = fxt_inline_string(name.bytes, name.size, UINT8_MAX);
        m->record.payload = (const uint8_t *)build_id.bytes;
        m->record.payload_size = build_id.size < UINT8_MAX ? build_id.size : UINT8_MAX;
    }
    fxt_writer_set_time(m, &end);
    finish_record(m);
}

/* Records that were not known when they were read are written back as they were. */
static bool write_unknown(fxt_making *m)
{
    const stele_text bytes = field_bytes(m, FXT_NAME_RECORD, STELE_TYPE_BYTES, 64);
    if (bytes.size < FXT_WORD || fxt_size(load_le64(bytes.bytes)) != bytes.size)
        return false;
    output_write(m->w->to, bytes.bytes, bytes.size);
    return true;
}

static void write_metadata(fxt_making *m)
{
    const bool is_our_own = fxt_writer_field(m, FXT_NAME_RECORD, STELE_TYPE_BYTES, 64) != NULL;
    switch (m->event->value) {
    case STELE_FXT_METADATA << 8 | STELE_FXT_PROVIDER_EVENT:
        write_provider_event(m, (uint8_t)m->event->id);
        return;
    case STELE_FXT_PROFILER << 8 | STELE_FXT_MODULE:
    case STELE_FXT_PROFILER << 8 | STELE_FXT_MMAP:
        write_module(m, (m->event->value & 0xff) == STELE_FXT_MMAP);
        return;
    default: break;
    }
    if (m->event->value >> 8 == STELE_FXT_EVENT && (m->event->value & 0xff) <= 15) {
        write_event(m, (stele_fxt_event)(m->event->value & 0xff));
        return;
    }
    if (!is_our_own)
        write_other(m);
    else if (!write_unknown(m))
        fxt_writer_lose(m, "unknown records in parts", true);
}

/* Scheduling records say the CPU themselves. */
static void judge_cpu(fxt_making *m)
{
    if ((m->event->flags & STELE_FLAG_HAS_CPU) != 0 && !m->keeps_cpu &&
        m->event->kind != STELE_KIND_SWITCH && m->event->kind != STELE_KIND_WAKE)
        fxt_writer_lose(m, "CPU of an event", LOSS_DROPPED);
}

static void write_by_kind(fxt_making *m)
{
    const stele_kind kind = (stele_kind)m->event->kind;
    const int type = event_type(kind);
    if (type >= 0) {
        write_event(m, (stele_fxt_event)type);
        return;
    }
    switch (kind) {
    case STELE_KIND_TAIL_EXIT:
        fxt_writer_lose(m, "tail exit: written as an end", false);
        write_event(m, STELE_FXT_DURATION_END);
        break;
    case STELE_KIND_SWITCH:
    case STELE_KIND_WAKE: write_switch(m); break;
    case STELE_KIND_LOG: write_log(m); break;
    case STELE_KIND_BLOB: write_blob(m); break;
    case STELE_KIND_OBJECT: write_object(m); break;
    case STELE_KIND_LOST: write_lost(m); break;
    case STELE_KIND_SAMPLE: write_sample(m); break;
    case STELE_KIND_METADATA: write_metadata(m); break;
    default: write_other(m); break;
    }
}

/* ---- The writer ---- */

/* Begins a record. The arguments are set as they are added: to clear them would cost more. */
static void making_begin(fxt_making *m, fxt_writer *w, const stele_batch *batch,
                         const stele_event *event)
{
    m->w = w;
    m->target = NULL;
    m->batch = batch;
    m->event = event;
    m->record = (stele_fxt_record){.type = 0};
    m->left = 30u << 10;
    m->extension = NULL;
    m->extension_size = 0;
    m->keeps_cpu = false;
}

static void write_magic(fxt_writer *w)
{
    uint8_t magic[FXT_WORD];
    store_le64(magic, STELE_FXT_MAGIC);
    output_write(w->base.out, magic, sizeof magic);
    w->is_started = true;
}

/* A payload must not be interrupted by other sections: it goes straight to the output. */
static void judge_stage(fxt_writer *w, fxt_target *target)
{
    if (w->to != w->base.out &&
        (w->payload.left != 0 || (size_t)(w->to->at - w->to->buffer) >= STAGE_SIZE ||
         w->to->status != STELE_OK))
        fxt_writer_flush(w, target);
}

bool fxt_writer_put_alone(stele_writer *self, const stele_batch *batch, const stele_event *event)
{
    fxt_writer *w = (fxt_writer *)self;
    UNSET fxt_making m;
    making_begin(&m, w, batch, event);
    w->is_inline = true;
    set_extension(&m);
    write_by_kind(&m);
    return !w->is_exhausted && w->to->status == STELE_OK;
}

static stele_status fxt_writer_write(stele_writer *self, const stele_segment *segment)
{
    fxt_writer *w = (fxt_writer *)self;
    const stele_stream *stream = stele_stream_get(self->context, segment->batch->stream);
    stele_event placed;
    if (!w->is_started)
        write_magic(w);
    for (uint32_t i = 0; i < segment->count && self->out->status == STELE_OK; i++) {
        UNSET fxt_making m;
        making_begin(&m, w, segment->batch, timeless_event(&self->timeless, segment, i, &placed));
        m.target = fxt_writer_target(w, stream);
        w->record++;
        if (m.target == NULL)
            return STELE_ERR_MEMORY;
        if (m.event->kind != STELE_KIND_BLOB)
            fxt_writer_end_payload(w);
        if ((m.event->flags & STELE_FLAG_DAMAGED) != 0)
            fxt_writer_lose(&m, "mark of damage", true);
        set_extension(&m);
        write_by_kind(&m);
        judge_cpu(&m);
        judge_stage(w, m.target);
        if (w->is_exhausted)
            return STELE_ERR_MEMORY;
    }
    timeless_end(&self->timeless, segment);
    return self->out->status;
}

static stele_status fxt_writer_finish(stele_writer *self)
{
    fxt_writer *w = (fxt_writer *)self;
    if (!w->is_started)
        write_magic(w);
    fxt_writer_end_payload(w);
    fxt_writer_end_names(w);
    for (uint32_t i = 0; i < w->target_count; i++)
        fxt_writer_flush(w, &w->targets[i]);
    return w->is_exhausted ? STELE_ERR_MEMORY : self->out->status;
}

static void fxt_writer_close(stele_writer *self)
{
    fxt_writer *w = (fxt_writer *)self;
    for (uint32_t i = 0; i < w->target_count; i++) {
        fxt_table_free(&w->targets[i].strings);
        fxt_table_free(&w->targets[i].threads);
        output_close(w->targets[i].stage);
    }
    free(w->targets);
    fxt_map_free(&w->target_of);
    fxt_map_free(&w->ids);
    fxt_map_free(&w->koids);
    fxt_map_free(&w->named);
    output_close(w->text);
    free(w);
}

static const writer_ops fxt_writer_ops = {fxt_writer_write, fxt_writer_finish, fxt_writer_close};

stele_status fxt_writer_new(stele_context *context, output *out,
                            const stele_writer_options *options, stele_writer **writer)
{
    fxt_writer *w;
    *writer = NULL;
    if (options->version != NULL) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "no version: the format has only one", "version '%s'", options->version);
        return STELE_ERR_ARGUMENT;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return STELE_ERR_MEMORY;
    w->base.ops = &fxt_writer_ops;
    w->base.timeless.is_wanted = true;
    w->base.context = context;
    w->base.out = w->to = out;
    w->current = UINT32_MAX;
    if (output_open_memory(&context->diag, &w->text) != STELE_OK) {
        free(w);
        return STELE_ERR_MEMORY;
    }
    for (unsigned i = 0; i < FXT_NAME_COUNT; i++) {
        w->names[i] = stele_name_intern(context, fxt_name_texts[i], strlen(fxt_name_texts[i]));
        if (w->names[i] == UINT32_MAX && context->names.size < context->names.size_max) {
            fxt_writer_close(&w->base);
            return STELE_ERR_MEMORY;
        }
    }
    fxt_writer_note_own_fields(w);
    *writer = &w->base;
    return STELE_OK;
}
