#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles in the order of time have the own times of 'stele flame --by-thread': for the Firefox
# Profiler, of which every table is checked, and evented ones for speedscope.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}
xray=$SOURCE/src/formats/xray/good

for trace in "$xray/exc.14.fdr5.tsc.xray" "$xray/recur.14.basic3.xray" "$heph/heph_tracing_example.bin.log" \
    "$fxt/events.fxt"; do
    expect 0 flame --by-thread "$trace"
    sort out >own
    [ -s own ] || complain "no calls"
    for form in firefox evented; do
        expect 0 flame --format $form "$trace"
        python3 "$SOURCE/tests/cli/flame_times.py" out >folded 2>err || complain "it is not sound" err
        sort folded >theirs
        same theirs own
    done
done

# A range, and the name of the output.
expect 0 flame --begin 215ns --by-thread "$fxt/events.fxt"
sort out >own
expect 0 flame --begin 215ns -o x.firefox.json "$fxt/events.fxt"
python3 "$SOURCE/tests/cli/flame_times.py" x.firefox.json >folded 2>err || complain "it is not sound" err
sort folded >theirs
same theirs own

# Several traces.
expect 0 flame --format evented "$xray/exc.14.fdr5.tsc.xray" "$fxt/events.fxt"
python3 "$SOURCE/tests/cli/flame_times.py" out >folded 2>err || complain "it is not sound" err
check "both are there" test "$(cut -d' ' -f1 folded | sort -u | wc -l)" -ge 1

expect 2 flame --format firefox --by-count "$fxt/events.fxt"
says err 'by-count'
finish
