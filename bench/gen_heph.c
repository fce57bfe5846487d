/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_heph COUNT > trace.heph
 * COUNT events like those of Heph's runtime: 4 workers, about two attributes an event, written when
 * they end. About 92 bytes an event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/heph.h>

#define STREAM_COUNT 4u
#define BUFFER_SIZE  ((size_t)1 << 20)

static stele_heph_text text(const char *bytes)
{
    return (stele_heph_text){bytes, (uint16_t)strlen(bytes)};
}

static void put_uint(stele_heph_encoder *to, const char *name, uint64_t value)
{
    stele_heph_encode_attribute(to, text(name), STELE_HEPH_UINT, 1);
    stele_heph_encode_uint(to, value);
}

static void put_attributes(stele_heph_encoder *to, unsigned kind, uint64_t i)
{
    switch (kind) {
    case 0:
        put_uint(to, "local amount", i % 7);
        put_uint(to, "shared amount", i % 3);
        put_uint(to, "total amount", i % 10);
        break;
    case 1:
        put_uint(to, "id", i % 1000);
        stele_heph_encode_attribute(to, text("name"), STELE_HEPH_STRING, 1);
        stele_heph_encode_string(to, text(i % 2 != 0 ? "comm_actor" : "poll_actor"));
        break;
    case 2: break;
    case 3: put_uint(to, "amount", i % 5); break;
    case 4:
        stele_heph_encode_attribute(to, text("delay"), STELE_HEPH_FLOAT, 1);
        stele_heph_encode_float(to, (double)(i % 100) * 0.25);
        stele_heph_encode_attribute(to, text("change"), STELE_HEPH_INT, 1);
        stele_heph_encode_int(to, (int64_t)(i % 100) - 50);
        break;
    default: put_uint(to, "n", i); break;
    }
}

int main(int argc, char **argv)
{
    static const char *const descriptions[] = {
        "Scheduling processes",  "Running thread-local process",
        "Polling for OS events", "Scheduling thread-local processes",
        "Running user function", "receiving message"};
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000000;
    const uint8_t epoch[8] = {0x16, 0x58, 0x5b, 0x51, 0xb2, 0xf2, 0x6a, 0x10};
    uint32_t counters[STREAM_COUNT] = {0};
    stele_heph_encoder to = {0};
    stele_heph_encode_option(&to, &(stele_heph_option){text("epoch"), epoch, sizeof epoch});
    for (uint64_t i = 0; i < count && to.status == STELE_OK; i++) {
        const uint32_t stream = (uint32_t)(i * 7 % STREAM_COUNT);
        const unsigned kind = (unsigned)(i % 6);
        stele_heph_encode_event(&to,
                                &(stele_heph_event){.stream = stream + 1,
                                                    .counter = counters[stream]++,
                                                    .start = 1000 + i * 300 - i % 50 * 40,
                                                    .end = 1300 + i * 300,
                                                    .description = text(descriptions[kind])},
                                STELE_HEPH_SUBSTREAMS);
        put_attributes(&to, kind, i);
        stele_heph_encode_end(&to);
        if (to.size >= BUFFER_SIZE || i + 1 == count) {
            if (fwrite(to.bytes, 1, to.size, stdout) != to.size)
                return 1;
            stele_heph_encoder_clear(&to);
        }
    }
    if (to.status != STELE_OK || (count == 0 && fwrite(to.bytes, 1, to.size, stdout) != to.size))
        return 1;
    stele_heph_encoder_free(&to);
    return fflush(stdout) != 0;
}
