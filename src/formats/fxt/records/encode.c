/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes records. Their layouts are drawn above the decoders in decode.c. */
#include "formats/fxt/records/encode.h"

typedef struct writing {
    uint8_t *start, *at, *end;
    bool is_full;
} writing;

/* ---- Parts of records ---- */

static void put_word(writing *w, uint64_t word)
{
    if ((size_t)(w->end - w->at) < FXT_WORD) {
        w->is_full = true;
        return;
    }
    store_le64(w->at, word);
    w->at += FXT_WORD;
}

/* A string or a blob that is not whole, of which the decoder gives no bytes, cannot be written. */
static void put_stream(writing *w, const uint8_t *bytes, uint64_t size)
{
    const uint64_t padded = fxt_padded(size);
    if (padded > (uint64_t)(w->end - w->at) || (bytes == NULL && size != 0)) {
        w->is_full = true;
        return;
    }
    if (size != 0)
        memcpy(w->at, bytes, (size_t)size);
    memset(w->at + size, 0, (size_t)(padded - size));
    w->at += padded;
}

static void put_string(writing *w, const stele_fxt_string *string)
{
    if (fxt_string_is_inline(string->ref))
        put_stream(w, string->bytes, fxt_string_size(string->ref));
}

/* Writes the koids of a thread, which a registered thread does not have. */
static void put_thread(writing *w, const stele_fxt_thread *thread)
{
    if (thread->ref != 0)
        return;
    if (thread->has_process)
        put_word(w, thread->process);
    if (thread->has_thread)
        put_word(w, thread->thread);
}

/* ---- Arguments of records ---- */

/* Returns bits 32 to 63 of an argument's header. */
static uint64_t argument_bits(const stele_fxt_argument *a)
{
    switch (a->type) {
    case STELE_FXT_ARGUMENT_INT32:
    case STELE_FXT_ARGUMENT_UINT32:
    case STELE_FXT_ARGUMENT_BOOL:
    case STELE_FXT_ARGUMENT_BLOB: return fxt_field(a->value, 32, 63);
    case STELE_FXT_ARGUMENT_STRING: return fxt_field(a->string.ref, 32, 47);
    default: return 0;
    }
}

static bool argument_has_word(const stele_fxt_argument *a)
{
    return a->type == STELE_FXT_ARGUMENT_INT64 || a->type == STELE_FXT_ARGUMENT_UINT64 ||
           a->type == STELE_FXT_ARGUMENT_DOUBLE || a->type == STELE_FXT_ARGUMENT_POINTER ||
           a->type == STELE_FXT_ARGUMENT_KOID;
}

size_t fxt_argument_size(const stele_fxt_argument *a)
{
    uint64_t size = FXT_WORD + fxt_padded(fxt_string_size(a->name.ref));
    if (argument_has_word(a))
        size += FXT_WORD;
    else if (a->type == STELE_FXT_ARGUMENT_STRING)
        size += fxt_padded(fxt_string_size(a->string.ref));
    else if (a->type == STELE_FXT_ARGUMENT_BLOB)
        size += a->value <= STELE_FXT_RECORD_SIZE_MAX ? fxt_padded(a->value) : UINT32_MAX;
    return size <= STELE_FXT_RECORD_SIZE_MAX ? (size_t)size : 0;
}

static void put_argument(writing *w, const stele_fxt_argument *a)
{
    const size_t size = fxt_argument_size(a);
    if (size == 0 || a->type > STELE_FXT_ARGUMENT_BLOB) {
        w->is_full = true;
        return;
    }
    put_word(w, fxt_field(a->type, 0, 3) | fxt_field(size / FXT_WORD, 4, 15) |
                    fxt_field(a->name.ref, 16, 31) | argument_bits(a));
    put_string(w, &a->name);
    if (argument_has_word(a))
        put_word(w, a->value);
    else if (a->type == STELE_FXT_ARGUMENT_STRING)
        put_string(w, &a->string);
    else if (a->type == STELE_FXT_ARGUMENT_BLOB)
        put_stream(w, a->blob, a->value);
}

