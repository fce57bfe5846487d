#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele cat: events in the order of time, of one trace and of several.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/heph_tracing_example.bin.log
other=$heph/rt_arrays.bin.log
unrelated=$heph/no_epoch.bin.log

expect 0 cat --limit 8 "$trace"
golden cat_heph
expect 0 cat --json "$heph/doc_example.bin.log"
golden cat_heph_json
expect 0 cat --csv "$heph/doc_example.bin.log"
golden cat_heph_csv

# In order of time, although Heph writes in the order of ends.
expect 0 cat --csv --columns ticks --kind complete "$trace"
tail -n +2 out >have
sort -n have >wanted
same have wanted
expect 0 cat --csv --columns ticks --kind complete --unsorted "$trace"
tail -n +2 out >have
check "records do not stand in order" test "$(sort -n have | cmp - have >/dev/null 2>&1; echo $?)" -ne 0
sort -n have >sorted
same sorted wanted
expect 0 cat --csv --columns ticks --kind complete --sort=none "$trace"
tail -n +2 out >unsorted
same unsorted have
for how in auto full window; do
    expect 0 cat --csv --columns ticks --kind complete --sort=$how "$trace"
    tail -n +2 out >have
    same have wanted
done
# The same through sorted runs in a temporary file: little memory is allowed.
expect 0 cat --csv --columns ticks --kind complete --max sort=64K "$other"
tail -n +2 out >have
sort -n have >wanted
same have wanted

# The first and the last ones.
expect 0 cat "$trace"
mv out whole
for count in 0 1 2 17 96 97 98 100000; do
    expect 0 cat --json --limit $count "$trace"
    mv out first
    expect 0 cat --json --tail $count "$trace"
    mv out last
    expect 0 cat --json "$trace"
    head -n $count out >wanted
    same first wanted
    tail -n $count out >wanted
    same last wanted
done
expect_from 0 "$trace" cat --json --tail 5 -
lines out 5

# Columns and times.
expect 0 cat --columns name,dur --kind complete --limit 1 "$trace"
says out '^Building runtime  *3.053350ms'
expect 2 cat --columns nonsense "$trace"
says err "error STE009 .*'nonsense'"
expect 0 cat --time ticks --kind complete --limit 1 "$trace"
says out '^ *54181 '
expect 0 cat --time absolute --kind complete --limit 1 "$trace"
says out '^2026-11-21T13:42:16.881189547Z '
expect 0 cat --time relative --kind complete --limit 1 "$trace"
says out '^ *0.000000000 '

# Several traces: by the wall clock where all know it.
expect 0 cat --csv --columns time,name --time absolute --kind complete "$trace" "$other"
tail -n +2 out >have
LC_ALL=C sort -s -t , -k 1,1 have >wanted
same have wanted
count=$(wc -l <have)
expect 0 cat --csv --columns name --kind complete "$trace"
one=$(tail -n +2 out | wc -l)
expect 0 cat --csv --columns name --kind complete "$other"
check "all events of both" test "$count" -eq $((one + $(tail -n +2 out | wc -l)))
# The last ones of interleaved traces are the same as those of the whole.
expect 0 cat --json "$trace" "$other"
mv out whole
for count in 1 50 200 350; do
    expect 0 cat --json --tail $count "$trace" "$other"
    tail -n $count whole >wanted
    same out wanted
done
# Unrelated clocks are refused, unless the user says how they relate.
expect 2 cat "$trace" "$unrelated"
silent out
says err 'error STE008 '
expect 2 convert "$trace" "$unrelated" --to json -o refused
check "nothing was written" test ! -e refused
expect 0 cat --align-start --csv --columns time --kind complete "$trace" "$unrelated"
check "both begin at 0" test "$(grep -c '^0*\.*0*$' out)" -ge 2
expect 0 cat --csv --columns time --kind complete "$trace" "$unrelated" --offset 1s
mv out shifted
expect 0 cat --csv --columns time --kind complete "$trace" --offset 0s "$unrelated" --offset 1s
same out shifted
expect 0 cat --json --kind complete "$unrelated" --offset -1ms
# Bytes that are rather text are shown as text, where people or viewers read them.
xray=$SOURCE/src/formats/xray/good/events.14.fdr5.ns.xray
expect 0 cat "$xray"
says out 'custom  data=<"step 0 begin">'
says out 'data=<[0-9a-f][0-9a-f] '
expect 0 cat --json "$xray"
says out '"type":"bytes","value":"73746570203020626567696e"'
expect 0 convert "$xray" --to chrome -o text.json
says text.json '"data":"step 0 begin"'
finish
