// SPDX-License-Identifier: Apache-2.0
// A stranger's program in C++17: counts the events of a trace by name, with owners that free.
#include <stele/stele.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

namespace {

using context_owner = std::unique_ptr<stele_context, decltype(&stele_context_free)>;
using trace_owner = std::unique_ptr<stele_trace, decltype(&stele_trace_close)>;
using reader_owner = std::unique_ptr<stele_reader, decltype(&stele_reader_close)>;

std::map<std::string, unsigned long> count_names(stele_context *context, stele_reader *reader)
{
    std::map<std::string, unsigned long> counts;
    stele_segment segment;
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            const stele_event &event = segment.batch->events[segment.first + i];
            const stele_text name = stele_name_text(context, segment.batch, event.name);
            counts[std::string(name.bytes, name.size)]++;
        }
    }
    return counts;
}

} // namespace

int main(int argc, char **argv)
{
    std::printf("stele %s (C++ %ld)\n", stele_version(), __cplusplus / 100);
    if (argc < 2)
        return 0;
    stele_context *context = nullptr;
    if (stele_context_new(nullptr, &context) != STELE_OK)
        return 1;
    const context_owner owned_context(context, stele_context_free);
    stele_trace *trace = nullptr;
    if (stele_trace_open(context, argv[1], nullptr, &trace) != STELE_OK)
        return 1;
    const trace_owner owned_trace(trace, stele_trace_close);
    stele_reader *reader = nullptr;
    if (stele_reader_open(context, &trace, 1, nullptr, &reader) != STELE_OK)
        return 1;
    const reader_owner owned_reader(reader, stele_reader_close);
    for (const auto &[name, count] : count_names(context, reader))
        std::printf("%lu %s\n", count, name.c_str());
    return 0;
}