static void put_arguments(writing *w, const stele_fxt_record *r,
                          const stele_fxt_argument *arguments)
{
    for (unsigned i = 0; i < r->argument_count; i++)
        put_argument(w, &arguments[i]);
}

/* ---- Contents of records; each function returns bits 16 to 63 of the header ---- */

static uint64_t encode_metadata(writing *w, const stele_fxt_record *r)
{
    const uint64_t header = fxt_field(r->subtype, 16, 19);
    switch (r->subtype) {
    case STELE_FXT_PROVIDER_INFO:
        put_string(w, &r->name);
        return header | fxt_field(r->number, 20, 51) |
               fxt_field(fxt_string_size(r->name.ref), 52, 59);
    case STELE_FXT_PROVIDER_SECTION: return header | fxt_field(r->number, 20, 51);
    case STELE_FXT_PROVIDER_EVENT:
        return header | fxt_field(r->number, 20, 51) | fxt_field(r->event, 52, 55);
    case STELE_FXT_TRACE_INFO:
        return header | fxt_field(r->event, 20, 23) | fxt_field(r->number, 24, 55);
    default: w->is_full = true; return 0;
    }
}

static uint64_t encode_event(writing *w, const stele_fxt_record *r, const stele_fxt_argument *a)
{
    put_word(w, r->ticks);
    put_thread(w, &r->thread);
    put_string(w, &r->category);
    put_string(w, &r->name);
    put_arguments(w, r, a);
    if (r->word_count != 0)
        put_word(w, r->words[0]);
    return fxt_field(r->subtype, 16, 19) | fxt_field(r->argument_count, 20, 23) |
           fxt_field(r->thread.ref, 24, 31) | fxt_field(r->category.ref, 32, 47) |
           fxt_field(r->name.ref, 48, 63);
}

static uint64_t encode_object(writing *w, const stele_fxt_record *r, const stele_fxt_argument *a)
{
    const bool is_kernel = r->type == STELE_FXT_KERNEL_OBJECT;
    put_word(w, r->words[0]);
    if (!is_kernel && r->thread.ref == 0)
        put_word(w, r->thread.process);
    put_string(w, &r->name);
    put_arguments(w, r, a);
    return fxt_field(is_kernel ? r->number : r->thread.ref, 16, 23) |
           fxt_field(r->name.ref, 24, 39) | fxt_field(r->argument_count, 40, 43);
}

static uint64_t encode_scheduling(writing *w, const stele_fxt_record *r,
                                  const stele_fxt_argument *a)
{
    uint64_t header = fxt_field(r->subtype, 60, 63);
    put_word(w, r->ticks);
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH_OLD) {
        put_thread(w, &r->thread);
        put_thread(w, &r->incoming);
        return header | fxt_field(r->number, 16, 23) | fxt_field(r->outgoing_state, 24, 27) |
               fxt_field(r->thread.ref, 28, 35) | fxt_field(r->incoming.ref, 36, 43) |
               fxt_field(r->outgoing_priority, 44, 51) | fxt_field(r->incoming_priority, 52, 59);
    }
    header |= fxt_field(r->argument_count, 16, 19) | fxt_field(r->number, 20, 35);
    put_word(w, r->thread.thread);
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH) {
        put_word(w, r->incoming.thread);
        header |= fxt_field(r->outgoing_state, 36, 39);
    }
    put_arguments(w, r, a);
    return header;
}

static uint64_t encode_profiler(writing *w, const stele_fxt_record *r)
{
    const uint64_t header = fxt_field(r->subtype, 16, 19) | fxt_field(r->thread.ref, 20, 27);
    put_word(w, r->ticks);
    put_thread(w, &r->thread);
    switch (r->subtype) {
    case STELE_FXT_MODULE:
        put_string(w, &r->name);
        put_stream(w, r->payload, r->payload_size);
        return header | fxt_field(r->number, 28, 43) |
               fxt_field(fxt_string_size(r->name.ref), 44, 51) | fxt_field(r->payload_size, 52, 59);
    case STELE_FXT_MMAP:
        for (unsigned i = 0; i < 3; i++)
            put_word(w, r->words[i]);
        return header | fxt_field(r->number, 28, 43) | fxt_field(r->event, 44, 46);
    case STELE_FXT_BACKTRACE:
        put_stream(w, r->payload, r->payload_size);
        return header | fxt_field(r->payload_size / FXT_WORD, 28, 35);
    default: w->is_full = true; return 0;
    }
}

