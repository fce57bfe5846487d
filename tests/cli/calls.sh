#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele calls: spans as rows; stele latency: from one event to the next.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_ctf_made.sh"
xray=$SOURCE/src/formats/xray/good

ctf_made user context <<END
1000 0 7 app:main_entry 1
1100 0 7 app:read_entry 3
1200 1 8 app:main_entry 2
1500 0 7 app:read_exit 0
1600 0 7 app:read_entry 4
1900 1 7 app:read_exit 1
2000 1 8 app:main_exit 0
2500 0 7 app:main_exit 0
END
expect 0 calls user
golden calls_text
expect 0 calls --csv user
golden calls_csv
expect 0 calls --json --where 'name == "read" and arg.ret == 1' user
golden calls_json

# The order, ties by their begins, and what has no value last.
expect 0 calls --csv --columns name,dur --sort -dur user
check "largest first" test "$(tr -d '\r' <out | tr '\n' ' ')" = 'name,dur_ns main,1500 main,800 read,400 read,300 '
expect 0 calls --csv --columns name,dur --sort dur --top 1 user
check "smallest first" test "$(tr -d '\r' <out | tr '\n' ' ')" = 'name,dur_ns read,300 '
expect 0 calls --csv --columns name,delta --sort delta user
check "missing last" test "$(tr -d '\r' <out | tr '\n' ' ')" = 'name,delta_ns read,500 main, read, main, '
expect 0 calls --csv --columns name --sort name --top 1 user
says out '^main'

# Ranked rows of a trace whose threads the order of the file tells of one by one.
expect 1 convert --to xray -o threads.xray "$SOURCE/src/formats/heph/good/rt_scalars.bin.log"
expect 0 calls --csv threads.xray
wc -l <out >all.count
expect 0 calls --csv --sort -dur threads.xray
wc -l <out >ranked.count
check "no row is lost when ranked" cmp -s all.count ranked.count

