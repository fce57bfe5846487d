#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: ctf.sh [BUILD]
# Lets LTTng-UST record bench/lttng_program.cpp where it is installed, and makes traces as it writes
# them (bench/gen_ctf.c) else and for what is rare; once, in BENCH_DIR, by default /tmp/stele-bench.
# Runs Stele (of the release build BUILD, build/release) and babeltrace2 on them in the same run.
# Prints CPU seconds and ratios. CTF_COUNT: events (8,000,000).
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build/release}" && pwd)
dir=${BENCH_DIR:-/tmp/stele-bench}
count=${CTF_COUNT:-8000000}
mkdir -p "$dir"

# make_trace KIND COUNT: its folder is left in $trace
make_trace() {
    trace=$dir/ctf-$1-$2
    if [ ! -d "$trace" ]; then
        rm -rf "$trace.part"
        "$build/bench_gen_ctf" "$1" "$2" "$trace.part"
        mv "$trace.part" "$trace"
    fi
    cat "$trace"/* >/dev/null # in the page cache
    echo "== $1: $2 events, $(du -sm "$trace" | cut -f 1) MB"
}

# record COUNT: as make_trace, recorded; false where there is no LTTng-UST. Threads wait for room in
# the buffers, so that no event is lost.
record() {
    trace=$dir/ctf-lttng-$1
    if [ ! -d "$trace" ]; then
        command -v lttng >/dev/null || return 1
        "${CXX:-c++}" -O1 -std=c++17 -pthread -I "$source" "$source/lttng_program.cpp" \
            -o "$dir/lttng-program" -llttng-ust -ldl 2>"$dir/stderr" || return 1
        session=stele-bench-$$
        rm -rf "$trace.part"
        lttng -q create "$session" --output="$trace.part" >/dev/null 2>&1 || return 1
        lttng -q enable-channel -u -s "$session" bench --subbuf-size=1048576 --num-subbuf=8 \
            --blocking-timeout=inf &&
            lttng -q enable-event -u -s "$session" -c bench 'bench:*' &&
            lttng -q add-context -u -s "$session" -c bench -t vpid -t vtid &&
            lttng -q start "$session" &&
            LTTNG_UST_ALLOW_BLOCKING=1 "$dir/lttng-program" "$1" &&
            recorded=yes || recorded=
        lttng -q destroy "$session" >/dev/null
        [ -n "$recorded" ] || return 1
        mv "$trace.part" "$trace"
    fi
    find "$trace" -type f -exec cat {} + >/dev/null # in the page cache
    echo "== recorded by LTTng-UST: $1 events, $(du -sm "$trace" | cut -f 1) MB"
}

# cpu COMMAND...: runs it with its output thrown away; CPU seconds (user and system) in $seconds
cpu() {
    (
        "$@" >/dev/null 2>"$dir/stderr" || cat "$dir/stderr" >&2
        times >"$dir/times"
    )
    seconds=$(sed -n 2p "$dir/times" | awk '{
        split($0, part, /[ms ]+/)
        print part[1] * 60 + part[2] + part[3] * 60 + part[4] }')
}

# compare LABEL OWN PEER
compare() {
    awk -v label="$1" -v own="$2" -v peer="$3" 'BEGIN {
        printf "%-34s %8.3f s", label, own
        if (peer != "")
            printf "   babeltrace2 %8.3f s, %.1f times as long", peer, peer / (own > 0 ? own : 0.001)
        print "" }'
}

# peer COMMAND...: CPU seconds of babeltrace2 in $peer; empty where it is not installed
peer() {
    peer=
    if command -v babeltrace2 >/dev/null; then
        cpu babeltrace2 "$@"
        peer=$seconds
    fi
}

# own MODE TRACE: CPU seconds of reading through the library
own() {
    own=$("$build/bench_read" "$1" "$2" 3 | awk '{ print $2 }')
}

command -v babeltrace2 >/dev/null || echo "SKIP: babeltrace2 is not installed: nothing to compare with"

# figures TRACE: the usual ones
figures() {
    peer "$1" -o dummy
    own summary "$1"
    compare "count" "$own" "$peer"
    own ordered "$1"
    compare "all fields, merged by time" "$own" "$peer"
    cpu "$build/stele" cat --ctf-pretty "$1"
    own=$seconds
    peer --clock-gmt "$1"
    compare "text" "$own" "$peer"
}

if record "$count"; then
    figures "$trace"
    make_trace mixed "$count"
else
    echo "SKIP: LTTng-UST records nothing here (Debian: lttng-tools, liblttng-ust-dev)"
    make_trace mixed "$count"
    figures "$trace"
fi
mixed=$trace
"$build/bench_ctf_decode" "$mixed"

# Every event takes 220 ns on average, from 1 ms after 22:13:20 on.
begin=$(awk -v n="$count" 'BEGIN { printf "2023-11-14T22:13:%012.9fZ", 20.001 + n * 219.5e-9 * 0.99 }')
cpu "$build/stele" cat --begin="$begin" "$mixed"
own=$seconds
peer --clock-gmt --begin="$(echo "$begin" | tr T ' ' | tr -d Z)" "$mixed"
compare "the last hundredth, text" "$own" "$peer"

# rate MODE TRACE: MB/s in $rate, the peak of memory in MB in $peak
rate() {
    set -- $("$build/bench_read" "$1" "$2" 3)
    rate=$7
    peak=${10}
}

# What is unusual, beside the usual rate for as many bytes. Opening half a million classes is part
# of their figures.
rate summary "$mixed"
usual_count=$rate
rate full "$mixed"
usual_full=$rate
for kind in packets:1400000 files:1400000 empty:1000000 string:300 classes:500000 aliases:500000; do
    make_trace "${kind%:*}" "${kind#*:}"
    case $kind in
    files:* | classes:* | aliases:*) # the peer takes minutes and gigabytes, or crashes
        own index "$trace"
        compare "start-up" "$own" ""
        ;;
    *)
        peer "$trace" -o dummy
        own summary "$trace"
        compare "count" "$own" "$peer"
        ;;
    esac
    rate summary "$trace"
    awk -v rate="$rate" -v usual="$usual_count" -v peak="$peak" 'BEGIN {
        printf "%-34s %8.0f MB/s  %5.2f times the usual time a byte, peak %d MB\n",
            "count", rate, usual / rate, peak }'
    rate full "$trace"
    awk -v rate="$rate" -v usual="$usual_full" -v peak="$peak" 'BEGIN {
        printf "%-34s %8.0f MB/s  %5.2f times the usual time a byte, peak %d MB\n",
            "all fields", rate, usual / rate, peak }'
done
