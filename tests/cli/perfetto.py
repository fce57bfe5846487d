# SPDX-License-Identifier: Apache-2.0
# What is in a trace of Perfetto's, by a decoder of its own: the packets in the order of time, spans by
# begins and ends that nest on their tracks. Compares it with what stele says of the trace it was made of.
# usage: perfetto.py STELE TRACE MADE [OPTION...]
import collections
import json
import struct
import subprocess
import sys

stele, trace, made, *options = sys.argv[1:]
failures = 0


def complain(what):
    global failures
    failures += 1
    if failures < 20:
        print(f"{trace}: {what}")


def run(*arguments):
    done = subprocess.run([stele, *arguments, *options, trace], capture_output=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


# ---- The wire format ----


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            if value >> 64:
                raise ValueError("a number of more than 64 bits")
            return value, at


def fields(data):
    """Of a message: number -> values in order; numbers as integers, the rest as bytes."""
    at, found = 0, collections.defaultdict(list)
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack("<d", data[at : at + 8])[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            if len(value) != size:
                raise ValueError("a field ends after its message")
        else:
            raise ValueError(f"type of wire {kind}")
        found[key >> 3].append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def one(message, number, default=None):
    values = message.get(number, [])
    if len(values) > 1:
        complain(f"field {number} stands {len(values)} times")
    return values[0] if values else default


# ---- Packets ----

INTERNED = {1: "category", 2: "name", 3: "argument", 29: "text", 20: "body"}
state = {}  # by sequence: what its numbers stand for
tracks, events, switches, wakings, snapshots, lost_cpus = {}, [], [], [], [], set()


def intern(sequence, data):
    for number, kind in INTERNED.items():
        for entry in fields(data).get(number, []):
            entry = fields(entry)
            key = (kind, one(entry, 1))
            if key in state[sequence]:
                complain(f"{key} is interned again")
            state[sequence][key] = one(entry, 2, b"").decode()


def look(sequence, kind, number):
    if (kind, number) not in state[sequence]:
        complain(f"{kind} {number} stands for nothing")
    return state[sequence].get((kind, number))


def value_of(sequence, message):
    if 11 in message:
        return {"dict": [argument(sequence, m) for m in message[11]]}
    if 12 in message:
        return [value_of(sequence, fields(e)) for e in message[12]]
    for number, read in (
        (2, bool),
        (3, lambda v: v),
        (4, signed),
        (5, lambda v: v),
        (6, bytes.decode),
        (7, lambda v: v),
        (17, lambda v: look(sequence, "text", v)),
    ):
        if number in message:
            return read(one(message, number))
    complain("an argument without a value")
    return None


def argument(sequence, data):
    message = fields(data)
    if 1 in message:
        name = look(sequence, "argument", one(message, 1))
    else:
        name = one(message, 10, b"").decode()
    return name, value_of(sequence, message)


def take_event(sequence, time, message):
    name = look(sequence, "name", one(message, 10)) if 10 in message else one(message, 23)
    if isinstance(name, bytes):
        name = name.decode()
    categories = [look(sequence, "category", c) for c in message.get(3, [])]
    categories += [c.decode() for c in message.get(22, [])]
    legacy = fields(one(message, 6)) if 6 in message else {}
    body = fields(one(message, 21)) if 21 in message else None
    track = one(message, 11)
    if track not in tracks:
        complain(f"track {track} was not described")
    events.append(
        {
            "time": time,
            "type": one(message, 9),
            "phase": chr(one(legacy, 2)) if legacy else None,
            "id": one(legacy, 6) if legacy else None,
            "track": track,
            "name": name or "",
            "category": ",".join(categories),
            "args": [argument(sequence, a) for a in message.get(4, [])],
            "body": look(sequence, "body", one(body, 2)) if body else None,
            "counter": signed(one(message, 30)) if 30 in message else one(message, 44),
            "is_lost": sequence == 3,
        }
    )


def take_descriptor(message):
    uuid, parent = one(message, 1), one(message, 5)
    if parent is not None and parent not in tracks:
        complain(f"track {uuid} is below one that is not described")
    was = tracks.get(uuid, {})
    thread = fields(one(message, 4)) if 4 in message else None
    process = fields(one(message, 3)) if 3 in message else None
    of = thread or process
    name = one(of, 5 if thread else 6, b"") if of else one(message, 2, b"")
    now = {
        "parent": parent,
        "pid": one(of, 1) if of else None,
        "tid": one(thread, 2) if thread else None,
        "is_counter": 8 in message,
        "kind": "thread" if thread else "process" if process else "track",
    }
    for key, value in now.items():
        if was.get(key, value) != value:
            complain(f"track {uuid}: {key} was {was[key]}, is {value}")
    tracks[uuid] = dict(now, name=name.decode() or was.get("name", ""))


def take_bundle(message):
    cpu = one(message, 1)
    if one(message, 3):
        lost_cpus.add(cpu)
    for event in message.get(2, []):
        event = fields(event)
        time = one(event, 1)
        if 4 in event:
            switch = fields(one(event, 4))
            switches.append((time, cpu, one(switch, 2), one(switch, 4), one(switch, 6)))
        if 20 in event:
            wakings.append((time, cpu, one(fields(one(event, 20)), 2)))


def take_packet(data):
    packet = fields(data)
    sequence, flags = one(packet, 10), one(packet, 13, 0)
    if flags & 1:
        state[sequence] = {}
    if sequence not in state:
        complain(f"sequence {sequence} has no state")
        state[sequence] = {}
    if 12 in packet:
        intern(sequence, one(packet, 12))
    if 11 in packet:
        take_event(sequence, one(packet, 8), fields(one(packet, 11)))
    elif 60 in packet:
        take_descriptor(fields(one(packet, 60)))
    elif 1 in packet:
        take_bundle(fields(one(packet, 1)))
    elif 6 in packet:
        clocks = [fields(c) for c in fields(one(packet, 6)).get(1, [])]
        snapshots.append({one(c, 1): one(c, 2) for c in clocks})
    else:
        complain(f"a packet with nothing that is known: {dict(packet)}")


with open(made, "rb") as f:
    whole = fields(f.read())
if set(whole) - {1}:
    complain(f"fields beside packets: {sorted(set(whole) - {1})}")
for data in whole[1]:
    take_packet(data)

# ---- What that says ----

spans, instants, operations, counters, flows, logs = [], [], [], [], [], []
stacks = collections.defaultdict(list)
going = collections.defaultdict(list)
starts = {}
for e in sorted(events, key=lambda e: e["time"]):
    stack = stacks[e["track"]]
    key = (e["id"], e["category"], e["name"])
    if e["type"] == 1:
        e["depth"] = len(stack)
        stack.append(e)
        spans.append(e)
        if len(stack) > 512:
            complain("Perfetto leaves out a span that is so deep")
    elif e["type"] == 2:
        if not stack:
            complain(f"an end at {e['time']} without a begin")
            continue
        begin = stack.pop()
        begin["dur"] = e["time"] - begin["time"]
        begin["args"] = begin["args"] + e["args"]
    elif e["type"] == 3:
        instants.append(e)
        if e["body"] is not None:
            logs.append(e)
    elif e["type"] == 4:
        if not tracks[e["track"]]["is_counter"]:
            complain("a counter on a track of another kind")
        counters.append(e)
    elif e["phase"] == "b":
        going[key].append(e)
    elif e["phase"] == "e":
        if going[key]:
            begin = going[key].pop()
            operations.append((begin["name"], e["time"] - begin["time"]))
    elif e["phase"] in "stf":
        if not stack:
            complain(f"a flow's event at {e['time']} is in no span")
        elif e["phase"] == "s":
            starts[key] = stack[-1]
        elif key in starts:
            flows.append((e["time"], e["name"]))
    elif e["phase"] != "n":
        complain(f"event of type {e['type']}, phase {e['phase']}")
for stack in stacks.values():
    for e in stack:
        complain(f"the span {e['name']} at {e['time']} does not end")

# ---- What stele says ----

own = [json.loads(line) for line in run("cat", "--json").decode().splitlines()]
kinds = collections.Counter(e["kind"] for e in own)


def equal(what, theirs, ours):
    if theirs != ours:
        complain(f"{what}: {theirs}, not {ours}")


# Spans without length are there for flows, too, which may be in none.
calls = [c for c in json.loads(run("calls", "--json", "--top", "0"))["spans"]]
calls = [c for c in calls if c["source"] in ("call", "complete") and c["dur_ns"] is not None]
marks = ("flow-begin", "flow-step", "flow-end")
if kinds["flow-begin"] + kinds["flow-step"] + kinds["flow-end"] == 0:
    marks = ()
names = {e["name"] for e in own if e["kind"] in marks} | set(marks)
origin = min((e["time_ns"] for e in own if e.get("time_ns") is not None), default=0)
ours = collections.Counter((c["name"], origin + c["time_ns"], c["dur_ns"]) for c in calls)
theirs = collections.Counter((e["name"], e["time"], e["dur"]) for e in spans if "dur" in e)
for key, count in list((ours - theirs).items())[:5]:
    complain(f"the span {key} is missing {count} times")
for key, count in list((theirs - ours).items())[:5]:
    if key[2] != 0 or key[0] not in names:
        complain(f"the span {key} is not in the trace {count} times")
nested = [e["depth"] for e in spans if tracks[e["track"]]["kind"] == "thread"]
if nested and calls and len(nested) == len(calls):
    equal("depth", max(nested), max(c["depth"] for c in calls))

numbers = ("uint", "int", "float", "bool", "koid")
equal(
    "values of counters",
    len(counters),
    sum(
        f["type"] in numbers and "labels" not in f
        for e in own
        if e["kind"] == "counter"
        for f in e["fields"]
    ),
)
equal("log messages", len([i for i in instants if i["name"] == "log" or i["body"] is not None]), kinds["log"])
if not options:
    equal("operations", len(operations), min(kinds["async-begin"], kinds["async-end"]))
    equal("losses", sum(e["is_lost"] for e in events), kinds["lost"])
    fit = [e for e in own if e["kind"] == "switch" and e["cpu"] < 1024]
    if fit:
        equal("switches", [(s[0], s[1]) for s in switches], [(e["time_ns"], e["cpu"]) for e in fit])
        busy = [s[4] for s in switches]
        want = [e["incoming"]["number"] if e["incoming"] else 0 for e in fit]
        for got, number in zip(busy, want):
            if got not in (0, number) and number < 1 << 31:
                complain(f"thread {got} runs, not {number}")
    woken = sum(e["name"].startswith("sched_wak") for e in own)
    equal("wake-ups", len(wakings), kinds["wake"] + woken)

# Threads and their names.
places = {}
for e in own:
    t = e.get("track")
    if t and t["kind"] == "thread":
        places[(t.get("parent") or {}).get("number"), t["number"]] = t["name"]
theirs = {(t["pid"], t["tid"]): t["name"] for t in tracks.values() if t["kind"] == "thread"}
for (pid, tid), name in places.items():
    if pid is not None and pid < 1 << 31 and tid < 1 << 31 and (pid, tid) in theirs:
        equal(f"name of thread {tid}", theirs[pid, tid], name)
    elif name and not any(name in n for n in theirs.values()):
        complain(f"thread {tid} ({name}) is missing")

# Arguments: each value of each field that is plain, under its name.
said = collections.Counter()
for e in events:
    said.update((n, json.dumps(v)) for n, v in e["args"] if not isinstance(v, (list, dict)))
wanted = collections.Counter()
plain = ("uint", "int", "koid", "bool", "pointer", "string")
skipped = ("counter", "log", "switch", "wake", "lost", "blob")
for e in own:
    if e["kind"] in skipped or e["name"] == "sched_switch" or (options and e["kind"] in ("begin", "end", "complete")):
        continue
    seen = set()
    for f in e.get("fields", []):
        if f["type"] in plain and f["name"] not in seen and "\\" not in str(f["value"]):
            wanted[f["name"], json.dumps(f["value"])] += 1
        seen.add(f["name"])
missing = wanted - said
for key, count in list(missing.items())[:5]:
    if kinds["end"] == 0 and kinds["begin"] == 0:
        complain(f"argument {key} is missing {count} times")

if snapshots and own and own[0].get("wall_ns") is not None and 1 in snapshots[0]:
    timed = [e for e in own if e.get("time_ns") is not None and e.get("wall_ns") is not None]
    equal("wall-clock time", snapshots[0][1] - snapshots[0][6], timed[0]["wall_ns"] - timed[0]["time_ns"])
print(
    f"{len(spans)} spans, {len(instants)} instants, {len(counters)} values, {len(flows)} flows, "
    f"{len(switches)} switches"
)
sys.exit(1 if failures else 0)
