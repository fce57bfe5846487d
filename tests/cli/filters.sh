#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Selecting events: the same options mean the same for info, cat, check and convert.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/heph_tracing_example.bin.log

# selects COUNT OPTIONS...: all four commands agree on how many events there are.
selects() {
    count=$1
    shift
    expect 0 cat --json "$@" "$trace"
    lines out "$count"
    expect 0 info --json "$@" "$trace"
    says out "\"event_count\": $count,"
    expect 0 check "$@" "$trace"
    says out " in $count event"
    expect 0 convert "$@" "$trace" --to json -o result --force
    lines result "$count"
}

selects 97
selects 96 --kind complete
selects 1 --kind metadata
selects 97 --kind 'c*' --kind 'meta*'
selects 18 --name 'sending message'
selects 44 --name '*message' --name 'nothing'
selects 0 --name 'message'
selects 18 --where 'name == "sending message"'
selects 18 --where 'dur > 5ms and name ~ "sending*"'
selects 1 --where 'name ~ "sending*" and dur > 5.2ms'
selects 1 --where 'arg.name == "comm_actor" and dur > 10us'
selects 18 --name 'sending*' --kind 'complete' --where 'dur >= 5ms'
selects 6 --where 'track ~ "*"' --track 2 --kind complete
selects 0 --category nothing

# Times: from the start, before the end, wall time, ticks.
selects 18 --begin 0 --name 'sending message'
selects 18 --begin 1us --name 'sending message'
selects 9 --end 45ms --name 'sending message'
# (one of them overlaps both ranges)
selects 10 --begin 45ms --name 'sending message'
expect 0 cat --json --kind complete --begin -10ms "$trace"
mv out wanted
expect 0 info --json "$trace"
begin=$(sed -n 's/^ *"begin_ns": \(-*[0-9]*\),*$/\1/p' out)
duration=$(sed -n 's/^ *"duration_ns": \([0-9]*\),*$/\1/p' out)
start=$(sed -n 's/^ *"start": "\(.*\)",*$/\1/p' out)
expect 0 cat --json --kind complete --begin "$((duration - 10000000))ns" "$trace"
same out wanted
expect 0 cat --json --kind complete --begin "@$((begin + duration - 10000000))" "$trace"
same out wanted
expect 0 cat --json --kind complete --end "$start" "$trace"
silent out
expect 0 cat --json --kind complete --begin "$start" "$trace"
lines out 96
expect_from 0 "$trace" cat --json --kind complete --begin 45ms --unsorted -
lines out "$(grep -c . out)"
# The end of a pipe is not known beforehand.
expect_from 3 "$trace" cat --begin -10ms -
says err 'error STE009'

# What does not fit is told with its place.
expect 2 cat --where 'dur >' "$trace"
silent out
says err 'error STE009 .*found the end at column 6'
expect 2 cat --where 'durr > 1' "$trace"
says err 'dur'
expect 2 cat --where 'name ~ "x' "$trace"
says err 'a closing quote'
expect 2 convert --where 'dur >' "$trace" --to json -o refused
check "no output for a wrong expression" test ! -e refused

# A comparison that can never hold is told, where that is known before anything is read.
for where in 'tid == "32766"' 'dur > "1ms"' 'time in ("1s")' 'cpu between 0 and "3"' 'length(name) == "4"' \
    '"1" < value + 1'; do
    expect 2 cat --where "$where" "$trace"
    says err 'error STE009 .*expected a number, because the other side is one\|error STE009 .*expected a text in quotes'
done
expect 2 cat --where 'name == 5' "$trace"
says err 'expected a text in quotes, because the other side is one, found 5'
expect 2 cat --where 'kind == "foo"' "$trace"
says err 'expected a text that this can be'
expect 2 cat --where 'kind in ("begin", "complet")' "$trace"
says err 'expected "complete", found "complet"'
expect 2 cat --where '"open"' "$trace"
says err 'expected a condition'
expect 0 cat --where 'kind != "complete" or arg.size == "x" or arg.size > 3 or coalesce(arg.a, "") == 5' "$trace"

