/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"
#include "core/unset.h"

typedef struct judge {
    diag_sink *diag;
    const char *source;
    const stele_fxt_record *r;
    uint64_t offset, extent;
} judge;

__attribute__((format(printf, 6, 7))) static void report(const judge *j, fxt_code code,
                                                         const void *at, uint64_t size,
                                                         const char *expected, const char *found,
                                                         ...)
{
    char text[160];
    va_list args;
    if (diag_is_explained(j->diag, fxt_codes[code].severity, j->source, j->offset, j->extent))
        return;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(j->diag,
              &(stele_diag){.code = &fxt_codes[code],
                            .source = j->source,
                            .offset = j->offset + (uint64_t)((const uint8_t *)at - j->r->bytes),
                            .size = size,
                            .expected = expected,
                            .found = text});
}

/* ---- Reserved bits, padding and texts ---- */

/* Returns whether the reserved bits of a header are zero. */
static bool check_reserved(const judge *j, const uint8_t *at, uint64_t word, uint64_t mask)
{
    if ((word & mask) != 0)
        report(j, FXT012, at, FXT_WORD, "zero", "0x%llx", (unsigned long long)(word & mask));
    return (word & mask) == 0;
}

/* Checks the padding of a stream that is completely in the record. */
static void check_padding(const judge *j, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = size; i < fxt_padded(size); i++) {
        if (bytes[i] != 0) {
            report(j, FXT013, bytes + i, fxt_padded(size) - i, "zeros", "byte 0x%02x", bytes[i]);
            return;
        }
    }
}

static void check_text(const judge *j, const uint8_t *bytes, uint64_t size)
{
    check_padding(j, bytes, size);
    if (!text_is_utf8(bytes, (size_t)size))
        report(j, FXT014, bytes, size, "UTF-8", "%llu bytes that are not",
               (unsigned long long)size);
    if (size > STELE_FXT_STRING_SIZE_MAX)
        report(j, FXT025, bytes, size, "at most 32000 bytes", "%llu bytes",
               (unsigned long long)size);
}

static void check_string(const judge *j, const stele_fxt_string *string)
{
    if (string->bytes != NULL)
        check_text(j, string->bytes, fxt_string_size(string->ref));
}

/* ---- Arguments ---- */

/* Returns the bits of an argument's header that must be zero, by its type. */
static uint64_t argument_reserved(unsigned type)
{
    switch (type) {
    case STELE_FXT_ARGUMENT_NULL:
    case STELE_FXT_ARGUMENT_INT64:
    case STELE_FXT_ARGUMENT_UINT64:
    case STELE_FXT_ARGUMENT_DOUBLE:
    case STELE_FXT_ARGUMENT_POINTER:
    case STELE_FXT_ARGUMENT_KOID: return fxt_mask(32, 63);
    case STELE_FXT_ARGUMENT_STRING: return fxt_mask(48, 63);
    case STELE_FXT_ARGUMENT_BOOL: return fxt_mask(33, 63);
    default: return 0;
    }
}

static bool is_number(const stele_fxt_argument *a)
{
    return a->type >= STELE_FXT_ARGUMENT_INT32 && a->type <= STELE_FXT_ARGUMENT_DOUBLE;
}

static void check_arguments(const judge *j)
{
    const bool is_counter = j->r->type == STELE_FXT_EVENT && j->r->subtype == STELE_FXT_COUNTER;
    stele_fxt_arguments at = {0};
    UNSET stele_fxt_argument a;
    if (is_counter && j->r->argument_count == 0)
        report(j, FXT036, j->r->bytes, FXT_WORD, "an argument for each series", "no arguments");
    while (stele_fxt_argument_next(j->r, &at, &a)) {
        check_reserved(j, a.bytes, a.header, argument_reserved(a.type));
        if (a.fault != STELE_FXT_OK)
            continue;
        check_string(j, &a.name);
        check_string(j, &a.string);
        if (a.blob != NULL)
            check_padding(j, a.blob, a.value);
        if (is_counter && !is_number(&a))
            report(j, FXT035, a.bytes, a.size, "a number", "argument type %u", a.type);
    }
}

/* ---- Headers and contents of records ---- */

static uint64_t metadata_reserved(const stele_fxt_record *r)
{
    switch (r->subtype) {
    case STELE_FXT_PROVIDER_INFO: return fxt_mask(60, 63);
    case STELE_FXT_PROVIDER_SECTION: return fxt_mask(52, 63);
    case STELE_FXT_PROVIDER_EVENT: return fxt_mask(56, 63);
    default: return 0; /* the magic number is checked as a whole */
    }
}

static uint64_t scheduling_reserved(const stele_fxt_record *r)
{
    switch (r->subtype) {
    case STELE_FXT_CONTEXT_SWITCH: return fxt_mask(40, 59);
    case STELE_FXT_THREAD_WAKEUP: return fxt_mask(36, 59);
    default: return 0;
    }
}

