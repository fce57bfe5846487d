#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele diff: what changed between two traces.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
before=$xray/events.fdr2.xray
after=$xray/events.14.fdr5.ns.xray

expect 0 diff "$before" "$after"
golden diff
expect 0 diff --json "$before" "$after"
sed "s|$SOURCE/||" out >shown && mv shown out
golden diff_json
expect 0 diff --csv "$xray/exc.14.fdr5.tsc.xray" "$xray/tail.14.fdr5.tsc.xray"
golden diff_csv

# The largest change comes first, up or down.
tail -n +2 out | cut -d , -f 2 | tr -d - >have
sort -rns have >wanted
same have wanted

# Nothing changes from a trace to itself, and what is gone one way is new the other way.
expect 0 diff "$before" "$before"
says out '^All together: 0 ns (+0.0 %)'
expect 0 diff "$xray/exc.14.fdr5.tsc.xray" "$xray/tail.14.fdr5.tsc.xray"
says out ' gone .* @(8)$'
expect 0 diff "$xray/tail.14.fdr5.tsc.xray" "$xray/exc.14.fdr5.tsc.xray"
says out ' new .* @(8)$'
expect 0 diff --name '@(2)' "$before" "$after"
check "one function" test "$(grep -c '@(' out)" -eq 1

expect 0 diff --flame d.svg "$before" "$after"
says d.svg '^before: '
says d.svg '^after: '
if have xmllint; then
    check "well-formed" xmllint --noout d.svg
elif have rsvg-convert; then
    check "well-formed" rsvg-convert d.svg -o d.png
else
    skip "the picture is not parsed: neither xmllint nor rsvg-convert"
fi
expect 4 diff --flame d.svg "$before" "$after"
expect 0 diff --flame - --width 640 "$before" "$before" -- "$after" "$after" "$after"
says out '<svg[^>]* width="640"'
expect 2 diff --flame - --width 3 "$before" "$after"
expect 0 diff --flame d.svg --force "$before" "$after"

# Several runs a side: figures are means, the order of the runs does not matter, and noise is known.
third=$xray/events.fdr3.xray
expect 0 diff --json "$before" "$after" -- "$third" "$before" "$after"
documented out
cp out runs
expect 0 diff --json "$after" "$before" -- "$after" "$third" "$before"
sed 's/"trace": .*//' runs >wanted
sed 's/"trace": .*//' out >have
grep -v '_count"' wanted >wanted2
grep -v '_count"' have >have2
same have2 wanted2
expect 0 diff --csv "$before" "$before" -- "$before" "$before"
check "no change between the same" test "$(tail -n +2 out | cut -d , -f 2,4 | sort -u)" = 0,1

# Two runs of one program, in which a preemption makes +92 % and -83 % of two functions.
repro=${STELE_SAMPLES:-/nowhere}/../repro/xray
if [ -f "$repro/same-program-run1.xray.zst" ]; then
    expect 0 diff --csv "$repro/same-program-run1.xray.zst" "$repro/same-program-run2.xray.zst"
    check "all is noise" test "$(tail -n +2 out | cut -d , -f 4 | sort -u)" = 1
    expect 0 diff --fail-over 1% "$repro/same-program-run1.xray.zst" \
        "$repro/same-program-run2.xray.zst"
else
    skip "two runs of one program: STELE_SAMPLES/../repro/xray is missing"
fi

# Paths instead of functions: their self times add up to the same.
expect 0 diff --csv "$before" "$after"
tail -n +2 out | awk -F, '{ sum += $2 } END { print sum }' >wanted
expect 0 diff --csv --paths "$before" "$after"
says out '^@(1);@(2);@(3),\|^@(1);@(2),'
tail -n +2 out | awk -F, '{ sum += $2 } END { print sum }' >have
same have wanted
expect 0 diff --paths "$before" "$after"
says out 'paths\{0,1\} may have changed by chance only$'