# Relative times count from the start of the trace, whatever is left out.
expect 0 cat --columns time,name --kind complete "$trace"
tail -n 1 out >wanted
expect 0 cat --columns time,name --kind complete --begin 90ms "$trace"
tail -n 1 out >last
same last wanted
expect 0 cat --columns time,name --kind complete --tail 1 "$trace"
same out wanted

# Cutting: the same format keeps the bytes of what is kept, but for the counters of Heph, which go on
# as if nothing had been left out.
expect 0 convert "$trace" --begin 45ms --end 80ms -o cut.heph
expect 0 check cut.heph
says out ': 0 errors, '
says out ' note HEP021 stream begins in the middle'
expect 0 cat --json --kind complete cut.heph
sed 's/,"trace".*//; s/"name":"counter","type":"uint","value":[0-9]*//' out >have
expect 0 cat --json --kind complete --begin 45ms --end 80ms "$trace"
sed 's/,"trace".*//; s/"name":"counter","type":"uint","value":[0-9]*//' out >wanted
same have wanted
# What nothing matches is said, with what there is.
says_nothing() {
    note=$1
    shift
    expect 0 cat --json --kind complete "$trace" "$@"
    says err "note STE014 .*$note"
}
says_nothing "'nosuch', found none, but '.*' and others" --name nosuch
says_nothing "did you mean 'receiving message'?" --name 'recieving message'
says_nothing "a track that matches 'nosuch', found none, but 'substream 0'" --track nosuch
says_nothing "a category that matches 'nosuch'" --category nosuch
says_nothing "a field 'nam' in an event, found none; there is a name 'name'" --where 'arg.nam == 1'
says_nothing 'a begin before the end' --begin 3s --end 2s
says_nothing 'a begin before the last event' --begin 3s
says_nothing 'an end after the first event, found one that is before it' --end=-100s
says_nothing "a name 'recieving message', found none; did you mean 'receiving message'?" \
    --where 'name == "recieving message" or name == "nothing"'
says_nothing "a category 'nosuch', found none" --where '"nosuch" == category'
expect 0 calls "$trace" --columns arg.nosuch
says err "note STE014 .*a field 'nosuch'"
expect 0 cat --json "$trace" --name 'sending*' --where 'exists arg.name or dur > 1us'
says_not err STE014

# So it is by the commands that select calls, and by those about kernels.
calls=$SOURCE/src/formats/xray/good/sleeper.14.fdr5.tsc.xray
for command in calls profile stats flame graph replay critical top timeline; do
    status=0
    last="stele $command --name nosuch $calls"
    # shellcheck disable=SC2086 # the command has words
    "$STELE" $command --name nosuch "$calls" >out 2>err </dev/null || status=$?
    check "one note of $command" test "$(grep -c "note STE014 .*'nosuch'" err)" -eq 1
done
"$STELE" diff --name nosuch "$calls" "$calls" >out 2>err
says err "note STE014 .*'nosuch'"
expect 0 cat -C 1 --name nosuch "$calls"
says err "note STE014 .*'nosuch'"
name=$("$STELE" calls --csv --columns name "$calls" 2>err | sed -n 2p | tr -d "\r")
expect 0 cat -C 1 --name "$name" "$calls"
says_not err STE014
# Events that were not read may have the field.
expect 0 cat -C 1 --limit 1 --where "arg.nosuch == 1 or name == '$name'" "$calls"
says_not err STE014
expect 0 calls --name "$name" "$calls" "$calls"
says_not err STE014
expect 0 critical --name nosuch --json "$calls"
check "JSON without a span" test "$(jq -c . out)" = '{"version":1,"span":null}'
expect 0 critical --name nosuch --csv "$calls"
lines out 1

# Values are selected as they are shown.
expect 0 cat --kind complete "$trace"
grep -c 'stream 1 / 0 ' out >wanted
for shown in 'stream 1 / 0' 'substream 0 in stream 1' '1:0'; do
    expect 0 cat --kind complete "$trace" --track "$shown"
    grep -c . out >given
    same given wanted
