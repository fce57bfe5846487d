/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/decode.h"

#include "core/cursor.h"

/* ---- Parts of records: words and streams ---- */

typedef struct atoms {
    cursor left;
    bool is_big_endian;
} atoms;

static inline bool take_word(atoms *a, uint64_t *word)
{
    const uint8_t *at = cursor_take(&a->left, FXT_WORD);
    if (at == NULL)
        return false;
    *word = fxt_word(at, a->is_big_endian);
    return true;
}

/* Takes a stream with its padding. Padding at the end of a record cannot be missing, as sizes are
   whole words. */
static inline bool take_stream(atoms *a, uint64_t size, const uint8_t **bytes)
{
    const uint64_t padded = fxt_padded(size);
    if (padded < size || padded > cursor_left(&a->left))
        return false;
    *bytes = a->left.at;
    a->left.at += padded;
    return true;
}

static inline bool take_string(atoms *a, stele_fxt_string *string)
{
    const uint8_t *bytes;
    if (!fxt_string_is_inline(string->ref))
        return true;
    if (!take_stream(a, fxt_string_size(string->ref), &bytes))
        return false;
    string->bytes = bytes;
    return true;
}

static inline bool take_process(atoms *a, stele_fxt_thread *thread)
{
    if (thread->ref != 0)
        return true;
    thread->has_process = take_word(a, &thread->process);
    return thread->has_process;
}

static inline bool take_thread(atoms *a, stele_fxt_thread *thread)
{
    if (thread->ref != 0)
        return true;
    thread->has_process = take_word(a, &thread->process);
    thread->has_thread = thread->has_process && take_word(a, &thread->thread);
    return thread->has_thread;
}

/* ---- Arguments of records ---- */

/*
 * argument header word
 * [0 .. 3]   argument type          [16 .. 31] name (string ref)
 * [4 .. 15]  size in words          [32 .. 63] by type
 *
 * Steps over `count` arguments by their sizes only.
 */
static inline bool skip_arguments(atoms *a, unsigned count, stele_fxt_record *record)
{
    record->arguments = a->left.at;
    for (unsigned i = 0; i < count; i++) {
        const size_t left = cursor_left(&a->left);
        uint64_t size;
        if (left >= FXT_WORD)
            size = fxt_bits(fxt_word(a->left.at, a->is_big_endian), 4, 15) * FXT_WORD;
        else
            size = 0;
        if (size == 0 || size > left) {
            /* Bytes up to here are kept: a walk over the arguments ends with this one. */
            record->fault = left != 0 ? STELE_FXT_FAULT_ARGUMENT_SIZE : STELE_FXT_FAULT_SIZE;
            record->arguments_size = (uint32_t)(a->left.end - record->arguments);
            return false;
        }
        a->left.at += size;
    }
    record->arguments_size = (uint32_t)(a->left.at - record->arguments);
    return true;
}

static bool take_value(atoms *a, stele_fxt_argument *argument)
{
    const uint64_t header = argument->header;
    switch (argument->type) {
    case STELE_FXT_ARGUMENT_INT32:
        argument->value = (uint64_t)(int64_t)(int32_t)(uint32_t)fxt_bits(header, 32, 63);
        return true;
    case STELE_FXT_ARGUMENT_UINT32: argument->value = fxt_bits(header, 32, 63); return true;
    case STELE_FXT_ARGUMENT_INT64:
    case STELE_FXT_ARGUMENT_UINT64:
    case STELE_FXT_ARGUMENT_DOUBLE:
    case STELE_FXT_ARGUMENT_POINTER:
    case STELE_FXT_ARGUMENT_KOID: return take_word(a, &argument->value);
    case STELE_FXT_ARGUMENT_STRING:
        argument->string.ref = (uint16_t)fxt_bits(header, 32, 47);
        return take_string(a, &argument->string);
    case STELE_FXT_ARGUMENT_BOOL: argument->value = fxt_bits(header, 32, 32); return true;
    case STELE_FXT_ARGUMENT_BLOB:
        argument->value = fxt_bits(header, 32, 63);
        return take_stream(a, argument->value, &argument->blob);
    default: argument->value = 0; return true;
    }
}

