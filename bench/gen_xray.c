/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_xray COUNT [THREADS] > trace.xray
 * COUNT calls of 40 functions on 4 threads, or as many as said up to 4, nested up to six deep, as
 * programs of C++ write them in XRay's flight data recorder mode of version 5: two records of eight
 * bytes for each, in buffers of 64 KiB that the threads take in turn. 12,000,000 make 192 MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/xray.h>

#define BUFFER_SIZE ((size_t)64 << 10)
#define THREAD_MAX  4u
#define DEPTH_MAX   6u

typedef struct thread {
    uint32_t calls[DEPTH_MAX];
    uint32_t depth;
    uint64_t tsc;
    uint32_t buffers;
} thread;

static const stele_xray_header header = {.version = 5,
                                         .type = 1,
                                         .constant_tsc = true,
                                         .nonstop_tsc = true,
                                         .frequency_hz = UINT64_C(1000000000)};

static uint64_t dice = 1;

static uint64_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    return dice ^= dice << 17;
}

static size_t put(uint8_t *to, uint64_t before, const stele_xray_record *record)
{
    return stele_xray_encode(&header, before, record, NULL, to);
}

static size_t put_head(uint8_t *to, uint32_t number, thread *of)
{
    size_t at = 16; /* the extents come last, when the size is known */
    at +=
        put(to + at, 0, &(stele_xray_record){.kind = STELE_XRAY_NEW_BUFFER, .value = 100 + number});
    /* llvm-xray takes a buffer for the earlier one only if both its seconds and its microseconds
       are less, so both grow from buffer to buffer. */
    at += put(to + at, 0,
              &(stele_xray_record){.kind = STELE_XRAY_WALL_TIME,
                                   .function = of->buffers % 1000000,
                                   .value = 1700000000 + of->buffers});
    of->buffers++;
    at += put(to + at, 0, &(stele_xray_record){.kind = STELE_XRAY_PID, .value = 100});
    at += put(to + at, 0,
              &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = number, .tsc = of->tsc});
    return at;
}

/* One more enter or exit; calls that were begun are ended before the trace is. */
static size_t put_call(uint8_t *to, thread *of, uint64_t *left)
{
    const uint64_t before = of->tsc, chance = roll();
    const bool enters = *left != 0 && of->depth < DEPTH_MAX && (of->depth == 0 || (chance & 3) > 1);
    stele_xray_record record = {.kind = enters ? STELE_XRAY_ENTER : STELE_XRAY_EXIT};
    if (enters) {
        of->calls[of->depth] = 1 + (uint32_t)(chance >> 8) % 40;
        record.function = of->calls[of->depth++];
        --*left;
    } else {
        record.function = of->calls[--of->depth];
    }
    of->tsc += 5 + (chance >> 32) % 400;
    record.tsc = of->tsc;
    record.value = of->tsc - before;
    return put(to, before, &record);
}

static int put_buffer(uint32_t number, thread *of, uint64_t *left)
{
    uint8_t buffer[BUFFER_SIZE + 64];
    size_t size = put_head(buffer, number, of);
    while (size + 8 <= BUFFER_SIZE && (*left != 0 || of->depth != 0))
        size += put_call(buffer + size, of, left);
    put(buffer, 0, &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = size - 16});
    return fwrite(buffer, 1, size, stdout) == size;
}

int main(int argc, char **argv)
{
    static thread threads[THREAD_MAX];
    uint64_t left = argc > 1 ? strtoull(argv[1], NULL, 0) : 12000000;
    const unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 0) : THREAD_MAX;
    const uint32_t count = wanted >= 1 && wanted <= THREAD_MAX ? (uint32_t)wanted : THREAD_MAX;
    stele_xray_header h = header;
    const uint64_t buffer_size = BUFFER_SIZE;
    uint8_t bytes[STELE_XRAY_HEADER_SIZE];
    memcpy(h.free_form, &buffer_size, sizeof buffer_size);
    stele_xray_encode_header(&h, bytes);
    for (uint32_t i = 0; i < count; i++)
        threads[i].tsc = 1000000;
    if (fwrite(bytes, 1, sizeof bytes, stdout) != sizeof bytes)
        return 1;
    for (uint32_t i = 0, idle = 0; idle < count; i = (i + 1) % count) {
        const bool is_done = left == 0 && threads[i].depth == 0;
        idle = is_done ? idle + 1 : 0;
        if (!is_done && !put_buffer(i, &threads[i], &left))
            return 1;
    }
    return fflush(stdout) != 0;
}