# Rows that show no numbers of spans are ranked track by track, and are those in the order of time.
for trace in "$xray"/*.xray threads.xray "$fxt"/[a-g]*.fxt "$heph"/heph_tracing_example.bin.log; do
    for key in -dur name; do
        "$STELE" calls --csv --sort "$key" --columns time,dur,self,delta,name,caller,track,args \
            "$trace" >tracks 2>tracks.err
        "$STELE" calls --csv --sort "$key" --columns id,time,dur,self,delta,name,caller,track,args \
            "$trace" 2>given.err | cut -d, -f2- >given
        same given tracks
    done
done

# What only spans have.
expect 0 calls --csv --columns caller,root,depth --where 'depth == 1' --top 1 user
says out '^main,main,1'
expect 0 calls --csv --columns name --stack user
says out '^read,main;read'
expect 0 calls --csv --columns name,ended --where 'ended != "returned"' "$xray/exc.14.fdr5.tsc.xray"
says out 'unwound'
expect 0 calls --csv --columns name,ended --where 'ended == "tail"' "$xray/tail.14.fdr5.tsc.xray"
says out 'tail'

# All filters of profile, and as many calls as that counts.
expect 0 calls --csv --depth 0 --columns name user
lines out 3
expect 0 calls --csv --min-duration 500ns --columns name user
lines out 3
expect 0 calls --csv --name main --columns name user
lines out 3
expect 0 calls --csv --track 8 --columns name user
lines out 2
expect 0 calls --csv --begin 700ns --end 1us --columns name,dur user
says out '^read,200'
says out '^main,300'
# Each row that the window cuts says so.
expect 0 calls --csv --begin 700ns --end 1us --columns name,dur,cut user
says out '^read,200,begin'
says out '^main,300,both'
expect 0 calls --csv --end 700ns --columns name,dur,cut user
says out '^read,400,.\{0,1\}$'
says out '^read,100,end'
expect 0 calls --json --end 700ns --columns name,cut user
says out '"cut": null'
says out '"cut": "end"'
expect 0 calls --begin 700ns --end 1us user
says out ' cut '
says out '  begin  read'
expect 0 calls --csv --begin 700ns --where 'cut == "begin"' --columns name user
lines out 4
expect 0 calls user
says_not out ' cut '
expect 2 calls --where 'cut == "start"' user
# Of an event with both times, the end after the window is known, and is cut as well.
expect 0 calls --csv --begin 50ms --end 60ms --columns name,cut,dur "$TRACES/run.heph"
says out '^Running thread-local process,both,10000000'
says out '^sending message,begin,4584619'
expect 0 calls --csv --begin 50ms --columns name,cut,dur "$TRACES/run.heph"
says out '^Running thread-local process,begin,14757895'
for trace in "$xray"/recur.14.basic3.xray "$heph"/heph_tracing_example.bin.log "$fxt"/[a-g]*.fxt; do
    expect 0 profile --csv "$trace"
    profiled=$(awk -F, 'NR > 1 { calls += $2; self += $4 } END { print calls + 0, self + 0 }' out)
    expect 0 calls --csv --columns dur,self --where \
        'source in ("call", "complete") and ended != "entry-lost"' "$trace"
    listed=$(awk -F, 'NR > 1 { calls++; self += $2 } END { print calls + 0, self + 0 }' out)
    check "as many in $trace" test "$profiled" = "$listed"
done

ctf_made request context <<END
1000 0 7 request 1
1100 0 7 request 2
1200 1 8 reply 2
1300 0 7 request 3
1500 1 8 reply 1
1600 1 8 reply 9
1700 0 7 request 4
END
expect 0 calls --csv --pair request:reply --by arg.id --columns dur,ended,source request
says out '^100,returned,pair'
says out '^,entry-lost,pair'
says out '^400,open,pair'
says err '2 begins without an end'
# What calls made themselves stands below them, whatever the filters.
xray=$SOURCE/src/formats/xray/good
expect 0 calls --children --columns id,parent,name,dur --json --where 'children > 0' --top 3 \
    "$xray/events.fdr2.xray"
documented out
mv out rows
if have python3; then
    expect 0 calls --columns id,parent,name,dur --json "$xray/events.fdr2.xray"
    python3 - >err 2>&1 <<'END' || complain "children" err
import json
every = json.load(open('out'))['spans']
rows = json.load(open('rows'))['spans']
assert rows
for row in rows:
    wanted = [s for s in every if s['parent'] == row['id']]
    assert wanted and row['spans'] == wanted and row['more_count'] == 0, row
END
fi
expect 0 calls --children --sort -dur --top 1 "$xray/events.fdr2.xray"
says out '    @(2)  '
expect_from 2 "$xray/events.fdr2.xray" calls --children -
says err 'twice'
expect 2 calls --children --csv "$xray/events.fdr2.xray"

expect 0 latency request reply --by arg.id request
golden latency_text
says_not err 'STE014'
# A name that no event has is reported, with the one that it may have been meant for.
expect 0 latency requets reply --by arg.id request
says err "STE014 .*'requets', to begin a pair, found none; did you mean 'request'"
expect 0 latency request reply --by arg.id --json request
golden latency_json
expect 0 latency request reply --by order --timeout 150ns request
says out '1 pair$'
expect 0 latency request nothing request
says out ': 0 pairs$'
expect 2 latency request reply --pair a:b request

# One call of many took far longer, with another argument.
awk 'BEGIN {
    for (i = 0; i < 500; i++) {
        slow = i == 300
        print 1000 * i, 0, 7, "app:read_entry", slow ? 4096 : 16
        print 1000 * i + (slow ? 900 : 10 + i % 3), 0, 7, "app:read_exit", 0
    }
}' | ctf_made many context
expect 0 calls --outliers many
says out '^ *0.000300000  *900 ns .* read  *id=4096 (16)$'
lines out 2
expect 0 calls --outliers --csv many
says out '^read,300000,900,.*"\{0,1\}id=4096 (16)'
expect 0 calls --outliers --json many
says out '"usual": "16"'
expect 0 calls --outliers user
says out '^No outliers'
expect 2 calls --outliers --sort dur user

# Neighbours, and stretches.
names() {
    tr -d '\r' <out | tail -n +2 | tr '\n' ' '
}
expect 0 cat --csv --columns name -C 1 --where 'arg.id == 3' request
check "one before and after" test "$(names)" = 'reply request reply '
expect 0 cat --csv --columns name -C 2 --where 'arg.id in (2, 9)' request
check "each event once" test "$(names)" = 'request request reply request reply reply request '
expect 0 cat --csv --columns name -C 1 --limit 2 --name reply request
check "as many as wanted" test "$(names)" = 'request reply '
expect 0 cat --csv --columns name --between request:reply request
check "stretches" test "$(names)" = 'request request reply request reply request '
expect 0 cat --csv --columns name --between request:reply --name reply request
check "what is selected in stretches" test "$(names)" = 'reply reply '
expect 2 cat --between request request
expect 2 calls --json --csv user
expect 2 calls --columns , user
expect 2 calls --sort 'dur >' user
expect 0 calls --name nothing user
says out 'No spans'
# Self times of a track sum up to the time that it was in any span: over all samples, also where spans
# overlap, or names are hostile.
if have python3; then
    cat >self.py <<'END'
import json, sys
for path in sys.argv[1:]:
    tracks = {}
    for s in json.load(open(path, encoding="utf-8"))["spans"]:
        s = {key.replace("_insns", "_ns").replace("_ticks", "_ns"): s[key] for key in s}
        if s["source"] in ("call", "complete", "nested-pair") and s["ended"] != "entry-lost":
            tracks.setdefault(s["track"], []).append(s)
    for name, of in tracks.items():
        covered, until = 0, None
        for s in sorted(of, key=lambda s: s["time_ns"]):
            end = s["time_ns"] + s["dur_ns"]
            if until is None or end > until:
                covered += end - (s["time_ns"] if until is None else max(s["time_ns"], until))
                until = end
        own = sum(s["self_ns"] for s in of)
        assert own == covered, (path, name, own, covered, len(of))
END
    made=0
    for trace in "$fxt"/*.fxt "$heph"/*.log "$xray"/*.xray "$SOURCE"/src/formats/ctf/good/* \
        "${STELE_SAMPLES:-/nowhere}"/[fhx]*/* "${STELE_SAMPLES:-/nowhere}"/ctf/*.tar.gz; do
        [ -e "$trace" ] || continue
        "$STELE" calls --json "$trace" >out 2>/dev/null </dev/null
        [ "$?" -le 1 ] || continue
        made=$((made + 1))
        mv out "self.$made.$(basename "$trace")"
    done
    check 'many samples were read' [ "$made" -ge 40 ]
    python3 self.py self.[0-9]* >err 2>&1 || complain "self times" err
else
    skip "python3 is missing: no sums over the samples"
fi
finish