/* Takes the bytes that are there of a BLOB that is larger than its argument. */
static void salvage_blob(atoms *a, stele_fxt_argument *argument)
{
    if (argument->type != STELE_FXT_ARGUMENT_BLOB)
        return;
    argument->blob = a->left.at;
    argument->value = cursor_left(&a->left);
    a->left.at = a->left.end;
}

bool stele_fxt_argument_next(const stele_fxt_record *record, stele_fxt_arguments *walk,
                             stele_fxt_argument *argument)
{
    const uint32_t left = record->arguments_size - walk->offset;
    const uint8_t *at;
    uint64_t header, size;
    atoms a;
    if (walk->count == record->argument_count || left < FXT_WORD)
        return false;
    at = record->arguments + walk->offset;
    header = fxt_word(at, record->is_big_endian);
    size = fxt_bits(header, 4, 15) * FXT_WORD;
    *argument = (stele_fxt_argument){
        .type = (uint8_t)fxt_bits(header, 0, 3),
        .header = header,
        .bytes = at,
        .name.ref = (uint16_t)fxt_bits(header, 16, 31),
    };
    walk->count++;
    if (size == 0 || size > left) {
        argument->fault = STELE_FXT_FAULT_ARGUMENT_SIZE;
        argument->size = (uint32_t)(size > left ? left : FXT_WORD);
        walk->count = record->argument_count;
    } else {
        argument->size = (uint32_t)size;
    }
    walk->offset += argument->size;
    a = (atoms){cursor_make(at + FXT_WORD, argument->size - FXT_WORD), record->is_big_endian};
    if (!take_string(&a, &argument->name) || !take_value(&a, argument)) {
        salvage_blob(&a, argument);
        if (argument->fault == STELE_FXT_OK)
            argument->fault = STELE_FXT_FAULT_ARGUMENT_SHORT;
    }
    argument->used = (uint32_t)(a.left.at - at);
    return true;
}

/* ---- Contents of records, after the header word; each function returns false if something is
   missing ---- */

/*
 * "Metadata Record"
 * [16 .. 19] metadata type
 * [20 .. 51] provider id            [52 .. 59] name length, or [52 .. 55] event id
 * [20 .. 23] trace info type        [24 .. 55] magic number
 */
static bool decode_metadata(atoms *a, stele_fxt_record *r)
{
    r->subtype = (uint8_t)fxt_bits(r->header, 16, 19);
    switch (r->subtype) {
    case STELE_FXT_PROVIDER_INFO:
        r->number = (uint32_t)fxt_bits(r->header, 20, 51);
        r->name.ref = (uint16_t)(STELE_FXT_INLINE | fxt_bits(r->header, 52, 59));
        return take_string(a, &r->name);
    case STELE_FXT_PROVIDER_SECTION: r->number = (uint32_t)fxt_bits(r->header, 20, 51); return true;
    case STELE_FXT_PROVIDER_EVENT:
        r->number = (uint32_t)fxt_bits(r->header, 20, 51);
        r->event = (uint8_t)fxt_bits(r->header, 52, 55);
        return true;
    case STELE_FXT_TRACE_INFO:
        r->event = (uint8_t)fxt_bits(r->header, 20, 23);
        r->number = (uint32_t)fxt_bits(r->header, 24, 55);
        return true;
    default: r->fault = STELE_FXT_FAULT_SUBTYPE; return false;
    }
}

/* "Initialization Record": ticks a second; with 4 words also base ticks and base time. */
static bool decode_initialization(atoms *a, stele_fxt_record *r)
{
    const unsigned words = cursor_left(&a->left) >= 3 * FXT_WORD ? 3 : 1;
    for (unsigned i = 0; i < words; i++) {
        if (!take_word(a, &r->words[i]))
            return false;
        r->word_count = (uint8_t)(i + 1);
    }
    return true;
}

/* "String Record": [16 .. 30] index, [32 .. 46] length in bytes; value stream */
static bool decode_string(atoms *a, stele_fxt_record *r)
{
    r->number = (uint32_t)fxt_bits(r->header, 16, 30);
    r->name.ref = (uint16_t)(STELE_FXT_INLINE | fxt_bits(r->header, 32, 46));
    return take_string(a, &r->name);
}

