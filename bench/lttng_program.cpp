// SPDX-License-Identifier: Apache-2.0
// usage: lttng-program EVENTS
// The traced program of bench/ctf.sh: four threads that hit the tracepoints of LTTng-UST in
// bench/lttng_events.h, EVENTS times together.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

namespace
{

constexpr int thread_count = 4;

const char *const names[] = {"open",       "read",        "write",
                             "futex wait", "epoll_wait",  "a somewhat longer name of a thing",
                             "",           "h\xc3\xa9llo"};

#define STEP(number, letter) \
    case number: lttng_ust_tracepoint(bench, step_##letter, (int)index, index * 31); break;

void step(uint64_t index)
{
    // clang-format off
    switch (index * 7 % 21) {
        STEP(0, a) STEP(1, b) STEP(2, c) STEP(3, d) STEP(4, e) STEP(5, f) STEP(6, g)
        STEP(7, h) STEP(8, i) STEP(9, j) STEP(10, k) STEP(11, l) STEP(12, m) STEP(13, n)
        STEP(14, o) STEP(15, p) STEP(16, q) STEP(17, r) STEP(18, s) STEP(19, t) STEP(20, u)
    }
    // clang-format on
}

void packet(uint64_t index)
{
    const int counts[4] = {(int)index, -(int)index, 7, 8};
    uint8_t bytes[17] = "payload of bytes";
    bytes[0] = (uint8_t)('a' + index % 26);
    lttng_ust_tracepoint(bench, packet, (int64_t)(index * 1000003), names[index % 8], bytes,
                         (size_t)(index % 16), counts);
}

void run(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        switch (i % 8) {
        case 0: packet(i); break;
        case 1:
        case 5:
            lttng_ust_tracepoint(bench, call, (int)(i % 100), (int64_t)(i * 17), names[i % 5],
                                 (double)i * 0.5);
            break;
        case 2: lttng_ust_tracepoint(bench, empty, 0); break;
        case 3: lttng_ust_tracepoint(bench, names, names[i / 8 % 8], names[i / 64 % 8]); break;
        default: step(i); break;
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], nullptr, 10) : 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; i++)
        threads.emplace_back(run, count / thread_count);
    for (std::thread &thread : threads)
        thread.join();
    return 0;
}
