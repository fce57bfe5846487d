#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele timeline: what tracks do over time, drawn with characters.
. "$SOURCE/tests/cli/lib.sh"

cp "$fxt/scheduling.fxt" "$heph/heph_tracing_example.bin.log" .
expect 0 timeline scheduling.fxt
golden timeline_scheduling
expect 0 timeline heph_tracing_example.bin.log
golden timeline_heph
check "it fits 80 columns" test "$(wc -L <out)" -le 80

# Without UTF-8 it is ASCII, as wide as was asked for.
LC_ALL=C expect 0 timeline --width 60 heph_tracing_example.bin.log
golden timeline_ascii
check "it is ASCII" test -z "$(tr -d '\000-\177' <out)"
check "it fits 60 columns" test "$(grep '@' out | wc -L)" -le 60

# What is left out is said.
expect 0 timeline --tracks 1 scheduling.fxt
says out '^3 tracks left out; --tracks 0 shows all$'
expect 0 timeline --tracks 0 scheduling.fxt
says_not out 'left out; --tracks'
expect 0 timeline --track 'cpu:1' scheduling.fxt
says_not out 'cpu 4'

# A stretch, by its bounds.
expect 0 timeline --begin 10ns --end 30ns scheduling.fxt
says out ' in 11 ns from 0.000001010 s$'

# JSON has the same figures, with their slack; the sum of bins is that of the track.
expect 0 timeline --json --width 40 scheduling.fxt
golden timeline_json
documented out

# Losses cannot be overlooked, and are not a clean end.
for trace in "$SOURCE"/src/formats/ctf/good/*discard*; do
    [ -e "$trace" ] || continue
    expect 1 timeline "$trace"
    says out '!'
    says out 'lost there or nearby$'
done

expect 2 timeline --width 3 scheduling.fxt
says err 'width takes 40 to 10000'
expect 3 timeline no-such-file
finish
