/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends numbered packets to `stele collect` over loopback, as a bad network would deliver them:
 *
 *     collect_sender udp|tcp PORT heph|ctf18|ctf2 COUNT [NAME=NUMBER...]
 *
 *     loss=N     leaves out N of 1,000 packets
 *     reorder=N  sends N of 1,000 packets later
 *     twice=N    sends N of 1,000 packets twice
 *     lie=N      sends a packet that gives a wrong size before every Nth packet
 *     seed=N     seed of these choices
 *     pause=N    pauses for a moment after every N packets, as UDP has no back-pressure
 *
 * The first and the last packet of each stream are always sent, over UDP several times, so that
 * everything missing is between numbers that arrive. Prints how many packets there are, were left
 * out and were sent twice, and the bytes of packets with a wrong size.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STREAM_COUNT 4u
#define PACKET_MAX   64u
/* a packet that is sent late is sent after at most this many others */
#define LATE_MAX 16u
/* of Heph's counters, which wrap around after 2^32 - 1 */
#define FIRST_NUMBER UINT32_C(4294967000)

typedef enum kind { HEPH, CTF_18, CTF_2 } kind;

typedef struct late_packet {
    uint8_t bytes[PACKET_MAX];
    size_t size;
    uint64_t due; /* number of the packet after which this one is sent */
} late_packet;

typedef struct sender {
    int fd;
    bool is_datagram;
    kind kind;
    uint64_t count, loss, reorder, twice, lie, pause, random;
    uint64_t sent_since_pause;
    uint64_t lost, repeated, lies;
    late_packet late[LATE_MAX];
    size_t late_count;
    uint8_t buffer[32768]; /* bytes not yet sent, over TCP */
    size_t used;
} sender;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t choose(sender *s, uint64_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random % below;
}

/* ---- Making packets ---- */

static void put(uint8_t **to, uint64_t value, unsigned size, bool is_big)
{
    for (unsigned i = 0; i < size; i++)
        (*to)[i] = (uint8_t)(value >> (8 * (is_big ? size - 1 - i : i)));
    *to += size;
}

/* Makes event n of a stream, which is one packet. */
static size_t make_packet(const sender *s, uint32_t stream, uint64_t n, uint8_t *bytes)
{
    const bool is_big = s->kind == HEPH;
    uint8_t *at = bytes;
    if (s->kind == HEPH) {
        put(&at, 0xc1fc1fb7, 4, is_big);
        put(&at, 47, 4, is_big);
        put(&at, stream, 4, is_big);
        put(&at, FIRST_NUMBER + n, 4, is_big);
        put(&at, 1, 8, is_big); /* substream */
        put(&at, n * 10, 8, is_big);
        put(&at, n * 10 + 5, 8, is_big);
        put(&at, 5, 2, is_big);
        memcpy(at, "event", 5);
        return (size_t)(at - bytes) + 5;
    }
    put(&at, 0xc1fc1fc1, 4, is_big);
    put(&at, 0, 4, is_big); /* class of the stream */
    put(&at, stream, 4, is_big);
    put(&at, 48 * 8, 4, is_big); /* size of the packet, size of its content */
    put(&at, 48 * 8, 4, is_big);
    put(&at, n, 8, is_big);
    put(&at, 0, 4, is_big); /* class of the event */
    put(&at, n * 10, 8, is_big);
    put(&at, n, 8, is_big);
    return (size_t)(at - bytes);
}

/* Makes a packet that gives a larger size than any packet has. */
static size_t make_lie(const sender *s, uint8_t *bytes)
{
    uint8_t *at = bytes;
    if (s->kind == HEPH) {
        put(&at, 0xc1fc1fb7, 4, true);
        put(&at, 0x7fffffff, 4, true);
        put(&at, 0, 4, true);
        return (size_t)(at - bytes);
    }
    make_packet(s, 0, 0, bytes);
    at = bytes + 12;
    put(&at, 0xfffffff8, 4, false);
    return 48;
}

