# SPDX-License-Identifier: Apache-2.0
# usage: timeless.py FORMAT FILE
# Fails if an output has a time before BEGIN, where its first event with a time is. The output is a
# trace as JSON lines ("events"), or in Chrome's, Perfetto's, speedscope's ("evented" when calls were,
# "sampled" how long) or OpenTelemetry's ("otlp") format.
import json
import sys

BEGIN = 5000000000
LAST = 5004000000


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def members(data):
    """Gives the number and the value of each member of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def perfetto(data):
    for _, packet in members(data):
        for number, value in members(packet):
            if number == 8:
                yield value
            elif number == 6:
                for clock in (v for n, v in members(value) if n == 1):
                    yield from (v for n, v in members(clock) if n == 2)


def chrome(data):
    trace = json.loads(data)
    origin = int(trace["otherData"]["origin_ns"])
    for event in trace["traceEvents"]:
        if "ts" in event:
            yield origin + round(event["ts"] * 1000)


def events(data):
    for line in data.splitlines():
        event = json.loads(line)
        if event["time_ns"] is not None:
            yield event["time_ns"]


def evented(data):
    for profile in json.loads(data)["profiles"]:
        for at in [profile["startValue"], profile["endValue"], *(e["at"] for e in profile["events"])]:
            yield BEGIN + at


def sampled(data):
    for profile in json.loads(data)["profiles"]:
        yield BEGIN + sum(profile["weights"])
        yield BEGIN + profile["endValue"]


def otlp(data):
    for resource in json.loads(data)["resourceSpans"]:
        for span in (s for scope in resource["scopeSpans"] for s in scope["spans"]):
            yield int(span["startTimeUnixNano"])
            yield int(span["endTimeUnixNano"])


FORMATS = {"perfetto": perfetto, "chrome": chrome, "events": events, "evented": evented,
           "sampled": sampled, "otlp": otlp}

with open(sys.argv[2], "rb") as file:
    times = list(FORMATS[sys.argv[1]](file.read()))
wrong = [t for t in times if not BEGIN <= t <= LAST]
if wrong or not times:
    sys.exit(f"{sys.argv[1]}: of {len(times)} times these are before or after all events: {wrong}")
