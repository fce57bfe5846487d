/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_ctf KIND COUNT FOLDER
 * A CTF 1.8 trace of COUNT events as LTTng-UST writes them.
 *   mixed     25 event classes with integers, enumerations, strings, sequences and contexts, four
 *             streams, packets of 512 KiB: 8,000,000 make 450 MB
 *   packets   the same with a few events a packet
 *   files     the same, in a thousand streams
 *   empty     as many packets without events
 *   string    events of one string of 1 MiB
 *   classes   as many event classes as events, each used once
 *   aliases   as many names of types as events
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STREAM_FEW  4u
#define STREAM_MANY 1000u
#define CLASS_COUNT 25u
#define PACKET_SIZE ((size_t)512 << 10)
#define STRING_SIZE ((size_t)1 << 20)
#define HEAD_SIZE   96u /* of a packet: magic to cpu_id, padded */

/* What the payload of an event class has; letters of put_payload(). */
static const char *const payloads[CLASS_COUNT] = {
    "i",   "l",   "iu", "ii", "s",  "is", "q",   "iq",  "e", "ie", "lu", "f",   "sl",
    "iil", "iuf", "ss", "eu", "uu", "qs", "lll", "iei", "",  "f",  "ui", "iiii"};

typedef struct stream {
    FILE *file;
    uint8_t *packet;
    size_t size;
    uint64_t begin, sequence;
    unsigned cpu;
} stream;

static uint64_t dice = 1;

static uint64_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    return dice ^= dice << 17;
}

/* ---- Metadata ---- */

static const char head[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
    "typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n"
    "trace { major = 1; minor = 8; byte_order = le;\n"
    "  uuid = \"5bd5b7a0-8a5d-4b1f-9d5c-1d6ed1f4a001\";\n"
    "  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n};\n"
    "env { hostname = \"bench\"; domain = \"ust\"; tracer_name = \"lttng-ust\"; tracer_major = 2; "
    "tracer_minor = 13; };\n"
    "clock { name = \"monotonic\"; freq = 1000000000; offset = 1700000000000000000; };\n"
    "typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := "
    "uint27_clock_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := "
    "uint64_clock_t;\n"
    "struct packet_context { uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;\n"
    "  uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
    "  uint64_t events_discarded; uint32_t cpu_id; };\n"
    "struct event_header_compact {\n"
    "  enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
    "  variant <id> {\n"
    "    struct { uint27_clock_t timestamp; } compact;\n"
    "    struct { uint32_t id; uint64_clock_t timestamp; } extended;\n  } v;\n} align(8);\n"
    "stream { id = 0; event.header := struct event_header_compact;\n"
    "  packet.context := struct packet_context;\n"
    "  event.context := struct {\n"
    "    integer { size = 32; align = 8; signed = true; } _vpid;\n"
    "    integer { size = 32; align = 8; signed = true; } _vtid;\n"
    "    integer { size = 8; align = 8; signed = false; encoding = UTF8; } _procname[17];\n"
    "  };\n};\n";

static void print_member(FILE *out, char what, unsigned number)
{
    switch (what) {
    case 'i':
        fprintf(out, "integer { size = 32; align = 8; signed = true; } _int%u; ", number);
        break;
    case 'u': fprintf(out, "uint16_t _short%u; ", number); break;
    case 'l':
        fprintf(out, "integer { size = 64; align = 8; base = 16; } _address%u; ", number);
        break;
    case 'f':
        fprintf(out, "floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _ratio%u; ",
                number);
        break;
    case 'e':
        fprintf(out, "enum : uint8_t { IDLE = 0, BUSY = 1 ... 9, LOST = 10 } _state%u; ", number);
        break;
    case 'q':
        fprintf(out, "uint16_t __data%u_length; uint32_t _data%u[ __data%u_length ]; ", number,
                number, number);
        break;
    default: fprintf(out, "string _text%u; ", number); break;
    }
}

static void print_class(FILE *out, uint64_t id, const char *payload)
{
    fprintf(out,
            "event { name = \"bench:event_%llu\"; id = %llu; stream_id = 0; loglevel = 13;\n"
            "  fields := struct { ",
            (unsigned long long)id, (unsigned long long)id);
    for (unsigned i = 0; payload[i] != 0; i++)
        print_member(out, payload[i], i);
    fprintf(out, "};\n};\n");
}

/* ---- Packets ---- */

static void put(stream *s, const void *bytes, size_t size)
{
    memcpy(s->packet + s->size, bytes, size);
    s->size += size;
}

#define PUT(s, type, value) put((s), &(type){(type)(value)}, sizeof(type))

static void packet_begin(stream *s, uint64_t now)
{
    s->begin = now;
    s->size = HEAD_SIZE;
}

static void packet_end(stream *s, uint64_t now)
{
    static const uint8_t uuid[16] = {0x5b, 0xd5, 0xb7, 0xa0, 0x8a, 0x5d, 0x4b, 0x1f,
                                     0x9d, 0x5c, 0x1d, 0x6e, 0xd1, 0xf4, 0xa0, 0x01};
    const size_t size = s->size;
    const uint32_t head_bytes = 24 + 48 + 4;
    memmove(s->packet + head_bytes, s->packet + HEAD_SIZE, size - HEAD_SIZE);
    s->size = 0;
    PUT(s, uint32_t, 0xc1fc1fc1);
    put(s, uuid, sizeof uuid);
    PUT(s, uint32_t, 0);
    PUT(s, uint64_t, s->begin);
    PUT(s, uint64_t, now);
    PUT(s, uint64_t, (size - HEAD_SIZE + head_bytes) * 8);
    PUT(s, uint64_t, (size - HEAD_SIZE + head_bytes) * 8);
    PUT(s, uint64_t, s->sequence++);
    PUT(s, uint64_t, 0);
    PUT(s, uint32_t, s->cpu);
    if (fwrite(s->packet, 1, size - HEAD_SIZE + head_bytes, s->file) !=
        size - HEAD_SIZE + head_bytes)
        abort();
}

static void put_text(stream *s)
{
    static const char words[] = "the quick brown fox jumps over the lazy dog";
    const size_t size = 4 + roll() % 16;
    put(s, words + roll() % 20, size);
    PUT(s, uint8_t, 0);
}

static void put_payload(stream *s, const char *payload)
{
    for (; *payload != 0; payload++) {
        const uint64_t value = roll();
        switch (*payload) {
        case 'i': PUT(s, uint32_t, value); break;
        case 'u': PUT(s, uint16_t, value); break;
        case 'l': PUT(s, uint64_t, value); break;
        case 'f': PUT(s, double, (double)(value % 1000) / 7); break;
        case 'e': PUT(s, uint8_t, value % 11); break;
        case 'q':
            PUT(s, uint16_t, value % 5);
            for (uint64_t i = 0; i < value % 5; i++)
                PUT(s, uint32_t, value + i);
            break;
        default: put_text(s); break;
        }
    }
}

static void put_head(stream *s, uint64_t id, uint64_t now)
{
    static const char name[17] = "bench-worker";
    if (id < 31) {
        PUT(s, uint32_t, id | now << 5);
    } else {
        PUT(s, uint8_t, 31);
        PUT(s, uint32_t, id);
        PUT(s, uint64_t, now);
    }
    PUT(s, uint32_t, 4000);
    PUT(s, uint32_t, 4001 + s->cpu);
    put(s, name, sizeof name);
}

/* ---- Traces ---- */

typedef struct options {
    const char *kind;
    bool is_string, has_classes, has_aliases, is_empty;
    size_t packet_size;
    unsigned stream_count;
} options;

static const options kinds[] = {
    {.kind = "mixed", .packet_size = PACKET_SIZE, .stream_count = STREAM_FEW},
    {.kind = "packets", .packet_size = 200, .stream_count = STREAM_FEW},
    {.kind = "files", .packet_size = 200, .stream_count = STREAM_MANY},
    {.kind = "empty", .is_empty = true, .stream_count = STREAM_FEW},
    {.kind = "string", .is_string = true, .packet_size = PACKET_SIZE, .stream_count = STREAM_FEW},
    {.kind = "classes",
     .has_classes = true,
     .packet_size = PACKET_SIZE,
     .stream_count = STREAM_FEW},
    {.kind = "aliases",
     .has_aliases = true,
     .packet_size = PACKET_SIZE,
     .stream_count = STREAM_FEW}};

static const options *find_kind(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].kind, kind) == 0)
            return &kinds[i];
    }
    return NULL;
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void print_metadata(const char *folder, uint64_t count, const options *o)
{
    FILE *out = create(folder, "metadata");
    const uint64_t classes = o->has_classes ? count : CLASS_COUNT;
    fputs(head, out);
    for (uint64_t i = 0; o->has_aliases && i < count; i++)
        fprintf(out, "typealias integer { size = 32; align = 8; signed = true; } := alias_%llu;\n",
                (unsigned long long)i);
    for (uint64_t i = 0; i < classes; i++)
        print_class(out, i, o->is_string ? "s" : payloads[i % CLASS_COUNT]);
    fclose(out);
}

