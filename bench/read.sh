#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: read.sh [BUILD]
# Builds the inputs once (BENCH_DIR, by default /tmp/stele-bench), and reads them with the release
# build BUILD (build/release): through the library, and in whole commands. Prints CPU seconds.
set -eu
build=$(cd "${1:-build/release}" && pwd)
dir=${BENCH_DIR:-/tmp/stele-bench}
fxt_count=${FXT_COUNT:-10000000}
heph_count=${HEPH_COUNT:-4000000}
mkdir -p "$dir"

# make_input NAME COMMAND...
make_input() {
    name=$1
    shift
    if [ ! -s "$dir/$name" ]; then
        "$@" >"$dir/$name.part"
        mv "$dir/$name.part" "$dir/$name"
    fi
    cat "$dir/$name" >/dev/null # in the page cache
    echo "$name: $(wc -c <"$dir/$name") bytes"
}

# CPU seconds (user and system) that a command takes, with its output thrown away. 1 is no failure:
# so ends a conversion that had to leave something out.
cpu_seconds() {
    (
        "$@" >/dev/null 2>"$dir/stderr" || [ $? = 1 ] || cat "$dir/stderr" >&2
        times >"$dir/times"
    )
    sed -n 2p "$dir/times" | awk '{
        split($0, part, /[ms ]+/)
        print part[1] * 60 + part[2] + part[3] * 60 + part[4] }'
}

# measure LABEL EVENTS COMMAND...: a line for a whole command
measure() {
    label=$1 events=$2
    shift 2
    seconds=$(cpu_seconds "$@")
    awk -v label="$label" -v events="$events" -v s="$seconds" 'BEGIN {
        printf "%-36s %8.3f s  %9.2f M events/s\n", label, s, (s > 0 ? events / s / 1e6 : 0) }'
}

make_input "fxt-$fxt_count.fxt" "$build/bench_gen_fxt" "$fxt_count"
make_input "heph-$heph_count.heph" "$build/bench_gen_heph" "$heph_count"
fxt=$dir/fxt-$fxt_count.fxt
heph=$dir/heph-$heph_count.heph

for trace in "$fxt" "$heph"; do
    echo "== $(basename "$trace"): reading through the library"
    for mode in index summary full ordered; do
        "$build/bench_read" $mode "$trace" 3
    done
done

echo "== whole commands"
measure "stele info fxt" "$fxt_count" "$build/stele" info "$fxt"
measure "stele info heph" "$heph_count" "$build/stele" info "$heph"
measure "stele convert heph to chrome" "$heph_count" \
    "$build/stele" convert "$heph" -o - --to chrome
measure "stele convert fxt to chrome" "$fxt_count" "$build/stele" convert "$fxt" -o - --to chrome
measure "stele convert heph to perfetto" "$heph_count" \
    "$build/stele" convert "$heph" -o - --to perfetto
measure "stele convert fxt to perfetto" "$fxt_count" "$build/stele" convert "$fxt" -o - --to perfetto
measure "stele convert heph to fxt" "$heph_count" "$build/stele" convert "$heph" -o - --to fxt
measure "stele convert heph to heph" "$heph_count" "$build/stele" convert "$heph" -o - --to heph
