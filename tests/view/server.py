# SPDX-License-Identifier: Apache-2.0
"""What 'stele view' says to strangers, and whether it says the truth to friends.

usage: server.py STELE TRACE... : asks a server over loopback. Windows and tracks are chosen at
random, from SEED in the environment, and must say what 'stele calls' and 'stele cat' say.
"""
import array
import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.parse

import paired_made

stele = sys.argv[1]
failures = 0
# What can steer a screen is escaped by the server, and not by JSON.
hostile = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd]|\\x[0-9A-F]{2}")


def plain(name):
    """Names that the server changes, because they steer screens or are too long, are alike here."""
    return "hostile" if hostile.search(name) else "long" if len(name.encode()) > 200 else name


def check(what, holds, detail=""):
    global failures
    if not holds:
        failures += 1
        print(f"not so: {what} {detail}"[:400])


class Server:
    """A server of its own for some traces."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([stele, "view", "--no-open", "--quiet", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def raw(self, target, headers=None, method="GET"):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.putrequest(method, target, skip_host=headers is not None and "Host" in headers)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body, response

    def ask(self, what, **parameters):
        target = f"{self.path}api/{what}?{urllib.parse.urlencode(parameters)}"
        status, body, _ = self.raw(target)
        check(f"{target} is answered", status == 200, body[:200])
        return json.loads(body) if status == 200 else None

    def info(self):
        while True:
            info = self.ask("info")
            if info is None or info["complete"]:
                return info

    def bytes_read(self):
        """What the server read of files and sockets up to now."""
        with open(f"/proc/{self.process.pid}/io") as file:
            return int(file.readline().split()[1])

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        check("Ctrl-C ends the server", self.process.returncode == -signal.SIGINT)


def is_error(body):
    try:
        return list(json.loads(body)) == ["error"]
    except ValueError:
        return False


def strangers(trace):
    server = Server(trace)
    info = f"{server.path}api/info"
    status, _, response = server.raw(server.path)
    check("the page is there", status == 200)
    policy = response.headers["Content-Security-Policy"]
    check("scripts are the page's own", "script-src 'self'" in policy and "unsafe" not in policy)
    check("nothing is stored", response.headers["Cache-Control"] == "no-store")
    check("types are not guessed", response.headers["X-Content-Type-Options"] == "nosniff")
    own = f"{server.host}:{server.port}"
    for what, target, headers, wanted in [
            ("no token", "/", {}, 403),
            ("no token, a path", "/api/info", {}, 403),
            ("another token", "/" + "0" * 32 + "/api/info", {}, 403),
            ("a longer token", server.path[:-1] + "0/api/info", {}, 403),
            ("a part of the token", server.path[:20] + "/api/info", {}, 403),
            ("another host", info, {"Host": "evil.example"}, 403),
            ("another host, right port", info, {"Host": f"evil.example:{server.port}"}, 403),
            ("another port", info, {"Host": f"{server.host}:1"}, 403),
            ("localhost", info, {"Host": f"localhost:{server.port}"}, 200),
            ("another origin", info, {"Host": own, "Origin": "http://evil.example"}, 403),
            ("no origin at all", info, {"Host": own, "Origin": "null"}, 403),
            ("its own origin", info, {"Host": own, "Origin": f"http://{own}"}, 200),
            ("another site", info, {"Host": own, "Sec-Fetch-Site": "cross-site"}, 403),
            ("the same site", info, {"Host": own, "Sec-Fetch-Site": "same-origin"}, 200),
            ("a path up", server.path + "../../../etc/passwd", {}, 404),
            ("a path up, encoded", server.path + "..%2f..%2fetc%2fpasswd", {}, 404),
            ("no such file", server.path + "nothing.js", {}, 404),
            ("no such question", server.path + "api/nothing", {}, 404),
            ("an unknown parameter", info + "?nothing=1", {}, 400),
            ("no window", server.path + "api/window", {}, 400),
            ("an end before its begin", server.path + "api/window?begin=9&end=1", {}, 400),
            ("a time that is none", server.path + "api/window?begin=x&end=1", {}, 400),
            ("a time too large", server.path + "api/window?begin=0&end=99999999999999999999", {}, 400),
            ("too many pixels", server.path + "api/window?begin=0&end=1&width=4000000000", {}, 400),
            ("no statement", server.path + "api/sql", {}, 400),
            ("no expression", server.path + "api/search?where=name+%3D%3D", {}, 400),
            ("a format that is none", server.path + "api/cut?format=nothing", {}, 400),
            ("instructions of a trace that has none", server.path + "api/code?at=1", {}, 400),
            ("half a percent sign", server.path + "api/search?where=%4", {}, 400),
            ("a zero byte", server.path + "api/search?where=%00", {}, 400)]:
        status, body, response = server.raw(target, headers)
        check(f"{what} gives {wanted}", status == wanted, f"it gives {status}: {body[:100]}")
        if status == 400 and "json" in response.headers["Content-Type"]:
            check(f"{what} says why, and nothing else", is_error(body), body[:100])
    ranges = ",".join(str(i) for i in range(0, 4000, 2))
    status, _, _ = server.raw(f"{server.path}api/window?begin=0&end=9&tracks={ranges}")
    check("too many tracks are refused", status in (400, 414))
    status, _, _ = server.raw(f"{server.path}api/search?where={'a' * 100000}")
    check("a long request is refused", status in (400, 413, 414, 431), status)
    status, _, _ = server.raw(info, {"Host": own}, "DELETE")
    check("other methods are refused", status == 405)
    for text in [b"\0" * 100, b"GET\r\n\r\n", b"GET " + b"/" * 70000 + b" HTTP/1.1\r\n\r\n", b"G" * 5000]:
        with socket.create_connection((server.host, server.port), timeout=2) as stranger:
            try:
                stranger.sendall(text)
                stranger.shutdown(socket.SHUT_WR)
                stranger.recv(1000)
            except OSError:
                pass
    # Connections that begin a request and never end it take no place from others, be they ever so many.
    idle = []
    for _ in range(300):
        idle.append(socket.create_connection((server.host, server.port), timeout=10))
        idle[-1].sendall(f"GET {info} HTTP/1.1\r\nHost: {own}\r\nX-Slow: ".encode())
    check("it answers beside 300 that never ask", server.info() is not None)
    for stranger in idle:
        stranger.close()
    with socket.create_connection((server.host, server.port), timeout=10) as stranger:
        try:
            stranger.sendall(b"GET / HTTP/1.1\r\n" + b"X-Large: " + b"a" * 5000000)
        except OSError:
            pass
    check("it goes on after all that", server.info() is not None)
    server.stop()


def lines(*arguments):
    text = subprocess.run([stele, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout
    return json.loads(text)


def bare(title):
    """A track's title without the number of its trace, with which it begins where there are several."""
    return re.sub(r"^\d+: ", "", title)


