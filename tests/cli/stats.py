# SPDX-License-Identifier: Apache-2.0
# The figures of `stele stats --json` against those computed of `stele cat --json`.
# usage: stats.py STELE TRACE
import json
import math
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


def equal(what, got, wanted):
    if got != wanted:
        complain(f"{what}: {got}, expected {wanted}")


def near(what, got, wanted, error=1e-6):
    if (got is None) != (wanted is None):
        complain(f"{what}: {got}, expected {wanted}")
    elif got is not None and abs(got - wanted) > error * max(abs(wanted), 1e-300):
        complain(f"{what}: {got}, expected {wanted}")


events = [json.loads(line) for line in run("cat", "--json", "--unsorted").splitlines()]
events = [event for event in events if event["kind"] != "lost"]


def field(event, name):
    """A field as expressions find it: of the event, of contexts within it, of its packet."""
    for fields in (event["fields"], event.get("context", [])):
        inner = [f for f in fields if f["type"] == "struct"]
        for group in [fields, *[f["value"] for f in inner if f.get("name") == ""]]:
            for f in group:
                if f.get("name") == name:
                    return f
    return None


def number(event, name):
    found = field(event, name)
    if found is None or found["type"] not in ("uint", "int", "float", "bool", "pointer", "koid"):
        return None
    return found["value"] if isinstance(found["value"], (int, float)) else None


def percentile(values, permille):
    return sorted(values)[max(math.ceil(len(values) * permille / 1000), 1) - 1]


def check_figures(what, got, values):
    equal(f"{what} count", got["count"], len(values))
    if not values:
        return equal(f"{what} sum", got["sum"], None)
    exact = all(isinstance(v, int) for v in values)
    (equal if exact else near)(f"{what} sum", got["sum"], sum(values))
    (equal if exact else near)(f"{what} min", got["min"], min(values))
    (equal if exact else near)(f"{what} max", got["max"], max(values))
    mean = sum(values) / len(values)
    near(f"{what} mean", got["mean"], mean)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    if abs(got["stddev"] - deviation) > 1e-5 * max(abs(v) for v in values) + 1e-12:
        complain(f"{what} stddev: {got['stddev']}, expected {deviation}")
    for permille, key in ((500, "p50"), (900, "p90"), (990, "p99"), (999, "p999")):
        if got[key] is not None:
            near(f"{what} {key}", got[key], percentile(values, permille), 0.032)
    if "distinct_count" in got and got["other_count"] == 0:
        near(f"{what} distinct", got["distinct_count"], len(set(values)),
             0 if len(set(values)) <= 1000 else 0.15)


def groups_of(document):
    return {tuple(k.get("value") for k in g["by"]): g for g in document["groups"]}


def check_by(by, key, of=(), rows=events, options=()):
    document = json.loads(run("stats", "--json", "--events", "--by", by, *options,
                              *(["--of", ",".join(f"arg.{n}" for n in of)] if of else [])))
    wanted = {}
    for event in rows:
        wanted.setdefault(key(event), []).append(event)
    got = groups_of(document)
    equal(f"groups by {by}", set(got), set(wanted))
    equal("rows", document["row_count"], len(rows))
    for k, group in got.items():
        equal(f"{by} {k}", group["count"], len(wanted.get(k, [])))
        for i, name in enumerate(of):
            values = [number(e, name) for e in wanted.get(k, [])]
            check_figures(f"{by} {k} {name}", group["of"][i], [v for v in values if v is not None])


names = {}
for event in events:
    for f in event["fields"]:
        if f.get("name", "").isidentifier() and f["type"] in ("uint", "int", "float"):
            names[f["name"]] = names.get(f["name"], 0) + 1
most = sorted(names, key=lambda n: (-names[n], n))[:3]

check_by("name", lambda e: (e["name"],), most)
check_by("kind, category", lambda e: (e["kind"], e.get("category", "")))
check_by("length(name) % 3", lambda e: (sum((b & 0xC0) != 0x80 for b in e["name"].encode()) % 3,)
         if not e.get("escaped") else (None,), rows=events) if not any(
             "name" in e.get("escaped", []) for e in events) else None
check_by("kind", lambda e: (e["kind"],), most, options=("--figures", "distinct"))
for name in most[:1]:
    small = [e for e in events if (number(e, name) or 0) > 3]
    check_by("name", lambda e: (e["name"],), (name,), small, ("--where", f"arg.{name} > 3"))

