# SPDX-License-Identifier: Apache-2.0
"""How long 'stele view' takes to answer: random stretches at random zoom, as the page asks for them.

usage: view.py STELE TRACE [COUNT]

Prints when the first picture is there, when all is known, the memory of the server, and the CPU time
of the server for COUNT (200) stretches of a screenful of tracks, and as many of all tracks: the median,
99 of 100, and the five that took longest. SEED in the environment chooses other stretches.
"""
import http.client
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import urllib.parse

PIXELS = 1024  # of a tile; a view takes two or three
SCREENFUL = 40  # tracks


class Server:
    def __init__(self, stele, trace):
        self.started = time.monotonic()
        self.process = subprocess.Popen([stele, "view", "--no-open", "--quiet", trace],
                                        stdout=subprocess.PIPE, text=True)
        parts = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.path = parts.path
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=600)

    def cpu_ms(self):
        total = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        return total / 1e6

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return tuple(int(lines[key].split()[0]) // 1024 for key in ("VmHWM", "RssAnon"))

    def ask(self, what, **parameters):
        self.connection.request("GET", f"{self.path}api/{what}?{urllib.parse.urlencode(parameters)}")
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{what} {parameters}: {response.status} {body[:200]}")
        return body

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


def windows(info, count, tracks):
    """Stretches of tiles, from the whole down to a microsecond, each zoom as likely as any other."""
    begin, end = int(info["begin"]), int(info["end"])
    for _ in range(count):
        length = 2 ** random.uniform(10, math.log2(max(end - begin, 2048)))
        width = 2 ** max(4, math.ceil(math.log2(length)) - 1)
        first = (random.randint(0, max(end - begin - int(length), 0))) // width
        tiles = int(length) // width + 2
        at = random.randrange(len(tracks))
        yield {"begin": begin + first * width, "end": begin + (first + tiles) * width,
               "width": tiles * PIXELS}, tracks[at:at + SCREENFUL]


def measure(server, name, asked):
    taken = []
    for parameters in asked:
        cpu, wall = server.cpu_ms(), time.monotonic()
        body = server.ask("window", **parameters)
        wall = (time.monotonic() - wall) * 1000
        taken.append((server.cpu_ms() - cpu, wall, len(body), json.loads(body)["summary"], parameters))
    taken.sort(key=lambda one: one[0])
    def at(part):
        return taken[min(int(len(taken) * part), len(taken) - 1)][0]
    print(f"{name}: CPU of {len(taken)} answers: median {at(.5):.1f} ms, 99 % {at(.99):.1f} ms, "
          f"most {taken[-1][0]:.1f} ms; longest answer {max(one[2] for one in taken)} bytes")
    for cpu, wall, size, summary, parameters in taken[:-6:-1]:
        print(f"    {cpu:7.1f} ms (wall {wall:.1f}), {size} bytes, {'summed up' if summary else 'events'}, "
              f"{(parameters['end'] - parameters['begin']) / 1e6:.3f} ms from {parameters['begin']}")


def main():
    stele, trace = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    random.seed(int(os.environ.get("SEED", "1")))
    server = Server(stele, trace)
    info = json.loads(server.ask("info"))
    while not (info.get("begin") and int(info["end"]) > int(info["begin"])):
        info = json.loads(server.ask("info"))
    server.ask("window", begin=info["begin"], end=info["end"], width=2 * PIXELS)
    print(f"first picture after {time.monotonic() - server.started:.2f} s")
    while not info["complete"]:
        time.sleep(0.2)
        info = json.loads(server.ask("info"))
    print(f"all is known after {time.monotonic() - server.started:.1f} s, {server.cpu_ms() / 1000:.1f} s of CPU")
    tracks = [track["track"] for track in info["tracks"]]
    print(f"{info['events']} events, {len(tracks)} tracks")
    asked = list(windows(info, count, tracks))
    measure(server, "a screenful of tracks",
            [{**w, "tracks": ",".join(map(str, screen))} for w, screen in asked])
    measure(server, "all tracks", [w for w, _ in asked])
    print("memory, at most and now without files: %d and %d MiB" % server.memory_mib())
    server.stop()


main()
