#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lttng-analyses finds in kernel traces what 'stele kernel' and 'stele sched' find: interrupts and
# softirqs, system calls of each thread, times from wake-up to CPU, use of CPUs. STELE is the command,
# SOURCE the repository, LTTNG_ANALYSES the folder of lttng-analyses' sources, PYTHON a python that has
# the modules it needs (Debian: python3-babeltrace, python3-pyparsing and babeltrace, with
# /usr/bin/python3), KERNEL_TRACES kernel traces of LTTng, parted by spaces (such as many-threads,
# bug446190 of Trace Compass). The traces of its own tests are made and compared, too.
. "$SOURCE/tests/cli/lib.sh"
[ -n "${LTTNG_ANALYSES:-}" ] && [ -x "$LTTNG_ANALYSES/lttng-irqstats" ] || {
    echo "SKIP: LTTNG_ANALYSES does not name the folder of lttng-analyses"
    exit 77
}
PYTHON=${PYTHON:-/usr/bin/python3}
cat >make.py <<'END'
import shutil, sys
sys.path.insert(0, sys.argv[1])
from tests.integration import test_cputop, test_io, test_irq, trace_writer
for made, name in ((test_io.IoTest, "io"), (test_irq.IrqTest, "irq"), (test_cputop.CpuTest, "cpu")):
    test = made.__new__(made)
    test.trace_writer = trace_writer.TraceWriter()
    test.write_trace()
    shutil.copytree(test.trace_writer.trace_root, name)
END
if have babeltrace && "$PYTHON" make.py "$LTTNG_ANALYSES" >/dev/null 2>said; then
    KERNEL_TRACES="$PWD/io $PWD/irq $PWD/cpu ${KERNEL_TRACES:-}"
fi
[ -n "${KERNEL_TRACES:-}" ] || {
    echo "SKIP: KERNEL_TRACES names no kernel traces, and python3-babeltrace and babeltrace are missing"
    exit 77
}
have jq || {
    echo "SKIP: jq is not installed"
    exit 77
}

# theirs TOOL TRACE OPTION...: what it prints
theirs() {
    tool=$1 trace=$2
    shift 2
    (cd "$LTTNG_ANALYSES" && "$PYTHON" ./"$tool" --skip-validation --no-progress --no-color \
        "$@" "$trace") 2>said
}

# Microseconds with three digits, as they print them: means are rounded, not cut.
micro='def us: (. + 0.0) / 1000 | . * 1000 | round | . / 1000;'

check_interrupts() {
    theirs lttng-irqstats "$1" >all
    awk -F '[<>|]' '/^Soft/ { soft = 1 } /^[0-9]+:/ { split($1, id, ":"); split($3, f, " ")
        print (soft ? "softirq" : "irq"), id[1], f[1], f[2], f[3], f[4]
        if (soft && split($4, r, " ") >= 4) print "raise", id[1], r[1], r[2], r[3], r[4] }' all |
        sort >their
    "$STELE" kernel --json "$1" 2>err | jq -r "$micro"' (.irqs[] | "irq \(.number) \(.count) " +
        "\(.min_ns | us) \(.total_ns / .count | us) \(.max_ns | us)"),
        (.softirqs[] | "softirq \(.number) \(.count) \(.min_ns | us) " +
        "\(.total_ns / .count | us) \(.max_ns | us)"),
        (.softirq_raises[] | "raise \(.number) \(.count) \(.min_ns | us) " +
        "\(.total_ns / .count | us) \(.max_ns | us)")' |
        awk '{ printf "%s %s %s %.3f %.3f %.3f\n", $1, $2, $3, $4, $5, $6 }' | sort >own
    # Softirqs of some versions of the tracer they do not know.
    grep -q '^softirq' their || sed -i '/^irq/!d' own
    last="interrupts of $1"
    awk '{ printf "%s %s %s %.3f %.3f %.3f\n", $1, $2, $3, $4, $5, $6 }' their | sort >sorted
    same sorted own
}

# Of each thread and system call: number, shortest, longest.
check_calls() {
    theirs lttng-syscallstats "$1" | awk '/TID: [0-9]+\)/ { match($0, /TID: [0-9]+/)
        tid = substr($0, RSTART + 5, RLENGTH - 5) }
        /^ - / { printf "%s %s %s %.1f %.1f\n", tid, $2, $3, $4, $6 }' | sort >their
    "$STELE" kernel --show syscalls --by-thread --json "$1" 2>err | jq -r '.syscalls[] |
        select(.count > 0) | [.tid, .name, .count, .min_ns / 1000, .max_ns / 1000] | @tsv' |
        awk '{ printf "%s %s %s %.1f %.1f\n", $1, $2, $3, $4, $5 }' | sort >own
    last="system calls of $1"
    same their own
}