# Traces that begin at an event: what was before it is left out.
expect 0 diff --csv --align '@(3)' "$before" "$after"
says out '^@(3),'
expect 0 diff --csv --align '@(3)' --end 1ns "$before" "$after"
tail -n +2 out | cut -d , -f 1 | sort | tr '\n' ' ' >have
printf '@(1) @(3) ' >wanted # what is open then, and what begins
same have wanted
expect 2 diff --align nothing "$before" "$after"
says err "there is no event 'nothing' in "
expect 2 diff --align '@(3)' --begin -1ms "$before" "$after"

# For continuous integration: what is new counts, also by as much as the whole.
expect 5 diff --fail-over 5% "$xray/tail.14.fdr5.tsc.xray" "$xray/exc.14.fdr5.tsc.xray"
says err 'slower by more than 5 % of the whole'
expect 0 diff --fail-over 5% "$xray/exc.14.fdr5.tsc.xray" "$xray/exc.14.fdr5.tsc.xray"
# Nothing to compare is no success.
sched=$SOURCE/src/formats/fxt/good/scheduling.fxt
expect 2 diff --fail-over 5% "$sched" "$sched"
says err 'has calls, so that --fail-over has nothing to judge'
for wrong in x 5x -1 nan; do
    expect 2 diff --fail-over "$wrong" "$before" "$after"
    says err 'takes a percentage'
done

# Schedules: states of threads by name, as calls; they add up to what stele sched says.
sched=$fxt/scheduling.fxt
expect 0 diff --of sched --csv "$sched" "$sched"
check "no change" test "$(tail -n +2 out | cut -d , -f 2 | sort -u)" = 0
says out '^[^,]*: running,'
says_not out 'blocked\|sleeping'
expect 0 diff --of sched --json "$sched" "$sched"
documented out
expect 0 diff --of sched --csv --name '*: *' "$sched" "$sched"
says out ': blocked,'
expect 0 diff --of sched --csv --end 20ns "$sched" -- "$sched"
expect 0 diff --of sched "$sched" "$sched"
says out ' states\{0,1\} may have changed by chance\|: running'

expect 2 diff "$before"
expect 2 diff "$before" "$after" "$before"
says err "put '--' between those before and those after"
expect 2 diff "$before" "$after" --
says err "no trace after '--'"
expect 2 diff "$before" -- "$after" -- "$after"
says err "'--' twice"
expect 3 diff "$before" no-such-file
silent out
# A figure of anything, group by group.
run=$SOURCE/src/formats/heph/good/heph_tracing_example.bin.log
expect 0 convert -o part.fxt --end 20ms "$run"
expect 0 diff --of stats --group name --value dur --figure sum --csv part.fxt "$run"
sums() {
    "$STELE" stats --by name --of dur --csv "$1" 2>/dev/null | tr -d '\r' |
        awk -F , 'NR > 1 { print $1 "," $4 }' | LC_ALL=C sort -t , -k 1,1
}
sums part.fxt >before
sums "$run" >after
LC_ALL=C join -t , -a 1 -a 2 -e 0 -o 0,1.2,2.2 before after | LC_ALL=C sort -t , -k 1,1 >wanted
tr -d '\r' <out | awk -F , 'NR > 1 { print $1 "," $4 "," $5 }' | LC_ALL=C sort -t , -k 1,1 >have
check 'there are some' test -s have
same wanted have
expect 5 diff --of stats --group name --kind complete --fail-over 5% part.fxt "$run"
says err 'larger by more than 5 %'
expect 0 diff --of stats --group name --kind complete --fail-over 5% "$run" part.fxt
expect 0 diff --of stats --fail-over 5% "$run" "$run"
expect 0 diff --of stats --group name --value dur --figure p99 --json "$run" "$run" -- "$run" part.fxt
documented out
says out '"before_runs": 2'
expect 0 diff --of stats --value dur --spans --where 'dur > 1ms' "$run" "$run"
says out '^mean of dur$'
expect 2 diff --group name "$run" "$run"
says err 'goes with --of stats'
expect 2 diff --of stats --figure p99 "$run" "$run"
expect 2 diff --of stats --figure middle --value dur "$run" "$run"
expect 2 diff --of stats --value dur,self "$run" "$run"
finish
