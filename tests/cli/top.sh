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
expect 0 top --every 20ns "$fxt/scheduling.fxt"
golden top_every
expect 0 top --sort count --top 1 "$heph/heph_tracing_example.bin.log"
says out 'left out; --top 0 shows all$'

# Of a whole trace, self times are those of the profile.
for trace in "$heph/heph_tracing_example.bin.log" "$xray"/*fdr*.xray; do
    "$STELE" profile -q --csv --top 0 "$trace" >profile 2>err || :
    "$STELE" top -q --json --top 0 --begin 0s "$trace" >top 2>err || :
    cat >compare.py <<'END'
import csv, json
with open("profile") as file:
    wanted = {row["name"]: int(row["self_ns"]) for row in csv.DictReader(file)}
with open("top") as file:
    got = {row["name"]: row["self_ns"] for row in json.load(file)[0]["names"]}
wrong = {name: (ns, got.get(name)) for name, ns in wanted.items() if ns and got.get(name) != ns}
assert not wrong, wrong
END
    last="stele top --json $trace"
    python3 compare.py 2>err || complain "self times differ from those of the profile" err
done

# The steps of a trace have all of it, as far as they have events: their times add up.
expect 0 top --json --top 0 --every 60us "$xray/exc.14.fdr5.tsc.xray"
cp out steps
expect 0 top --json --top 0 --begin 0s "$xray/exc.14.fdr5.tsc.xray"
cp out whole
cat >compare.py <<'END'
import json
def sums(path):
    self_ns, count = {}, {}
    for table in json.load(open(path)):
        for row in table["names"]:
            self_ns[row["name"]] = self_ns.get(row["name"], 0) + row["self_ns"]
            count[row["name"]] = count.get(row["name"], 0) + row["count"]
    return {name: ns for name, ns in self_ns.items() if ns}, {n: c for n, c in count.items() if c}
assert sums("steps") == sums("whole"), (sums("steps"), sums("whole"))
END
python3 compare.py 2>err || complain "steps do not add up to the whole" err

expect 2 top --every 0s "$fxt/scheduling.fxt"
says err 'every takes a length of time'
expect 2 top --every 1s --window 1s "$fxt/scheduling.fxt"
expect 3 top no-such-file
finish
