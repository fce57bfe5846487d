/* SPDX-License-Identifier: Apache-2.0 */
/* Shows records one by one, in the words of the specification. */
#include <inttypes.h>

#include "core/text.h"
#include "core/text_double.h"
#include "formats/fxt/trace.h"

typedef struct dumper {
    fxt_trace *trace;
    record_walk walk;
    fxt_state state; /* resolves references */
    output *text;
    const stele_fxt_record *r;
} dumper;

/* ---- Parts of records ---- */

static void put_label(dumper *d, const char *label)
{
    output_byte(d->text, ' ');
    output_text(d->text, label);
    output_byte(d->text, '=');
}

static void put_number(dumper *d, const char *label, uint64_t value)
{
    put_label(d, label);
    output_u64(d->text, value);
}

static void put_hex(dumper *d, const char *label, uint64_t value)
{
    put_label(d, label);
    output_hex(d->text, value);
}

static void put_index(dumper *d, unsigned index)
{
    output_byte(d->text, '#');
    output_u64(d->text, index);
}

static void put_quoted(dumper *d, const void *bytes, size_t size)
{
    output_byte(d->text, '"');
    if (size != 0)
        text_visible(d->text, bytes, size);
    output_byte(d->text, '"');
}

/* Shows a string reference: inline ones by text, others also by their index. */
static void put_reference(dumper *d, const stele_fxt_string *string)
{
    const fxt_string_entry *entry;
    stele_text text;
    if (fxt_string_is_inline(string->ref) || string->ref == 0) {
        put_quoted(d, string->bytes, string->bytes != NULL ? fxt_string_size(string->ref) : 0);
        return;
    }
    entry = fxt_state_string(&d->state, string->ref);
    put_index(d, string->ref);
    if (!entry->is_known) {
        output_text(d->text, "(unregistered)");
        return;
    }
    text = stele_name_text(d->state.context, NULL, entry->name);
    put_quoted(d, text.bytes, text.size);
}

static void put_string(dumper *d, const char *label, const stele_fxt_string *string)
{
    put_label(d, label);
    put_reference(d, string);
}

static void put_thread(dumper *d, const char *label, const stele_fxt_thread *thread)
{
    const fxt_thread_entry *table = d->state.current->threads;
    uint64_t process = thread->process, tid = thread->thread;
    put_label(d, label);
    if (thread->ref != 0) {
        put_index(d, thread->ref);
        if (table == NULL || !table[thread->ref].is_known) {
            output_text(d->text, "(unregistered)");
            return;
        }
        process = table[thread->ref].process;
        tid = table[thread->ref].thread;
        output_printf(d->text, "(%" PRIu64 ".%" PRIu64 ")", process, tid);
        return;
    }
    if (thread->has_thread && !thread->has_process)
        output_printf(d->text, "%" PRIu64, tid);
    else if (thread->has_process && !thread->has_thread)
        output_printf(d->text, "%" PRIu64, process);
    else
        output_printf(d->text, "%" PRIu64 ".%" PRIu64, process, tid);
}

static void put_bytes(dumper *d, const char *label, uint64_t size)
{
    output_printf(d->text, " %s=%" PRIu64 " bytes", label, size);
}

/* ---- Arguments of records ---- */

static void put_argument(dumper *d, const stele_fxt_argument *a)
{
    output_byte(d->text, ' ');
    put_reference(d, &a->name);
    if (a->fault != STELE_FXT_OK) {
        output_text(d->text, ":damaged");
        return;
    }
    switch (a->type) {
    case STELE_FXT_ARGUMENT_NULL: output_text(d->text, ":null"); break;
    case STELE_FXT_ARGUMENT_INT32:
        output_text(d->text, ":int32=");
        output_i64(d->text, (int64_t)a->value);
        break;
    case STELE_FXT_ARGUMENT_UINT32:
        output_text(d->text, ":uint32=");
        output_u64(d->text, a->value);
        break;
    case STELE_FXT_ARGUMENT_INT64:
        output_text(d->text, ":int64=");
        output_i64(d->text, (int64_t)a->value);
        break;
    case STELE_FXT_ARGUMENT_UINT64:
        output_text(d->text, ":uint64=");
        output_u64(d->text, a->value);
        break;
    case STELE_FXT_ARGUMENT_DOUBLE:
        output_text(d->text, ":double=");
        output_double(d->text, load_double(a->value));
        break;
    case STELE_FXT_ARGUMENT_STRING:
        output_text(d->text, ":string=");
        put_reference(d, &a->string);
        break;
    case STELE_FXT_ARGUMENT_POINTER:
        output_text(d->text, ":pointer=");
        output_hex(d->text, a->value);
        break;
    case STELE_FXT_ARGUMENT_KOID:
        output_text(d->text, ":koid=");
        output_u64(d->text, a->value);
        break;
    case STELE_FXT_ARGUMENT_BOOL:
        output_text(d->text, a->value != 0 ? ":bool=true" : ":bool=false");
        break;
    case STELE_FXT_ARGUMENT_BLOB: put_bytes(d, ":blob", a->value); break;
    default: output_printf(d->text, ":type %u, %u bytes", a->type, (unsigned)a->size); break;
    }
}

