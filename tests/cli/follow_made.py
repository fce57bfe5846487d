#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of CTF that grow.

usage: follow_made.py grow FROM TO      copies a folder in pieces that cut packets
       follow_made.py metadata COUNT    the metadata of CTF 2 of a made trace, with so many classes
       follow_made.py packet STREAM NUMBER CLASS   a packet of that trace, of two events
"""
import json
import os
import random
import struct
import sys
import time


def unsigned(bits, role=None):
    made = {"type": "fixed-length-unsigned-integer", "length": bits, "byte-order": "little-endian"}
    if role:
        made["roles"] = [role]
    return made


def structure(*members):
    classes = [{"name": name, "field-class": made} for name, made in members]
    return {"type": "structure", "member-classes": classes}


def metadata(count):
    out = sys.stdout.buffer
    fragments = [
        {"type": "preamble", "version": 2, "uuid": list(range(16))},
        {
            "type": "trace-class",
            "packet-header-field-class": structure(
                ("magic", unsigned(32, "packet-magic-number")),
                ("instance", unsigned(32, "data-stream-id")),
            ),
        },
        {"type": "clock-class", "id": "c", "name": "c", "frequency": 1000000000, "origin": "unix-epoch"},
        {
            "type": "data-stream-class",
            "id": 0,
            "default-clock-class-id": "c",
            "packet-context-field-class": structure(
                ("total", unsigned(32, "packet-total-length")),
                ("content", unsigned(32, "packet-content-length")),
                ("number", unsigned(32, "packet-sequence-number")),
                ("begin", unsigned(64, "default-clock-timestamp")),
                ("end", unsigned(64, "packet-end-default-clock-timestamp")),
            ),
            "event-record-header-field-class": structure(
                ("id", unsigned(8, "event-record-class-id")),
                ("time", unsigned(64, "default-clock-timestamp")),
            ),
        },
    ]
    for number in range(count):
        fragments.append(
            {
                "type": "event-record-class",
                "data-stream-class-id": 0,
                "id": number,
                "name": "kind %d" % number,
                "payload-field-class": structure(("value", unsigned(32))),
            }
        )
    for fragment in fragments:
        out.write(b"\x1e" + json.dumps(fragment).encode() + b"\n")


def packet(stream, number, kind):
    begin = 1000000000 + number * 1000
    events = b"".join(struct.pack("<BQI", kind, begin + stream + 500 * i, i) for i in range(2))
    size = 36 + len(events)
    head = struct.pack("<IIIII", 0xC1FC1FC1, stream, size * 8, size * 8, number)
    sys.stdout.buffer.write(head + struct.pack("<QQ", begin, begin + 999) + events)


def grow(source, target):
    chance = random.Random(7)
    left = {}
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                left[os.path.relpath(path, source)] = file.read()
    for name, content in left.items():
        os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
    while any(left.values()):
        # Metadata are there before what they describe, and come in pieces, too.
        names = [n for n in left if left[n] and n.endswith("metadata")] or [n for n in left if left[n]]
        name = chance.choice(sorted(names))
        size = chance.randint(1, 4096) if len(left[name]) < 65536 else chance.randint(1, 32768)
        with open(os.path.join(target, name), "ab") as file:
            file.write(left[name][:size])
        left[name] = left[name][size:]
        time.sleep(0.01)


if sys.argv[1] == "grow":
    grow(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "metadata":
    metadata(int(sys.argv[2]))
else:
    packet(*(int(word) for word in sys.argv[2:5]))
