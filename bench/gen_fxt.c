/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_fxt COUNT > trace.fxt
 * COUNT records like those of a traced system: spans, instants, counters, async operations, flows
 * and context switches of 8 threads, most with arguments of several types, names and threads by
 * reference. About 36 bytes a record: 10,000,000 make 360 MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/fxt.h>

#define BUFFER_SIZE  ((size_t)1 << 20)
#define THREAD_COUNT 8u

enum {
    NAME_FIRST = 1,
    NAME_CATEGORY = NAME_FIRST,
    NAME_SPAN,
    NAME_WORK,
    NAME_TICK,
    NAME_BYTES,
    NAME_REQUEST,
    NAME_FLOW,
    NAME_SIZE,
    NAME_RESULT,
    NAME_STATE,
    NAME_RATIO,
    NAME_END
};

static const char *const names[NAME_END] = {"",     "bench",      "render frame", "compute layout",
                                            "tick", "bytes read", "request",      "hand on",
                                            "size", "result",     "state",        "ratio"};

typedef struct generator {
    uint8_t buffer[BUFFER_SIZE];
    size_t size;
    uint64_t i, ticks;
} generator;

static stele_fxt_string name_ref(unsigned name)
{
    return (stele_fxt_string){.ref = (uint16_t)name};
}

static stele_fxt_argument argument(stele_fxt_argument_type type, unsigned name, uint64_t value)
{
    return (stele_fxt_argument){.type = (uint8_t)type, .name = name_ref(name), .value = value};
}

static void put(generator *g, const stele_fxt_record *record, const stele_fxt_argument *arguments)
{
    const size_t size =
        stele_fxt_encode(record, arguments, g->buffer + g->size, sizeof g->buffer - g->size);
    if (size == 0)
        abort();
    g->size += size;
}

static void put_tables(generator *g)
{
    const uint64_t magic = STELE_FXT_MAGIC;
    for (unsigned i = 0; i < 8; i++)
        g->buffer[g->size++] = (uint8_t)(magic >> 8 * i);
    put(g,
        &(stele_fxt_record){
            .type = STELE_FXT_INITIALIZATION, .word_count = 1, .words = {UINT64_C(24000000)}},
        NULL);
    for (unsigned i = NAME_FIRST; i < NAME_END; i++) {
        const stele_fxt_string text = {.ref = (uint16_t)(STELE_FXT_INLINE | strlen(names[i])),
                                       .bytes = (const uint8_t *)names[i]};
        put(g, &(stele_fxt_record){.type = STELE_FXT_STRING, .number = i, .name = text}, NULL);
    }
    for (unsigned i = 1; i <= THREAD_COUNT; i++)
        put(g,
            &(stele_fxt_record){.type = STELE_FXT_THREAD,
                                .number = i,
                                .thread = {.has_process = true,
                                           .has_thread = true,
                                           .process = 1000 + i / 4,
                                           .thread = 2000 + i}},
            NULL);
}

static void put_event(generator *g, stele_fxt_event kind, unsigned name,
                      const stele_fxt_argument *arguments, unsigned count, const uint64_t *word)
{
    stele_fxt_record record = {.type = STELE_FXT_EVENT,
                               .subtype = (uint8_t)kind,
                               .has_ticks = true,
                               .ticks = g->ticks,
                               .thread = {.ref = (uint8_t)(1 + g->i / 16 % THREAD_COUNT)},
                               .category = name_ref(NAME_CATEGORY),
                               .name = name_ref(name),
                               .argument_count = (uint8_t)count};
    if (word != NULL) {
        record.word_count = 1;
        record.words[0] = *word;
    }
    put(g, &record, arguments);
}

/* 16 records: what one thread does before the next one is looked at. */
static void put_record(generator *g)
{
    const uint64_t i = g->i, id = i / 16, end = g->ticks + 8;
    const double ratio = (double)(i % 1000) / 8;
    uint64_t ratio_bits;
    stele_fxt_argument a[2] = {argument(STELE_FXT_ARGUMENT_INT32, NAME_SIZE, i % 4096),
                               argument(STELE_FXT_ARGUMENT_STRING, NAME_STATE, 0)};
    a[1].string = name_ref(NAME_RESULT);
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    switch (i % 16) {
    case 0: put_event(g, STELE_FXT_DURATION_BEGIN, NAME_SPAN, a, 2, NULL); break;
    case 1:
    case 5:
    case 9: put_event(g, STELE_FXT_DURATION_COMPLETE, NAME_WORK, a, 2, &end); break;
    case 2: put_event(g, STELE_FXT_ASYNC_BEGIN, NAME_REQUEST, a, 1, &id); break;
    case 3:
    case 8:
    case 12:
        a[0] = argument(STELE_FXT_ARGUMENT_UINT64, NAME_SIZE, i * UINT64_C(0x10001));
        put_event(g, STELE_FXT_INSTANT, NAME_TICK, a, 1, NULL);
        break;
    case 6:
    case 10:
        a[0] = argument(STELE_FXT_ARGUMENT_INT64, NAME_BYTES, i);
        put_event(g, STELE_FXT_COUNTER, NAME_BYTES, a, 1, &id);
        break;
    case 4:
    case 7:
        a[0] = argument(STELE_FXT_ARGUMENT_INT64, NAME_BYTES, i);
        put_event(g, i % 16 == 4 ? STELE_FXT_FLOW_BEGIN : STELE_FXT_FLOW_END, NAME_FLOW, a, 1, &id);
        break;
    case 11: put_event(g, STELE_FXT_ASYNC_END, NAME_REQUEST, NULL, 0, &id); break;
    case 13:
        a[0] = argument(STELE_FXT_ARGUMENT_DOUBLE, NAME_RATIO, ratio_bits);
        put_event(g, STELE_FXT_INSTANT, NAME_TICK, a, 2, NULL);
        break;
    case 14:
        put(g,
            &(stele_fxt_record){.type = STELE_FXT_SCHEDULING,
                                .subtype = STELE_FXT_CONTEXT_SWITCH,
                                .has_ticks = true,
                                .ticks = g->ticks,
                                .number = (uint32_t)(id % 4),
                                .outgoing_state = 2,
                                .argument_count = 2,
                                .thread = {.has_thread = true, .thread = 2001 + id % 8},
                                .incoming = {.has_thread = true, .thread = 2001 + (id + 1) % 8}},
            a);
        break;
    default: put_event(g, STELE_FXT_DURATION_END, NAME_SPAN, a, 1, NULL); break;
    }
}

int main(int argc, char **argv)
{
    static generator g;
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000000;
    put_tables(&g);
    for (; g.i < count; g.i++) {
        g.ticks += 3;
        put_record(&g);
        if (g.size > BUFFER_SIZE - 4096) {
            if (fwrite(g.buffer, 1, g.size, stdout) != g.size)
                return 1;
            g.size = 0;
        }
    }
    return fwrite(g.buffer, 1, g.size, stdout) != g.size || fflush(stdout) != 0;
}