/* "Thread Record": [16 .. 23] index; process, thread koid words */
static bool decode_thread(atoms *a, stele_fxt_record *r)
{
    r->number = (uint32_t)fxt_bits(r->header, 16, 23);
    return take_thread(a, &r->thread);
}

/*
 * "Event Record"
 * [16 .. 19] event type             [32 .. 47] category (string ref)
 * [20 .. 23] number of arguments    [48 .. 63] name (string ref)
 * [24 .. 31] thread (thread ref)
 * timestamp word, process and thread words, category, name, arguments; then, by event type, one
 * word (an instant may have one: its scope)
 */
static bool decode_event(atoms *a, stele_fxt_record *r)
{
    const uint64_t header = r->header;
    r->subtype = (uint8_t)fxt_bits(header, 16, 19);
    r->argument_count = (uint8_t)fxt_bits(header, 20, 23);
    r->thread.ref = (uint8_t)fxt_bits(header, 24, 31);
    r->category.ref = (uint16_t)fxt_bits(header, 32, 47);
    r->name.ref = (uint16_t)fxt_bits(header, 48, 63);
    r->has_ticks = take_word(a, &r->ticks);
    if (!r->has_ticks || !take_thread(a, &r->thread) || !take_string(a, &r->category) ||
        !take_string(a, &r->name) || !skip_arguments(a, r->argument_count, r))
        return false;
    switch (r->subtype) {
    case STELE_FXT_DURATION_BEGIN:
    case STELE_FXT_DURATION_END: return true;
    case STELE_FXT_INSTANT:
        /* Its scope, if exactly one word is left; more words are something else. */
        if (cursor_left(&a->left) == FXT_WORD)
            r->word_count = take_word(a, &r->words[0]);
        return true;
    default:
        if (r->subtype > STELE_FXT_FLOW_END) {
            r->fault = STELE_FXT_FAULT_SUBTYPE;
            return false;
        }
        r->word_count = take_word(a, &r->words[0]);
        return r->word_count != 0;
    }
}

/*
 * "Blob Record": [16 .. 31] name (string ref), [32 .. 46] payload size, [48 .. 55] blob type;
 * name stream, payload
 */
static bool decode_blob(atoms *a, stele_fxt_record *r)
{
    r->name.ref = (uint16_t)fxt_bits(r->header, 16, 31);
    r->number = (uint32_t)fxt_bits(r->header, 48, 55);
    if (!take_string(a, &r->name))
        return false;
    r->payload_size = fxt_bits(r->header, 32, 46);
    if (take_stream(a, r->payload_size, &r->payload))
        return true;
    r->payload = a->left.at;
    r->payload_size = cursor_left(&a->left);
    return false;
}

/*
 * "Userspace Object Record": [16 .. 23] process (thread ref), [24 .. 39] name, [40 .. 43] number of
 * arguments; pointer word, process word, name stream, arguments. Some writers put a thread word
 * after the process word: only then do name and arguments end where the record does.
 */
static bool decode_userspace_object(atoms *a, stele_fxt_record *r)
{
    stele_fxt_record with_thread;
    atoms b;
    bool is_whole;
    r->thread.ref = (uint8_t)fxt_bits(r->header, 16, 23);
    r->name.ref = (uint16_t)fxt_bits(r->header, 24, 39);
    r->argument_count = (uint8_t)fxt_bits(r->header, 40, 43);
    if (!take_word(a, &r->words[0]))
        return false;
    r->word_count = 1;
    with_thread = *r;
    b = *a;
    is_whole = take_process(a, &r->thread) && take_string(a, &r->name) &&
               skip_arguments(a, r->argument_count, r);
    if ((is_whole && cursor_left(&a->left) == 0) || r->thread.ref != 0)
        return is_whole;
    if (take_thread(&b, &with_thread.thread) && take_string(&b, &with_thread.name) &&
        skip_arguments(&b, with_thread.argument_count, &with_thread) && cursor_left(&b.left) == 0) {
        *r = with_thread;
        *a = b;
        return true;
    }
    return is_whole;
}

/*
 * "Kernel Object Record": [16 .. 23] object type, [24 .. 39] name, [40 .. 43] number of arguments;
 * koid word, name stream, arguments
 */
