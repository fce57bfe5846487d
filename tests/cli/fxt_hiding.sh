#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records that may hide others, one in every few words: what is searched for those others is searched
# once, so that a megabyte takes a fraction of a second.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    skip 'no python3 to make the traces'
    exit 77
}
python3 - <<'END'
import struct


def event(size):
    return 4 | size << 4 | 1 << 24 | 1 << 32 | 1 << 48


def make(path, unit, every):
    """A string, a thread, then units, with four sound events after so many of them."""
    words = [0x0016547846040010, 2 | 2 << 4 | 1 << 16 | 5 << 32, 0x6161616161, 3 | 3 << 4 | 1 << 16, 7, 8]
    units = 0
    while len(words) < 125000:
        words += unit
        units += 1
        if units % every == 0:
            for time in range(4):
                words += [event(2), time]
    with open(path, "wb") as out:
        out.write(struct.pack("<%dQ" % len(words), *words))


two = [event(2), 1, event(2), 2]
large = 15 | 90000 << 4
make("large.fxt", two + [large, 0, 0], 500)  # large records with sound ones 28 KB later
make("alone.fxt", two + [large, 0, 0], 8000)  # and with none in 64 KB
make("long.fxt", two + [event(4095), 3, 0], 500)
# Objects and blobs that overlap: each word leads somewhere.
with open("overlapping.fxt", "wb") as out:
    unit = [0x44787DD9BB99CD57, 0x320030025, 0x10033, 0x21, 0x900020035]
    out.write(struct.pack("<Q", 0x0016547846040010) + struct.pack("<5Q", *unit) * 25000)
END
# quick EVENTS FILE: at least so many events, each byte accounted for, and in 10 seconds of a processor
quick() {
    for command in info check profile; do
        last="stele $command $2"
        status=0
        (ulimit -t 10 && exec "$STELE" $command -q "$2" >out 2>err) || status=$?
        check "damage is reported, and nothing ends it" test "$status" -eq 1
    done
    expect 1 info --json "$2"
    check "events are there" test "$(sed -n 's/.*"event_count": \([0-9]*\).*/\1/p' out | head -n 1)" -ge "$1"
    bytes=$(sed -n 's/.*"\(record_size\|padding_size\|skipped_size\)": \([0-9]*\).*/\2/p' out | head -n 3 | paste -sd + -)
    # shellcheck disable=SC2004
    check "each byte is accounted for" test $(($bytes)) -eq "$(wc -c <"$2")"
}
quick 35000 large.fxt
quick 1 alone.fxt
quick 50000 long.fxt
quick 40000 overlapping.fxt
finish