static void put_event(stream *s, uint64_t i, uint64_t now, const options *o)
{
    const uint64_t id = o->has_classes ? i : o->is_string ? 0 : roll() % CLASS_COUNT;
    put_head(s, id, now);
    if (o->is_string) {
        memset(s->packet + s->size, 'x', STRING_SIZE);
        s->size += STRING_SIZE;
        PUT(s, uint8_t, 0);
    } else {
        put_payload(s, payloads[id % CLASS_COUNT]);
    }
}

static stream *open_streams(const options *o, const char *folder, uint64_t now)
{
    stream *streams = calloc(o->stream_count, sizeof *streams);
    const size_t size = HEAD_SIZE + o->packet_size + (o->is_string ? STRING_SIZE : 0) + 4096;
    for (unsigned i = 0; streams != NULL && i < o->stream_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "channel_%u", i);
        streams[i] =
            (stream){.file = create(folder, name), .packet = malloc(size), .cpu = i % STREAM_FEW};
        if (streams[i].packet == NULL)
            exit(1);
        packet_begin(&streams[i], now);
    }
    return streams;
}

int main(int argc, char **argv)
{
    const options *o = argc == 4 ? find_kind(argv[1]) : NULL;
    const uint64_t count = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    stream *streams;
    uint64_t now = 1000000;
    if (o == NULL || count == 0) {
        fprintf(stderr, "usage: gen_ctf "
                        "mixed|packets|files|empty|string|classes|aliases COUNT FOLDER\n");
        return 2;
    }
    mkdir(argv[3], 0777);
    print_metadata(argv[3], count, o);
    streams = open_streams(o, argv[3], now);
    if (streams == NULL)
        return 1;
    for (uint64_t i = 0; i < count; i++) {
        stream *s = &streams[roll() % o->stream_count];
        now += 20 + roll() % 400;
        if (o->is_empty || s->size - HEAD_SIZE >= o->packet_size) {
            packet_end(s, now - 1);
            packet_begin(s, now);
        }
        if (!o->is_empty)
            put_event(s, i, now, o);
    }
    for (unsigned i = 0; i < o->stream_count; i++) {
        packet_end(&streams[i], now);
        fclose(streams[i].file);
        free(streams[i].packet);
    }
    free(streams);
    return 0;
}
