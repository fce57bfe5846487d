// SPDX-License-Identifier: Apache-2.0
// The traced program of bench/xray.sh: four threads that call small functions, some under a lock,
// some 12 million records together. It records itself with XRay's flight data recorder, which
// writes its log to the folder of XRAY_OPTIONS' xray_logfile_base when the program ends.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#define NOT_TRACED __attribute__((xray_never_instrument))
#define TRACED     __attribute__((xray_always_instrument, noinline))

namespace
{

std::mutex lock;
long shared;

TRACED long leaf(long value)
{
    return value * 7 % 13;
}

TRACED long sum_of_leaves(long value)
{
    long sum = 0;
    for (int i = 0; i < 5; i++)
        sum += leaf(value + i);
    return sum;
}

TRACED void add(long value)
{
    std::lock_guard<std::mutex> guard(lock);
    shared += value;
}

TRACED void work(int number, int count)
{
    for (int i = 0; i < count; i++)
        add(sum_of_leaves(i + number));
}

NOT_TRACED bool begin()
{
    static const char mode[] = "xray-fdr";
    return __xray_log_select_mode(mode) == XRAY_REGISTRATION_OK &&
           __xray_log_init_mode(mode, "func_duration_threshold_us=0:buffer_size=1048576:"
                                      "buffer_max=400") == XRAY_LOG_INITIALIZED &&
           __xray_patch() == SUCCESS;
}

NOT_TRACED bool end()
{
    return __xray_log_finalize() == XRAY_LOG_FINALIZED && __xray_log_flushLog() == XRAY_LOG_FLUSHED;
}

} // namespace

NOT_TRACED int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 220000;
    std::vector<std::thread> threads;
    if (!begin()) {
        std::fprintf(stderr, "the flight data recorder does not start\n");
        return 1;
    }
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i, count);
    for (std::thread &thread : threads)
        thread.join();
    if (!end()) {
        std::fprintf(stderr, "the flight data recorder writes no log\n");
        return 1;
    }
    std::printf("%ld\n", shared);
    return 0;
}