static const char tsdl[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
    "trace { major = 1; minor = 8; byte_order = le;\n"
    "  packet.header := struct { u32 magic; u32 stream_id; u32 stream_instance_id; }; };\n"
    "clock { name = mono; freq = 1000000000; };\n"
    "stream { id = 0;\n"
    "  packet.context := struct { u32 packet_size; u32 content_size; u64 packet_seq_num; };\n"
    "  event.header := struct { u32 id; integer { size = 64; align = 8; signed = false;\n"
    "    map = clock.mono.value; } timestamp; }; };\n"
    "event { id = 0; stream_id = 0; name = \"tick\"; fields := struct { u64 n; }; };\n";

#define U(name, bits, roles)                                                              \
    "{\"name\":\"" name "\",\"field-class\":{\"type\":\"fixed-length-unsigned-integer\"," \
    "\"length\":" bits ",\"alignment\":8,\"byte-order\":\"little-endian\"" roles "}}"
#define ROLE(name)         ",\"roles\":[\"" name "\"]"
#define STRUCTURE(members) "{\"type\":\"structure\",\"member-classes\":[" members "]}"

static const char *const fragments[] = {
    "\x1e{\"type\":\"preamble\",\"version\":2}\n",
    "\x1e{\"type\":\"trace-class\",\"packet-header-field-class\":" STRUCTURE(
        U("m", "32", ROLE("packet-magic-number")) "," U(
            "c", "32", ROLE("data-stream-class-id")) "," U("s", "32",
                                                           ROLE("data-stream-id"))) "}\n",
    "\x1e{\"type\":\"clock-class\",\"id\":\"mono\",\"name\":\"mono\",\"frequency\":1000000000,"
    "\"offset-from-origin\":{\"seconds\":0,\"cycles\":0}}\n",
    "\x1e{\"type\":\"data-stream-class\",\"id\":0,\"default-clock-class-id\":\"mono\","
    "\"packet-context-field-class\":" STRUCTURE(
        U("p", "32", ROLE("packet-total-length")) "," U("q", "32", ROLE("packet-content-length")) "," U(
            "n", "64", ROLE("packet-sequence-number"))) ",\"event-record-header-field-"
                                                        "class\":" STRUCTURE(
                                                            U("i", "32",
                                                              ROLE("event-record-class-"
                                                                   "id")) "," U("t", "64",
                                                                                ROLE("def"
                                                                                     "aul"
                                                                                     "t-"
                                                                                     "clo"
                                                                                     "ck-"
                                                                                     "tim"
                                                                                     "est"
                                                                                     "am"
                                                                                     "p"))) "}\n",
    "\x1e{\"type\":\"event-record-class\",\"id\":0,\"name\":\"tick\",\"payload-field-"
    "class\":" STRUCTURE(U("n", "64", "")) "}\n"};

/* ---- Sending packets ---- */

static void write_all(sender *s)
{
    size_t done = 0;
    while (done < s->used) {
        const ssize_t got = write(s->fd, s->buffer + done, s->used - done);
        if (got <= 0)
            fail("send");
        done += (size_t)got;
    }
    s->used = 0;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void transmit(sender *s, const void *bytes, size_t size)
{
    if (!s->is_datagram) {
        if (size > sizeof s->buffer - s->used)
            write_all(s);
        memcpy(s->buffer + s->used, bytes, size);
        s->used += size;
        return;
    }
    if (send(s->fd, bytes, size, 0) < 0)
        fail("send");
    if (++s->sent_since_pause >= s->pause) {
        s->sent_since_pause = 0;
        rest();
    }
}

static void send_late(sender *s, uint64_t before)
{
    for (size_t i = s->late_count; i > 0; i--) {
        late_packet *late = &s->late[i - 1];
        if (late->due >= before)
            continue;
        transmit(s, late->bytes, late->size);
        *late = s->late[--s->late_count];
    }
}

static void send_state(sender *s)
{
    uint8_t bytes[64], *at = bytes;
    if (s->kind == HEPH) {
        put(&at, 0x75d11d4d, 4, true);
        put(&at, 23, 4, true);
        put(&at, 5, 2, true);
        memcpy(at, "epoch", 5);
        at += 5;
        put(&at, UINT64_C(1610113734118010000), 8, true);
        transmit(s, bytes, 23);
    }
    if (s->kind == CTF_18)
        transmit(s, tsdl, sizeof tsdl - 1);
    for (size_t i = 0; s->kind == CTF_2 && i < sizeof fragments / sizeof *fragments; i++)
        transmit(s, fragments[i], strlen(fragments[i]));
}

/* Sends packet `number` of all packets; the streams take turns. */
static void send_packet(sender *s, uint64_t number)
{
    const bool is_end = number < STREAM_COUNT || number + STREAM_COUNT >= s->count;
    uint8_t bytes[PACKET_MAX];
    size_t size;
    if (s->lie != 0 && number % s->lie == s->lie - 1) {
        size = make_lie(s, bytes);
        s->lies += size;
        transmit(s, bytes, size);
    }
    if (!is_end && choose(s, 1000) < s->loss) {
        s->lost++;
        return;
    }
    size = make_packet(s, (uint32_t)(number % STREAM_COUNT), number / STREAM_COUNT, bytes);
    if (!is_end && s->late_count < LATE_MAX && choose(s, 1000) < s->reorder) {
        late_packet *late = &s->late[s->late_count++];
        memcpy(late->bytes, bytes, size);
        late->size = size;
        late->due = number + 1 + choose(s, LATE_MAX);
        return;
    }
    transmit(s, bytes, size);
    if (!is_end && choose(s, 1000) < s->twice) {
        s->repeated++;
        transmit(s, bytes, size);
    }
}

/* Sends the ends of the streams, several times over UDP, as the receiver drops repeated packets. */
static void send_ends(sender *s, uint64_t from)
{
    for (unsigned times = 0; times < (s->is_datagram ? 8u : 1u); times++) {
        for (uint64_t i = from; i < from + STREAM_COUNT; i++)
            send_packet(s, i);
        rest();
    }
}

static void send_all(sender *s)
{
    for (unsigned times = 0; times < (s->is_datagram ? 4u : 1u); times++)
        send_state(s);
    send_ends(s, 0);
    for (uint64_t i = STREAM_COUNT; i + STREAM_COUNT < s->count; i++) {
        send_packet(s, i);
        send_late(s, i);
    }
    send_late(s, UINT64_MAX);
    send_ends(s, s->count - STREAM_COUNT);
    write_all(s);
}

static uint64_t number_of(int count, char **words, const char *name, uint64_t otherwise)
{
    const size_t size = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], name, size) == 0 && words[i][size] == '=')
            return strtoull(words[i] + size + 1, NULL, 10);
    return otherwise;
}

