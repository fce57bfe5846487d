# SPDX-License-Identifier: Apache-2.0
"""Reads a profile of the Firefox Profiler, or an evented one of speedscope, and checks its tables;
prints folded stacks with their own time in ns.

usage: flame_times.py FILE
"""
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    profile = json.load(file)
sums = collections.Counter()


def plain(text):
    return "".join("_" if c in ";" or ord(c) < 32 or ord(c) == 127 else c for c in text)


def firefox():
    tables = "stackTable frameTable funcTable samples markers nativeSymbols resourceTable".split()
    assert profile["meta"]["preprocessedProfileVersion"] == 47 and profile["meta"]["categories"]
    for thread in profile["threads"]:
        for name in tables:
            for key, column in thread[name].items():
                assert not isinstance(column, list) or len(column) == thread[name]["length"], (name, key)
        stacks, frames, functions, samples = (thread[name] for name in tables[:4])
        assert samples["time"] == sorted(samples["time"]) and samples["weightType"] == "tracing-ms"
        for at, weight in zip(samples["stack"], samples["weight"]):
            path = []
            while at is not None:
                assert stacks["prefix"][at] is None or stacks["prefix"][at] < at
                function = frames["func"][stacks["frame"][at]]
                path.append(plain(thread["stringArray"][functions["name"][function]]))
                at = stacks["prefix"][at]
            sums[";".join([plain(thread["name"])] + path[::-1])] += round(weight * 1e6)


def speedscope():
    frames = [plain(frame["name"]) for frame in profile["shared"]["frames"]]
    for lane in profile["profiles"]:
        open_frames, last = [], lane["startValue"]
        for event in lane["events"]:
            assert last <= event["at"] <= lane["endValue"]
            if open_frames:
                path = [plain(lane["name"])] + [frames[i] for i in open_frames]
                sums[";".join(path)] += event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                assert open_frames.pop() == event["frame"]
        assert not open_frames


if "threads" in profile:
    firefox()
else:
    speedscope()
for path, value in sums.items():
    if value:
        print(path, value)
