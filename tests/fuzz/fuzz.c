/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes all that a format can do with one input. Compiled once for each format, with
 * STELE_FUZZ_FORMAT as its name; run by libFuzzer, AFL++ or replay.c. What must hold is in
 * invariants.h; if it does not hold, the program aborts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unpack.h"
#include "formats/format.h"
#include "invariants.h"
#include "scheduling.h"

#define QUOTE_(text) #text
#define QUOTE(text)  QUOTE_(text)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small limits, so that a run is short and reaches the limits. */
static const stele_limits limits = {.names_size_max = (size_t)1 << 20,
                                    .tracks_max = 1024,
                                    .providers_max = 64,
                                    .fields_max = 4096,
                                    .record_size_max = (size_t)64 << 10,
                                    .metadata_size_max = (size_t)1 << 20,
                                    .sort_size_max = (size_t)256 << 10,
                                    .window_size = (size_t)4 << 10};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void on_finding(void *user, const stele_diag *diag)
{
    const size_t *size = user;
    require(diag->code != NULL && diag->found != NULL, "a finding says what was found");
    require(diag->offset == STELE_NO_OFFSET || diag->offset <= *size,
            "a finding lies inside of the input");
}

static bool on_record(void *user, const dump_record *record)
{
    const size_t *size = user;
    require(record->offset <= *size && record->bytes_size <= *size - record->offset,
            "the bytes of a record lie inside of the input");
    require(record->bytes_size <= record->size, "the bytes of a record are its own");
    require(record->kind != NULL && record->text != NULL, "a record has a text");
    return true;
}

typedef struct consumer {
    size_t size;
    bool is_packed;
    stele_context *context;
    copier *copier;
    stele_writer *writer;
    stele_sched *sched;
    stele_kernel *kernel;
} consumer;

static void consume(const consumer *to, const stele_segment *segment)
{
    const char *broken = invariant_segment(to->context, segment, to->size);
    require(broken == NULL, broken);
    if (to->writer != NULL)
        require(stele_writer_write(to->writer, segment) == STELE_OK, "every event can be written");
    if (to->sched != NULL)
        require(stele_sched_add(to->sched, segment) == STELE_OK &&
                    stele_kernel_add(to->kernel, segment) == STELE_OK,
                "scheduling takes every event");
    for (uint32_t i = 0; to->copier != NULL && i < segment->count; i++)
        require(to->copier->ops->keep(to->copier, segment->batch,
                                      &segment->batch->events[segment->first + i]) == STELE_OK,
                "every event can be copied");
}

static void read_all(const consumer *to, stele_trace *trace, const stele_request *request)
{
    stele_reader *reader;
    stele_segment segment;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_status status = stele_reader_open(to->context, &trace, 1, request, &reader);
    /* Each reader decompresses the input again, which may fail if its end is missing. */
    if (status != STELE_OK && to->is_packed)
        return;
    require(status == STELE_OK, "a trace that was opened can be read");
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
        consume(to, &segment);
    require(status == STELE_END, "damage does not end reading");
    stele_reader_get_stats(reader, &stats);
    require(stats.balance.skipped_size <= to->size, "no more is skipped than there is");
    stele_reader_close(reader);
}

static stele_status open_output(const consumer *to, const stele_trace *trace, output **out)
{
    const bool is_folder =
        trace->format->target == FORMAT_TARGET_FOLDER ||
        (trace->format->target == FORMAT_TARGET_EITHER && source_input(trace->source) == NULL);
    return is_folder ? output_open_folder(&to->context->diag, NULL, false, out)
                     : output_open_memory(&to->context->diag, out);
}

/* Checks that a copy is not far larger than its trace, whatever sizes the trace claims. */
static void check_copy_size(const stele_trace *trace, output *copied)
{
    uint64_t trace_size;
    size_t size;
    output_memory(copied, &size);
    if (source_content_size(trace->source, &trace_size))
        require(size <= 8 * trace_size + (64u << 10), "a copy is not far larger than its trace");
}

static void write_and_copy(consumer *to, stele_trace *trace)
{
    static const stele_request request = {.order = STELE_ORDER_NONE, .columns = STELE_COLUMNS_ALL};
    const format *f = trace->format;
    output *written = NULL, *copied = NULL;
    require(open_output(to, trace, &written) == STELE_OK &&
                open_output(to, trace, &copied) == STELE_OK,
            "memory");
    if (f->writer != NULL)
        require(f->writer(to->context, written, &(stele_writer_options){0}, &to->writer) ==
                    STELE_OK,
                "a writer can be made");
    if (f->copier != NULL)
        require(f->copier(trace, copied, &to->copier) == STELE_OK || to->is_packed,
                "a copier can be made");
    read_all(to, trace, &request);
    if (to->writer != NULL)
        require(stele_writer_finish(to->writer) == STELE_OK, "writing can be finished");
    if (to->copier != NULL) {
        require(to->copier->ops->finish(to->copier) == STELE_OK, "copying can be finished");
        check_copy_size(trace, copied);
        to->copier->ops->close(to->copier);
    }
    stele_writer_close(to->writer);
    output_close(written);
    output_close(copied);
    to->writer = NULL;
    to->copier = NULL;
}

/* Returns where the offsets of records and findings end; in a compressed input they are those in
   the decompressed bytes. */
static size_t places_end(const uint8_t *data, size_t size)
{
    return unpack_find(data, size) != NULL ? SIZE_MAX / 2 : size;
}

/* Checks that times of threads and CPUs sum up, whatever the events say. */
static void follow_scheduling(consumer *to, stele_trace *trace)
{
    static const stele_request request = {.order = STELE_ORDER_TIME, .columns = STELE_COLUMNS_ALL};
    const char *broken;
    require(stele_sched_new(to->context, NULL, &to->sched) == STELE_OK &&
                stele_kernel_new(to->context, NULL, &to->kernel) == STELE_OK,
            "memory");
    read_all(to, trace, &request);
    require(stele_sched_finish(to->sched) == STELE_OK &&
                stele_kernel_finish(to->kernel) == STELE_OK,
            "scheduling can be finished");
    broken = scheduling_broken(to->sched);
    require(broken == NULL, broken);
    stele_sched_free(to->sched);
    stele_kernel_free(to->kernel);
    to->sched = NULL;
    to->kernel = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t end = places_end(data, size);
    const stele_trace_options options = {.format = QUOTE(STELE_FUZZ_FORMAT)};
    const stele_context_options context_options = {
        .limits = &limits, .diag = on_finding, .diag_user = &end};
    consumer to = {.is_packed = end != size, .size = end};
    stele_trace *trace;
    if (stele_context_new(&context_options, &to.context) != STELE_OK)
        return 0;
    if (stele_trace_open_memory(to.context, "fuzz", data, size, &options, &trace) == STELE_OK) {
        read_all(&to, trace, &(stele_request){.order = STELE_ORDER_NONE});
        read_all(&to, trace, &(stele_request){.order = STELE_ORDER_TIME, .check = true});
        require(trace->format->dump(trace, &(dump_request){.fn = on_record, .user = &end}) ==
                    STELE_OK,
                "every trace can be dumped");
        write_and_copy(&to, trace);
        follow_scheduling(&to, trace);
        stele_trace_close(trace);
    }
    stele_context_free(to.context);
    return 0;
}
