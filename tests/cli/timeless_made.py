# SPDX-License-Identifier: Apache-2.0
# usage: timeless_made.py OUT [COUNT]
# Makes an FXT trace whose first event with a time is at 5 s, with objects, a blob and an unknown
# record, which have none, before it, among the events, and at the end. COUNT of each kind are before it.
import struct
import sys

words = [0x0016547846040010, 1 | 2 << 4, 1000000000, 3 | 3 << 4 | 1 << 16, 10, 11]
BEGIN = 5000000000


def text(value):
    padded = value + bytes(-len(value) % 8)
    return struct.unpack(f"<{len(padded) // 8}Q", padded)


def kernel_object(kind, koid, name):
    body = text(name)
    words.extend((7 | 2 + len(body) << 4 | kind << 16 | (0x8000 | len(name)) << 24, koid, *body))


def user_object(pointer, name):
    words.extend((6 | 3 << 4 | 1 << 16 | (0x8000 | len(name)) << 24, pointer, *text(name)))


def blob(name, data):
    words.extend((5 | 3 << 4 | (0x8000 | len(name)) << 16 | len(data) << 32 | 1 << 48,
                  *text(name), *text(data)))


def event(kind, name, after, *more):
    words.extend((4 | 3 + len(more) + 1 << 4 | kind << 16 | 1 << 24 | 0x8003 << 32 |
                  (0x8000 | len(name)) << 48, BEGIN + after, *text(b"cat"), *text(name), *more))


kernel_object(1, 10, b"process")
kernel_object(2, 11, b"thread")
for i in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
    kernel_object(7, 99 + i, b"channel")
    blob(b"blob", b"bytes")
    user_object(0xdeadbeef + i, b"object")
words.extend((11 | 2 << 4, 7))
event(4, b"whole", 0, BEGIN + 1000000)
event(2, b"span", 2000000)
user_object(0xbeef, b"between")
blob(b"within", b"bytes")
event(3, b"span", 3000000)
event(0, b"moment", 4000000)
kernel_object(7, 97, b"last")
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack(f"<{len(words)}Q", *words))
