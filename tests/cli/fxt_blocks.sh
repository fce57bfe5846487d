#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Blocks of 512 bytes with anything in them, and missing bytes: what they cost is what was in them, and
# not the thousands of events that a false record would hold.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    skip 'no python3 to make the traces'
    exit 77
}
python3 - "$STELE" >said <<'END'
import json
import random
import struct
import subprocess
import sys

COUNT = 8000
random.seed(12)
words = [0x0016547846040010, 2 | 2 << 4 | 1 << 16 | 5 << 32, 0x6161616161, 3 | 3 << 4 | 1 << 16, 7, 8]
time = 1 << 40
for i in range(COUNT):
    time += random.randrange(1 << 20)
    counts = random.randrange(3)  # arguments: an address, or two of 32 bits
    words += [4 | 2 + (0, 2, 2)[counts] << 4 | counts << 20 | 1 << 24 | 1 << 32 | 1 << 48, time]
    words += ([], [8 | 2 << 4 | 1 << 16, random.getrandbits(48)],
              [1 | 1 << 4 | 1 << 16 | i << 32, 2 | 1 << 4 | 1 << 16 | 77 << 32])[counts]
sound = struct.pack("<%dQ" % len(words), *words)


def count(data):
    with open("damaged.fxt", "wb") as out:
        out.write(data)
    text = subprocess.run([sys.argv[1], "info", "--quiet", "--json", "damaged.fxt"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    trace = json.loads(text)["traces"][0]
    parts = trace["balance"]
    if parts["record_size"] + parts["padding_size"] + parts["skipped_size"] != len(data):
        print("bytes are not accounted for:", parts, len(data))
    return trace["event_count"]


if count(sound) != COUNT:
    print("the sound trace has other events")
for turn in range(40):
    data = bytearray(sound)
    at = random.randrange(len(data)) // 512 * 512
    data[at:at + 512] = random.getrandbits(8 * 512).to_bytes(512, "little")
    lost = COUNT - count(data[:len(sound)])
    if lost > 60:
        print(f"a block at {at} cost {lost} events")
for turn in range(60):  # those at the end lead to sizes beyond it
    data = bytearray(sound)
    size = random.randrange(1, 300) if turn < 20 else 1
    at = random.randrange(64 if turn < 20 else len(data) - 4000, len(data) - size)
    del data[at:at + size]
    lost = COUNT - count(data)
    if lost > 40:
        print(f"{size} missing bytes at {at} cost {lost} events")
END
check "damage costs what it covers" test ! -s said
cat said >&2
finish