static void put_arguments(dumper *d)
{
    stele_fxt_arguments at = {0};
    stele_fxt_argument argument;
    if (d->r->argument_count == 0)
        return;
    output_printf(d->text, " arguments=%u {", d->r->argument_count);
    while (d->r->arguments != NULL && stele_fxt_argument_next(d->r, &at, &argument))
        put_argument(d, &argument);
    output_text(d->text, " }");
}

/* ---- Contents of records ---- */

static void put_metadata(dumper *d)
{
    const stele_fxt_record *r = d->r;
    if (r->subtype == STELE_FXT_TRACE_INFO) {
        if (r->header != STELE_FXT_MAGIC)
            put_number(d, "type", r->event);
        return;
    }
    put_number(d, "provider", r->number);
    if (r->subtype == STELE_FXT_PROVIDER_INFO)
        put_string(d, "name", &r->name);
    if (r->subtype == STELE_FXT_PROVIDER_EVENT) {
        put_number(d, "event", r->event);
        if (r->event == 0)
            output_text(d->text, " (buffer filled up)");
    }
}

static void put_event(dumper *d)
{
    static const char *const words[11] = {"scope",
                                          NULL,
                                          NULL,
                                          NULL,
                                          "end",
                                          "correlation_id",
                                          "correlation_id",
                                          "correlation_id",
                                          "correlation_id",
                                          "correlation_id",
                                          "correlation_id"};
    const stele_fxt_record *r = d->r;
    put_number(d, "ticks", r->ticks);
    put_thread(d, "thread", &r->thread);
    put_string(d, "category", &r->category);
    put_string(d, "name", &r->name);
    put_arguments(d);
    if (r->word_count != 0)
        put_number(d, r->subtype == STELE_FXT_COUNTER ? "counter_id" : words[r->subtype],
                   r->words[0]);
}

static void put_initialization(dumper *d)
{
    static const char *const labels[3] = {"ticks_per_second", "base_ticks", "base_time"};
    for (unsigned i = 0; i < d->r->word_count; i++)
        put_number(d, labels[i], d->r->words[i]);
}

static void put_scheduling(dumper *d)
{
    const stele_fxt_record *r = d->r;
    put_number(d, "ticks", r->ticks);
    if (r->subtype > STELE_FXT_THREAD_WAKEUP)
        return;
    put_number(d, "cpu", r->number);
    if (r->subtype == STELE_FXT_THREAD_WAKEUP) {
        put_thread(d, "thread", &r->thread);
    } else {
        put_number(d, "outgoing_state", r->outgoing_state);
        put_thread(d, "outgoing", &r->thread);
        put_thread(d, "incoming", &r->incoming);
    }
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH_OLD) {
        put_number(d, "outgoing_priority", r->outgoing_priority);
        put_number(d, "incoming_priority", r->incoming_priority);
    }
    put_arguments(d);
}

static void put_profiler(dumper *d)
{
    static const char *const labels[3] = {"start", "range", "vaddr"};
    const stele_fxt_record *r = d->r;
    put_number(d, "ticks", r->ticks);
    put_thread(d, "thread", &r->thread);
    if (r->subtype == STELE_FXT_MODULE || r->subtype == STELE_FXT_MMAP)
        put_number(d, "module", r->number);
    if (r->subtype == STELE_FXT_MODULE) {
        put_string(d, "name", &r->name);
        put_bytes(d, "build_id", r->payload_size);
    } else if (r->subtype == STELE_FXT_MMAP) {
        put_number(d, "access", r->event);
        for (unsigned i = 0; i < r->word_count; i++)
            put_hex(d, labels[i], r->words[i]);
    } else if (r->subtype == STELE_FXT_BACKTRACE) {
        output_text(d->text, " frames={");
        for (uint64_t i = 0; r->payload != NULL && i < r->payload_size; i += FXT_WORD)
            output_printf(d->text, " 0x%" PRIx64, fxt_word(r->payload + i, r->is_big_endian));
        output_text(d->text, " }");
    }
}

static void put_large(dumper *d)
{
    const stele_fxt_record *r = d->r;
    if (r->subtype != STELE_FXT_LARGE_BLOB || r->event > 1) {
        put_number(d, "large_type", r->subtype);
        return;
    }
    put_number(d, "format", r->event);
    put_string(d, "category", &r->category);
    put_string(d, "name", &r->name);
    if (r->has_ticks) {
        put_number(d, "ticks", r->ticks);
        put_thread(d, "thread", &r->thread);
        put_arguments(d);
    }
    put_bytes(d, "payload", r->payload_size);
}

