/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_kernel COUNT FOLDER [turns|fine|switches]
 * COUNT events as LTTng's kernel tracer writes them (CTF 1.8): of four CPUs, packets of 64 KiB.
 * Threads call read() and write() on files and sockets, wait for disks and timers, are woken from
 * interrupts, and take pages. About 32 bytes an event: 30,000,000 make 1 GB.
 *
 * turns: each CPU does some 16 events before the next one has its turn, which is the default;
 * fine: all CPUs run at the same time, so that two events in a row are seldom of the same one;
 * switches: as fine, but threads are only switched and woken; two events of three are switches.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPUS        4u
#define PACKET_SIZE 65536u
#define HEAD_SIZE   52u
#define THREADS     64u

static const char metadata[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; } := u8;\n"
    "typealias integer { size = 8; align = 8; encoding = UTF8; } := chr;\n"
    "typealias integer { size = 32; align = 8; } := u32;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
    "typealias integer { size = 64; align = 8; } := u64;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
    "trace { major = 1; minor = 8; byte_order = le;\n"
    "  packet.header := struct { u32 magic; u32 stream_id; }; };\n"
    "env { domain = \"kernel\"; tracer_name = \"lttng-modules\"; tracer_major = 2; "
    "tracer_minor = 13; tracer_patchlevel = 0; hostname = \"bench\"; };\n"
    "clock { name = c; freq = 1000000000; };\n"
    "typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
    "stream { id = 0;\n"
    "  packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size;\n"
    "    u64 packet_size; u64 events_discarded; u32 cpu_id; };\n"
    "  event.header := struct { u8 id; time timestamp; }; };\n";

static const struct {
    const char *name, *fields;
} classes[] = {{"sched_switch", "chr prev_comm[16]; i32 prev_tid; i32 prev_prio; i64 prev_state; "
                                "chr next_comm[16]; i32 next_tid; i32 next_prio;"},
               {"sched_wakeup", "i32 tid; i32 prio; i32 target_cpu;"},
               {"syscall_entry_read", "u32 fd; u64 count;"},
               {"syscall_exit_read", "i64 ret; u64 buf;"},
               {"syscall_entry_write", "u32 fd; u64 buf; u64 count;"},
               {"syscall_exit_write", "i64 ret;"},
               {"irq_handler_entry", "i32 irq; string name;"},
               {"irq_handler_exit", "i32 irq; i32 ret;"},
               {"irq_softirq_raise", "u32 vec;"},
               {"irq_softirq_entry", "u32 vec;"},
               {"irq_softirq_exit", "u32 vec;"},
               {"block_rq_issue",
                "u32 dev; u64 sector; u32 nr_sector; u32 bytes; i32 tid; u32 rwbs; string comm;"},
               {"block_rq_complete", "u32 dev; u64 sector; u32 nr_sector; i32 error; u32 rwbs;"},
               {"kmem_mm_page_alloc", "u64 page; u32 order; u32 gfp_flags; i32 migratetype;"},
               {"net_dev_queue", "u64 skbaddr; u32 len; string name;"},
               {"timer_hrtimer_expire_entry", "u64 hrtimer; i64 now; u64 function;"}};

typedef struct stream {
    FILE *file;
    uint8_t bytes[PACKET_SIZE];
    uint32_t size, number, thread;
    uint64_t begin, end;
    uint64_t clock_ns; /* where all CPUs run at the same time */
} stream;

static uint64_t clock_ns = 1000000000;
static uint32_t noise = 1;
static bool is_fine;

static void put(stream *s, const void *bytes, size_t size)
{
    memcpy(s->bytes + s->size, bytes, size);
    s->size += (uint32_t)size;
}

static void u32(stream *s, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    put(s, bytes, sizeof bytes);
}

static void u64(stream *s, uint64_t value)
{
    u32(s, (uint32_t)value);
    u32(s, (uint32_t)(value >> 32));
}

static void finish(stream *s)
{
    const uint32_t size = s->size;
    if (size == HEAD_SIZE)
        return;
    s->size = 0;
    u32(s, 0xc1fc1fc1);
    u32(s, 0);
    u64(s, s->begin);
    u64(s, s->end);
    u64(s, (uint64_t)size * 8);
    u64(s, (uint64_t)PACKET_SIZE * 8);
    u64(s, 0);
    u32(s, s->number);
    memset(s->bytes + size, 0, PACKET_SIZE - size);
    if (fwrite(s->bytes, 1, PACKET_SIZE, s->file) != PACKET_SIZE)
        exit(1);
    s->size = HEAD_SIZE;
}

static void begin(stream *s, unsigned class)
{
    if (s->size > PACKET_SIZE - 256)
        finish(s);
    clock_ns += 130;
    if (is_fine) {
        noise = noise * 1664525 + 1013904223;
        s->clock_ns += 130 * CPUS / 2 + (noise >> 16) % (130 * CPUS);
        clock_ns = s->clock_ns;
    }
    if (s->size == HEAD_SIZE)
        s->begin = clock_ns;
    s->end = clock_ns;
    put(s, &(uint8_t){(uint8_t) class}, 1);
    u64(s, clock_ns);
}