static uint64_t profiler_reserved(const stele_fxt_record *r)
{
    switch (r->subtype) {
    case STELE_FXT_MODULE: return fxt_mask(60, 63);
    case STELE_FXT_MMAP: return fxt_mask(47, 63);
    case STELE_FXT_BACKTRACE: return fxt_mask(36, 63);
    default: return 0;
    }
}

/* Returns the bits of the header word that must be zero. */
static uint64_t header_reserved(const stele_fxt_record *r)
{
    switch (r->type) {
    case STELE_FXT_METADATA: return metadata_reserved(r);
    case STELE_FXT_INITIALIZATION: return fxt_mask(16, 63);
    case STELE_FXT_STRING: return fxt_mask(31, 31) | fxt_mask(47, 63);
    case STELE_FXT_THREAD: return fxt_mask(24, 63);
    case STELE_FXT_BLOB: return fxt_mask(47, 47) | fxt_mask(56, 63);
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT: return fxt_mask(44, 63);
    case STELE_FXT_SCHEDULING: return scheduling_reserved(r);
    case STELE_FXT_LOG: return fxt_mask(31, 31) | fxt_mask(40, 63);
    case STELE_FXT_PROFILER: return profiler_reserved(r);
    case STELE_FXT_LARGE: return fxt_mask(44, 63);
    default: return 0;
    }
}

static void check_magic(const judge *j, bool is_first)
{
    const stele_fxt_record *r = j->r;
    const bool is_magic_type =
        r->type == STELE_FXT_METADATA && r->subtype == STELE_FXT_TRACE_INFO && r->event == 0;
    if (is_magic_type && r->header != STELE_FXT_MAGIC)
        report(j, FXT021, r->bytes, FXT_WORD, "0x0016547846040010", "0x%016llx",
               (unsigned long long)r->header);
    else if (is_magic_type && !is_first)
        report(j, FXT020, r->bytes, FXT_WORD, "it at the start of the trace", "it here");
    else if (!is_magic_type && is_first && j->offset == 0)
        report(j, FXT019, r->bytes, FXT_WORD, "the magic number record", "%s", fxt_kind_text(r));
}

static void check_scheduling(const judge *j)
{
    const stele_fxt_record *r = j->r;
    if (r->subtype > STELE_FXT_CONTEXT_SWITCH)
        return;
    if (r->outgoing_state == 1)
        report(j, FXT032, r->bytes, FXT_WORD, "any state but running", "state 1");
    else if (r->outgoing_state > 5)
        report(j, FXT023, r->bytes, FXT_WORD, "0 to 5", "state %u", r->outgoing_state);
}

static void check_payload(const judge *j, const walk_record *at)
{
    const stele_fxt_record *r = j->r;
    const uint64_t before = (uint64_t)(r->payload - r->bytes);
    if (r->type == STELE_FXT_LOG)
        check_text(j, r->payload, r->payload_size);
    else if (before <= at->loaded && fxt_padded(r->payload_size) <= at->loaded - before)
        check_padding(j, r->payload, r->payload_size);
}

/* Checks values that the format defines but the reader does not need. */
static void check_values(const judge *j)
{
    const stele_fxt_record *r = j->r;
    switch (r->type) {
    case STELE_FXT_STRING:
        if (fxt_string_size(r->name.ref) == 0)
            report(j, FXT031, r->bytes, r->size, NULL, "string %lu", (unsigned long)r->number);
        break;
    case STELE_FXT_EVENT:
        if (r->subtype == STELE_FXT_INSTANT && r->word_count == 1 && r->words[0] > 2)
            report(j, FXT022, r->bytes + r->used - FXT_WORD, FXT_WORD, "0 to 2", "%llu",
                   (unsigned long long)r->words[0]);
        break;
    case STELE_FXT_BLOB:
        if (r->number == 0 || r->number > 3)
            report(j, FXT026, r->bytes, FXT_WORD, "1 to 3", "type %lu", (unsigned long)r->number);
        break;
    case STELE_FXT_SCHEDULING: check_scheduling(j); break;
    default: break;
    }
}

void fxt_check_record(diag_sink *diag, const char *source, const stele_fxt_record *r,
                      const walk_record *at, bool is_first)
{
    const judge j = {diag, source, r, at->offset, at->extent};
    bool is_as_known;
    check_magic(&j, is_first);
    is_as_known = check_reserved(&j, r->bytes, r->header, header_reserved(r)) && r->used >= r->size;
    check_string(&j, &r->category);
    if (r->type == STELE_FXT_KERNEL_OBJECT && r->name.bytes != NULL)
        check_padding(&j, r->name.bytes,
                      fxt_string_size(r->name.ref)); /* names of a module may be any bytes */
    else
        check_string(&j, &r->name);
    if (r->arguments != NULL)
        check_arguments(&j);
    if (r->payload != NULL && r->fault == STELE_FXT_OK)
        check_payload(&j, at);
    if (is_as_known) /* else the header, or what it announces, is another one */
        check_values(&j);
}
