#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: xray.sh [BUILD]
# Compiles bench/xray_program.cpp with clang-14, lets it record itself once (BENCH_DIR, by default
# /tmp/stele-bench), and runs Stele (of the release build BUILD, build/release) and llvm-xray-14 on
# that log in the same run. Prints CPU seconds, the peak of memory, and ratios.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build/release}" && pwd)
dir=${BENCH_DIR:-/tmp/stele-bench}
mkdir -p "$dir"

for tool in clang++-14 llvm-xray-14; do
    command -v $tool >/dev/null || {
        echo "SKIP: $tool is not installed (Debian: clang-14, libclang-rt-14-dev, llvm-14)"
        exit 77
    }
done
program=$dir/xray-program
log=$dir/xray.log
if [ ! -s "$log" ]; then
    clang++-14 -O1 -g -std=c++17 -pthread -fxray-instrument "$source/xray_program.cpp" -o "$program" || {
        echo "SKIP: clang++-14 makes no instrumented program (Debian: libclang-rt-14-dev)"
        exit 77
    }
    rm -rf "$dir/xray-logs" && mkdir "$dir/xray-logs"
    XRAY_OPTIONS="xray_logfile_base=$dir/xray-logs/" "$program" >/dev/null 2>"$dir/stderr" || {
        cat "$dir/stderr"
        exit 1
    }
    mv "$dir"/xray-logs/* "$log"
fi
cat "$log" >/dev/null # in the page cache
echo "xray.log: $(wc -c <"$log") bytes"

# take LABEL COMMAND...: runs it with its output thrown away, and prints what it took; the CPU
# seconds (user and system) are left in $seconds. 1 is no failure: so ends a conversion that had to
# leave something out.
take() {
    label=$1
    shift
    (
        "$@" >/dev/null 2>"$dir/stderr" || [ $? = 1 ] || cat "$dir/stderr" >&2
        times >"$dir/times"
    )
    seconds=$(sed -n 2p "$dir/times" | awk '{
        split($0, part, /[ms ]+/)
        print part[1] * 60 + part[2] + part[3] * 60 + part[4] }')
    printf '%-36s %8.3f s\n' "$label" "$seconds"
}

# against WANTED LABEL PEER...: compares with what was taken before.
against() {
    own=$seconds wanted=$1
    shift
    take "$@"
    awk -v own="$own" -v peer="$seconds" -v wanted="$wanted" 'BEGIN {
        printf "%36s %8.1f times the CPU time (wanted: %s)%s\n", "", peer / own, wanted,
            peer / own < wanted ? "  BELOW" : "" }'
}

"$build/bench_xray" "$log"
"$build/bench_read" summary "$log"
"$build/bench_read" full "$log"
if "$build/stele" help profile >/dev/null 2>&1; then
    take "stele profile" "$build/stele" profile "$log"
    against 20 "llvm-xray account" llvm-xray-14 account -keep-going -instr_map="$program" "$log"
else
    echo "SKIP: this build has no 'stele profile'"
fi
take "stele convert --to chrome" "$build/stele" convert --to chrome -o - "$log"
against 20 "llvm-xray convert (trace_event)" \
    llvm-xray-14 convert -f trace_event -symbolize -instr_map="$program" "$log"
take "stele dump" "$build/stele" dump "$log"
against 5 "llvm-xray fdr-dump" llvm-xray-14 fdr-dump "$log"
