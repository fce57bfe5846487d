#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One damaged timestamp: found in every format, and left out of ranges of time.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# damaged FROM TO OFFSET: a copy with the byte 0x20 there, which is the highest of a time.
damaged() {
    cp "$formats/$1" "$2" && chmod u+w "$2"
    printf '\040' | dd of="$2" bs=1 seek="$3" conv=notrunc 2>/dev/null
}

# outlier NAME OFFSET: `info` says where, and shows the same length as of the sound trace.
outlier() {
    length=$("$STELE" info "$formats/$3" | sed -n 's/^  Duration *//p')
    expect 0 info "$1"
    says err "^$1:$2: warning STE015"
    check "one finding" test "$(grep -c STE015 err)" -eq 1
    check "the length is that of the others: $length" grep -q "^  Duration  *$length\$" out
    count=$("$STELE" cat --csv "$formats/$3" 2>/dev/null | wc -l)
    for options in "" "--begin 0s" "--sort full" "--sort window" "--sort none" \
        "--sort full --begin 0s"; do # delivered wherever it stands, and whatever is asked
        # shellcheck disable=SC2086
        expect 0 cat --csv $options "$1"
        lines out "$count"
    done
}

damaged fxt/good/events.fxt one.fxt 479
damaged heph/good/heph_tracing_example.bin.log one.heph 642
damaged xray/good/recur.14.basic3.xray one.xray 175
outlier one.fxt 464 fxt/good/events.fxt
outlier one.heph 618 heph/good/heph_tracing_example.bin.log
outlier one.xray 160 xray/good/recur.14.basic3.xray

# Bounds counted from the end mean the end of the others.
for trace in one.fxt one.heph; do
    expect 0 cat --begin=-1s "$trace"
    says err 'warning STE015'
    check "the outlier is not alone" test "$(wc -l <out)" -gt 5
done
finish
