# SPDX-License-Identifier: Apache-2.0
"""Questions in SQL with answers that are computed anew from what 'stele cat --json' writes.
usage: query_answers.py questions        prints the statements
       query_answers.py answers <JSON    prints their answers as 'stele query --csv' does, without
                                         headings"""

import json
import statistics
import sys
from collections import Counter, defaultdict

QUESTIONS = []


def question(sql):
    def add(function):
        QUESTIONS.append((sql, function))
        return function
    return add


def field(event, name):
    """The value of a field of the event, or of its contexts."""
    def find(fields):
        for one in fields:
            if one["name"] == name:
                return one
            if one["type"] == "struct" and isinstance(one["value"], list):
                found = find(one["value"]) if fields is event.get("context") else None
                if found is not None:
                    return found
        return None
    found = find(event.get("fields", []))
    return found if found is not None else find(event.get("context", []))


def track(event):
    at = event.get("track")
    return (at["kind"], at["number"], json.dumps(at.get("parent"))) if at else None


def tid(event):
    at = event.get("track")
    while at and at["kind"] != "thread":
        at = at.get("parent")
    return at["number"] if at else None


def lines(counted):
    return sorted(counted.items(), key=lambda item: tuple((x is None, x) for x in item[0]))


@question("select count(*) from event")
def _(events):
    return [[len(events)]]


@question("select kind::varchar, count(*) from event group by all order by 1")
def _(events):
    return [[kind, n] for kind, n in sorted(Counter(e["kind"] for e in events).items())]


@question("select name, count(*) from event group by all order by 1 nulls last")
def _(events):
    return [[name, n] for (name,), n in lines(Counter((e.get("name") or None,) for e in events))]


@question("select min(ts), max(ts), count(ts) from event")
def _(events):
    times = [e["time_ns"] for e in events if "time_ns" in e]
    return [[min(times, default=None), max(times, default=None), len(times)]]


@question("select sum(byte_size), max(byte_size), count(distinct byte_offset) from event")
def _(events):
    return [[sum(e["size"] for e in events), max(e["size"] for e in events),
             len({e["offset"] for e in events})]]


@question("select sum(dur), min(dur), max(dur) from event where kind = 'complete'")
def _(events):
    durations = [e["dur_ns"] for e in events if e["kind"] == "complete"]
    return [[sum(durations) if durations else None, min(durations, default=None),
             max(durations, default=None)]]


@question("select name, median(dur) from event where kind = 'complete' group by all order by 1")
def _(events):
    by = defaultdict(list)
    for e in events:
        if e["kind"] == "complete":
            by[e["name"]].append(e["dur_ns"])
    return [[name, float(statistics.median(d))] for name, d in sorted(by.items())]


@question("select cpu, count(*) from event group by all order by 1 nulls last")
def _(events):
    return [[cpu, n] for (cpu,), n in lines(Counter((e.get("cpu"),) for e in events))]


@question("select tid, count(*) from event group by all order by 1 nulls last")
def _(events):
    return [[t, n] for (t,), n in lines(Counter((tid(e),) for e in events))]


@question("select category, count(*) from event group by all order by 1 nulls last")
def _(events):
    counted = Counter((e.get("category") or None,) for e in events)
    return [[name, n] for (name,), n in lines(counted)]


@question("select stream, count(*), min(byte_offset) from event group by all order by 1")
def _(events):
    by = defaultdict(list)
    for e in events:
        by[e["stream"]].append(e["offset"])
    return [[s, len(o), min(o)] for s, o in sorted(by.items())]


@question("select count(distinct track) from event")
def _(events):
    return [[len({track(e) for e in events} - {None})]]


@question("select max(n) from (select count(*) as n from event where track is not null group by track)")
def _(events):
    return [[max(Counter(track(e) for e in events if track(e)).values(), default=None)]]


@question("""select max(gap), count(gap) from (select ts - lag(ts) over (partition by track order by ts)
    as gap from event where track is not null and ts is not null)""")
def _(events):
    by, gaps = defaultdict(list), []
    for e in events:
        if track(e) and "time_ns" in e:
            by[track(e)].append(e["time_ns"])
    for times in by.values():
        times.sort()
        gaps += [b - a for a, b in zip(times, times[1:])]
    return [[max(gaps, default=None), len(gaps)]]


