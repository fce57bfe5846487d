# SPDX-License-Identifier: Apache-2.0
# What Perfetto's trace_processor finds in Perfetto's own format, against what stele says of the trace
# that it was made of; with a sixth argument also against its own reading of that (FXT).
# usage: pftrace.py STELE TRACE_PROCESSOR TRACE MADE [direct]
import collections
import csv
import io
import json
import subprocess
import sys

stele, processor, trace, made, *rest = sys.argv[1:]
is_direct = "direct" in rest
failures = 0


def complain(what):
    global failures
    failures += 1
    if failures < 20:
        print(f"{trace}: {what}")


def equal(what, theirs, ours):
    if theirs != ours:
        complain(f"{what}: {str(theirs)[:300]}, not {str(ours)[:300]}")


def run(*arguments):
    done = subprocess.run([stele, *arguments, trace], capture_output=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def ask(query, of=made):
    done = subprocess.run([processor, "-Q", query, of], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{query}: {done.stderr.decode()[-500:]}")
    text = done.stdout.decode().replace('"[NULL]"', '""')
    return list(csv.reader(io.StringIO(text[text.index('"') :])))[1:]


own = [json.loads(line) for line in run("cat", "--json").splitlines()]
kinds = collections.Counter(e["kind"] for e in own)
origin = min((e["time_ns"] for e in own if e.get("time_ns") is not None), default=0)

# ---- Nothing is refused ----

allowed = {"ftrace_cpu_has_data_loss", "previous_packet_dropped"} if kinds["lost"] else set()
# Threads whose switches do not follow each other, in the trace itself.
running, is_torn = {}, False
for e in own:
    if e["kind"] == "switch":
        out = (e["outgoing"] or {}).get("number", 0)
        to = (e["incoming"] or {}).get("number", 0)
        is_torn |= running.get(e["cpu"], out) != out or (to and to in running.values())
        running[e["cpu"]] = to
if is_torn:
    allowed.add("mismatched_sched_switch_tids")
for name, severity, value in ask(
    "select name, severity, value from stats where value != 0 and severity != 'info'"
):
    if name not in allowed:
        complain(f"{severity}: {name} is {value}")

# ---- Spans ----

spans = json.loads(run("calls", "--json", "--top", "0"))["spans"]
for c in spans:
    # Traces of instructions count those; the file shows one as a nanosecond.
    c["begin"] = c["time_insns"] if "time_insns" in c else origin + c["time_ns"]
    c["dur"] = c["dur_insns"] if "dur_insns" in c else c["dur_ns"]
calls = [c for c in spans if c["source"] in ("call", "complete") and c["dur"] is not None]
flows = ("flow-begin", "flow-step", "flow-end")

def hexadecimal(name):
    """As the shell shows it, which takes a zero for the end."""
    return name.encode(errors="surrogateescape").split(b"\0")[0].hex().upper()


slices = ask(
    """select hex(ifnull(slice.name, '')), ts, dur, depth from slice join track on track.id = slice.track_id
    where dur != 0 and track.type not glob 'legacy*'"""
)
theirs = collections.Counter((n, int(t), int(d)) for n, t, d, _ in slices)
ours = collections.Counter(
    (hexadecimal(c["name"]), c["begin"], c["dur"]) for c in calls if c["dur"] != 0
)
for key, count in list((ours - theirs).items())[:5]:
    complain(f"the span {key} is missing {count} times")
for key, count in list((theirs - ours).items())[:5]:
    complain(f"the span {key} is not in the trace {count} times")

# ---- Moments ----

theirs = collections.Counter(
    (n, int(t))
    for n, t in ask(
        """select hex(ifnull(slice.name, '')), ts from slice join track on track.id = slice.track_id
        where dur = 0 and track.type not glob 'legacy*'"""
    )
)
ours_moments = collections.Counter(
    (hexadecimal(e["name"] or "instant"), e["time_ns"])
    for e in own
    if e["kind"] == "instant" and e["time_ns"] is not None
)
for key, count in list((ours_moments - theirs).items())[:5]:
    complain(f"the moment {key} is missing {count} times")

# ---- Counters, operations, flows, logs ----

numbers = ("uint", "int", "float", "bool", "koid")
values = sorted(
    float(f["value"])
    for e in own
    if e["kind"] == "counter"
    for f in e["fields"]
    if f["type"] in numbers and "labels" not in f and f["value"] not in ("NaN", "Infinity", "-Infinity")
)
theirs = sorted(float(v) for (v,) in ask("select printf('%.17g', value) from counter"))
equal("values of counters", [f"{v:.9g}" for v in theirs], [f"{v:.9g}" for v in values])
((operations,),) = ask("select count(*) from slice join track on track.id = slice.track_id "
    "where track.type glob 'legacy*' and dur > 0")
equal("operations", int(operations), len([c for c in spans if c["source"] == "async" and c["dur"]]))
messages = [f["value"] for e in own if e["kind"] == "log" and e["track"] and
    e["track"]["kind"] == "thread" for f in e["fields"] if f["name"] == "message"]
theirs = [m for (m,) in ask("select msg from android_logs order by ts")]
equal("log messages", theirs, messages)

# ---- Threads ----

threads = {(e["track"].get("parent") or {}).get("number", None): 0 for e in own if e.get("track")}
names = {
    e["track"]["name"]
    for e in own
    if e.get("track") and e["track"]["kind"] == "thread" and e["track"]["name"]
}
theirs = {n for (n,) in ask("select distinct name from thread where name is not null")}
for name in names:
    if not any(t == name or t.startswith(name + " (") for t in theirs):
        complain(f"there is no thread {name}")

# ---- The scheduler ----

states = {"running": "Running", "preempted": "R", "runnable": "R", "sleeping": "S"}
if kinds["switch"] and not is_torn:
    rows = [json.loads(r) for r in run("sched", "--show", "states", "--json").splitlines()]
    ours = collections.Counter()
    for r in rows:
        if r["state"] == "running" and not r["is_open"]:
            ours[r["begin_ns"], r["dur_ns"]] += 1
    theirs = collections.Counter(
        (int(t), int(d))
        for t, d in ask("select ts, dur from thread_state where state = 'Running' and dur != -1")
    )
    equal("intervals in which threads run", sorted(theirs.items())[:5], sorted(ours.items())[:5])
    equal("how many of them", sum(theirs.values()), sum(ours.values()))

# ---- What Perfetto makes of the trace itself ----

if is_direct:
    for what, query in {
        "slices": "select ts, dur, depth, name from slice where name not in ('events lost', 'log') "
        "and dur != 0 order by ts, dur, name",
        "running": "select ts, dur, cpu, priority from sched where not exists (select 1 from thread "
        "where thread.utid = sched.utid and tid = 0) order by ts, cpu",
        "states": "select ts, state, tid from thread_state join thread using(utid) where tid < "
        "2000000000 and state not in ('W', 'R') order by ts, tid, state",
        "counters": "select ts, printf('%.17g', value) from counter order by ts, value",
        "flows": "select o.ts, i.ts from flow join slice o on o.id = slice_out join slice i on "
        "i.id = slice_in order by o.ts, i.ts",
    }.items():
        theirs, ours = ask(query, trace), ask(query)
        if theirs != ours:
            differ = [p for p in zip(ours, theirs) if p[0] != p[1]][:2]
            complain(f"{what}: {len(ours)} rows, read directly {len(theirs)}; {differ}")

print(f"{len(slices)} spans, {sum(ours_moments.values())} moments, {len(values)} values, {kinds['switch']} switches")
sys.exit(1 if failures else 0)
