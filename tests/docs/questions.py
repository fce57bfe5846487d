# SPDX-License-Identifier: Apache-2.0
# Runs the commands of docs/questions.md, and computes their answers again from `stele cat --json`.
# usage: questions.py STELE SOURCE
import json
import math
import re
import shlex
import subprocess
import sys

stele, source = sys.argv[1:]
good = source + "/src/formats"
traces = {
    "run.heph": good + "/heph/good/heph_tracing_example.bin.log",
    "run.xray": good + "/xray/good/events.fdr2.xray",
    "run.ctf": good + "/ctf/good/lttng_216_2",
    "run.fxt": good + "/fxt/good/events.fxt",
    "sched.fxt": good + "/fxt/good/scheduling.fxt",
    "run.xtrace": good + "/xtrace/good/levels.xinsndata.bin",
}
failures = 0
asked = {}
with open(source + "/docs/questions.md", encoding="utf-8") as file:
    for row in file:
        found = re.match(r"\| (\d+) \| (.*) \| `stele (.*)` \|$", row)
        if found:
            asked[int(found[1])] = shlex.split(found[3])


def run(arguments):
    done = subprocess.run([stele, *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


events = {name: [json.loads(line) for line in run(["cat", "--json", path]).splitlines()]
          for name, path in traces.items()}


def complain(number, what):
    global failures
    failures += 1
    print(f"question {number}: {what}\n    stele {' '.join(asked[number])}")


def answer(number):
    arguments = [*asked[number][:-1], "--json", traces[asked[number][-1]]]
    return run(arguments), events[asked[number][-1]]


def field(event, name):
    for fields in (event["fields"], event.get("context", [])):
        for f in fields:
            if f.get("name") == name:
                return f
        for f in fields:
            if f["type"] == "struct" and f.get("name", "").endswith(".context"):
                for inner in f["value"]:
                    if inner.get("name") == name:
                        return inner
    return None


def value(event, name):
    found = field(event, name)
    return None if found is None else found["value"]


def lines(number, wanted):
    """The command shows exactly the events for which `wanted` holds."""
    out, every = answer(number)
    got = [json.loads(line) for line in out.splitlines()]
    expected = [e for e in every if wanted(e)] if callable(wanted) else wanted(every)
    if not expected or len(expected) == len(every):
        complain(number, f"the question says nothing: {len(expected)} of {len(every)}")
    if got != expected:
        complain(number, f"{len(got)} events, expected {len(expected)}")


def part(number, chosen):
    out, every = answer(number)
    if [json.loads(line) for line in out.splitlines()] != chosen(every):
        complain(number, "other events")


def near(a, b, error):
    return abs(a - b) <= error * max(abs(a), abs(b), 1e-12)


def percentile(values, permille):
    return sorted(values)[max(math.ceil(len(values) * permille / 1000), 1) - 1]


def check_figures(number, key, got, values):
    wanted = {"count": len(values)}
    if values:
        wanted |= {"sum": sum(values), "min": min(values), "max": max(values)}
    for figure, expected in wanted.items():
        if not near(got[figure], expected, 1e-9 if isinstance(expected, float) else 0):
            complain(number, f"{key} {figure}: {got[figure]}, expected {expected}")
    if not values:
        return
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    if not near(got["mean"], mean, 1e-6) or abs(got["stddev"] - deviation) > 1e-5 * max(
            max(abs(v) for v in values), 1e-9):
        complain(number, f"{key} mean {got['mean']} and deviation {got['stddev']}, "
                         f"expected {mean} and {deviation}")
    for figure, permille in (("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999)):
        if not near(got[figure], percentile(values, permille), 0.032):
            complain(number, f"{key} {figure}: {got[figure]}, "
                             f"expected {percentile(values, permille)}")
    if "distinct_count" in got and not near(
            got["distinct_count"], len(set(values)), 0 if len(set(values)) <= 1000 else 0.15):
        complain(number, f"{key} distinct: {got['distinct_count']}, expected {len(set(values))}")


def groups(number, rows, key, of=None):
    """The command groups `rows` by `key`, and makes figures of `of`."""
    out, every = answer(number)
    document = json.loads(out)
    wanted = {}
    for row in rows(every):
        k = key(row)
        wanted.setdefault(k if isinstance(k, tuple) else (k,), []).append(row)
    got = {tuple(v["value"] for v in g["by"]): g for g in document["groups"]}
    if {k: g["count"] for k, g in got.items()} != {k: len(r) for k, r in wanted.items()}:
        return complain(number, f"groups {({k: g['count'] for k, g in got.items()})}, "
                                f"expected {({k: len(r) for k, r in wanted.items()})}")
    for k, g in got.items():
        if of is not None:
            values = [of(row) for row in wanted[k]]
            check_figures(number, k, g["of"][0], [v for v in values if v is not None])
    return None


def everything(every):
    return [e for e in every if e["kind"] != "lost"]


def complete(every):
    return [e for e in every if e["kind"] == "complete"]


def spans(every):
    """Calls of begin and end events, paired on the stacks of their threads."""
    stacks, found, last = {}, [], {}
    for e in every:
        stack = stacks.setdefault(json.dumps(e["track"]), [])
        if e["kind"] == "begin":
            around = stack[-1] if stack else None
            before = last.get((e["name"], json.dumps(e["track"])))
            call = {"root": stack[0]["name"] if stack else e["name"],
                    "name": e["name"], "track": json.dumps(e["track"]), "begin": e["time_ns"], "depth": len(stack), "inner": 0,
                    "children": 0, "caller": around["name"] if around else "",
                    "delta": None if before is None else e["time_ns"] - before}
            last[e["name"], json.dumps(e["track"])] = e["time_ns"]
            stack.append(call)
        elif e["kind"] == "end":
            call = stack.pop()
            call["dur"] = e["time_ns"] - call["begin"]
            call["end"] = e["time_ns"]
            call["self"] = call["dur"] - call["inner"]
            if stack:
                stack[-1]["inner"] += call["dur"]
                stack[-1]["children"] += 1
            found.append(call)
    assert not any(stacks.values())
    return found


def calls(number, wanted):
    """The command shows exactly the calls for which `wanted` holds."""
    out, every = answer(number)
    got = sorted((s["name"], s["dur_ns"], s["self_ns"]) for s in json.loads(out)["spans"])
    expected = sorted((c["name"], c["dur"], c["self"]) for c in spans(every) if wanted(c))
    if not expected or len(expected) == len(spans(every)):
        complain(number, f"the question says nothing: {len(expected)} calls")
    if got != expected:
        complain(number, f"{len(got)} calls, expected {len(expected)}")


def duration(e):
    return e["dur_ns"]


def start(every):
    return min(e["time_ns"] for e in every if e["time_ns"] is not None)


def is_over(e, least):
    return e is not None and e > least


begin = start(events["run.heph"])
groups(1, everything, lambda e: e["name"])
groups(2, everything, lambda e: e["kind"])
document = json.loads(answer(3)[0])
numbers = {}
for e in events["run.heph"]:
    k = json.dumps(e["track"])
    numbers[k] = numbers.get(k, 0) + 1
if sorted(g["count"] for g in document["groups"]) != sorted(numbers.values()):
    complain(3, "other counts")
groups(4, everything, lambda e: (e.get("category", ""), e["name"]))
groups(5, everything, lambda e: e.get("cpu"))
groups(6, everything, lambda e: e["track"]["number"] if e["track"]["kind"] == "thread" else None)
document = json.loads(answer(7)[0])["traces"][0]
if document["event_count"] != len([e for e in events["run.heph"] if e["time_ns"] is not None
                                   and e["time_ns"] - begin < 50_000_000]):
    complain(7, f"{document['event_count']} events")
groups(8, everything, lambda e: e["kind"])
groups(9, everything, lambda e: e["kind"])
groups(10, everything, lambda e: e["name"], lambda e: e["size"])

lines(11, lambda e: is_over(e.get("dur_ns"), 5_000_000))
lines(12, lambda e: 1_000_000 <= e.get("dur_ns", 0) <= 6_000_000)
lines(13, lambda e: e["name"] == "sending message" and (
    e["time_ns"] >= begin + 45_000_000 or e["end_ns"] > begin + 45_000_000))
part(14, lambda every: every[-3:])
part(15, lambda every: complete(every)[:5])
lines(16, lambda e: re.search("^Scheduling .* timers$", e["name"]))
lines(17, lambda e: "message" in e["name"].lower())
lines(18, lambda e: value(e, "id") not in (None, 0))
lines(19, lambda e: value(e, "id") in (1, 2))
lines(20, lambda e: value(e, "id") not in (None, 0, 1))
lines(21, lambda e: value(e, "total amount") is not None
      and value(e, "total amount") - value(e, "shared amount") > 0)
lines(22, lambda e: (value(e, "name") or "").lower() == "comm_actor")
lines(23, lambda e: is_over(value(e, "port"), 60_000))
lines(24, lambda e: field(e, "size") and "small" in field(e, "size").get("labels", []))
lines(25, lambda e: (value(e, "s") or "").startswith("o"))
calls(26, lambda c: c["dur"] > 3 * c["self"])
calls(27, lambda c: c["delta"] is not None and c["delta"] > 5000)
longest = sorted(spans(events["run.xray"]), key=lambda c: -c["dur"])[:5]
if [s["dur_ns"] for s in json.loads(answer(28)[0])["spans"]] != [c["dur"] for c in longest]:
    complain(28, "other calls")
lines(29, lambda e: is_over(value(e, "x64"), 0xff))
lines(30, lambda e: value(e, "procname") == "tour" and e["track"]["number"] == 50)
if sum(f["self_insns"] for f in json.loads(answer(31)[0])["functions"]) != len(
        [e for e in events["run.xtrace"] if e["kind"] == "insn"]):
    complain(31, "not every instruction once")
lines(32, lambda e: e["kind"] == "counter")
lines(33, lambda e: e["kind"].startswith("flow-"))
lines(34, lambda e: e["kind"] == "switch")
lines(35, lambda e: e["kind"] == "syscall")
lines(36, lambda e: e["kind"] == "instant")

groups(37, complete, lambda e: e["name"], duration)
groups(38, lambda every: [e for e in every if e["name"] == "sending message"], lambda e: (),
       duration)
groups(39, spans, lambda c: c["name"], lambda c: c["dur"])
groups(40, spans, lambda c: c["name"], lambda c: c["self"])
groups(41, spans, lambda c: c["depth"], lambda c: c["dur"])
groups(42, spans, lambda c: c["caller"])
groups(43, spans, lambda c: (c["caller"], c["name"]), lambda c: c["dur"])
groups(44, lambda every: [c for c in spans(every) if c["depth"] == 1], lambda c: (),
       lambda c: c["dur"])
groups(45, lambda every: [c for c in spans(every) if c["dur"] > 1000], lambda c: (),
       lambda c: c["dur"])
groups(46, spans, lambda c: c["children"])
groups(47, spans, lambda c: "returned")
groups(48, spans, lambda c: c["name"], lambda c: c["delta"])
for f in json.loads(answer(49)[0])["functions"]:
    mine = [c for c in spans(events["run.xray"]) if c["name"] == f["name"]]
    if (f["count"], f["self_ns"], f["max_ns"]) != (
            len(mine), sum(c["self"] for c in mine), max(c["dur"] for c in mine)):
        complain(49, f"{f}")
groups(50, complete, lambda e: 1 << (duration(e).bit_length() - 1))
groups(51, complete, lambda e: duration(e) // 10_000_000 * 10_000_000)
groups(52, complete, lambda e: int(duration(e) > 1_000_000))
groups(53, complete, lambda e: value(e, "name"), duration)
groups(54, everything, lambda e: e["name"], lambda e: value(e, "i8"))
groups(55, everything, lambda e: e["name"], lambda e: value(e, "port"))
groups(56, everything, lambda e: value(e, "size"))
groups(57, everything, lambda e: value(e, "procname"))
groups(58, lambda every: [c for c in spans(every) if c["caller"] == "@(1)"], lambda c: c["name"],
       lambda c: c["self"])
groups(59, spans, lambda c: (c["root"], c["name"]), lambda c: c["self"])
got, wanted = {}, {}
for g in json.loads(answer(60)[0])["groups"]:
    for at in g["intervals"]:
        got[g["by"][0]["value"], at["begin_ns"]] = at["count"]
for e in events["run.heph"]:
    if e["time_ns"] is not None:
        k = e["name"], (e["time_ns"] - begin) // 20_000_000 * 20_000_000
        wanted[k] = wanted.get(k, 0) + 1
if got != wanted:
    complain(60, "other intervals")
got, wanted = {}, {}
for row in json.loads(answer(61)[0])["sums"]:
    got[row["name"]] = got.get(row["name"], 0) + row["dur_ns"]
whole = max(spans(events["run.xray"]), key=lambda c: c["dur"])
for c in spans(events["run.xray"]):
    if c["track"] == whole["track"] and whole["begin"] <= c["begin"] and c["end"] <= whole["end"] \
            and c["self"] != 0:
        wanted[c["name"]] = wanted.get(c["name"], 0) + c["self"]
if got != wanted:
    complain(61, "other sums")

held = [e for e in events["run.fxt"] if e["kind"] == "counter"]
got = {g["by"][3]["value"]: g["of"][0]["last"] for g in json.loads(answer(62)[0])["groups"]}
if got != {f["name"]: f["value"] for e in held for f in e["fields"]} or not got:
    complain(62, f"{got}")

chosen = [e for e in complete(events["run.heph"]) if e["name"].startswith("sending")
          and e["track"].get("parent", {}).get("number") == 1 and e["end_ns"] > begin + 10_000_000
          and e["time_ns"] < begin + 60_000_000]
cut = sorted((min(e["end_ns"], begin + 60_000_000) - max(e["time_ns"], begin + 10_000_000)
              for e in chosen), reverse=True)
if [s["dur_ns"] for s in json.loads(answer(63)[0])["spans"]] != cut[:3] or len(cut) < 4:
    complain(63, f"expected {cut[:3]} of {len(cut)}")
document = json.loads(answer(64)[0])
waiting, pairs, strays = [], [], 0
for e in events["run.ctf"]:
    if e["name"] == "tick":
        waiting.append(e["time_ns"])
    elif e["name"] == "nothing":
        while waiting and e["time_ns"] - waiting[0] > 100_000_000:
            waiting.pop(0)
        if waiting:
            pairs.append(e["time_ns"] - waiting.pop(0))
        else:
            strays += 1
ticks = len([e for e in events["run.ctf"] if e["name"] == "tick"])
if (document["count"], document["min_ns"], document["max_ns"], document["without_end_count"],
        document["without_begin_count"]) != (
        len(pairs), min(pairs), max(pairs), ticks - len(pairs), strays):
    complain(64, f"expected {pairs}, {strays} without a begin")
groups(65, everything, lambda e: (), lambda e: e["size"])
bins = {b["low"]: b["count"] for b in json.loads(answer(65)[0])["groups"][0]["of"][0]["bins"]}
wanted = {}
for e in events["run.heph"]:
    low = 1 << (e["size"].bit_length() - 1)
    wanted[low] = wanted.get(low, 0) + 1
if {low: n for low, n in bins.items() if n != 0} != wanted:
    complain(65, f"bins {bins}, expected {wanted}")
got, wanted = {}, {}
for of in json.loads(answer(66)[0])["traces"][0]["events"]:
    for f in of["fields"]:
        if f["name"] == "port":
            got[of["name"]] = (f["count"], f["min"], f["max"])
for name in {e["name"] for e in events["run.ctf"]}:
    ports = [value(e, "port") for e in events["run.ctf"]
             if e["name"] == name and value(e, "port") is not None]
    if ports:
        wanted[name] = (len(ports), min(ports), max(ports))
if got != wanted or not got:
    complain(66, f"{got}, expected {wanted}")
for g in json.loads(answer(67)[0])["groups"]:
    callers = {c["caller"] for c in spans(events["run.xray"]) if c["name"] == g["by"][0]["value"]}
    if g["of"][0]["distinct_count"] != len(callers):
        complain(67, f"{g['by'][0]['value']}: expected {callers}")
groups(68, lambda every: [c for c in spans(every) if c["root"] == "@(1)" and c["depth"] > 0],
       lambda c: (c["depth"], c["name"]), lambda c: c["self"])

if sorted(asked) != list(range(1, 69)):
    print(f"questions {sorted(asked)}")
    failures += 1
print(f"{len(asked)} questions, {failures} wrong")
sys.exit(failures != 0)