done
expect 0 cat "$trace" --columns time --kind complete
awk '$1 > 0.08' out | grep -c . >wanted
expect 0 cat "$trace" --columns time --kind complete --where 'time > 80ms'
grep -c . out >given
same given wanted
for file in "$fxt"/*.fxt; do
    shown=$("$STELE" cat --columns event --kind instant "$file" 2>err | grep -m 1 -x '[a-z]*:[a-z]*') || continue
    expect 0 cat --columns event "$file" --name "$shown"
    says out "$shown"
    says_not err STE014
    break
done

# What a name, kind or category leaves out is left out before its fields are decoded; what is kept
# is the same as when all is decoded. Members of an event's line come in a fixed order.
for file in "$fxt"/events.fxt "$fxt"/extensions.fxt "$heph"/*.bin.log \
    "$SOURCE"/src/formats/ctf/good/lttng_* "$SOURCE"/src/formats/xray/good/*; do
    "$STELE" cat --json "$file" >all 2>err || continue
    sed -n 's/^{"v":1,"kind":"[a-z-]*",[^{]*"name":"\([A-Za-z_:0-9][A-Za-z_:0-9]*\)",.*/\1/p' all | sort -u |
        head -n 4 >names
    while read -r name; do
        grep "^{\"v\":1,[^{]*\"name\":\"$name\",\"[ct]" all >wanted
        last="--name $name $file"
        "$STELE" cat --json --name "$name" "$file" >out 2>err
        same out wanted
        "$STELE" cat --json --where "not (arg.nosuch == 1 or name != '$name')" "$file" >out 2>err
        same out wanted
    done <names
done

# Spans of two events have no `dur` of their own; that is said.
for file in "$fxt"/*.fxt; do
    "$STELE" cat --kind begin "$file" 2>err | grep -q . || continue
    expect 0 cat "$file" --kind begin --where 'dur > 1us'
    says err 'STE014 .*stele profile'
    break
done

# A field that no event has is named for traces of every kind of events, begins and ends among them.
for sample in "$fxt/events.fxt" "$fxt/hostile_names.fxt" "$heph/heph_tracing_example.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/exc.14.fdr5.tsc.xray" \
    "$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin"; do
    status=0
    last="stele cat --where 'arg.nope > 3' $sample"
    "$STELE" cat --where 'arg.nope > 3' "$sample" >out 2>err || status=$?
    says err "note STE014 .*expected a field 'nope' in an event"
done

# Columns find fields as filters do: nested, elements, contexts; and say what no event had.
expect 0 cat --csv --columns 'name,arg.Test,arg.Test2[1],arg.Test2[9]' --kind complete "$heph/old_nosubstream.bin.log"
says out ',123,789,$'
expect 0 cat --csv --columns arg.nothing_like_it "$trace"
says err "note STE014 .*expected a field 'nothing_like_it' in an event"
expect 0 cat --columns name "$trace"
says_not err STE014
ctf=$SOURCE/src/formats/ctf/good/lttng_216_18
expect 1 cat --csv --columns arg.cpu_id "$ctf"
says_not err STE014
says out '^0$'

# Columns can be computed.
expect 0 cat --csv --columns 'name,half=dur / 2,dur > 5ms,up=upper(substr(name, 0, 3)),id=arg.id + 1' \
    --name 'sending message' --limit 2 "$trace"
sed -n 1p out >heading
says heading '^name,half,dur > 5ms,up,id'
sed -n 2p out >first
says first '^sending message,[0-9.]*,1,SEN,$'
expect 0 cat --json --name 'sending message' --limit 1 "$trace"
dur=$(sed -n 's/.*"dur_ns":\([0-9]*\).*/\1/p' out)
check "half of a duration" test "$(cut -d, -f2 first)" = "$(awk "BEGIN { printf \"%.15g\", $dur / 2 }")"
expect 0 cat --columns 'ns=time,kind' --kind complete --limit 1 "$trace"
says out '^0  complete'
expect 2 cat --columns 'x=dur +' "$trace"
says err 'found the end at column 6'
expect 2 cat --columns 'nmae' "$trace"
says err 'TITLE=EXPR'
finish
