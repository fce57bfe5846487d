/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata that arrive between packets: reading and writing them costs no more than their size,
   in whatever order they come, and the trace can be read at any moment. */
#include <stele/collect.h>
#include <stele/reader.h>

#include <sys/stat.h>
#include <unistd.h>

#include "collect/collector.h"
#include "core/load.h"
#include "formats/receive.h"
#include "support.h"

#define PACKET_SIZE 13u
#define TEXT_MAX    512u
#define PIECE_COUNT 3000u
#define READ_AGAIN  (UINT64_C(16) << 20) /* bytes of metadata that a test may have read again */
#define HEAD        "\x1e{\"type\":\"preamble\",\"version\":2}"

typedef struct arrival {
    char folder[64];
    stele_context *context;
    stele_collector *collector;
    uint32_t sender;
    int64_t now_ns;
    uint64_t metadata_size, event_count;
} arrival;

/* The metadata of a trace in which a packet of data stream class 0 begins with its class, its
   size in bits, and the class of its event. */
static const char trace_class[] =
    HEAD "\x1e{\"type\":\"trace-class\",\"packet-header-field-class\":{\"type\":\"structure\","
         "\"member-classes\":[{\"name\":\"c\",\"field-class\":{\"type\":"
         "\"fixed-length-unsigned-integer\",\"length\":32,\"byte-order\":\"little-endian\","
         "\"roles\":[\"data-stream-class-id\"]}}]}}";

static void put_stream_class(char *text, unsigned id)
{
    snprintf(
        text, TEXT_MAX,
        "\x1e{\"type\":\"data-stream-class\",\"id\":%u,\"packet-context-field-class\":{\"type\":"
        "\"structure\",\"member-classes\":[{\"name\":\"t\",\"field-class\":{\"type\":"
        "\"fixed-length-unsigned-integer\",\"length\":32,\"byte-order\":\"little-endian\","
        "\"roles\":[\"packet-total-length\"]}}]},\"event-record-header-field-class\":{\"type\":"
        "\"structure\",\"member-classes\":[{\"name\":\"i\",\"field-class\":{\"type\":"
        "\"fixed-length-unsigned-integer\",\"length\":32,\"byte-order\":\"little-endian\","
        "\"roles\":[\"event-record-class-id\"]}}]}}",
        id);
}

