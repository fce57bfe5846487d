#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele critical: the path of a span, whose stretches sum up to it whatever the trace.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_kernel_made.sh"

# A system call that waits for a disk; what wakes it is an interrupt, which is nobody's doing.
expect 0 critical trace
golden critical_read
expect 0 critical --json trace
golden critical_json
documented out
expect 0 critical --show path --csv trace
lines out 5
says out '^1200,150,blocked'
expect 0 critical --show sums --csv trace
lines out 4
expect 0 critical --where 'dur < 1ns' trace
says out '^No span$'

# Another thread wakes this one, and its own doing counts from there back to where the wait began.
mkdir handed && cp trace/metadata handed
{
    u32 0
    switch 1000 0 0 11 client
    at 2 1100 && u32 3
    switch 1200 11 1 0 swapper/0
    switch 1800 0 0 11 client
    at 3 1900 && u32 1
    switch 2000 11 1 0 swapper/0
} >handed/cpu0
{
    u32 1
    switch 1000 0 0 12 server
    at 2 1150 && u32 5
    at 3 1650 && u32 9
    at 1 1700 && text client && u32 11 && u32 0
    switch 2000 12 1 0 swapper/1
} >handed/cpu1
expect 0 critical --where 'tid == 11' handed
golden critical_handed

# Stretches sum up to the span, and so do the sums: over all samples, from files and pipes.
if have python3; then
    cat >sums.py <<'END'
import glob, json
for path in glob.glob('whole.*'):
    report = json.load(open(path))
    whole = report['span']['dur_ns']
    now = report['span']['time_ns']
    for row in report['stretches']:
        assert row['time_ns'] == now and row['end_ns'] > now, (path, row)
        now = row['end_ns']
    assert now == report['span']['end_ns'] == report['span']['time_ns'] + whole, (path, now)
    assert sum(row['dur_ns'] for row in report['sums']) == whole, path
    assert sum(row['count'] for row in report['sums']) == len(report['stretches']), path
END
    whole=0
    for trace in "$fxt"/*.fxt "$heph"/*.log "$SOURCE"/src/formats/xray/good/*.xray \
        "$SOURCE"/src/formats/ctf/good/* "${STELE_SAMPLES:-/nowhere}"/[fhx]*/*; do
        [ -e "$trace" ] || continue
        "$STELE" critical --json "$trace" >out 2>/dev/null </dev/null
        [ "$?" -le 1 ] || continue
        grep -q '^No span\|"span":null\|"span": null' out && continue
        whole=$((whole + 1))
        mv out "whole.$whole.$(basename "$trace")"
    done
    python3 sums.py 2>err || complain "stretches do not sum up" err
    check 'many samples have spans' [ "$whole" -ge 20 ]
else
    skip "python3 is missing: no sums over the samples"
fi

expect_from 0 "$fxt/events.fxt" critical -
says out '^name, 100 ns'
expect 2 critical --json --csv trace
finish
