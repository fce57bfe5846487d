# SPDX-License-Identifier: Apache-2.0
"""usage: cut_nested_made.py FILE: an FXT trace of one thread whose records are not in the order of time.

The span around all others is begun by the last record, as in traces of which a tool finds out only at
the end what was open at their start.
"""
import struct
import sys

INITIALIZATION, EVENT = 1, 4
BEGIN, END, INSTANT = 2, 3, 0
RECORDS = [
    (20, BEGIN, "middle"), (30, BEGIN, "inner"), (50, BEGIN, "first"), (55, END, "first"),
    (60, INSTANT, "now"), (65, END, "inner"), (66, BEGIN, "last"), (80, END, "last"),
    (85, END, "middle"), (90, END, "outer"), (10, BEGIN, "outer"),
]


def main():
    with open(sys.argv[1], "wb") as out:
        out.write(struct.pack("<QQQ", 0x0016547846040010, INITIALIZATION | 2 << 4, 1000000000))
        for time, kind, name in RECORDS:
            text = name.encode() + b"\0" * (-len(name) % 8)
            header = EVENT | (4 + len(text) // 8) << 4 | kind << 16 | (0x8000 | len(name)) << 48
            out.write(struct.pack("<QQQQ", header, time, 7, 8) + text)


main()