static bool decode_kernel_object(atoms *a, stele_fxt_record *r)
{
    r->number = (uint32_t)fxt_bits(r->header, 16, 23);
    r->name.ref = (uint16_t)fxt_bits(r->header, 24, 39);
    r->argument_count = (uint8_t)fxt_bits(r->header, 40, 43);
    r->word_count = take_word(a, &r->words[0]);
    return r->word_count != 0 && take_string(a, &r->name) &&
           skip_arguments(a, r->argument_count, r);
}

/*
 * "Context Switch Record" and its successors
 * [60 .. 63] subtype      0                             1                          2
 * [16 .. 23]              cpu                           [16 .. 19] arguments       the same
 * [24 .. 27]              outgoing thread state         [20 .. 35] cpu             the same
 * [28 .. 35]              outgoing thread (ref)         [36 .. 39] outgoing state
 * [36 .. 43]              incoming thread (ref)
 * [44 .. 51], [52 .. 59]  outgoing, incoming priority
 * timestamp word, then    inline koids of both threads  outgoing, incoming thread  thread koid
 *                                                       koid; arguments            arguments
 */
static bool decode_scheduling(atoms *a, stele_fxt_record *r)
{
    const uint64_t header = r->header;
    r->subtype = (uint8_t)fxt_bits(header, 60, 63);
    r->has_ticks = take_word(a, &r->ticks);
    if (!r->has_ticks)
        return false;
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH_OLD) {
        r->number = (uint32_t)fxt_bits(header, 16, 23);
        r->outgoing_state = (uint8_t)fxt_bits(header, 24, 27);
        r->thread.ref = (uint8_t)fxt_bits(header, 28, 35);
        r->incoming.ref = (uint8_t)fxt_bits(header, 36, 43);
        r->outgoing_priority = (uint8_t)fxt_bits(header, 44, 51);
        r->incoming_priority = (uint8_t)fxt_bits(header, 52, 59);
        return take_thread(a, &r->thread) && take_thread(a, &r->incoming);
    }
    if (r->subtype > STELE_FXT_THREAD_WAKEUP) {
        r->fault = STELE_FXT_FAULT_SUBTYPE;
        return false;
    }
    r->argument_count = (uint8_t)fxt_bits(header, 16, 19);
    r->number = (uint32_t)fxt_bits(header, 20, 35);
    r->thread.has_thread = take_word(a, &r->thread.thread);
    if (!r->thread.has_thread)
        return false;
    if (r->subtype == STELE_FXT_CONTEXT_SWITCH) {
        r->outgoing_state = (uint8_t)fxt_bits(header, 36, 39);
        r->incoming.has_thread = take_word(a, &r->incoming.thread);
        if (!r->incoming.has_thread)
            return false;
    }
    return skip_arguments(a, r->argument_count, r);
}

/* "Log Record": [16 .. 30] length, [32 .. 39] thread; timestamp, koids, message stream */
static bool decode_log(atoms *a, stele_fxt_record *r)
{
    r->thread.ref = (uint8_t)fxt_bits(r->header, 32, 39);
    r->has_ticks = take_word(a, &r->ticks);
    if (!r->has_ticks || !take_thread(a, &r->thread))
        return false;
    r->payload_size = fxt_bits(r->header, 16, 30);
    if (take_stream(a, r->payload_size, &r->payload))
        return true;
    r->payload = a->left.at;
    r->payload_size = cursor_left(&a->left);
    return false;
}

/*
 * Profiler records: [16 .. 19] subtype, [20 .. 27] thread (ref); timestamp word, process word and,
 * as the record's size tells, thread word; then
 * 0 module     [28 .. 43] module id, [44 .. 51] name length, [52 .. 59] build id length; streams
 * 1 mmap       [28 .. 43] module id, [44 .. 46] read, write, execute; start, range, vaddr words
 * 2 backtrace  [28 .. 35] number of frames; a word for each
 */