static void comm(stream *s, uint32_t tid)
{
    char text[16] = {0};
    snprintf(text, sizeof text, tid == 0 ? "swapper" : "worker-%u", tid % 8);
    put(s, text, sizeof text);
}

static void switch_to(stream *s, uint32_t tid, uint64_t state)
{
    begin(s, 0);
    comm(s, s->thread);
    u32(s, s->thread);
    u32(s, 20);
    u64(s, state);
    comm(s, tid);
    u32(s, tid);
    u32(s, 20);
    s->thread = tid;
}

/* What a CPU does for a while: some 16 events. */
static unsigned work(stream *s, uint64_t i)
{
    const uint32_t tid = 1000 + (uint32_t)(i * 7 % (THREADS / CPUS)) * CPUS + s->number;
    switch_to(s, tid, i % 3 == 0 ? 0 : 1);
    begin(s, 2), u32(s, 3 + (uint32_t)(i % 5)), u64(s, 4096);
    begin(s, 11), u32(s, 8u << 20), u64(s, i * 8), u32(s, 8), u32(s, 4096), u32(s, tid), u32(s, 0),
        put(s, "worker", 7);
    begin(s, 13), u64(s, i), u32(s, (uint32_t)(i % 3)), u32(s, 0), u32(s, 0);
    switch_to(s, 0, 2);
    begin(s, 6), u32(s, 24), put(s, "ahci", 5);
    begin(s, 12), u32(s, 8u << 20), u64(s, i * 8), u32(s, 8), u32(s, 0), u32(s, 0);
    begin(s, 8), u32(s, 4);
    begin(s, 7), u32(s, 24), u32(s, 1);
    begin(s, 9), u32(s, 4);
    begin(s, 1), u32(s, tid), u32(s, 20), u32(s, s->number);
    begin(s, 10), u32(s, 4);
    switch_to(s, tid, 0);
    begin(s, 3), u64(s, 4096 - i % 7), u64(s, 0x7f0000000000);
    begin(s, 4), u32(s, 9), u64(s, 0x7f0000000000), u64(s, 100);
    begin(s, 14), u64(s, i), u32(s, 160), put(s, "eth0", 5);
    begin(s, 5), u64(s, i % 50 == 0 ? (uint64_t)-11 : 100);
    begin(s, 15), u64(s, i), u64(s, clock_ns), u64(s, 1);
    return 18;
}

/* A CPU switches from a thread to another one, and that wakes the next. */
static unsigned work_switches(stream *s, uint64_t i)
{
    const uint32_t tid = 1000 + (uint32_t)(i * 7 % (THREADS / CPUS)) * CPUS + s->number;
    switch_to(s, tid, i % 3 == 0 ? 0 : 1);
    begin(s, 1), u32(s, 1000 + (uint32_t)((i + CPUS) * 7 % (THREADS / CPUS)) * CPUS + s->number),
        u32(s, 20), u32(s, s->number);
    switch_to(s, i % 5 == 0 ? 0 : tid + THREADS, 1);
    return 3;
}

int main(int argc, char **argv)
{
    static stream streams[CPUS];
    const char *const what = argc == 4 ? argv[3] : "turns";
    const bool is_switching = strcmp(what, "switches") == 0;
    const uint64_t count = argc >= 3 ? strtoull(argv[1], NULL, 0) : 0;
    char path[4096];
    FILE *file;
    is_fine = is_switching || strcmp(what, "fine") == 0;
    if (argc < 3 || argc > 4 || (!is_fine && strcmp(what, "turns") != 0)) {
        fprintf(stderr, "usage: gen_kernel COUNT FOLDER [turns|fine|switches]\n");
        return 2;
    }
    mkdir(argv[2], 0777);
    for (unsigned i = 0; i < CPUS; i++) {
        snprintf(path, sizeof path, "%s/cpu_%u", argv[2], i);
        streams[i] = (stream){.file = fopen(path, "wb"),
                              .number = i,
                              .size = HEAD_SIZE,
                              .clock_ns = clock_ns + 130 * i};
        if (streams[i].file == NULL)
            return 1;
    }
    for (uint64_t i = 0, done = 0; done < count; i++)
        done += is_switching ? work_switches(&streams[i % CPUS], i) : work(&streams[i % CPUS], i);
    for (unsigned i = 0; i < CPUS; i++) {
        if (streams[i].size != HEAD_SIZE)
            finish(&streams[i]);
        fclose(streams[i].file);
    }
    snprintf(path, sizeof path, "%s/metadata", argv[2]);
    file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fputs(metadata, file);
    for (unsigned i = 0; i < sizeof classes / sizeof classes[0]; i++)
        fprintf(file,
                "event { name = \"%s\"; id = %u; stream_id = 0; fields := struct { %s }; };\n",
                classes[i].name, i, classes[i].fields);
    return fclose(file) != 0;
}
