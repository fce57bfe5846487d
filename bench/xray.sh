#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: xray.sh [BUILD]
# Compiles bench/xray_program.cpp with clang-14, lets it record itself once (BENCH_DIR, by default
# /tmp/stele-bench), and runs Stele (of the release build BUILD, build/release) and llvm-xray-14 on
# that log in the same run, BENCH_ROUNDS (3) times in turns. Prints the least CPU seconds and ratios.
# Where the log's threads begin in an unlucky order, llvm-xray account complains of most records; its
# errors are counted, as they cost it time.
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

# spent COMMAND...: runs it with its output thrown away, in 64 MB of address space if it is Stele;
# prints the CPU seconds (user and system) that it took. 1 is no failure: so ends a conversion that
# had to leave something out.
spent() {
    (
        [ "$1" != own ] || ulimit -v 65536
        "$@" >/dev/null 2>"$dir/stderr" || [ $? = 1 ] || tail -n 3 "$dir/stderr" >&2
        times >"$dir/times"
    )
    sed -n 2p "$dir/times" | awk '{
        split($0, part, /[ms ]+/)
        print part[1] * 60 + part[2] + part[3] * 60 + part[4] }'
}

# compare WANTED LABEL PEER-LABEL: the least that own() and peer() take, in turns.
compare() {
    wanted=$1 label=$2 peer_label=$3
    : >"$dir/spent"
    for _ in $(seq "${BENCH_ROUNDS:-3}"); do
        echo "$(spent own) $(spent peer)" >>"$dir/spent"
    done
    complaints=$(grep -c '^Error' "$dir/stderr" || true)
    [ "$complaints" = 0 ] || peer_label="$peer_label ($complaints errors)"
    awk -v wanted="$wanted" -v label="$label" -v peer_label="$peer_label" '
        NR == 1 || $1 < own { own = $1 }
        NR == 1 || $2 < peer { peer = $2 }
        END {
            printf "%-36s %8.3f s\n%-36s %8.3f s\n", label, own, peer_label, peer
            printf "%36s %8.1f times the CPU time (wanted: %s)%s\n", "", peer / own, wanted,
                peer / own < wanted ? "  BELOW" : ""
        }' "$dir/spent"
}

"$build/bench_xray" "$log"
"$build/bench_read" summary "$log"
"$build/bench_read" full "$log"

own() { "$build/stele" profile "$log"; }
peer() { llvm-xray-14 account -keep-going -instr_map="$program" "$log"; }
compare 20 "stele profile" "llvm-xray account"

own() { "$build/stele" convert --to chrome -o - "$log"; }
peer() { llvm-xray-14 convert -f trace_event -symbolize -instr_map="$program" "$log"; }
compare 20 "stele convert --to chrome" "llvm-xray convert (trace_event)"

own() { "$build/stele" dump "$log"; }
peer() { llvm-xray-14 fdr-dump "$log"; }
compare 5 "stele dump" "llvm-xray fdr-dump"
