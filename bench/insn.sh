#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: insn.sh [BUILD [TRACE]]
# What Stele (of the release build BUILD, build/release) does with instructions: millions of them a
# CPU second, the time on the clock, and the peak of memory, each the best of REPEAT (3) runs. TRACE
# is an xtrace file or collection; without it, one of 65,000,000 instructions is made once in
# BENCH_DIR (/tmp/stele-bench).
set -eu
build=$(cd "${1:-build/release}" && pwd)
dir=${BENCH_DIR:-/tmp/stele-bench}
trace=${2:-}
mkdir -p "$dir"

if [ -z "$trace" ]; then
    trace=$dir/xtrace
    if [ ! -d "$trace" ]; then
        mkdir "$trace"
        "$build/bench_gen_xtrace" 65000000 "$trace" || rm -r "$trace"
    fi
fi
count=$("$build/stele" insn mix --json --by level "$trace" | sed -n 's/^  "insn_count": \(.*\),/\1/p')
echo "$trace: $count instructions, $(find "$trace" -type f -exec cat {} + | wc -c) bytes"

# take COMMAND...: the best of some runs.
take() {
    best='' run=0
    while [ $run -lt "${REPEAT:-3}" ]; do
        run=$((run + 1))
        /usr/bin/time -f '%U %S %e %M' -o "$dir/times" "$build/stele" "$@" "$trace" \
            >/dev/null 2>"$dir/stderr" || cat "$dir/stderr" >&2
        best=$(tail -n 1 "$dir/times" | cat - "$dir/best" 2>/dev/null | sort -n -k 3 | head -n 1)
        echo "$best" >"$dir/best"
    done
    rm -f "$dir/best"
    echo "$best" | awk -v count="$count" -v what="$*" '{
        printf "%-28s %8.1f M/s of CPU  %6.2f s CPU  %6.2f s  %5.1f MB\n", what,
            count / ($1 + $2) / 1e6, $1 + $2, $3, $4 / 1024 }'
}

take info
take info --threads 2
take insn mix
take insn mix --threads 2
take insn mix --by symbol
take insn blocks --csv
take insn blocks --csv --threads 2
take insn branches --csv
take insn calls --format folded
take insn memory
take insn cache