/* Writes everything but the payload and its padding, which are part of the record's size. */
static uint64_t encode_large(writing *w, const stele_fxt_record *r, const stele_fxt_argument *a)
{
    uint64_t words;
    put_word(w, fxt_field(r->category.ref, 0, 15) | fxt_field(r->name.ref, 16, 31) |
                    fxt_field(r->argument_count, 32, 35) | fxt_field(r->thread.ref, 36, 43));
    put_string(w, &r->category);
    put_string(w, &r->name);
    if (r->event == 0) {
        put_word(w, r->ticks);
        put_thread(w, &r->thread);
        put_arguments(w, r, a);
    }
    put_word(w, r->payload_size);
    words = ((uint64_t)(w->at - w->start) + fxt_padded(r->payload_size)) / FXT_WORD;
    w->is_full |= words > UINT32_MAX || r->subtype != STELE_FXT_LARGE_BLOB || r->event > 1;
    return fxt_field(words, 4, 35) | fxt_field(r->subtype, 36, 39) | fxt_field(r->event, 40, 43);
}

static uint64_t encode_contents(writing *w, const stele_fxt_record *r, const stele_fxt_argument *a)
{
    switch (r->type) {
    case STELE_FXT_METADATA: return encode_metadata(w, r);
    case STELE_FXT_INITIALIZATION:
        for (unsigned i = 0; i < r->word_count; i++)
            put_word(w, r->words[i]);
        return 0;
    case STELE_FXT_STRING:
        put_string(w, &r->name);
        return fxt_field(r->number, 16, 30) | fxt_field(fxt_string_size(r->name.ref), 32, 46);
    case STELE_FXT_THREAD:
        put_word(w, r->thread.process);
        put_word(w, r->thread.thread);
        return fxt_field(r->number, 16, 23);
    case STELE_FXT_EVENT: return encode_event(w, r, a);
    case STELE_FXT_BLOB:
        put_string(w, &r->name);
        put_stream(w, r->payload, r->payload_size);
        w->is_full |= r->payload_size > 0x7fff;
        return fxt_field(r->name.ref, 16, 31) | fxt_field(r->payload_size, 32, 46) |
               fxt_field(r->number, 48, 55);
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT: return encode_object(w, r, a);
    case STELE_FXT_SCHEDULING: return encode_scheduling(w, r, a);
    case STELE_FXT_LOG:
        put_word(w, r->ticks);
        put_thread(w, &r->thread);
        put_stream(w, r->payload, r->payload_size);
        w->is_full |= r->payload_size > 0x7fff;
        return fxt_field(r->payload_size, 16, 30) | fxt_field(r->thread.ref, 32, 39);
    case STELE_FXT_PROFILER: return encode_profiler(w, r);
    case STELE_FXT_LARGE: return encode_large(w, r, a);
    default: w->is_full = true; return 0;
    }
}

size_t stele_fxt_encode(const stele_fxt_record *record, const stele_fxt_argument *arguments,
                        void *to, size_t capacity)
{
    writing w = {to, to, (uint8_t *)to + capacity, false};
    uint64_t header;
    size_t size;
    put_word(&w, 0);
    if (w.is_full)
        return 0;
    header = encode_contents(&w, record, arguments) | fxt_field(record->type, 0, 3);
    size = (size_t)(w.at - w.start);
    if (w.is_full || record->argument_count > STELE_FXT_ARGUMENTS_MAX)
        return 0;
    if (record->type != STELE_FXT_LARGE) {
        if (size > STELE_FXT_RECORD_SIZE_MAX)
            return 0;
        header |= fxt_field(size / FXT_WORD, 4, 15);
    }
    store_le64(to, header);
    return size;
}