# Durations of complete events, and what a profile says of the same calls.
document = json.loads(run("stats", "--json", "--events", "--by", "name", "--of", "dur",
                          "--kind", "complete"))
for (name,), group in groups_of(document).items():
    values = [e["dur_ns"] for e in events
              if e["kind"] == "complete" and e["name"] == name and "dur_ns" in e]
    if values:
        check_figures(f"dur of {name}", group["of"][0], values)
profile = {f["name"]: f for f in json.loads(run("profile", "--json"))["functions"]
           if not f["is_sampled"]}
calls = groups_of(json.loads(run("stats", "--json", "--by", "name", "--of", "dur, self")))
equal("names of calls", {k[0] for k in calls}, set(profile))
for (name,), group in calls.items():
    dur, own = group["of"]
    p = profile.get(name)
    if p is None:
        continue
    equal(f"calls {name}", (dur["count"], group["count"]),
          (p["count"], p["count"] + p["entry_lost_count"]))
    if p["count"]:
        equal(f"figures {name}", (dur["min"], dur["max"], own["sum"]),
              (p["min_ns"], p["max_ns"], p["self_ns"]))
        equal(f"mean {name}", int(dur["mean"] + 1e-6), p["mean_ns"])

# Intervals hold every row with a time once.
timed = [e for e in events if e["time_ns"] is not None]
if timed:
    begin = min(e["time_ns"] for e in timed)
    length = max(1, (max(e["time_ns"] for e in timed) - begin) // 7)
    document = json.loads(run("stats", "--json", "--events", "--by", "kind", "--every",
                              f"{length}ns"))
    got = {}
    for group in document["groups"]:
        for at in group["intervals"]:
            got[group["by"][0]["value"], at["begin_ns"]] = at["count"]
    wanted = {}
    for event in timed:
        k = event["kind"], (event["time_ns"] - begin) // length * length
        wanted[k] = wanted.get(k, 0) + 1
    equal("intervals", got, wanted)

# What there is no room for is counted together.
document = json.loads(run("stats", "--json", "--events", "--by", "offset", "--max", "groups=2"))
equal("rows in few groups", sum(g["count"] for g in document["groups"]), len(events))
different = len({e["offset"] for e in events})
equal("few groups", len(document["groups"]), min(different, 3))
if different > 2:
    near("other groups", document["other_group_count"], different - 2, 0.15)

# Bins hold every number once.
for scale in ("log2", "linear"):
    document = json.loads(run("stats", "--json", "--events", "--of", "size", "--hist", scale))
    for group in document["groups"]:
        equal(f"{scale} bins", sum(b["count"] for b in group["of"][0]["bins"]), len(events))

# Values of counters hold until the next one, the last ones until the last counter.
series = {}
counters = [e for e in events if e["kind"] == "counter" and e["time_ns"] is not None]
for event in sorted(counters, key=lambda e: e["time_ns"]):
    track = event["track"]
    while track is not None and track["kind"] != "process":
        track = track.get("parent")
    for f in event["fields"]:
        if f["type"] in ("uint", "int", "float", "bool") and "value" in f:
            k = (None if track is None else track["number"], event["name"], event.get("id"),
                 f.get("name", ""))
            series.setdefault(k, []).append((event["time_ns"], f["value"]))
document = json.loads(run("stats", "--json", "--counters"))
equal("counters", document["row_count"], sum(len(values) for values in series.values()))
for group in document["groups"]:
    key = tuple(k["value"] for k in group["by"])
    if key not in series:
        complain(f"counter {key}: nothing is known of it")
        continue
    values, got = series.pop(key), group["of"][0]
    ends = [t for t, _ in values[1:]] + [max(e["time_ns"] for e in counters)]
    held = [(end - t, v) for (t, v), end in zip(values, ends)]
    whole = sum(ns for ns, _ in held)
    equal(f"{key} held", got["held_ns"], whole)
    equal(f"{key} count", got["count"], len(values))
    near(f"{key} last", got["last"], values[-1][1])
    near(f"{key} min", got["min"], min(v for _, v in values))
    near(f"{key} max", got["max"], max(v for _, v in values))
    mean = sum(ns * v for ns, v in held) / whole if whole != 0 else values[-1][1]
    near(f"{key} mean", got["mean"], mean)
if series:
    complain(f"counters that are missing: {list(series)}")
sys.exit(failures != 0)