static void put_contents(dumper *d)
{
    const stele_fxt_record *r = d->r;
    switch (r->type) {
    case STELE_FXT_METADATA: put_metadata(d); break;
    case STELE_FXT_INITIALIZATION: put_initialization(d); break;
    case STELE_FXT_STRING:
        put_number(d, "index", r->number);
        put_string(d, "value", &r->name);
        break;
    case STELE_FXT_THREAD:
        put_number(d, "index", r->number);
        put_thread(d, "thread", &r->thread);
        break;
    case STELE_FXT_EVENT: put_event(d); break;
    case STELE_FXT_BLOB:
        put_number(d, "type", r->number);
        put_string(d, "name", &r->name);
        put_bytes(d, "payload", r->payload_size);
        break;
    case STELE_FXT_USERSPACE_OBJECT:
        put_hex(d, "pointer", r->words[0]);
        put_thread(d, "process", &r->thread);
        put_string(d, "name", &r->name);
        put_arguments(d);
        break;
    case STELE_FXT_KERNEL_OBJECT:
        put_number(d, "koid", r->words[0]);
        put_number(d, "type", r->number);
        put_string(d, "name", &r->name);
        put_arguments(d);
        break;
    case STELE_FXT_SCHEDULING: put_scheduling(d); break;
    case STELE_FXT_LOG:
        put_number(d, "ticks", r->ticks);
        put_thread(d, "thread", &r->thread);
        output_text(d->text, " message=");
        put_quoted(d, r->payload, r->payload != NULL ? (size_t)r->payload_size : 0);
        break;
    case STELE_FXT_PROFILER: put_profiler(d); break;
    case STELE_FXT_LARGE: put_large(d); break;
    default: put_hex(d, "header", r->header); break;
    }
    if (r->fault != STELE_FXT_OK && r->fault != STELE_FXT_FAULT_SUBTYPE)
        output_printf(d->text, " (damaged at byte %u)", (unsigned)r->fault_offset);
    else if (r->fault == STELE_FXT_OK && r->used < r->size)
        output_printf(d->text, " and %" PRIu64 " bytes more", r->size - r->used);
}

/* Shows one record. Returns false if the callback wants no more. */
static bool dump_record_at(dumper *d, const dump_request *request, const walk_record *at)
{
    const uint8_t *text;
    size_t size;
    d->text->at = d->text->buffer;
    put_contents(d);
    output_byte(d->text, '\0');
    text = output_memory(d->text, &size);
    if (d->text->status != STELE_OK || size < 2)
        text = (const uint8_t *)" ";
    return request->fn(
        request->user,
        &(dump_record){.offset = at->offset,
                       .size = at->extent,
                       .kind = fxt_kind_text(d->r),
                       .text = (const char *)text + 1,
                       .bytes = at->bytes,
                       .bytes_size = at->loaded < at->extent ? at->loaded : (size_t)at->extent});
}

static stele_status dump_all(dumper *d, const dump_request *request)
{
    uint64_t count = 0;
    walk_record at;
    while (walk_next(&d->walk, &at)) {
        stele_fxt_record r;
        stele_fxt_decode(at.bytes, at.loaded, d->walk.is_big_endian, &r);
        walk_doubt(&d->walk, &at, &r);
        d->r = &r;
        if (at.offset >= request->at) {
            if (!dump_record_at(d, request, &at))
                return STELE_OK;
            if (++count == request->count)
                return STELE_OK;
        }
        fxt_state_apply(&d->state, &r, at.offset, fxt_is_doubtful(&at));
        if (d->state.is_exhausted || d->text->status != STELE_OK)
            return STELE_ERR_MEMORY;
    }
    return d->walk.window.status;
}

stele_status fxt_trace_dump(stele_trace *self, const dump_request *request)
{
    fxt_trace *trace = (fxt_trace *)self;
    stele_context *context = self->context;
    input *in = source_input(self->source);
    dumper d = {.trace = trace};
    stele_status status = output_open_memory(&context->diag, &d.text);
    if (status == STELE_OK)
        status = walk_open(&d.walk, in, trace->is_big_endian, context->limits.window_size,
                           &context->diag);
    if (status == STELE_OK)
        status =
            fxt_state_open(&d.state, context, &trace->shared, self->info.number, in->name, NULL)
                ? dump_all(&d, request)
                : STELE_ERR_MEMORY;
    fxt_state_close(&d.state);
    walk_close(&d.walk);
    output_close(d.text);
    return status;
}
