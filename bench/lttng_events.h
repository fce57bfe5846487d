/* SPDX-License-Identifier: Apache-2.0 */
/* The events of bench/lttng_program.cpp: 25 classes of the shapes that programs have. The macros of
   LTTng-UST include this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_events.h"

#if !defined(BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* Fields are separated by nothing, which clang-format takes for one expression. */
/* clang-format off */

LTTNG_UST_TRACEPOINT_ENUM(bench, state,
    LTTNG_UST_TP_ENUM_VALUES(
        lttng_ust_field_enum_value("IDLE", 0)
        lttng_ust_field_enum_value("RUNNING", 1)
        lttng_ust_field_enum_range("WAITING", 2, 8)))

LTTNG_UST_TRACEPOINT_EVENT(bench, empty, LTTNG_UST_TP_ARGS(int, unused), LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(bench, call,
    LTTNG_UST_TP_ARGS(int, fd, int64_t, duration, const char *, name, double, load),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(int, fd, fd)
        lttng_ust_field_integer(int64_t, duration, duration)
        lttng_ust_field_string(name, name)
        lttng_ust_field_float(double, load, load)))

LTTNG_UST_TRACEPOINT_EVENT(bench, names,
    LTTNG_UST_TP_ARGS(const char *, from, const char *, to),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_string(from, from)
        lttng_ust_field_string(to, to)))

LTTNG_UST_TRACEPOINT_EVENT(bench, packet,
    LTTNG_UST_TP_ARGS(int64_t, number, const char *, host, const uint8_t *, bytes, size_t, size,
                      const int *, counts),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(int8_t, hops, (int8_t)number)
        lttng_ust_field_integer(uint16_t, length, (uint16_t)number)
        lttng_ust_field_integer(int32_t, delta, (int32_t)number)
        lttng_ust_field_integer(uint64_t, sum, (uint64_t)number)
        lttng_ust_field_integer_hex(uint64_t, address, (uint64_t)number)
        lttng_ust_field_integer_network(uint32_t, peer, (uint32_t)number)
        lttng_ust_field_integer_network_hex(uint16_t, port, (uint16_t)number)
        lttng_ust_field_float(float, ratio, (float)number * 0.25f)
        lttng_ust_field_float(double, exact, (double)number / 3.0)
        lttng_ust_field_enum(bench, state, int, state, (int)(number % 9))
        lttng_ust_field_string(host, host)
        lttng_ust_field_array(int, counts, counts, 4)
        lttng_ust_field_array_hex(uint8_t, mac, bytes, 6)
        lttng_ust_field_array_text(char, tag, (const char *)bytes, 8)
        lttng_ust_field_sequence(uint8_t, bytes, bytes, size_t, size)
        lttng_ust_field_sequence_hex(int, words, counts, uint8_t, 3)
        lttng_ust_field_sequence_text(char, text, (const char *)bytes, size_t, size)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(bench, step, LTTNG_UST_TP_ARGS(int, index, uint64_t, value),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(int, index, index)
        lttng_ust_field_integer(uint64_t, value, value)))

#define BENCH_STEP(letter)                                                  \
    LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, step, bench, step_##letter, \
                                        LTTNG_UST_TP_ARGS(int, index, uint64_t, value))
BENCH_STEP(a) BENCH_STEP(b) BENCH_STEP(c) BENCH_STEP(d) BENCH_STEP(e) BENCH_STEP(f) BENCH_STEP(g)
BENCH_STEP(h) BENCH_STEP(i) BENCH_STEP(j) BENCH_STEP(k) BENCH_STEP(l) BENCH_STEP(m) BENCH_STEP(n)
BENCH_STEP(o) BENCH_STEP(p) BENCH_STEP(q) BENCH_STEP(r) BENCH_STEP(s) BENCH_STEP(t) BENCH_STEP(u)

/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
