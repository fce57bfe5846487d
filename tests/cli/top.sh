#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele top: the busiest names and tracks of a stretch of time.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good

expect 0 top "$heph/heph_tracing_example.bin.log"
golden top_heph
check "it fits 80 columns" test "$(wc -L <out)" -le 80
expect 0 top --json --top 3 "$heph/heph_tracing_example.bin.log"
golden top_json
documented out
expect 0 top --every 20ns "$fxt/scheduling.fxt"
golden top_every
expect 0 top --sort count --top 1 "$heph/heph_tracing_example.bin.log"
says out 'left out; --top 0 shows all$'

# Of a whole trace, self times are those of the profile.
for trace in "$heph/heph_tracing_example.bin.log" "$xray"/exc.14.* "$xray"/forker.14.* "$xray"/tail.14.*; do
    "$STELE" profile -q --csv --top 0 "$trace" >profile 2>err || :
    "$STELE" top -q --json --top 0 --begin 0s "$trace" >top 2>err || :
    cat >compare.py <<'END'
import csv, json
with open("profile") as file:
    wanted = {row["name"]: int(row["self_ns"]) for row in csv.DictReader(file)}
with open("top") as file:
    got = {row["name"]: row["self_ns"] for row in json.load(file)["windows"][0]["names"]}
wrong = {name: (ns, got.get(name)) for name, ns in wanted.items() if ns and got.get(name) != ns}
assert not wrong, wrong
END
    last="stele top --json $trace"
    python3 compare.py 2>err || complain "self times differ from those of the profile" err
done

# What is open at the end passes the filter as all others do, and ends with what is last on its
# track, as in a profile.
head -c 3000 "$xray/exc.14.fdr5.tsc.xray" >open.xray
"$STELE" profile --csv --top 0 open.xray >profile 2>err || :
check 'calls are open at the end' grep -q 'still open at the end' err
expect 1 top --json --name nosuch open.xray
check "no name has time" sh -c "! grep -q '\"self_ns\": [1-9]' out"
expect 1 top --json --top 0 --begin 0s open.xray
cp out top
cat >compare.py <<'END'
import csv, json
with open("profile") as file:
    wanted = {row["name"]: int(row["self_ns"]) for row in csv.DictReader(file)}
with open("top") as file:
    got = {row["name"]: row["self_ns"] for row in json.load(file)["windows"][0]["names"]}
wrong = {name: (ns, got.get(name)) for name, ns in wanted.items() if ns and got.get(name) != ns}
assert not wrong, wrong
END
last='stele top --json open.xray'
python3 compare.py 2>err || complain "self times of open calls differ from those of the profile" err

# The steps of a trace have all of it, as far as they have events: their times add up.
expect 0 top --json --top 0 --every 60us "$xray/exc.14.fdr5.tsc.xray"
cp out steps
expect 0 top --json --top 0 --begin 0s "$xray/exc.14.fdr5.tsc.xray"
cp out whole
cat >compare.py <<'END'
import json
def sums(path):
    self_ns, count = {}, {}
    for table in json.load(open(path))["windows"]:
        for row in table["names"]:
            self_ns[row["name"]] = self_ns.get(row["name"], 0) + row["self_ns"]
            count[row["name"]] = count.get(row["name"], 0) + row["count"]
    return {name: ns for name, ns in self_ns.items() if ns}, {n: c for n, c in count.items() if c}
assert sums("steps") == sums("whole"), (sums("steps"), sums("whole"))
END
python3 compare.py 2>err || complain "steps do not add up to the whole" err

# On a terminal it follows a trace that grows, sorts by keys, and gives the terminal back.
cat >live.py <<'END'
import os, pty, select, sys
stele, whole = sys.argv[1], open(sys.argv[2], "rb").read()
cut = whole.index(b"Polling for OS events", len(whole) // 2)
with open("growing", "wb") as file:
    file.write(whole[:cut])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(stele, [stele, "top", "--follow", "growing"])
shown = b""
def wait_for(text):
    global shown
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, (text, shown[-2000:])
        shown += os.read(terminal, 65536)
wait_for(b"p pause")
assert b" 96 events" not in shown, shown
shown = b""
with open("growing", "ab") as file:
    file.write(whole[cut:])
wait_for(b" 96 events")
wait_for(b"p pause")
for key, text in (b"p", b"paused"), (b"c", b"p pause"), (b"t", b"p pause"):
    shown = b""
    os.write(terminal, key)
    wait_for(text)
os.write(terminal, b"q")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
END
last="stele top --follow growing"
python3 live.py "$STELE" "$heph/heph_tracing_example.bin.log" 2>err ||
    complain "a trace that grows is not followed" err
expect 0 top --follow "$heph/heph_tracing_example.bin.log"
says_not out 'p pause'

# What is read from a pipe counts its time from its first event.
"$STELE" top - <"$SOURCE/src/formats/xray/good/sleeper.14.fdr5.tsc.xray" >out 2>err
head -n 1 out | sed 's/, .*//' >have
check "the begin is a time of the trace" grep -q '^From [0-9]\.' have

expect 2 top --every 0s "$fxt/scheduling.fxt"
says err 'every takes a length of time'
expect 2 top --every 1s --window 1s "$fxt/scheduling.fxt"
expect 3 top no-such-file
finish
