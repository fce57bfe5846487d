#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What times count: where they are instructions, or ticks of unknown length, no command shows them as
# nanoseconds, in text, as CSV, as JSON or in pictures.
. "$SOURCE/tests/cli/lib.sh"
insns=$SOURCE/src/formats/xtrace/good/levels.xinsndata.bin
nanoseconds='[0-9] \(ns\|µs\|ms\|s\)\>\|_ns\>\|nanosecond'

# An XRay log whose header does not say how fast the counter runs.
cp "$SOURCE/src/formats/xray/good/tail.14.fdr5.tsc.xray" ticks.xray
printf '\0\0\0\0\0\0\0\0' | dd of=ticks.xray bs=1 seek=8 conv=notrunc 2>dd.log

for command in 'profile' 'profile --by-thread' 'profile --csv' 'profile --json' \
    'calls' 'calls --csv' 'calls --json' 'calls --sort -dur --top 2' 'calls --columns time,dur,self,dur*2' \
    'calls --children' 'calls --stack' 'calls --outliers' 'calls --outliers --json' \
    'graph' 'graph --format dot' 'flame --format folded' 'flame --format svg' 'flame --format speedscope' \
    'flame --format evented' 'flame --format callgrind' 'replay' 'replay --by-thread' 'replay --fold' \
    'timeline' 'timeline --json' 'top' 'top --json' 'why' 'info' 'critical' 'critical --json' \
    'stats --by name --of dur' 'stats --by name --of dur --json' 'stats --of self --hist log2' \
    'stats --of dur --every 5' 'stats --of dur --every 5 --csv' 'stats --of dur --every 5 --json' \
    'latency --json a b'; do
    for trace in "$insns" ticks.xray; do
        # shellcheck disable=SC2086
        expect 0 $command "$trace"
        says_not out "$nanoseconds"
        says_not err "$nanoseconds"
    done
done

# Both sides of a comparison count the same, and the picture says it.
for trace in "$insns" ticks.xray; do
    for form in '' --csv --json --paths '--of stats --group name --value dur'; do
        # shellcheck disable=SC2086
        expect 0 diff $form "$trace" -- "$trace"
        says_not out "$nanoseconds"
    done
done
expect 0 diff "$insns" -- "$insns" --flame flame.svg
says flame.svg 'instructions'
says_not flame.svg "$nanoseconds"

# What is shown instead, with the same numbers.
expect 0 profile "$insns"
says out '^Times are numbers of instructions$'
says out '^ *1  *16  *8  *50.0 %  *16 .* 0x400000$'
expect 0 profile --json "$insns"
says out '"total_insns": 16,'
sed 's/_insns"/_ns"/' out >nanoseconds.json && documented nanoseconds.json
expect 0 calls --csv --columns time,dur,name "$insns"
says out '^time_insns,dur_insns,name'
says out '^1,6,0xffff800008010000'
expect 0 calls --json ticks.xray
says out '"dur_ticks": '
expect 0 stats --of dur --json "$insns"
says out '"unit": "instructions"'
expect 0 flame --format svg "$insns"
says out 'Width: instructions'
expect 0 graph ticks.xray
says out '^Times are ticks of unknown length$'
expect 0 top "$insns"
says out '^From 0, 15 instructions: 19 events$'
says out 'per 1000  name$'
expect 0 timeline "$insns"
says out '16 instructions of their clock'

# The Firefox Profiler has no other unit, which is said.
expect 0 flame --format firefox "$insns"
says err 'shows one of the instructions as 1 ns'

# Traces that do not count the same are shown as nanoseconds, which is said; alone they are not.
expect 0 profile "$insns" "$fxt/events.fxt"
says err 'times of some traces are nanoseconds, of others numbers of instructions or ticks'
says out ' ns '
says_not out 'Times are'
expect 0 profile "$fxt/events.fxt"
says_not out 'Times are'
silent err
finish
