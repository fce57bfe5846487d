# SPDX-License-Identifier: Apache-2.0
# What spans take in a stretch of a trace is what the spans of the whole take there.
# usage: span_cuts.py STELE TRACE OPTION...
import json
import subprocess
import sys

stele, trace, *options = sys.argv[1:]


def calls(*more):
    done = subprocess.run(
        [stele, "calls", "--quiet", "--json", "--columns", "time,dur,name,source,ended", *options,
         *more, trace], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    spans = [s for s in json.loads(done.stdout)["spans"] if s["ended"] != "entry-lost"]
    # Traces that count instructions have numbers of these, and no times.
    return [{key.replace("_insns", "_ns"): value for key, value in s.items()} for s in spans]


def sums(spans, begin, end):
    made = {}
    for s in spans:
        first = max(s["time_ns"], begin)
        last = min(s["time_ns"] + s["dur_ns"], end)
        # What ends where the stretch begins is not in it, unless it begins there, too.
        if s["time_ns"] < end and (last > begin or s["time_ns"] >= begin):
            count, total = made.get((s["name"], s["source"]), (0, 0))
            made[s["name"], s["source"]] = count + 1, total + last - first
    return made


whole = calls()
if not whole:
    sys.exit("there are no spans")
last_ns = max(s["time_ns"] + s["dur_ns"] for s in whole)
for part in range(1, 8):
    begin_ns = last_ns * part // 9 + part % 3
    for end_ns in (begin_ns + last_ns // 11 + 1, last_ns):
        cut = calls("--begin", f"{begin_ns}ns", "--end", f"{end_ns}ns")
        wanted, have = sums(whole, begin_ns, end_ns), sums(cut, begin_ns, end_ns)
        if wanted != have:
            sys.exit(f"{begin_ns} to {end_ns}: expected {wanted}, have {have}")
