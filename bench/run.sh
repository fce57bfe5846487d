#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh [--to MILLIONS] [--all] [-o FILE] [BUILD]
# Makes all inputs, runs Stele (of the release build BUILD, build/release, with
# -DSTELE_BUILD_BENCH=ON) and every peer that is installed in turns, and writes FILE
# (bench/RESULTS.md): ratios to the peers, memory, growth from 1 M events to 10 M or, with --to 100,
# to 100 M, one core beside two, machine, versions and the load that it ran under. --all appends what
# the other scripts of this folder print.
#
# Inputs are made once, in BENCH_DIR (/tmp/stele-bench), 2 GB for 10 M events. A figure is the median
# of BENCH_ROUNDS (3) runs. Peers: BABELTRACE2, LLVM_XRAY, TRACE_PROCESSOR and CONVERT_TRACE name
# them where they are not in PATH.
set -eu
most=10 all='' out='' build=build/release
source=$(cd "$(dirname "$0")" && pwd)
while [ $# -gt 0 ]; do
    case $1 in
    --to) most=$2 && shift ;;
    --all) all=yes ;;
    -o) out=$2 && shift ;;
    -*) sed -n 's/^# //; 3,4p' "$0" && exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
build=$(cd "$build" && pwd)
out=${out:-$source/RESULTS.md}
dir=${BENCH_DIR:-/tmp/stele-bench}
rounds=${BENCH_ROUNDS:-3}
stele=$build/stele
mkdir -p "$dir"
[ -x "$build/bench_gen_fxt" ] || {
    echo "$build has no benchmarks: cmake -DSTELE_BUILD_BENCH=ON, or the preset 'release'"
    exit 1
}
[ -x /usr/bin/time ] || {
    echo "no /usr/bin/time (Debian: time)"
    exit 1
}

# ---- Inputs ----

# input FORMAT MILLIONS: leaves its path in $trace; made where it is not there.
input() {
    trace=$dir/$1-$2M
    count=$(($2 * 1000000))
    [ -e "$trace" ] && return
    rm -rf "$trace.part"
    case $1 in
    xray1) "$build/bench_gen_xray" "$count" 1 >"$trace.part" ;;
    fxt | heph | xray) "$build/bench_gen_$1" "$count" >"$trace.part" ;;
    ctf) "$build/bench_gen_ctf" mixed "$count" "$trace.part" ;;
    kernel) "$build/bench_gen_kernel" "$count" "$trace.part" ;;
    kernel-fine) "$build/bench_gen_kernel" "$count" "$trace.part" fine ;;
    switches) "$build/bench_gen_kernel" $((count * 3 / 2)) "$trace.part" switches ;;
    xtrace) mkdir "$trace.part" && "$build/bench_gen_xtrace" "$count" "$trace.part" ;;
    esac
    mv "$trace.part" "$trace"
}

warm() { find -H "$1" -type f -exec cat {} + >/dev/null; }
bytes() { find -H "$1" -type f -exec cat {} + | wc -c; }

# ---- Measuring ----

# once FILE COMMAND...: adds a line to FILE: CPU seconds, seconds, peak of memory in KB. 1 is no
# failure: so ends a conversion that had to leave something out.
once() {
    file=$1
    shift
    status=0
    /usr/bin/time -f '%U %S %e %M' -o "$dir/time" timeout "${BENCH_TIMEOUT:-300}" "$@" </dev/null >/dev/null 2>"$dir/stderr" || status=$?
    [ "$status" -le 1 ] || {
        echo "exit code $status: $*" >&2
        tail -n 3 "$dir/stderr" >&2
        return 1
    }
    tail -n 1 "$dir/time" | awk '{ print $1 + $2, $3, $4 }' >>"$file"
}

# median FILE COLUMN
median() {
    sort -n -k "$2" "$1" | awk -v column="$2" '{ all[NR] = $column } END { print all[int((NR + 1) / 2)] }'
}

# alone COMMAND...: medians in $cpu, $peak.
alone() {
    : >"$dir/own"
    for _ in $(seq "$rounds"); do
        once "$dir/own" "$@" || return 1
    done
    cpu=$(median "$dir/own" 1) peak=$(median "$dir/own" 3)
}