def last_of(traces):
    """By track: when the last of what nests there ends, where 'calls' ends what is open to the end."""
    last = {}
    for span in lines("calls", "--json", "--columns", "track,source,time,dur", *traces)["spans"]:
        if span["source"] not in ("async", "pair", "flow"):
            key = bare(span["track"])
            last[key] = max(last.get(key, 0), span["time_ns"] + (span["dur_ns"] or 0))
    return last


def spans_of(traces, begin, end, last):
    """By track, depth and whether it stands on a stack: begin, duration, name of what 'calls' says. A
    span that a window cuts ends no later than if it were not cut."""
    found = collections.defaultdict(list)
    answer = lines("calls", "--json", "--columns", "track,depth,source,time,dur,name,ended",
                   f"--begin={begin}ns", f"--end={end}ns", *traces)
    for span in answer["spans"]:
        if span["source"] != "flow":
            is_stacked = span["source"] not in ("async", "pair")
            key = (bare(span["track"]), span["depth"] if is_stacked else -1)
            # A span whose begin was lost is drawn where it ends.
            at, length = span["time_ns"], span["dur_ns"] or 0
            if is_stacked and span["ended"] == "open" and at + length > last[key[0]]:
                if last[key[0]] <= begin >= at:
                    continue
                length = max(0, last[key[0]] - at)
            found[key].append((at, length, plain(span["name"])))
    return found


def compare(key, entries, wanted):
    """Entries of one span must be there exactly, those of several add up."""
    count = sum(entry[3] for entry in entries)
    check(f"{key}: {len(wanted)} spans", count == len(wanted), f"it says {count}")
    left = collections.Counter(wanted)
    many = collections.Counter()
    for begin, duration, name, number in entries:
        if number == 1:
            check(f"{key}: a span", left[(begin, duration, name)] > 0, (begin, duration, name))
            left[(begin, duration, name)] -= 1
        else:
            many[number] += 1
    busy = sum(number * duration for (_, duration, _), number in left.items() if number > 0)
    return busy