@question("select bucket(ts, 1000), count(*) from event where ts is not null group by 1 order by 1 limit 20")
def _(events):
    counted = Counter(e["time_ns"] // 1000 * 1000 for e in events if "time_ns" in e)
    return [list(item) for item in sorted(counted.items())[:20]]


@question("select log2_bin(dur), count(*) from event where kind = 'complete' group by 1 order by 1")
def _(events):
    counted = Counter(max(e["dur_ns"], 1).bit_length() - 1 for e in events if e["kind"] == "complete")
    return [list(item) for item in sorted(counted.items())]


@question("select count(*), count(distinct key) from arg where type <> 'struct'")
def _(events):
    found = []
    for e in events:
        rest = list(e.get("fields", []))
        for one in rest:
            if one["type"] != "struct":
                found.append(one["name"])
    return [[len(found), len(set(found) - {""})]]


@question("""select key, count(*) from arg where type in ('uint', 'int') group by all
    order by 2 desc, 1 limit 10""")
def _(events):
    counted = Counter(one["name"] for e in events for one in e.get("fields", [])
                      if one["type"] in ("uint", "int"))
    return [list(item) for item in sorted(counted.items(), key=lambda i: (-i[1], i[0]))[:10]]


@question("""select key, sum(int_value) from arg where type in ('uint', 'int') and
    int_value between -1000000 and 1000000 group by all order by 1""")
def _(events):
    sums = defaultdict(int)
    for e in events:
        for one in e.get("fields", []):
            if one["type"] in ("uint", "int") and -1000000 <= one["value"] <= 1000000:
                sums[one["name"]] += one["value"]
    return [list(item) for item in sorted(sums.items())]


@question("""select name, sum(arg_n), count(arg_n) from read_event('', args := 'n int')
    where arg_n > 2 group by all order by 1""")
def _(events):
    sums = defaultdict(list)
    for e in events:
        one = field(e, "n")
        if one is not None and isinstance(one["value"], int) and one["value"] > 2:
            sums[e["name"]].append(one["value"])
    return [[name, sum(n), len(n)] for name, n in sorted(sums.items())]


@question("""select count(*) from event a where kind = 'instant' and exists (select 1 from event b
    where b.track = a.track and b.kind = 'instant' and b.ts > a.ts)""")
def _(events):
    last, count = {}, 0
    instants = [e for e in events if e["kind"] == "instant" and track(e) and "time_ns" in e]
    for e in instants:
        last[track(e)] = max(last.get(track(e), e["time_ns"]), e["time_ns"])
    return [[sum(e["time_ns"] < last[track(e)] for e in instants)]]


@question("""select count(*) from event where ts between (select min(ts) from event) + 500 and
    (select max(ts) from event) - 500""")
def _(events):
    times = [e["time_ns"] for e in events if "time_ns" in e]
    if not times:
        return [[0]]
    return [[sum(min(times) + 500 <= t <= max(times) - 500 for t in times)]]


@question("select wall is not null, count(*) from event group by all order by 1")
def _(events):
    counted = Counter("wall_ns" in e for e in events)
    return [["true" if known else "false", n] for known, n in sorted(counted.items())]


@question("""select kind::varchar, max(length(name)) from event where name is not null group by all
    having count(*) > 1 order by 1""")
def _(events):
    by = defaultdict(list)
    for e in events:
        if e.get("name"):
            by[e["kind"]].append(len(e["name"]))
    return [[kind, max(n)] for kind, n in sorted(by.items()) if len(n) > 1]


@question("""select name, lead from (select name, lead(name) over (partition by track order by ts,
    byte_offset) as lead, ts, byte_offset from event where kind = 'instant' and ts is not null and
    track is not null) where lead <> name order by ts, byte_offset limit 10""")
def _(events):
    by, found = defaultdict(list), []
    for e in events:
        if e["kind"] == "instant" and "time_ns" in e and track(e):
            by[track(e)].append((e["time_ns"], e["offset"], e.get("name") or None))
    for rows in by.values():
        rows.sort(key=lambda row: row[:2])
        found += [(a[0], a[1], a[2], b[2]) for a, b in zip(rows, rows[1:])
                  if a[2] is not None and b[2] is not None and a[2] != b[2]]
    return [list(row[2:]) for row in sorted(found)[:10]]


@question("""select count(*), sum(s) from (select sum(case kind when 'begin' then 1 else -1 end) as s
    from event where kind in ('begin', 'end') group by track)""")
def _(events):
    sums = Counter()
    for e in events:
        if e["kind"] in ("begin", "end"):
            sums[track(e)] += 1 if e["kind"] == "begin" else -1
    return [[len(sums), sum(sums.values()) if sums else None]]


def show(value):
    if value is None:
        return ""
    text = str(value)
    if any(c in text for c in ',"\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text


if sys.argv[1] == "questions":
    for number, (sql, _) in enumerate(QUESTIONS):
        print(f"select 'Q{number}' as mark;\n{sql};")
else:
    given = [{key: value for key, value in json.loads(line).items() if value is not None}
             for line in sys.stdin]
    for number, (_, answer) in enumerate(QUESTIONS):
        print(f"Q{number}")
        for row in answer(given):
            print(",".join(show(value) for value in row))
