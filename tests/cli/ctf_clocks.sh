#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times of fewer bits than their clock count on in the stream, whole or from the middle; counters of
# discarded events that fall and return.
. "$SOURCE/tests/cli/lib.sh"
good=$SOURCE/src/formats/ctf/good
bad=$SOURCE/src/formats/ctf/bad

cat >times <<'END'
   0.000000000 1
   0.000008000 2
   0.000020000 3
   0.000032000 4
   0.000048000 5
4294.967296000 6
4294.967328000 7
4294.967344000 8
END
for sample in clock_packets clock_events; do
    expect 0 cat "$good/$sample"
    sed 's/  s_0.*v=/ /' out >got
    diff times got || complain "times of $sample"
    # The state of the clock is in the index: a part has the same times, and reads no more of it.
    expect 0 cat --begin=4294.967300s "$good/$sample"
    lines out 2
    expect 0 convert "$good/$sample" --begin=4294.967300s -o "part_$sample" --to ctf
    expect 0 cat --begin=4294.967300s "part_$sample"
    lines out 2
    # Each packet from 0: babeltrace2's way.
    expect 0 cat --clock-start=packet "$good/$sample"
    says err 'CTF455 time goes back'
    expect 0 convert "$good/$sample" -o "whole_$sample" --to ctf
    diff -r "$good/$sample" "whole_$sample" || complain "the copy of $sample differs"
done
expect 2 cat --clock-start=trace "$good/clock_events"

expect 1 info "$bad/counter_flips"
says out 'Lost  *300 events, 2 marks of loss'
says out 'Events  *6 on 1 track'
expect 1 info --json "$bad/counter_flips"
says out '"event_count": *6,'
says out '"lost_event_count": *2'
says out '"lost_count": *300'
expect 1 info "$bad/counter_u8"
says out 'Lost  *180 events'
finish
