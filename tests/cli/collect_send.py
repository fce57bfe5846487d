#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a trace to 'stele collect', packet by packet, as a bad network would deliver it.

usage: collect_send.py udp:PORT|tcp:PORT|unix:PATH|unix-dgram:PATH|PIPE TRACE [OPTION=VALUE...]

    loss=P reorder=P twice=P    of the packets of a datagram sender are lost, come later, come twice
    seed=N                      of these choices
    chunk=N                     streams are sent in pieces of 1 to N bytes
    metadata=first|last|none    when the metadata of CTF are sent
    lie=N                       before every Nth packet goes one that says a wrong size
    stop=N                      ends after N packets
    only=NAME                   of CTF, the data stream of this name alone
    pause=N                     rests after every N datagrams for a moment

What was done is printed: packets sent, lost, sent twice, bytes of lies.
"""
import os
import random
import re
import socket
import struct
import subprocess
import sys
import time


def heph_packets(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at + 4)
        yield data[at : at + size]
        at += size


def ctf_metadata(path):
    data = open(os.path.join(path, "metadata"), "rb").read()
    if data[:1] == b"\x1e":
        return [b"\x1e" + piece for piece in data.split(b"\x1e")[1:]]
    if data[:4] in (b"\x57\x1d\xd1\x75", b"\x75\xd1\x1d\x57"):
        order = "<I" if data[0] == 0x57 else ">I"
        pieces, at = [], 0
        while at < len(data):
            size = struct.unpack_from(order, data, at + 28)[0] // 8
            pieces.append(data[at : at + size])
            at += size
        return pieces
    if data[:4] in (b"\xc1\x1f\xfc\xc1", b"\xc1\xfc\x1f\xc1"):
        order = "<I" if data[3] == 0xC1 and data[0] == 0xC1 and data[1] == 0x1F else ">I"
        pieces, at = [], 0
        while at < len(data):
            size = struct.unpack_from(order, data, at + 12)[0]
            pieces.append(data[at : at + size])
            at += size
        return pieces
    return [data]


def ctf_packets(path, only):
    """Packets of all files, by the sizes that 'stele dump' shows, in the order of the files."""
    names = sorted(
        name
        for name in os.listdir(path)
        if name not in ("metadata", "index") and not name.startswith(".") and only in ("", name)
    )
    rows = subprocess.run(
        [os.environ["STELE"], "dump", path], stdout=subprocess.PIPE, check=False
    ).stdout.decode("utf-8", "replace")
    sizes = [
        (int(m.group(1)), int(m.group(2)))
        for m in re.finditer(r"^ *(\d+) +(\d+)  Packet ", rows, re.M)
    ]
    files = []
    for offset, size in sizes:
        if offset == 0:
            files.append([])
        files[-1].append((offset, size))
    every = sorted(
        name for name in os.listdir(path) if name not in ("metadata", "index") and name[0] != "."
    )
    for name, places in zip(every, files):
        if name in names:
            data = open(os.path.join(path, name), "rb").read()
            for offset, size in places:
                yield data[offset : offset + size]


def open_socket(address):
    kind, _, rest = address.partition(":")
    if kind == "udp":
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.connect(("127.0.0.1", int(rest)))
    elif kind == "tcp":
        s = socket.create_connection(("127.0.0.1", int(rest)))
    elif kind == "unix":
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.connect(rest)
    elif kind == "unix-dgram":
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.connect(rest)
    else:
        return open(address, "wb", buffering=0)
    return s


def main():
    address, path = sys.argv[1:3]
    options = dict(word.split("=", 1) for word in sys.argv[3:])
    chance = random.Random(int(options.get("seed", 1)))
    loss, reorder, twice = (float(options.get(k, 0)) for k in ("loss", "reorder", "twice"))
    lie_every, stop = int(options.get("lie", 0)), int(options.get("stop", -1))
    chunk, pause = int(options.get("chunk", 4096)), int(options.get("pause", 100))
    is_datagram = address.startswith(("udp:", "unix-dgram:"))
    where = options.get("metadata", "first")
    out = open_socket(address)
    send = out.write if not hasattr(out, "send") else (out.send if is_datagram else out.sendall)
    if os.path.isdir(path):
        state = ctf_metadata(path)
        packets = list(ctf_packets(path, options.get("only", "")))
    elif path.endswith(".fxt"):
        state, packets = [], [open(path, "rb").read()]
    else:
        state, packets = [], list(heph_packets(path))
    counts = {"sent": 0, "lost": 0, "twice": 0, "lies": 0}
    plan = []
    for number, packet in enumerate(packets if stop < 0 else packets[:stop]):
        if lie_every and number % lie_every == lie_every - 1:
            lie = packet[:4] + struct.pack(">I", 0x7FFFFFFF) + packet[8:12]
            counts["lies"] += len(lie)
            plan.append(lie)
        if is_datagram and chance.random() < loss:
            counts["lost"] += 1
            continue
        counts["sent"] += 1
        plan.append(packet)
        if is_datagram and chance.random() < twice:
            counts["twice"] += 1
            plan.append(packet)
    if is_datagram:
        for at in range(len(plan) - 1):
            if chance.random() < reorder:
                to = min(len(plan) - 1, at + chance.randint(1, 8))
                plan[at], plan[to] = plan[to], plan[at]
    if where == "first":
        plan = state + plan
    elif where == "last":
        plan = plan + state
    if is_datagram:
        for number, packet in enumerate(plan):
            send(packet)
            if number % pause == pause - 1:
                time.sleep(0.002)
    else:
        data = b"".join(plan)
        at = 0
        while at < len(data):
            size = chance.randint(1, chunk)
            send(data[at : at + size])
            at += size
    out.close()
    print(" ".join("%s=%d" % item for item in counts.items()))


main()
