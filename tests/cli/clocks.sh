#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wall-clock times stay what a clock on the wall showed, however traces are brought together.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/heph_tracing_example.bin.log
"$STELE" convert "$trace" -o other.fxt 2>err

# walls FILE: the wall-clock times of the JSON in it, sorted.
walls() {
    sed -n 's/.*"wall_ns":\(-*[0-9]*\).*/\1/p' "$1" | sort -n
}

expect 0 cat --json --kind complete "$trace"
walls out >wanted
lines wanted 96
# One second later.
sed 's/^\(.*\)6\(.........\)$/\17\2/' wanted >later

# Two formats, one wall clock: every time is there twice, in JSON, CSV, text and conversions.
sort -n wanted wanted >twice
expect 0 cat --json --kind complete "$trace" other.fxt
walls out >given
same given twice
for how in --csv ""; do
    # shellcheck disable=SC2086
    expect 0 cat $how --time absolute --kind complete "$trace" other.fxt
    [ "$(grep -c 2026-11-21T13:42: out)" -eq 192 ] || complain "times of another day" out
done
for format in fxt heph ctf; do
    "$STELE" convert "$trace" other.fxt --to "$format" -o "both.$format" 2>err
    expect 0 cat --time absolute --where 'name ~ "*message"' "both.$format"
    [ "$(grep -c '^2026-11-21T13:42:1' out)" -eq 88 ] || complain "times of another day" out
    "$STELE" convert "$trace" --to "$format" -o "one.$format" 2>err
    expect 0 info "one.$format"
    says out 'Duration *100.69'
    says out 'Start *2026-11-21T13:42:16.8811895'
done

# An alignment only moves the zero; an offset corrects the clock, on the wall, too. Both do for one
# trace what they do for several, from a pipe, too.
expect 0 cat --json --kind complete --align-start "$trace" other.fxt
walls out >given
same given twice
expect 0 cat --json --kind complete --align-start "$trace"
walls out >given
same given wanted
says out '"time_ns":0,'
expect 0 cat --json --kind complete --offset 1s "$trace"
walls out >given
same given later
for file in "$trace" other.fxt; do
    expect 0 cat --json --kind complete "$file" --offset 1s
    walls out >given
    same given later
    expect_from 0 "$file" cat --json --kind complete - --offset 1s
    walls out >given
    same given later
done
expect 0 cat --json --kind complete --align-start "$trace" --offset 1s
walls out >given
same given later
says out '"time_ns":1000000000,'
for format in fxt heph ctf; do
    "$STELE" convert "$trace" --offset 1s --to "$format" -o "later.$format" 2>err
    expect 0 info "later.$format"
    says out 'Start *2026-11-21T13:42:17.8811895'
done

# Bounds on the wall clock are those that are shown.
first=2026-11-21T13:42:16.9Z
expect 0 cat --json --kind complete --begin "$first" "$trace"
count=$(grep -c . out)
expect 0 cat --json --kind complete --begin "$first" --align-start "$trace"
lines out "$count"
expect 0 cat --json --kind complete --begin 2026-11-21T13:42:17.9Z "$trace" --offset 1s
lines out "$count"

# Seconds are no distance on a clock of instructions.
xtrace=$SOURCE/src/formats/xtrace/good
for file in "$xtrace"/*.xinsndata.bin; do
    expect 2 cat "$file" --offset 1s
    says err 'STE008'
    break
done

finish
