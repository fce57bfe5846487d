#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranges of traces of several providers in FXT are read by going over blocks, and are as when all is
# read: with an index and without.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    skip "no python3 to make the traces"
    finish
}
kinds='--kind begin --kind end --kind instant'
for providers in 1 4 40; do
    python3 "$SOURCE/tests/cli/fxt_providers_made.py" several.fxt $providers 100000
    check 'the trace is large enough for several blocks' test "$(stat -c %s several.fxt)" -gt 1500000
    rm -f several.fxt.stele-index
    start=$("$STELE" cat --json --kind begin --kind end --kind instant --limit 1 several.fxt |
        sed 's/.*"time_ns":\([0-9]*\).*/\1/')
    for index in without with; do
        test $index = without || expect 0 index several.fxt
        for range in '1000 2000' '100000 200000' '800000 801000' '5000000 90000000' '0 1000000'; do
            begin=${range% *} end=${range#* }
            for track in '*' 'provider 1*' '*2003'; do
                # shellcheck disable=SC2086
                "$STELE" cat --json $kinds --track "$track" --where "time >= ${begin}ns and time < ${end}ns" \
                    several.fxt >wanted 2>err
                # shellcheck disable=SC2086
                expect 0 cat --json $kinds --track "$track" --begin ${begin}ns --end ${end}ns several.fxt
                same out wanted
            done
            # shellcheck disable=SC2086
            "$STELE" cat --unsorted --json $kinds several.fxt \
                --where "clock >= $((start + begin)) and clock < $((start + end))" >wanted 2>err
            # shellcheck disable=SC2086
            expect 0 cat --unsorted --json $kinds --begin ${begin}ns --end ${end}ns several.fxt
            same out wanted
        done
        # What has no time is shown once, wherever the range lies.
        "$STELE" cat --kind object several.fxt | wc -l >wanted
        for range in '0 1' '1000 2000' '800000 801000' '999999999 9999999999'; do
            expect 0 cat --kind object --begin "${range% *}ns" --end "${range#* }ns" several.fxt
            lines out "$(cat wanted)"
        done
    done
done
finish
