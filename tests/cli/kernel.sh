#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele kernel, and stele sched of kernel traces: a trace as LTTng's kernel tracer writes it.
. "$SOURCE/tests/cli/lib.sh"

. "$SOURCE/tests/cli/lib_kernel_made.sh"

expect 0 kernel trace
golden kernel_summary
expect 0 kernel --json trace
golden kernel_json
expect 0 kernel --show syscalls --by-thread --csv trace
lines out 2
says out '^1,500,500,500,0,0,0,500,42,0,0,0,11,.*,reader (11),read'
expect 0 kernel --show syscalls --begin 1us --end 1650ns trace
expect 0 sched trace
golden kernel_sched
expect 0 sched --show states --csv trace
golden kernel_states

expect 0 flame --off-cpu trace
golden kernel_off_cpu
expect 0 flame --off-cpu --by-thread trace
says out 'reader.*;read;\[blocked\] 150$'

expect 0 kernel --begin 100s "$heph/heph_tracing_example.bin.log"
says out '^No events of a kernel$'
expect 2 kernel --csv trace
expect 2 kernel --json --csv --show irqs trace
expect 2 kernel --show nothing trace

# What a CPU runs in 'timeline' is what it runs in 'sched'.
expect 0 sched --json trace
sed -n 's/^ *"busy_ns": \([0-9]*\),$/\1/p' out >busy
check "a CPU is busy" grep -q '[1-9]' busy
expect 0 timeline --json trace
sed -n '/"title": "running"/,/"busy_ns"/s/^ *"busy_ns": \([0-9]*\),$/\1/p' out >running
check "CPUs run as long as in sched" cmp busy running
for steps in "" "--every 200ns" "--every 1us"; do
    # shellcheck disable=SC2086
    expect 0 top --json --top 0 --begin 0s $steps trace
    documented out
    cp out top
    expect 0 sched --json trace
    last="stele top --json $steps trace"
    python3 - top out >err 2>&1 <<'END' || complain "what runs is not what runs in sched" err
import json, sys
runs = {}
for window in json.load(open(sys.argv[1]))["windows"]:
    for track in window["tracks"]:
        runs[track["track"]] = runs.get(track["track"], 0) + track["run_ns"]
sched = json.load(open(sys.argv[2]))
wanted = {cpu["name"]: cpu["busy_ns"] for cpu in sched["cpus"]}
assert any(wanted.values())
assert {name: runs[name] for name in wanted} == wanted, (runs, wanted)
threads = sum(thread["running_ns"] for thread in sched["threads"])
assert sum(ns for name, ns in runs.items() if name not in wanted) == threads, (runs, threads)
END
done

finish
