#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sql.sh BUILD FOLDER
# CPU seconds (user and system, median of three) of queries over generated traces, on one thread:
# 10 M events of FXT, 8 M of CTF, 12 M spans of XRay, 65 M instructions. BUILD is a build with
# -DSTELE_BUILD_BENCH=ON; the traces are made in FOLDER, where there must be 6 GB, and stay there.
# Where they are, the same questions are put, once each, to Perfetto (TRACE_PROCESSOR names
# trace_processor_shell), to SQLite (with the import that it needs), and to DuckDB over JSON lines
# (with the writing of those); the last column says how many times as long that takes.
set -eu
build=$1
folder=$2
stele=$build/stele
mkdir -p "$folder"
[ -e "$folder/big.fxt" ] || "$build/bench_gen_fxt" 10000000 >"$folder/big.fxt"
[ -e "$folder/ctf" ] || "$build/bench_gen_ctf" mixed 8000000 "$folder/ctf"
[ -e "$folder/insns" ] || {
    mkdir "$folder/insns"
    "$build/bench_gen_xtrace" 65000000 "$folder/insns"
}

[ -e "$folder/calls.xray" ] || "$build/bench_gen_xray" 12000000 >"$folder/calls.xray"

# seconds COMMAND...: the median of as many runs as $runs says
runs='1 2 3'
seconds() {
    for _ in $runs; do
        /usr/bin/time -f '%U %S' -o "$folder/time" "$@" >"$folder/out" 2>"$folder/err" || {
            cat "$folder/err" >&2
            return
        }
        tail -n 1 "$folder/time"
    done | awk '{ print $1 + $2 }' | sort -n | awk '{ all[NR] = $0 } END { print all[int((NR + 1) / 2)] }'
}

# ask GOAL NAME TRACE SQL: what it takes is $took, and is kept for comparisons
ask() {
    took=$(seconds "$stele" query --csv "$folder/$3" "$4")
    printf '%-34s %8s %8s\n' "$2" "$took" "$1"
    printf '%s\t%s\n' "$2" "$took" >>"$folder/took"
}
: >"$folder/took"

printf '%-34s %8s %8s\n' query 'CPU s' goal
ask 0.40 'FXT: count' big.fxt 'select count(*) from event'
ask 0.60 'FXT: count by name' big.fxt 'select name, count(*) from event group by name'
ask 0.70 'FXT: percentiles by name' big.fxt "select name, count(*), sum(dur), median(dur),
    quantile_cont(dur, [0.9, 0.99]), max(dur) from event where kind = 'complete' group by name"
ask 0.70 'FXT: filter on an argument' big.fxt "select count(*), sum(arg_size)
    from read_event('', args := 'size int') where arg_size > 1000"
ask 1.8 'FXT: lag over tracks' big.fxt "select avg(g), max(g) from (select ts - lag(ts)
    over (partition by track order by ts) g from event where kind <> 'object')"
ask 1.6 'FXT: ASOF join' big.fxt "select count(*) from (from event where kind = 'complete') c
    asof join (from event where kind = 'counter') k on c.tid = k.tid and c.ts >= k.ts"
ask - 'FXT: spans with percentiles' big.fxt 'select name, count(*), median(dur),
    quantile_cont(dur, 0.99) from slice group by name'
ask 0.70 'CTF: two typed fields by name' ctf "select name, count(*), sum(arg_int0), max(arg_int1)
    from read_event('', args := 'int0 int, int1 int') group by name"
ask 0.60 'XRay: spans with percentiles' calls.xray 'select name, count(*), sum(self_dur), median(dur),
    quantile_cont(dur, [0.9, 0.99]) from slice group by name'
ask 0.80 'instructions by pc' insns 'select pc, count(*) n from insn group by pc order by n desc
    limit 10'
printf '%-34s %8s %8s\n' 'Parquet of six columns' "$(seconds "$stele" convert "$folder/big.fxt" \
    -o "$folder/six.parquet" --columns ts,dur,name,kind,track,id --force)" 1.2
printf '%-34s %8s %8s\n' 'Parquet with arguments' "$(seconds "$stele" convert "$folder/big.fxt" \
    -o "$folder/args.parquet" --columns ts,dur,name,kind,track,id,args --force)" 5
ls -l "$folder"/*.parquet | awk '{ print $5, "bytes", $NF }'
ls -l "$folder"/*.xray | awk '{ print $5, "bytes", $NF }'

runs=1
printf '\n%-34s %8s %8s\n' 'the same by others' 'CPU s' 'times'
# peer NAME QUESTION COMMAND...: beside what stele took for the question; '-': there is none such.
# What has to be done first counts, too, and is in $before.
before=0
peer() {
    name=$1
    ours=$(awk -F '\t' -v name="$2" '$1 == name { print $2 }' "$folder/took")
    shift 2
    took=$(seconds "$@")
    awk -v name="$name" -v took="$took" -v before="$before" -v ours="${ours:-0}" 'BEGIN {
        printf "%-34s %8.2f", name, took
        if (ours > 0)
            printf " %7.1fx", (took + before) / ours
        print ""
    }'
}
if [ -x "${TRACE_PROCESSOR:-}" ]; then
    perfetto() { peer "Perfetto: $1" "FXT: $1" "$TRACE_PROCESSOR" query "$folder/big.fxt" "$2"; }
    perfetto 'count' 'select count(*) from slice'
    perfetto 'count by name' 'select name, count(*) from slice group by name'
    perfetto 'filter on an argument' "select count(*) from slice where
        extract_arg(arg_set_id, 'debug.size') > 1000"
else
    echo 'SKIP: TRACE_PROCESSOR does not name trace_processor_shell'
fi
if command -v sqlite3 >/dev/null; then
    rm -f "$folder/big.sqlite"
    "$stele" query --csv "$folder/big.fxt" 'select ts, dur, kind, name, track, tid from event' \
        >"$folder/big.csv"
    peer 'SQLite: import of six columns' - sqlite3 "$folder/big.sqlite" '.mode csv' \
        ".import $folder/big.csv event"
    before=$took
    peer 'SQLite: count by name' 'FXT: count by name' sqlite3 "$folder/big.sqlite" \
        'select name, count(*) from event group by name'
    peer 'SQLite: lag over tracks' 'FXT: lag over tracks' sqlite3 "$folder/big.sqlite" 'select avg(g),
        max(g) from (select ts - lag(ts) over (partition by track order by ts + 0) g from event)'
    rm -f "$folder/big.sqlite" "$folder/big.csv"
else
    echo 'SKIP: no sqlite3'
fi
before=0
peer 'JSON lines of the trace' - \
    sh -c "'$stele' cat --json --unsorted '$folder/big.fxt' >'$folder/big.json'"
before=$took
peer 'DuckDB over them: count by name' 'FXT: count by name' "$stele" query --csv --allow-files \
    "$folder/big.fxt" "select name, count(*)
    from read_json('$folder/big.json', columns = {name: 'varchar'}) group by name"
rm -f "$folder/big.json"