def compare_windows(server, info, traces, chance, windows):
    """Windows of some length, anywhere, of some tracks, have the spans that 'calls' gives."""
    base, end = int(info["begin"]), int(info["end"])
    titles = {track["track"]: bare(track["title"]) for track in info["tracks"]}
    last = last_of(traces)
    for _ in range(windows):
        length = max(1, int((end - base) * 10 ** -chance.uniform(0, 4)))
        begin = chance.randrange(0, max(1, end - base - length))
        tracks = sorted(chance.sample(sorted(titles), min(len(titles), chance.randint(1, 8))))
        asked = {"begin": base + begin, "end": base + begin + length, "width": chance.choice([100, 1000, 16384])}
        picture = server.ask("window", **asked, tracks=",".join(map(str, tracks)))
        whole = server.ask("window", **asked)
        if picture is None or whole is None:
            continue
        check(f"{traces}: {tracks} have alone what they have among all", whole["leftOut"] != 0 or
              [row for row in whole["rows"] if row["track"] in tracks] == picture["rows"], asked)
        wanted = spans_of(traces, begin, begin + length, last)
        seen, sums = collections.defaultdict(list), collections.Counter()
        for row in picture["rows"]:
            if row["row"] not in ("spans", "async"):
                continue
            is_stacked = row["row"] == "spans"
            key = (titles[row["track"]], row["index"] if is_stacked else -1)
            for i, at in enumerate(row["begin"]):
                name = plain(picture["names"].get(str(row["name"][i]), ""))
                seen[key].append((begin + at, row["dur"][i], name, row["count"][i]))
                if is_stacked and row["count"][i] > 1:
                    sums[key] += row["busy"][i] if "busy" in row else 0
        shown = {titles[track] for track in tracks}
        for key in set(seen) | {key for key in wanted if key[0] in shown}:
            busy = compare((traces, begin, length, *key), seen[key], wanted[key])
            if key[1] >= 0:
                check(f"{key}: busy time", busy == sums[key], (busy, sums[key]))


def friends(trace, seed, windows):
    server = Server(trace)
    info = server.info()
    if info is None or "begin" not in info:
        check(f"{trace} has events", False)
        server.stop()
        return
    compare_windows(server, info, [trace], random.Random(f"{seed} {trace}"), windows)
    check_whole(server, trace, info)
    server.stop()


def paired(seed, windows):
    """Traces of moments that are paired, which are read from checkpoints: spans and states of threads
    are right in the middle, too, also of two traces, and when a trace is opened again."""
    for number in (1, 2):
        paired_made.write(f"paired{number}", f"{seed} {number}", 1000 * number)
    friends("paired1", seed, windows)
    for traces in (["paired1"], ["paired1", "paired2"], ["paired1", "paired2"]):
        server = Server(*traces)
        info = server.info()
        chance = random.Random(f"{seed} {traces}")
        compare_windows(server, info, traces, chance, windows)
        base, end = int(info["begin"]), int(info["end"])
        for _ in range(windows if len(traces) == 1 else 0):
            begin = chance.randrange(0, end - base - 1)
            length = chance.randrange(1, end - base - begin)
            check_states(server, traces[0], base, base + begin, base + begin + length)
        server.stop()


def check_states(server, trace, base, begin, end):
    """What threads do is what 'sched' says."""
    states = server.ask("states", begin=begin, end=end)
    bounds = [f"--begin={begin - base}ns", f"--end={end - base}ns"]
    rows = lines("sched", "--json", *bounds, trace).get("threads", []) if states["threads"] else []
    wanted = sorted([row["running_ns"], row["preempted_ns"], row["runnable_ns"], row["sleeping_ns"], row["blocked_ns"]]
                    for row in rows if "running_ns" in row)
    found = sorted(row[1][1:6] for row in states["threads"])
    if wanted:
        check(f"{trace} {bounds}: threads do what they do in sched",
              [row for row in found if any(row)] == [row for row in wanted if any(row)], (found, wanted))


def check_record(server, trace, track, span):
    """The bytes of a record are those of the file, and its words those of dump."""
    found = server.ask("record", offset=span["offset"], track=track)["records"]
    check("a record is found", found)
    if not found or os.path.isdir(trace):
        return
    record = found[0]
    with open(trace, "rb") as file:
        file.seek(int(record["offset"]))
        wanted = file.read(min(record["size"], 4096))
    check("its bytes are those of the file", bytes.fromhex(record["bytes"]) == wanted, record)
    dump = subprocess.run([stele, "dump", "--at", record["offset"], "--count", "1", trace],
                          stdout=subprocess.PIPE, check=False).stdout.decode(errors="replace")
    check("its words are those of dump", plain(record["text"]) != record["text"] or record["text"] in dump,
          (record["text"], dump))