# Shortest and longest time from wake-up to CPU; what of each CPU's time is busy.
check_sched() {
    theirs lttng-schedstats "$1" --total | awk '/^[0-9]+ / { printf "%.3f %.3f\n", $2, $4 }' >their
    "$STELE" sched --json "$1" 2>err >all || {
        # Of a trace without a switch they say that all is 0.
        last="scheduling of $1"
        says err 'has no scheduling$'
        check "they know of no latency" test "$(cat their)" = '0.000 0.000'
        return
    }
    jq -r '.latency | [.min_ns / 1000, .max_ns / 1000] | @tsv' all |
        awk '{ printf "%.3f %.3f\n", $1, $2 }' >own
    last="latencies of $1"
    same their own
    check_waits "$1" all
    theirs lttng-cputop "$1" | sed -n 's/.* \([0-9.]*\) % CPU \([0-9]*\)$/\2 \1/p' | sort >their
    # They take the time before the first switch of a CPU for busy or idle, as it seems then.
    jq -r '(.duration_ns) as $wall | .cpus[] | [.cpu, .busy_ns * 100 / $wall,
        (.busy_ns + .unknown_ns) * 100 / $wall] | @tsv' all | sort >own
    # shellcheck disable=SC2034
    last="use of CPUs in $1"
    # They leave out CPUs of which no switch tells.
    check "there are as many" test "$(wc -l <their)" -le "$(wc -l <own)"
    join their own | awk '$2 < $3 - 0.006 || $2 > $4 + 0.006' >differ
    check "each is as busy: $(cat differ)" test ! -s differ
}

# check_waits TRACE SCHED_JSON: each of their latencies ends a wait of ours at the same time. They take
# the time from any wake-up to the CPU. A thread that is woken although it was preempted, and so could
# go on all the time (as it does where it was about to sleep), is waiting since then and not since the
# wake-up: ours is no latency of a wake-up, and so there may be fewer. In many-threads there is one,
# of thread 4042, switched out with prev_state 2048 (preempted), woken 2.3 us later.
cat >waits.py <<'END'
import csv, json, re, sys
DAY = 86400 * 10**9
ends = {}
for row in csv.DictReader(open("own")):
    if row["state"] in ("runnable", "preempted"):
        ends[(int(row["begin_ns"]) + int(row["dur_ns"])) % DAY, int(row["tid"])] = row["state"]
count = preempted = 0
for line in open("their"):
    said = re.match(r"\[[^,]*, (\d+):(\d+):(\d+)\.(\d+)\].*?\((\d+)\)", line)
    if said is None:
        continue
    h, m, s, ns, tid = map(int, said.groups())
    state = ends.get((((h * 60 + m) * 60 + s) * 10**9 + ns, tid))
    if state is None:
        print("no wait of ours ends with", line.strip())
    count += 1
    preempted += state == "preempted"
own = json.load(open(sys.argv[1]))["latency"]["count"]
if own != count - preempted:
    print(own, "latencies, they have", count, "of which", preempted, "are of preempted threads")
END
check_waits() {
    theirs lttng-schedlog "$1" --gmt >their
    "$STELE" sched --show states --csv "$1" >own 2>err
    last="waits in $1"
    "$PYTHON" waits.py "$2" >differ 2>&1
    check "each of their latencies is a wait of ours: $(head -n 2 differ)" test ! -s differ
}

# Bytes that system calls read and wrote, by file: of what is not known, all together.
check_files() {
    theirs lttng-iousagetop "$1" --no-intersection | awk '
        /^Per-file I\/O/ { is_file = 1 } /^Block I\/O/ { is_file = 0 }
        is_file && NF >= 3 && $2 ~ /^[0-9.]+$/ { $1 = ""; sub(/^ /, ""); size = $1 * ($2 == "KiB" ? 1024 : \
            $2 == "MiB" ? 1048576 : 1); $1 = $2 = ""; sub(/^ */, "")
            sum[$0 ~ /^unknown/ ? "unknown" : $0] += size }
        END { for (name in sum) print name, sum[name] }' | sort >their
    "$STELE" kernel --show files --json "$1" 2>err |
        jq -r '.files[] | "\(if .name | test("^fd [0-9]+ of ") then "unknown" else .name end) \(.byte_count)"' |
        awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort >own
    same their own
}

for trace in $KERNEL_TRACES; do
    check_interrupts "$trace"
    check_calls "$trace"
    check_sched "$trace"
done
[ ! -d io ] || check_files "$PWD/io"
finish
