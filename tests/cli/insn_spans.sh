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