static bool decode_profiler(atoms *a, stele_fxt_record *r)
{
    const uint64_t header = r->header;
    uint64_t build_id_size = fxt_bits(header, 52, 59), rest;
    r->subtype = (uint8_t)fxt_bits(header, 16, 19);
    r->thread.ref = (uint8_t)fxt_bits(header, 20, 27);
    r->has_ticks = take_word(a, &r->ticks);
    if (!r->has_ticks)
        return false;
    switch (r->subtype) {
    case STELE_FXT_MODULE:
        r->name.ref = (uint16_t)(STELE_FXT_INLINE | fxt_bits(header, 44, 51));
        rest = fxt_padded(fxt_string_size(r->name.ref)) + fxt_padded(build_id_size);
        break;
    case STELE_FXT_MMAP: rest = 3 * FXT_WORD; break;
    case STELE_FXT_BACKTRACE: rest = fxt_bits(header, 28, 35) * FXT_WORD; break;
    default: r->fault = STELE_FXT_FAULT_SUBTYPE; return false;
    }
    if (!(cursor_left(&a->left) >= rest + 2 * FXT_WORD ? take_thread(a, &r->thread)
                                                       : take_process(a, &r->thread)))
        return false;
    if (r->subtype == STELE_FXT_BACKTRACE) {
        r->payload_size = rest;
        return take_stream(a, rest, &r->payload);
    }
    r->number = (uint32_t)fxt_bits(header, 28, 43);
    if (r->subtype == STELE_FXT_MODULE) {
        r->payload_size = build_id_size;
        return take_string(a, &r->name) && take_stream(a, build_id_size, &r->payload);
    }
    r->event = (uint8_t)fxt_bits(header, 44, 46);
    for (r->word_count = 0; r->word_count < 3; r->word_count++) {
        if (!take_word(a, &r->words[r->word_count]))
            return false;
    }
    return true;
}

/*
 * Large blobs: [40 .. 43] format; format word, category stream, name stream; of format 0 timestamp,
 * koids, arguments; payload size word, payload
 * format word: [0 .. 15] category, [16 .. 31] name (string refs), and of format 0
 *              [32 .. 35] number of arguments, [36 .. 43] thread (ref)
 */
static bool decode_large(atoms *a, stele_fxt_record *r)
{
    uint64_t format, size;
    r->subtype = (uint8_t)fxt_bits(r->header, 36, 39);
    r->event = (uint8_t)fxt_bits(r->header, 40, 43);
    if (r->subtype != STELE_FXT_LARGE_BLOB || r->event > 1) {
        r->fault = STELE_FXT_FAULT_SUBTYPE;
        return false;
    }
    if (!take_word(a, &format))
        return false;
    r->category.ref = (uint16_t)fxt_bits(format, 0, 15);
    r->name.ref = (uint16_t)fxt_bits(format, 16, 31);
    if (!take_string(a, &r->category) || !take_string(a, &r->name))
        return false;
    if (r->event == 0) {
        r->argument_count = (uint8_t)fxt_bits(format, 32, 35);
        r->thread.ref = (uint8_t)fxt_bits(format, 36, 43);
        r->has_ticks = take_word(a, &r->ticks);
        if (!r->has_ticks || !take_thread(a, &r->thread) ||
            !skip_arguments(a, r->argument_count, r))
            return false;
    }
    if (!take_word(a, &size))
        return false;
    r->payload = a->left.at;
    r->payload_size = size;
    size = r->size - (uint64_t)(a->left.at - r->bytes);
    if (r->payload_size > size) {
        r->payload_size = size;
        r->fault = STELE_FXT_FAULT_SIZE;
        return false;
    }
    return true;
}

static bool decode_contents(atoms *a, stele_fxt_record *r)
{
    switch (r->type) {
    case STELE_FXT_METADATA: return decode_metadata(a, r);
    case STELE_FXT_INITIALIZATION: return decode_initialization(a, r);
    case STELE_FXT_STRING: return decode_string(a, r);
    case STELE_FXT_THREAD: return decode_thread(a, r);
    case STELE_FXT_EVENT: return decode_event(a, r);
    case STELE_FXT_BLOB: return decode_blob(a, r);
    case STELE_FXT_USERSPACE_OBJECT: return decode_userspace_object(a, r);
    case STELE_FXT_KERNEL_OBJECT: return decode_kernel_object(a, r);
    case STELE_FXT_SCHEDULING: return decode_scheduling(a, r);
    case STELE_FXT_LOG: return decode_log(a, r);
    case STELE_FXT_PROFILER: return decode_profiler(a, r);
    case STELE_FXT_LARGE: return decode_large(a, r);
    default: r->fault = STELE_FXT_FAULT_SUBTYPE; return false;
    }
}

