/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_ctf_decode FOLDER
 * Decodes the packets of a CTF trace in memory, again and again, for several choices of columns:
 * what decoding costs without files, order and merge.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/schema/targets.h"

#define STREAMS_MAX 64

typedef struct bytes {
    uint8_t *bytes;
    size_t size;
} bytes;

static bytes file_load(const char *folder, const char *name)
{
    char path[4096];
    bytes b = {0};
    FILE *file;
    long size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return b;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    b.bytes = malloc((size_t)size + 1);
    if (b.bytes != NULL)
        b.size = fread(b.bytes, 1, (size_t)size, file);
    fclose(file);
    return b;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* All packets of a file; the number of events. */
static uint64_t decode(ctf_decoder *run, const bytes *file, stele_batch *batch)
{
    uint64_t events = 0;
    size_t at = 0;
    while (at < file->size) {
        const packet_view view = {file->bytes + at, file->size - at, 0};
        packet_head head;
        decode_outcome outcome = decoder_packet(run, &view, "bench", at, NULL, &head);
        if (outcome != DECODE_OK)
            return events;
        do {
            stele_batch_clear(batch);
            outcome = decoder_events(run, &view, batch);
            events += batch->event_count;
        } while (outcome == DECODE_OK);
        if (outcome != DECODE_END)
            return events;
        at += head.total_bits / 8;
    }
    return events;
}

static void measure(const char *what, const ctf_schema *schema, stele_context *context,
                    const bytes *files, uint32_t columns)
{
    ctf_programs *programs = programs_new(schema, context, 0, columns);
    double best = 1e9;
    uint64_t events = 0;
    stele_batch *batch;
    if (stele_batch_new(0, &batch) != STELE_OK)
        exit(1);
    for (unsigned round = 0; round < 5; round++) {
        const double begin = seconds();
        events = 0;
        for (unsigned i = 0; files[i].bytes != NULL; i++) {
            ctf_decoder *run = decoder_new(programs);
            events += decode(run, &files[i], batch);
            decoder_free(run);
        }
        if (seconds() - begin < best)
            best = seconds() - begin;
    }
    printf("%-28s %10llu events %7.2f ns an event\n", what, (unsigned long long)events,
           best / (double)events * 1e9);
    stele_batch_free(batch);
    programs_free(programs);
}

static void print_finding(void *user, const stele_diag *diag)
{
    (void)user;
    fprintf(stderr, "%s at %llu: %s\n", diag->code->code, (unsigned long long)diag->offset,
            diag->found);
}

int main(int argc, char **argv)
{
    static bytes files[STREAMS_MAX + 1];
    ctf_schema schema = {0};
    stele_context *context;
    diag_sink diag = {.fn = print_finding};
    metadata m;
    input *in;
    char path[4096];
    double begin;
    if (argc != 2 ||
        stele_context_new(&(stele_context_options){.diag = print_finding}, &context) != STELE_OK)
        return 2;
    snprintf(path, sizeof path, "%s/metadata", argv[1]);
    begin = seconds();
    if (input_open_file(&diag, path, &in) != STELE_OK ||
        metadata_read(&m, &diag, stele_context_limits(context), in) != STELE_OK ||
        !(m.generation == CTF_1 ? tsdl_parse(&m, &schema) : json_parse(&m, &schema)))
        return 1;
    printf("metadata %.3f s", seconds() - begin);
    begin = seconds();
    if (!schema_check(&m, &schema))
        return 1;
    printf(", check %.3f s\n", seconds() - begin);
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "channel_%u", i);
        files[i] = file_load(argv[1], name);
        if (files[i].bytes == NULL)
            break;
    }
    measure("times", &schema, context, files, STELE_COLUMN_TIME);
    measure("times, names, tracks", &schema, context, files,
            STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK);
    measure("all fields", &schema, context, files,
            STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_FIELDS);
    for (unsigned i = 0; files[i].bytes != NULL; i++)
        free(files[i].bytes);
    metadata_free(&m);
    input_close(in);
    schema_free(&schema);
    stele_context_free(context);
    return 0;
}