static void put_event_class(char *text, unsigned stream, unsigned id)
{
    snprintf(text, TEXT_MAX,
             "\x1e{\"type\":\"event-record-class\",\"id\":%u,\"data-stream-class-id\":%u,\"name\":"
             "\"e%u\","
             "\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":[{\"name\":\"v\","
             "\"field-class\":{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,"
             "\"byte-order\":\"little-endian\"}}]}}",
             id, stream, id);
}

static bool arrival_begin(arrival *a, bool is_datagram)
{
    const stele_sender about = {.name = "s", .host = "h", .is_datagram = is_datagram};
    memset(a, 0, sizeof *a);
    if (!stele_format_find("ctf", &(stele_format_info){0}))
        return false;
    folder_enter(a->folder, sizeof a->folder);
    REQUIRE(stele_context_new(NULL, &a->context) == STELE_OK);
    REQUIRE(stele_collector_open(a->context, "out", NULL, &a->collector) == STELE_OK);
    REQUIRE(stele_collector_add(a->collector, &about, &a->sender) == STELE_OK);
    return true;
}

static void arrival_give(arrival *a, const void *bytes, size_t size)
{
    int64_t wait_ns;
    REQUIRE(stele_collector_receive(a->collector, a->sender, bytes, size, a->now_ns) == STELE_OK);
    REQUIRE(stele_collector_tick(a->collector, a->now_ns++, &wait_ns) == STELE_OK);
}

static void arrival_text(arrival *a, const char *text)
{
    a->metadata_size += strlen(text);
    arrival_give(a, text, strlen(text));
}

static size_t put_text(uint8_t *bytes, const char *text)
{
    memcpy(bytes, text, strlen(text));
    return strlen(text);
}

static size_t put_packet(uint8_t *packet, uint32_t stream, uint32_t event)
{
    store_le32(packet, stream);
    store_le32(packet + 4, PACKET_SIZE * 8);
    store_le32(packet + 8, event);
    packet[12] = (uint8_t)event;
    return PACKET_SIZE;
}

static void arrival_event(arrival *a, uint32_t stream, uint32_t event)
{
    uint8_t packet[PACKET_SIZE];
    put_packet(packet, stream, event);
    a->event_count++;
    arrival_give(a, packet, sizeof packet);
}

static uint64_t count_events(const arrival *a, bool *is_sound)
{
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_context *context;
    uint64_t count = 0;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    (void)a;
    REQUIRE(stele_trace_open(context, "out/h", NULL, &trace) == STELE_OK);
    REQUIRE(stele_reader_open(context, (stele_trace *[]){trace}, 1, NULL, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        count += segment.count;
    *is_sound = stele_context_diag_count(context, STELE_ERROR) == 0;
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return count;
}

static uint64_t file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* Checks that all that came is in the trace, and that neither reading nor writing grew with the
   square of it. */
static void arrival_end(arrival *a, uint64_t written_again)
{
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    bool is_sound;
    /* as if the collector were killed here */
    CHECK_EQ_U64(count_events(a, &is_sound), a->event_count);
    CHECK(stele_collector_finish(a->collector, a->now_ns) == STELE_OK);
    CHECK_EQ_U64(count_events(a, &is_sound), a->event_count);
    CHECK(is_sound);
    stele_collector_get_counts(a->collector, &n);
    CHECK_EQ_U64(n.kept_size, a->metadata_size + a->event_count * PACKET_SIZE);
    CHECK_EQ_U64(file_size("out/h/metadata"), a->metadata_size);
    CHECK(n.written_size <= n.received_size + written_again);
    CHECK(a->collector->state_room.read_size <= READ_AGAIN);
    stele_collector_close(a->collector);
    stele_context_free(a->context);
    folder_leave(a->folder);
}

static void begin_with_stream(arrival *a)
{
    char text[TEXT_MAX];
    arrival_text(a, HEAD);
    arrival_text(a, trace_class + sizeof HEAD - 1);
    put_stream_class(text, 0);
    arrival_text(a, text);
}

TEST(classes_of_events_between_packets)
{
    arrival a;
    char text[TEXT_MAX];
    for (unsigned how = 0; how < 2; how++) {
        if (!arrival_begin(&a, how == 1))
            return;
        begin_with_stream(&a);
        for (unsigned i = 0; i < PIECE_COUNT; i++) {
            put_event_class(text, 0, i);
            arrival_text(&a, text);
            arrival_event(&a, 0, i);
        }
        arrival_end(&a, 0);
    }
}

/* Each packet needs the stream class that came just before it. */
TEST(classes_of_streams_between_packets)
{
    arrival a;
    char text[TEXT_MAX];
    for (unsigned how = 0; how < 2; how++) {
        if (!arrival_begin(&a, how == 1))
            return;
        begin_with_stream(&a);
        for (unsigned i = 20; i < 220; i++) {
            put_stream_class(text, i);
            arrival_text(&a, text);
            put_event_class(text, i, 7);
            arrival_text(&a, text);
            arrival_event(&a, i, 7);
        }
        arrival_end(&a, 0);
    }
}

/*
 * Fragments and packets are recognized when they come together or in pieces, whatever bytes packets
 * begin with: packets of data stream class 10 begin with a line feed, those of 93 with a bracket.
 */
TEST(packets_begin_where_fragments_end)
{
    static const uint32_t classes[] = {0, 9, 10, 13, 32, 93, 125};
    static const char *const ends[] = {"", "\n", "\r\n", "\n\n", " \n"};
    const size_t class_count = sizeof classes / sizeof *classes;
    uint8_t bytes[64 << 10];
    arrival a;
    for (size_t piece = 1; piece <= sizeof bytes; piece = piece < 5 ? piece + 1 : piece * 7) {
        size_t size = 0;
        if (!arrival_begin(&a, false))
            return;
        size += put_text(bytes + size, HEAD "\n");
        size += put_text(bytes + size, trace_class + sizeof HEAD - 1);
        for (unsigned i = 0; i < class_count; i++)
            for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
                char text[TEXT_MAX];
                /*
                 * A fragment can be distinguished from a packet after it only if it ends with a
                 * line feed, and a missing line feed looks the same as one that begins the packet.
                 */
                const bool is_apart = k < 3 && (k != 0 || classes[i] != 10);
                if (k == 0) {
                    put_stream_class(text, classes[i]);
                    size += put_text(bytes + size, text);
                }
                put_event_class(text, classes[i], k);
                size += put_text(bytes + size, text);
                size += put_text(bytes + size, ends[k]);
                if (!is_apart)
                    continue;
                size += put_packet(bytes + size, classes[i], k);
                a.event_count++;
            }
        for (size_t at = 0; at < size; at += piece)
            arrival_give(&a, bytes + at, piece < size - at ? piece : size - at);
        a.metadata_size = size - a.event_count * PACKET_SIZE;
        arrival_end(&a, UINT64_C(4) << 20);
    }
}

/* Fragments that classes of events refer to come after them, and are written before them in the
   file. */
TEST(what_comes_late_stands_where_it_belongs)
{
    arrival a;
    char text[TEXT_MAX];
    if (!arrival_begin(&a, true))
        return;
    arrival_text(&a, HEAD);
    arrival_text(&a, trace_class + sizeof HEAD - 1);
    for (unsigned i = 0; i < 100; i++) {
        put_event_class(text, i, 7);
        arrival_text(&a, text);
        put_stream_class(text, i);
        arrival_text(&a, text);
        arrival_event(&a, i, 7);
    }
    arrival_end(&a, UINT64_C(4) << 20);
}

/* A sender that needs everything read again for each packet gets no more of that than what it
   sent pays for. What waits is written in the end, or reported as missing. */
TEST(packets_that_need_what_just_came_wait_for_their_turn)
{
    arrival a;
    char text[TEXT_MAX];
    bool is_sound;
    uint64_t read_size;
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    if (!arrival_begin(&a, false))
        return;
    begin_with_stream(&a);
    a.collector->state_room.read_free = 0;
    a.collector->state_room.last_left = 30;
    for (unsigned i = 20; i < 220; i++) {
        put_stream_class(text, i);
        arrival_text(&a, text);
        put_event_class(text, i, 7);
        arrival_text(&a, text);
        arrival_event(&a, i, 7);
    }
    stele_collector_get_counts(a.collector, &n);
    read_size = a.collector->state_room.read_size;
    CHECK(read_size <= 16 * n.received_size && read_size > 8 * n.received_size);
    CHECK(n.waiting_size != 0);
    CHECK(stele_collector_finish(a.collector, a.now_ns) == STELE_OK);
    CHECK(a.collector->state_room.read_size - read_size <= 30 * a.metadata_size);
    stele_collector_get_counts(a.collector, &n);
    CHECK_EQ_U64(n.received_size, n.kept_size + n.skipped_size);
    CHECK_EQ_U64(count_events(&a, &is_sound), n.packet_count);
    CHECK(is_sound);
    CHECK(n.packet_count > 30 && n.packet_count < 200);
    CHECK(stele_context_diag_count(a.context, STELE_ERROR) != 0);
    stele_collector_close(a.collector);
    stele_context_free(a.context);
    folder_leave(a.folder);
}