uint64_t stele_fxt_record_size(uint64_t header)
{
    return fxt_size(header);
}

stele_fxt_fault stele_fxt_decode(const void *bytes, size_t size, bool is_big_endian,
                                 stele_fxt_record *record)
{
    atoms a;
    bool is_cut;
    *record = (stele_fxt_record){.bytes = bytes, .is_big_endian = is_big_endian};
    if (size < FXT_WORD) {
        record->fault = STELE_FXT_FAULT_CUT;
        return STELE_FXT_FAULT_CUT;
    }
    record->header = fxt_word(bytes, is_big_endian);
    record->type = (uint8_t)fxt_type(record->header);
    record->size = fxt_size(record->header);
    if (record->size == 0) {
        record->fault = STELE_FXT_FAULT_SIZE;
        return STELE_FXT_FAULT_SIZE;
    }
    is_cut = record->size > size;
    a.left =
        cursor_make(record->bytes + FXT_WORD, (is_cut ? size : (size_t)record->size) - FXT_WORD);
    a.is_big_endian = is_big_endian;
    if (!decode_contents(&a, record)) {
        /* If the record is cut, anything that is missing is missing because of that. */
        if (is_cut && record->fault != STELE_FXT_FAULT_SUBTYPE)
            record->fault = STELE_FXT_FAULT_CUT;
        else if (record->fault == STELE_FXT_OK)
            record->fault = STELE_FXT_FAULT_SIZE;
    }
    record->used = (uint64_t)(a.left.at - record->bytes);
    record->fault_offset = (uint32_t)record->used;
    if (record->type == STELE_FXT_LARGE && record->fault == STELE_FXT_OK)
        record->used += fxt_padded(record->payload_size);
    return record->fault;
}

/* ---- Names of kinds of records ---- */

const char *fxt_kind_text(const stele_fxt_record *r)
{
    static const char *const records[16] = {"Metadata",
                                            "Initialization record",
                                            "String record",
                                            "Thread record",
                                            "Event",
                                            "Blob record",
                                            "Userspace Object record",
                                            "Kernel Object record",
                                            "Scheduling",
                                            "Log record",
                                            "Profiler",
                                            "Unknown record (type 11)",
                                            "Unknown record (type 12)",
                                            "Unknown record (type 13)",
                                            "Unknown record (type 14)",
                                            "Large record (unknown type)"};
    static const char *const metadata[16] = {"Metadata (unknown type 0)", "Provider Info metadata",
                                             "Provider Section metadata", "Provider Event metadata",
                                             "Trace Info metadata"};
    static const char *const events[16] = {
        "Event: Instant",       "Event: Counter",           "Event: Duration Begin",
        "Event: Duration End",  "Event: Duration Complete", "Event: Async Begin",
        "Event: Async Instant", "Event: Async End",         "Event: Flow Begin",
        "Event: Flow Step",     "Event: Flow End"};
    static const char *const scheduling[16] = {"Context Switch record (old)",
                                               "Context Switch record", "Thread Wakeup record"};
    static const char *const profiler[16] = {"Profiler: Module", "Profiler: Mmap",
                                             "Profiler: Backtrace"};
    const char *text = NULL;
    switch (r->type) {
    case STELE_FXT_METADATA:
        text = r->header == STELE_FXT_MAGIC ? "Magic Number record" : metadata[r->subtype];
        break;
    case STELE_FXT_EVENT: text = events[r->subtype]; break;
    case STELE_FXT_SCHEDULING: text = scheduling[r->subtype]; break;
    case STELE_FXT_PROFILER: text = profiler[r->subtype]; break;
    case STELE_FXT_LARGE:
        if (r->subtype == STELE_FXT_LARGE_BLOB && r->event <= 1)
            text = r->event == 0 ? "Large Blob record with metadata" : "Large Blob record";
        break;
    default: break;
    }
    return text != NULL ? text : records[r->type];
}
