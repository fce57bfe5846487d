# SPDX-License-Identifier: Apache-2.0
# The schema of `stele info --fields --json` against the events of `stele cat --json`.
# usage: fields.py STELE TRACE
import json
import subprocess
import sys

stele, trace = sys.argv[1:]
failures = 0


def run(*arguments):
    done = subprocess.run([stele, *arguments, trace], capture_output=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def complain(what):
    global failures
    failures += 1
    print(f"{trace}: {what}")


def is_context(f):
    return f["type"] == "struct" and f.get("name", "").endswith("event.context")


wanted = {}


def collect(fields, seen, path):
    for f in fields:
        key = path + (f.get("name", "[]") if path or "name" in f else "",)
        at = seen.setdefault(key, {"count": 0, "values": [], "types": set()})
        at["count"] += 1
        at["types"].add(f["type"])
        if f["type"] in ("struct", "array", "variant"):
            collect(f["value"], seen, key)
        elif isinstance(f["value"], (int, float)) and not isinstance(f["value"], bool):
            at["values"].append(f["value"])


for line in run("cat", "--json", "--unsorted").splitlines():
    event = json.loads(line)
    key = event["kind"], event["name"], event.get("category", "")
    at = wanted.setdefault(key, {"count": 0, "fields": {}})
    at["count"] += 1
    collect([f for f in event["fields"] if not is_context(f)], at["fields"], ())

document = json.loads(run("info", "--fields", "--json"))
got = {}
for event in document["traces"][0]["events"]:
    if event["kind"] == "context":
        continue
    fields, path = {}, []
    for f in event["fields"]:
        path[f["depth"]:] = ["[]" if f["is_element"] else f["name"]]
        if not f["is_context"]:
            fields[tuple(path)] = f
    got[event["kind"], event["name"], event["category"]] = event["count"], fields
if set(got) != set(wanted):
    complain(f"events {set(got) ^ set(wanted)}")
for key, (count, fields) in got.items():
    event = wanted.get(key, {"count": 0, "fields": {}})
    if count != event["count"]:
        complain(f"{key}: {count} events, expected {event['count']}")
    for path, f in fields.items():
        other = event["fields"].get(path)
        if other is None:
            complain(f"{key}: no field {path}")
            continue
        if f["count"] != other["count"] or set(f["types"]) != other["types"]:
            complain(f"{key} {path}: {f['count']} {f['types']}, expected {other}")
        values = other["values"]
        if values and not {"bytes"} & other["types"]:
            if [f["min"], f["max"]] != [min(values), max(values)] and not (
                    any(isinstance(v, float) for v in values)
                    and abs(f["min"] - min(values)) <= 1e-8 * abs(min(values))
                    and abs(f["max"] - max(values)) <= 1e-8 * abs(max(values))):
                complain(f"{key} {path}: {f['min']} .. {f['max']}, "
                         f"expected {min(values)} .. {max(values)}")
    if len(fields) != len(event["fields"]):
        complain(f"{key}: {len(fields)} fields, expected {len(event['fields'])}")
sys.exit(failures != 0)
