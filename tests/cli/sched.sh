#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele sched: what threads and CPUs do.
. "$SOURCE/tests/cli/lib.sh"

expect 0 sched "$fxt/scheduling.fxt"
golden sched_summary
expect 0 sched --json "$fxt/scheduling.fxt"
golden sched_json
expect 0 sched --show states "$fxt/scheduling.fxt"
golden sched_states
expect 0 sched --show states --csv "$fxt/scheduling.fxt"
golden sched_states_csv
expect 0 sched --show runs "$fxt/scheduling.fxt"
golden sched_runs
expect 0 sched --show runs --json "$fxt/scheduling.fxt"
golden sched_runs_json
expect 0 sched --every 20ns "$fxt/scheduling.fxt"
golden sched_every
expect 0 sched --every 20ns --csv "$fxt/scheduling.fxt"
lines out 7
expect 0 sched --show threads --csv "$fxt/scheduling.fxt"
lines out 4
expect 0 sched --show threads --track 'main*' --csv "$fxt/scheduling.fxt"
lines out 2

# An event that nothing has begins no stretch of a thread.
expect 0 sched --show threads --name nosuch --csv "$fxt/scheduling.fxt"
lines out 1
says err "note STE014 .*'nosuch'"

# Every wait is in the flame graph of waits, once.
expect 0 flame --off-cpu "$fxt/scheduling.fxt"
says out '^\[blocked\] 20$'
lines out 1

# A trace without scheduling is of the wrong kind; a stretch without it is not.
expect 2 sched "$heph/heph_tracing_example.bin.log"
says err 'has no scheduling'
expect 0 sched --begin 100s "$heph/heph_tracing_example.bin.log"
says out '^No scheduling$'

expect 2 sched --every 10xs "$fxt/scheduling.fxt"
expect 2 sched --every 0ns "$fxt/scheduling.fxt"
expect 2 sched --csv "$fxt/scheduling.fxt"
says err 'csv'
expect 2 sched --json --csv --show cpus "$fxt/scheduling.fxt"
expect 2 sched --every 10ms --show cpus "$fxt/scheduling.fxt"
expect 2 sched --where 'no such expression' "$fxt/scheduling.fxt"

# Totals are proven: states of a thread sum up to its life, those of a CPU to the time that was read;
# intervals and steps of time sum up to the same.
sums() {
    expect 0 sched --json --top 0 "$@"
    cp out whole
    check "threads sum up: $*" test "$(jq '[.threads[] | select(.running_ns + .preempted_ns +
        .runnable_ns + .sleeping_ns + .blocked_ns + .stopped_ns + .unknown_ns != .life_ns)] |
        length' whole)" = 0
    check "CPUs sum up: $*" test "$(jq '(.duration_ns) as $wall | [.cpus[] |
        select(.busy_ns + .idle_ns + .unknown_ns != $wall)] | length' whole)" = 0
    expect 0 sched --show states --json "$@"
    jq -s '[.[].dur_ns] | add // 0' out >own
    jq '[.threads[].life_ns] | add // 0' whole >theirs
    same theirs own
    jq -s '[.[] | select(.state == "running") | .dur_ns] | add // 0' out >own
    expect 0 sched --show runs --json "$@"
    jq -s '[.[] | select(.state == "busy") | .dur_ns] | add // 0' out >theirs
    [ -n "${has_others:-}" ] || same theirs own
    jq -s '[.[].dur_ns] | add // 0' out >own
    jq '.duration_ns * (.cpus | length)' whole >theirs
    same theirs own
}

if have jq; then
    sums "$fxt/scheduling.fxt"
    sums --begin 15ns --end 35ns "$fxt/scheduling.fxt"
    if [ -d "${STELE_SAMPLES:-/nowhere}/fxt" ]; then
        sums "$STELE_SAMPLES/fxt/fxtcpp_general.fxt"
        zstd -dqf "$STELE_SAMPLES/../repro/fxt/one_time.fxt.zst" -o busy.fxt &&
            head -c 1999968 busy.fxt >whole.fxt && {
            sums whole.fxt
            sums --begin 5ms --end 10ms whole.fxt
        }
    else
        skip "the samples are not here"
    fi
else
    skip "jq is not installed"
fi
# The CPU that idled longest comes first where that is asked for.
# shellcheck source=tests/cli/lib_kernel_made.sh
. "$SOURCE/tests/cli/lib_kernel_made.sh"
{
    u32 1
    switch 1000 0 0 21 brief
    switch 1050 21 1 0 swapper/1
    switch 1900 0 0 21 brief
} >trace/cpu1
expect 0 sched --show cpus --csv trace
says out '^[0-9]*,cpu 0,'
check 'without it, they come by their numbers' test "$(sed -n 2p out | cut -d, -f2)" = 'cpu 0'
expect 0 sched --show cpus --sort idle --csv trace
check 'the first is the one that idled' test "$(sed -n 2p out | cut -d, -f2)" = 'cpu 1'
rm trace/cpu1

finish
