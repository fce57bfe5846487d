/* SPDX-License-Identifier: Apache-2.0 */
/* Several contexts in several threads never share anything; a build with ThreadSanitizer checks
   that. */
#include <pthread.h>
#include <stele/stele.h>

#include "test.h"

#define THREADS 4
#define TURNS   3

static const char *const samples[] = {
    STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log",
    STELE_SOURCE_DIR "/src/formats/ctf/good/small_18",
    STELE_SOURCE_DIR "/src/formats/ctf/good/small_2",
};

static uint64_t count_events(const char *path)
{
    stele_context *context;
    stele_trace *trace = NULL;
    stele_reader *reader = NULL;
    stele_segment segment;
    uint64_t count = 0;
    if (stele_context_new(NULL, &context) != STELE_OK)
        return 0;
    if (stele_trace_open(context, path, NULL, &trace) == STELE_OK &&
        stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK) {
        while (stele_reader_next(reader, &segment) == STELE_OK)
            count += segment.count;
    }
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return count;
}

typedef struct work {
    pthread_t thread;
    uint64_t count;
} work;

static void *read_all(void *user)
{
    work *w = user;
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
            w->count += count_events(samples[i]);
    }
    return NULL;
}

TEST(contexts_of_several_threads_read_the_same_traces)
{
    work alone = {.count = 0}, all[THREADS] = {{.count = 0}};
    read_all(&alone);
    CHECK(alone.count != 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&all[i].thread, NULL, read_all, &all[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        CHECK_EQ_U64(all[i].count, alone.count);
    }
}