int main(int count, char **words)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    static sender s;
    if (count < 5) {
        fprintf(stderr, "usage: collect_sender udp|tcp PORT heph|ctf18|ctf2 COUNT [NAME=N...]\n");
        return 2;
    }
    s.is_datagram = strcmp(words[1], "udp") == 0;
    s.kind = strcmp(words[3], "heph") == 0 ? HEPH : strcmp(words[3], "ctf18") == 0 ? CTF_18 : CTF_2;
    s.count = strtoull(words[4], NULL, 10);
    s.loss = number_of(count, words, "loss", 0);
    s.reorder = number_of(count, words, "reorder", 0);
    s.twice = number_of(count, words, "twice", 0);
    s.lie = number_of(count, words, "lie", 0);
    s.pause = number_of(count, words, "pause", 200);
    s.random = number_of(count, words, "seed", 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    address.sin_port = htons((uint16_t)strtoul(words[2], NULL, 10));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s.fd = socket(AF_INET, s.is_datagram ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (s.fd < 0 || connect(s.fd, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    send_all(&s);
    close(s.fd);
    printf("packets=%llu lost=%llu twice=%llu lies=%llu\n", (unsigned long long)s.count,
           (unsigned long long)s.lost, (unsigned long long)s.repeated, (unsigned long long)s.lies);
    return 0;
}