# The commands of a row are scripts, so that /usr/bin/time can run them.
pair() { # pair WHAT PEER: reads two command lines, ours and the peer's, from standard input
    read -r first && read -r second
    printf '#!/bin/sh\nexec %s\n' "$first" >"$dir/own.sh"
    printf '#!/bin/sh\nexec %s\n' "$second" >"$dir/peer.sh"
    chmod +x "$dir/own.sh" "$dir/peer.sh"
    : >"$dir/own" && : >"$dir/peer"
    for _ in $(seq "$rounds"); do
        once "$dir/own" "$dir/own.sh" && once "$dir/peer" "$dir/peer.sh" || {
            echo "| $1 | $2 | failed, or took too long | | | | |"
            return
        }
    done
    echo "$(median "$dir/own" 1) $(median "$dir/peer" 1) $(median "$dir/own" 3) $(median "$dir/peer" 3)" |
        awk -v what="$1" -v peer="$2" '{
            printf "| %s | %s | %.2f s | %.2f s | %.1f | %.0f MB | %.0f MB |\n",
                what, peer, $1, $2, $2 / ($1 > 0 ? $1 : 0.01), $3 / 1024, $4 / 1024 }'
}

# found VARIABLE NAME...: the first peer that is there; reported in the table of absent ones else.
absent=
found() {
    variable=$1 given=
    eval "given=\${$1:-}"
    shift
    for name in "$given" "$@"; do
        [ -n "$name" ] && command -v "$name" >/dev/null && eval "$variable=\$name" && return 0
    done
    absent="$absent $1"
    return 1
}

load() { cut -d ' ' -f 1-3 /proc/loadavg; }

# ---- The tables ----

peers() {
    echo "## Beside the peers"
    echo
    echo "CPU seconds (user and system) and the peak of memory of whole commands, output thrown away. The"
    echo "ratio is the peer's CPU seconds by Stele's. Inputs have 1 M events or calls, generated."
    echo
    echo "| what | peer | Stele | peer | ratio | Stele | peer |"
    echo "|---|---|---|---|---|---|---|"
    input ctf 1 && warm "$trace"
    if found BABELTRACE2 babeltrace2; then
        pair "CTF: every event as a line of text, the same bytes" babeltrace2 <<END
$stele cat --ctf-pretty --clock-gmt $trace
$BABELTRACE2 --clock-gmt $trace
END
        pair "CTF: events counted by name; the peer reads all and shows nothing" babeltrace2 <<END
$stele stats --by name $trace
$BABELTRACE2 $trace -o dummy
END
    fi
    # llvm-xray account refuses times that step back, as they do from thread to thread.
    input xray1 1 && warm "$trace"
    if found LLVM_XRAY llvm-xray llvm-xray-19 llvm-xray-16 llvm-xray-15 llvm-xray-14; then
        pair "XRay: calls, self times and percentiles by function" llvm-xray <<END
$stele profile $trace
$LLVM_XRAY account --keep-going $trace
END
        pair "XRay: to Chrome's trace events" llvm-xray <<END
$stele convert $trace -o - --to chrome
$LLVM_XRAY convert --symbolize=false -f trace_event $trace
END
    fi
    input fxt 1 && warm "$trace"
    if found TRACE_PROCESSOR trace_processor_shell; then
        echo 'select name, count(*) from slice group by name;' >"$dir/query.sql"
        pair "FXT: spans counted by name" trace_processor <<END
$stele stats --spans --by name $trace
$TRACE_PROCESSOR -q $dir/query.sql $trace
END
    fi
    input heph 1 && warm "$trace"
    if found CONVERT_TRACE convert_trace; then
        pair "Heph: to Chrome's trace events" convert_trace <<END
$stele convert $trace -o - --to chrome
$CONVERT_TRACE $trace $dir/peer.json
END
    fi
    [ -z "$absent" ] || printf '\nNot installed, so not compared:%s.\n' "$absent"
    echo
}

growth() {
    echo "## Growth"
    echo
    echo "Traces ten times as large: CPU seconds, millions of events (calls, instructions) a CPU second,"
    echo "and the peak of memory. \`kernel\` and \`kernel-fine\` are CTF traces of LTTng's kernel tracer, of four"
    echo "CPUs that take turns, or run at the same time; \`switches\` has half as many wake-ups besides."
    echo
    echo "| command | events | input | CPU | M/s | memory |"
    echo "|---|---|---|---|---|---|"
    while read -r format line; do
        millions=1
        while [ "$millions" -le "$most" ]; do
            input "$format" "$millions" && warm "$trace"
            # shellcheck disable=SC2086
            alone "$stele" $line "$trace" &&
                awk -v what="stele $line" -v format="$format" -v m="$millions" -v cpu="$cpu" \
                    -v peak="$peak" -v size="$(bytes "$trace")" 'BEGIN {
                    printf "| `%s`, %s | %d M | %.0f MB | %.2f s | %.1f | %.0f MB |\n", what, format, m,
                        size / 1e6, cpu, m / (cpu > 0 ? cpu : 0.01), peak / 1024 }'
            millions=$((millions * 10))
        done
    done <<END
