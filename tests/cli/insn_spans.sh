#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls that are made of instructions go through the commands over calls of other traces.
. "$SOURCE/tests/cli/lib.sh"
trace=$SOURCE/src/formats/xtrace/good/collection
levels=$SOURCE/src/formats/xtrace/good/levels.xinsndata.bin

# Of each command: instructions, which are the times, in calls without what these call.
expect 0 insn calls --format folded --by-thread "$trace"
count=$(awk '{ sum += $NF } END { print sum }' out)
expect 0 calls --csv --columns self,depth,ended "$trace"
check 'every instruction once' [ "$(awk -F, 'NR > 1 { sum += $1 } END { print sum }' out)" = "$count" ]
says_not err 'ns'
expect 0 stats --csv --of self --spans "$trace"
check 'the same sum' [ "$(awk -F, 'NR == 2 { print $3 }' out)" = "$count" ]
expect 0 stats --csv --by name --of self "$trace"
check 'the same by name' [ "$(awk -F, 'NR > 1 { sum += $4 } END { print sum }' out)" = "$count" ]
expect 0 profile --csv "$trace"
check 'the same in profiles' \
    [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "self_insns") at = i }
        NR > 1 { sum += $at } END { print sum }' out)" = "$count" ]
expect 0 flame --format folded "$trace"
check 'the same in paths' [ "$(awk '{ sum += $NF } END { print sum }' out)" = "$count" ]
expect 0 diff --json "$trace" -- "$trace"
says out '"self_change_insns": 0,'

# The table of spans has the same calls.
columns='id,parent,time,dur,self,depth,name,caller,root,ended,children'
sql='id, parent, ts, dur, self_dur, depth, name, caller, root, ending, children'
if "$STELE" query "$levels" 'select 1' >out 2>err; then
    for from in "$trace" "$levels" "$SOURCE/src/formats/xtrace/good/threads"; do
        expect 0 calls --csv --columns "$columns" --sort id "$from"
        sed 1d out | tr -d '\r' >calls.csv
        expect 0 query --csv "$from" "select $sql from slice order by id"
        sed 1d out >slice.csv
        check 'there are rows' [ -s slice.csv ]
        same calls.csv slice.csv
        expect 0 query --csv "$from" 'select count(*), sum(self_dur) from slice'
        check 'all rows' [ "$(sed 1d out)" = "$(awk -F, '{ sum += $5 } END { print NR "," sum }' calls.csv)" ]
    done
    expect 0 query --csv "$levels" 'select ts, dur from slice where ts >= 3 and ts < 9'
    check 'a stretch of the table' [ "$(sed 1d out)" = 3,4 ]
    expect 0 query --csv "$levels" 'select count(*) from async_slice'
    check 'no operations' [ "$(sed 1d out)" = 0 ]
else
    skip 'SQL: no library of DuckDB'
fi

# A stretch has what the whole has there.
expect 0 calls --csv --columns self --begin 3ns --end 9ns "$levels"
check 'the instructions of a stretch' [ "$(awk -F, 'NR > 1 { sum += $1 } END { print sum }' out)" = 6 ]

# Handlers of exceptions are calls of what they interrupted.
expect 0 replay "$levels"
golden insn_replay
expect 0 calls --children --top 1 "$levels"
expect 0 calls --track '*11796*' --csv --columns track "$trace"
check 'one thread alone' [ "$(sort -u out | wc -l)" = 2 ]

# Pairs of events are those of events.
expect 0 calls --pair 'a:b' "$levels"
silent err
finish
