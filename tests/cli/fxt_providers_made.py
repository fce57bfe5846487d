# SPDX-License-Identifier: Apache-2.0
"""usage: fxt_providers_made.py FILE PROVIDERS EVENTS: a trace of several providers in FXT.

Their records stand in turns of 3 to 3,000 events, with clocks of their own, and tables of strings that
change on the way; some events come late.
"""
import random
import struct
import sys

METADATA, INITIALIZATION, STRING, THREAD, EVENT, OBJECT = 0, 1, 2, 3, 4, 7


class Writer:
    def __init__(self, path):
        self.out = open(path, "wb")

    def record(self, kind, bits, words=(), text=b""):
        text += b"\0" * (-len(text) % 8)
        size = 1 + len(words) + len(text) // 8
        self.out.write(struct.pack("<%dQ" % (1 + len(words)), kind | size << 4 | bits, *words) + text)

    def string(self, index, text):
        self.record(STRING, index << 16 | len(text) << 32, (), text)

    def introduce(self, provider):
        name = b"provider %d" % provider
        self.record(METADATA, 1 << 16 | provider << 20 | len(name) << 52, (), name)
        self.record(INITIALIZATION, 0, (1000000000 * provider,))
        for index in range(1, 6):
            self.string(index, b"name %d of %d" % (index, provider))
        for index in range(1, 4):
            self.record(THREAD, index << 16, (1000 + provider, 2000 * provider + index))


def turn(w, provider, clocks, depths, count):
    now, depth = clocks[provider], depths[provider]
    w.record(METADATA, 2 << 16 | provider << 20)
    if random.random() < 0.3:
        w.string(random.randrange(1, 6), b"renamed %d" % random.randrange(1000))
    if random.random() < 0.2:
        w.record(OBJECT, 3 << 16 | random.randrange(1, 6) << 24, (900000 + now,))
    for _ in range(count):
        now = max(1, max(clocks.values()) - random.randrange(2000)) if random.random() < 0.1 else \
            now + random.randrange(1000)
        thread, name, dice = random.randrange(1, 4), random.randrange(1, 6), random.random()
        bits = thread << 24 | 1 << 32 | name << 48
        if dice < 0.5 and depth[thread] < 20:
            w.record(EVENT, 2 << 16 | bits, (now * provider,))
            depth[thread] += 1
        elif dice < 0.8 and depth[thread] > 0:
            w.record(EVENT, 3 << 16 | bits, (now * provider,))
            depth[thread] -= 1
        else:
            w.record(EVENT, bits, (now * provider,))
    clocks[provider] = now


def main():
    random.seed(1)
    w, providers, left = Writer(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    w.out.write(struct.pack("<Q", 0x0016547846040010))
    clocks = {p: 1000000 for p in range(1, providers + 1)}
    depths = {p: [0] * 4 for p in clocks}
    for provider in clocks:
        w.introduce(provider)
    while left > 0:
        count = random.choice([3, 30, 300, 3000])
        turn(w, random.choice(list(clocks)), clocks, depths, count)
        left -= count
    w.out.close()


main()