fxt info
fxt stats --by name
fxt check
heph stats --by name
ctf stats --by name
kernel kernel
kernel-fine kernel
switches sched
xray profile
xtrace insn mix
END
    echo
}

# beside WHAT COMMAND...: a row for the command with -j 1 and -j 2, which take turns
beside() {
    what=$1
    shift
    : >"$dir/one" && : >"$dir/two"
    for _ in $(seq "$rounds"); do
        once "$dir/one" "$@" -j 1 && once "$dir/two" "$@" -j 2 || return 0
    done
    echo "$(median "$dir/one" 2) $(median "$dir/two" 2) $(median "$dir/one" 1) $(median "$dir/two" 1)" |
        awk -v what="$what" '{
            printf "| `stele %s` | %.2f s | %.2f s | %.2f | %.2f s | %.2f s | %.2f |\n",
                what, $1, $2, $1 / ($2 > 0 ? $2 : 0.01), $3, $4, $4 / ($3 > 0 ? $3 : 0.01) }'
}

cores() {
    echo "## One core and two"
    echo
    echo "Where a command reads parts of a trace at the same time: seconds on the clock, which mean little where"
    echo "other programs run (see the load below), and CPU seconds of all threads, which should not grow."
    echo
    echo "| command | one thread | two | ratio | CPU, one thread | two | ratio |"
    echo "|---|---|---|---|---|---|---|"
    for format in fxt xray1 ctf; do
        input "$format" "$most" && warm "$trace"
        beside "info, $format" "$stele" info "$trace"
        beside "stats --by name, $format" "$stele" stats --by name "$trace"
    done
    input xtrace "$most" && warm "$trace"
    beside "insn mix, xtrace" "$stele" insn mix "$trace"
    beside "insn blocks --csv, xtrace" "$stele" insn blocks --csv "$trace"
    if "$stele" version --json | tr -d '\n ' | grep -q '"name":"duckdb","purpose":[^,]*,"is_there":true'; then
        for format in fxt ctf; do
            input "$format" "$most" && warm "$trace"
            beside "query, count by name, $format" \
                "$stele" query "$trace" 'select name, count(*) from event group by name'
        done
    fi
    echo
}

machine() {
    echo "## Machine and versions"
    echo
    sed -n 's/^model name[^:]*: /- Processor: /p' /proc/cpuinfo | head -n 1
    echo "- Cores: $(nproc); memory: $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo); $(uname -s -r -m)"
    echo "- Load (1, 5, 15 minutes) at the begin: $load_before; at the end: $(load)"
    echo "- Nice value: $(nice); runs of each figure: $rounds, of which it is the median"
    echo "- Stele: $("$stele" version | head -n 1), commit $(git -C "$source" rev-parse --short HEAD 2>/dev/null || echo unknown)"
    for peer in "${BABELTRACE2:-}" "${LLVM_XRAY:-}" "${TRACE_PROCESSOR:-}"; do
        [ -z "$peer" ] || ! command -v "$peer" >/dev/null ||
            echo "- $("$peer" --version 2>&1 | grep -iE 'babeltrace|version|Perfetto' | head -n 1 | sed 's/^ *//')"
    done
    echo
}

load_before=$(load)
{
    echo "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    echo "# Results"
    echo
    echo "Written by \`bench/run.sh\`, which makes them again on any machine. Ratios of runs that take turns say"
    echo "more than seconds do."
    echo
    peers
    growth
    cores
    machine
    if [ -n "$all" ]; then
        for script in read ctf xray insn; do
            echo "## bench/$script.sh"
            echo
            echo '```'
            sh "$source/$script.sh" "$build" 2>&1 || true
            echo '```'
            echo
        done
    fi
} >"$dir/results"
sed '$d' "$dir/results" >"$out"
echo "written: $out"
