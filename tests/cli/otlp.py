# SPDX-License-Identifier: Apache-2.0
# The JSON of OTLP that `stele calls --otlp` writes: what the protocol wants of each span, and the same
# spans as --json has.
# usage: otlp.py STELE TRACE OTLP
import json
import re
import subprocess
import sys

stele, trace, made = sys.argv[1:]
failures = 0


def complain(what):
    global failures
    failures += 1
    if failures < 20:
        print(f"{trace}: {what}")


def check_value(value):
    kinds = {"stringValue": str, "intValue": str, "doubleValue": (float, int, str),
             "boolValue": bool, "arrayValue": dict, "kvlistValue": dict}
    if not isinstance(value, dict) or len(value) > 1:
        complain(f"a value of {value}")
        return None
    for key, inside in value.items():
        if key not in kinds or not isinstance(inside, kinds[key]):
            complain(f"{key} is {inside}")
        if key == "intValue":
            if not -(1 << 63) <= int(inside) < 1 << 63:
                complain(f"{inside} is no signed number of 64 bits")
            return int(inside)
        if key == "arrayValue":
            return [check_value(v) for v in inside["values"]]
        if key == "kvlistValue":
            return check_attributes(inside["values"])
        return inside
    return None


def check_attributes(attributes):
    found = {}
    for a in attributes:
        if set(a) != {"key", "value"}:
            complain(f"an attribute of {sorted(a)}")
        if a["key"] in found:
            complain(f"{a['key']} stands twice")
        found[a["key"]] = check_value(a["value"])
    return found


with open(made, encoding="utf-8") as f:
    document = json.load(f)
(resource,) = document["resourceSpans"]
if check_attributes(resource["resource"]["attributes"])["service.name"] != trace:
    complain("the resource has another name")
(scope,) = resource["scopeSpans"]
spans = scope["spans"]
done = subprocess.run([stele, "calls", "--json", "--top", "0", trace], capture_output=True, check=False)
rows = {r["id"]: r for r in json.loads(done.stdout)["spans"]}
done = subprocess.run([stele, "cat", "--json", "--kind", "complete", trace], capture_output=True,
                      check=False)
records = {e["offset"]: e["fields"] for e in map(json.loads, done.stdout.decode().splitlines())}
seen = set()
shift = None
for s in spans:
    if not set(s) <= {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano",
                      "endTimeUnixNano", "attributes", "status"}:
        complain(f"a span of {sorted(s)}")
    if not re.fullmatch("[0-9a-f]{32}", s["traceId"]) or not re.fullmatch("[0-9a-f]{16}", s["spanId"]):
        complain(f"ids of {s['traceId']}, {s['spanId']}")
    number = int(s["spanId"], 16)
    if number in seen or number not in rows:
        complain(f"span {number} is there again, or not at all")
        continue
    seen.add(number)
    row = rows[number]
    if int(s.get("parentSpanId", "0"), 16) != (row["parent"] or 0) or s["name"] != row["name"]:
        complain(f"span {number} is {s['name']} in {s.get('parentSpanId')}, not {row}")
    begin, end = int(s["startTimeUnixNano"]), int(s["endTimeUnixNano"])
    shift = begin - row["time_ns"] if shift is None else shift
    if begin - shift != row["time_ns"] or end - begin != (row["dur_ns"] or 0):
        complain(f"span {number} is from {begin} to {end}, not {row}")
    attributes = check_attributes(s["attributes"])
    names = set()
    for f in records.get(row["offset"], []):
        if f["name"] not in names and f["type"] in ("uint", "int", "string", "bool", "koid"):
            value, got = f["value"], attributes.get(f["name"])
            if got != value and str(got) != str(value):
                complain(f"span {number}: {f['name']} is {got}, not {value}")
        names.add(f["name"])
if seen != set(rows):
    complain(f"{len(seen)} spans, not {len(rows)}")
print(f"{len(spans)} spans")
sys.exit(1 if failures else 0)
