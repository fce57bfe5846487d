/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a collector of each format with bytes that senders may send, in pieces of any size. Each
 * byte is kept, repeated, skipped or waits, what came bounds what is written, and what was written
 * can be opened.
 */
#define _XOPEN_SOURCE 700 /* for nftw() */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stele/collect.h>
#include <stele/stele.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void check_account(const stele_collector *c)
{
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    stele_collector_get_counts(c, &n);
    require(n.received_size == n.kept_size + n.repeated_size + n.skipped_size + n.waiting_size,
            "every byte is accounted for");
}

/* Checks that the traces that were made can be opened. */
static void read_back(stele_context *context, const stele_collector *c)
{
    stele_collected_trace about = STELE_INIT(stele_collected_trace);
    for (uint32_t i = 0; stele_collector_trace_at(c, i, &about); i++) {

        const stele_trace_options options = {.format = about.format};
        stele_trace *trace;
        if (about.packet_count == 0)
            continue;
        require(stele_trace_open(context, about.path, &options, &trace) == STELE_OK,
                "what was written is a trace");
        stele_trace_close(trace);
    }
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

/*
 * Removes a folder, not with a program: a process for each input would take longer than the input.
 */
static void remove_all(const char *folder)
{
    require(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "the folder is removed");
}

/* Makes a folder, in memory where the system has such a place, as the collector syncs its files. */
static void make_folder(char *folder, size_t size)
{
    snprintf(folder, size, "/dev/shm/stele-fuzz-XXXXXX");
    if (mkdtemp(folder) != NULL)
        return;
    snprintf(folder, size, "/tmp/stele-fuzz-XXXXXX");
    require(mkdtemp(folder) != NULL, "a folder");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"heph", "ctf", "fxt", NULL};
    char folder[32], path[64];
    stele_collector_options options = {.packet_size_max = 4096, .window_count = 8};
    stele_sender about = {.name = "sender"};
    stele_context *context;
    stele_collector *c;
    uint32_t senders[2];
    if (size < 2 || size > 65536)
        return 0;
    options.format = formats[data[0] & 3];
    options.rotate_size = (data[0] & 4) != 0 ? 1024 : 0;
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/out", folder);
    require(stele_context_new(NULL, &context) == STELE_OK, "memory");
    if (stele_collector_open(context, path, &options, &c) == STELE_OK) {
        about.is_datagram = (data[0] & 8) != 0;
        require(stele_collector_add(c, &about, &senders[0]) == STELE_OK, "memory");
        about.name = "another";
        require(stele_collector_add(c, &about, &senders[1]) == STELE_OK, "memory");
        for (size_t at = 1; at < size;) { /* a size, and as many bytes */
            const size_t wanted = (size_t)data[at] * (data[0] >> 4) + 1;
            const size_t piece = wanted < size - at - 1 ? wanted : size - at - 1;
            int64_t wait_ns;
            require(stele_collector_receive(c, senders[data[at] & 1], data + at + 1, piece,
                                            (int64_t)at) == STELE_OK,
                    "receiving goes on");
            require(stele_collector_tick(c, (int64_t)at, &wait_ns) == STELE_OK, "writing goes on");
            check_account(c);
            at += piece + 1;
        }
        require(stele_collector_finish(c, INT64_MAX / 2) == STELE_OK, "an end");
        check_account(c);
        read_back(context, c);
        stele_collector_close(c);
    }
    stele_context_free(context);
    remove_all(folder);
    return 0;
}