def check_saved(server, trace, base, end):
    """What is saved in every format can be read again, and has all that cat has."""
    wanted = lines("info", "--json", trace)["traces"][0]["event_count"]
    for form, name in [("fxt", "saved.fxt"), ("ctf", "saved.tar"), ("heph", "saved.heph")]:
        status, body, response = server.raw(f"{server.path}api/cut?format={form}&begin={base}&end={end}")
        check(f"{trace} is saved as {form}", status == 200 and body, body[:100])
        check("as a file", form in response.headers["Content-Disposition"])
        with open(name, "wb") as file:
            file.write(body)
        saved = subprocess.run([stele, "info", "--json", name], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False).stdout
        count = json.loads(saved)["traces"][0]["event_count"] if saved else None
        if form != "heph":  # which has no moments
            check(f"{trace} as {form} has its events", count is not None and count >= wanted * 0.9, (count, wanted))


def check_whole(server, trace, info):
    """Marks, the rows as CSV, the profile, and the next of a name."""
    base, end = int(info["begin"]), int(info["end"])
    whole = server.ask("window", begin=base, end=end, width=1000)
    summary = lines("info", "--json", trace)
    status, body, _ = server.raw(f"{server.path}api/rows?begin={base}&end={end}")
    check("rows are answered", status == 200)
    csv = subprocess.run([stele, "cat", "--csv", trace], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    check(f"{trace}: the rows are those of cat", sorted(body.splitlines()) == sorted(csv.splitlines()))
    profile = server.ask("profile", begin=base, end=end)
    check_saved(server, trace, base, end)
    rows = lines("profile", "--json", "--begin=0ns", f"--end={end - base}ns", trace)["functions"]
    check("the profile has as many names", profile["names"] == len(rows), (profile["names"], len(rows)))
    own = {row["name"]: (row["count"], row["self_ns"]) for row in rows}
    for row in profile["rows"]:
        name = profile["texts"].get(str(row["name"]), "")
        if plain(name) != name:
            continue
        check(f"profile of {name}", own.get(name) == (row["count"], row["self"]), (own.get(name), row))
    flame = server.ask("flame", begin=base, end=end)
    check("the flame graph has all of the time", sum(node[3] for node in flame["nodes"]) <= flame["total"])
    check("and that of the profile", flame["total"] == sum(row["self"] for row in profile["rows"])
          or profile["names"] > len(profile["rows"]), (flame["total"], trace))
    check_states(server, trace, base, base, end)
    spans = [row for row in whole["rows"] if row["row"] == "spans"]
    if spans:
        row = spans[0]
        at = base + row["begin"][0]
        answer = server.ask("span", at=at, track=row["track"], depth=row["index"])
        check("a span is found", answer["found"] and int(answer["begin"]) <= at)
        check_record(server, trace, row["track"], answer)
    rows = [track for track in lines("timeline", "--json", trace)["tracks"] if track["kind"] == "track"]
    found = sorted(track["busy"] for track in info["tracks"] if track["busy"] != 0)
    check(f"{trace}: tracks are as busy as in timeline",
          found == sorted(row["busy_ns"] for row in rows if row["busy_ns"] != 0), found)
    counted = summary["traces"][0]["event_count"]
    check("there are as many events", info["events"] == counted, (info["events"], counted))


def write_late(path, is_late):
    """An FXT trace of 1,100,000 moments, and one span around them that is written last, or first."""
    count = 1100000
    head = [0x0016547846040010, 1 | 2 << 4, 1000000000, 3 | 3 << 4 | 1 << 16, 7, 9]
    head += [2 | 2 << 4 | 1 << 16 | 6 << 32, int.from_bytes(b"around\0\0", "little")]
    moment = 4 | 2 << 4 | 1 << 24 | 1 << 48
    around = [4 | 3 << 4 | 4 << 16 | 1 << 24 | 1 << 48, 0, count]
    words = array.array("Q", head if is_late else head + around)
    words.extend(word for i in range(count) for word in (moment, i))
    words.extend(around if is_late else [])
    with open(path, "wb") as file:
        words.tofile(file)


def large(path):
    """Traces that are pictured while they are read: the picture is right in the end, and opened again."""
    kept = lambda: set(os.listdir(cache)) if os.path.isdir(cache) else set()
    cache = os.path.join(os.environ["XDG_CACHE_HOME"], "stele")
    before = kept()  # a slow machine keeps those of small traces, too
    for is_late in (False, True):
        write_late(path, is_late)
        for what in ("read", "opened again"):
            server = Server(path)
            info = server.info()
            picture = server.ask("window", begin=info["begin"], end=info["end"], width=1000)
            check(f"{path}, {what}, is summed up", picture["summary"])
            spans = [row for row in picture["rows"] if row["row"] == "spans"]
            check(f"{path}, {what}, has its span from the begin", len(spans) == 1 and spans[0]["begin"] == [0]
                  and spans[0]["dur"][0] >= 1099999, spans)
            check(f"{path}, {what}, has all events", info["events"] == 1100001, info["events"])
            server.stop()
        check("its index is kept", len(kept() - before) == 1, kept())


def instructions(trace):
    """What is said of instructions is what 'insn mix', 'insn cache', 'insn view' say."""
    server = Server(trace)
    info = server.info()
    check("the clock counts instructions", info["clock"] == "instructions")
    code = server.ask("code", begin=info["begin"], end=info["end"], width=50)
    mix = lines("insn", "mix", "--json", trace)
    counted = sum(sum(part["groups"]) for part in code["bins"])
    check("all instructions are in a bin", counted == code["insns"] == mix["insn_count"], (counted, mix["insn_count"]))
    own = {row["cache"].upper(): row for row in lines("insn", "cache", "--json", trace)["caches"]}
    for name, reads, read_misses, writes, write_misses in code["caches"][:3]:
        row = own[name]
        wanted = [row[key] for key in ("read_count", "read_miss_count", "write_count", "write_miss_count")]
        check(f"{name} misses as in insn cache", wanted == [reads, read_misses, writes, write_misses], wanted)
    text = subprocess.run([stele, "insn", "view", "--json", trace], stdout=subprocess.PIPE, check=False).stdout
    view = [json.loads(line) for line in text.splitlines()]
    around = server.ask("code", at=500)["insns"]
    check("the code around is there", len(around) > 40)
    for one in around:
        row = view[int(one["number"])]
        check("an instruction is that of insn view", int(one["insn"][0], 16) == row["pc"] and
              one["insn"][1] == row["opcode"] and len(one["accesses"]) == len(row["accesses"]), (one, row))
    flame = server.ask("flame", begin=info["begin"], end=info["end"])
    names, paths = flame["names"], [""]
    for name, parent, _, own, _ in flame["nodes"][1:]:
        paths.append(f"{paths[parent]};{names[str(name)]}" if paths[parent] else names[str(name)])
    folded = subprocess.run([stele, "flame", "--quiet", trace], stdout=subprocess.PIPE, text=True, check=False).stdout
    wanted = {path: int(own) for path, own in (line.rsplit(" ", 1) for line in folded.splitlines())}
    found = {path: node[3] for path, node in zip(paths[1:], flame["nodes"][1:]) if node[3] != 0}
    check("its flame graph is that of flame", found == wanted and len(wanted) > 0, (found, wanted))
    server.stop()


def write_instructions(path, count):
    """An xtrace of so many instructions, one after the other."""
    nop = bytes.fromhex("1f2003d5")
    with open(path, "wb") as file:
        file.write(b"\x09" + (0x400000).to_bytes(8, "little") + nop + (b"\x01" + nop) * (count - 1))


def instructions_at_end(path):
    """A short stretch at the end of a large instruction trace is answered without reading all of it."""
    write_instructions(path, 4000000)
    server = Server(path)
    server.info()
    before = server.bytes_read()
    for at in range(3999000, 3999010):
        window = server.ask("window", begin=at, end=at + 16, width=1000)
        check(f"{path} has events at {at}", not window["summary"] and any(row["row"] == "marks" for row in window["rows"]), window)
    read = server.bytes_read() - before
    check(f"{path} is read near its end only", read < os.path.getsize(path), read)
    server.stop()


seed_used = os.environ.get("SEED", "1")
print(f"SEED={seed_used}")
os.environ["XDG_CACHE_HOME"] = os.path.abspath("view-cache")
shutil.rmtree("view-cache", ignore_errors=True)
large("large.fxt")
os.unlink("large.fxt")
instructions_at_end("large.xinsndata.bin")
os.unlink("large.xinsndata.bin")
paired(seed_used, int(os.environ.get("WINDOWS", "12")) * 4)
strangers(sys.argv[2])
for path in sys.argv[2:]:
    if path.endswith("xinsndata.bin"):
        instructions(path)
        continue
    friends(path, seed_used, int(os.environ.get("WINDOWS", "12")))
sys.exit(1 if failures else 0)
