#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --follow of a folder of CTF: data streams, metadata and files that come later, rotation, and what
# 'stele collect' writes just now.
# shellcheck disable=SC2034,SC2154 # names of lib.sh
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_follow.sh"
have python3 || {
    echo "SKIP: no python3 to make traces with"
    exit 77
}
ctf=$SOURCE/src/formats/ctf/good
made() { python3 "$SOURCE/tests/cli/follow_made.py" "$@"; }

# ---- Files that grow in pieces that cut packets, metadata among them ----

for trace in small_2 small_18 packets_18 lttng_216_2 lttng_216_18 rfc_packed; do
    code=0
    "$STELE" cat -q --json "$ctf/$trace" >whole 2>err || code=$?
    [ -s whole ] || complain "no events in $trace"
    rm -rf grown
    mkdir grown
    begin cat -q --json --follow --hold 100ms grown
    made grow "$ctf/$trace" grown
    interrupt
    ended $code
    alike whole shown
done

# A trace that does not grow is given in its exact order.
code=0
"$STELE" cat -q --json "$ctf/lttng_216_2" >whole 2>err || code=$?
begin cat -q --json --follow --idle 2s "$ctf/lttng_216_2"
ended $code
same whole shown
begin stats -q --follow --idle 1s --by name "$ctf/lttng_216_2"
ended $code
"$STELE" stats -q --by name "$ctf/lttng_216_2" >whole
same whole shown

# ---- One thing after the other ----

mkdir trace
begin cat --json --follow --hold 50ms trace
mkdir trace/now
made metadata 1 >all
head -c 500 all >trace/now/metadata
sleep 0.2
tail -c +501 all >>trace/now/metadata
made packet 0 0 0 >trace/now/zero
wait_for has_lines shown 2

# Half of a packet is waited for, in a stream of its own, too.
made packet 0 1 0 >packet
head -c 50 packet >>trace/now/zero
made packet 1 2 0 >trace/now/one
wait_for has_lines shown 4
tail -c +51 packet >>trace/now/zero
wait_for has_lines shown 6

# Metadata grow, and what they describe comes then.
made metadata 2 | tail -n 1 >>trace/now/metadata
made packet 1 3 1 >>trace/now/one
wait_for has_lines shown 8
check "an event of the new class" grep -q 'kind 1' shown

# A rotation moves what there is aside, and begins anew: nothing is given twice.
mv trace/now trace/old
mkdir trace/now
made metadata 3 >trace/now/metadata
made packet 0 2 2 >trace/now/zero
wait_for has_lines shown 10
[ ! -s told ] || complain "something is wrong" told

# What is half there at the end is damage, and a number that is missing a loss.
made packet 0 7 2 | head -c 60 >>trace/now/zero
interrupt
ended 1
check "the loss is told" grep -q CTF409 told
check "the cut is told" grep -q CTF405 told
check "all events" test "$(grep -c '"name":"kind' shown)" -eq 11
"$STELE" cat -q --json trace >whole 2>/dev/null
alike whole shown

# A file that is written anew.
mkdir ring
made metadata 1 >ring/metadata
{
    made packet 0 0 0
    made packet 0 1 0
} >ring/zero
begin cat --json --follow --hold 50ms ring
wait_for has_lines shown 4
made packet 0 2 0 >ring/zero
wait_for has_lines shown 6
interrupt
ended 0
check "it is said" grep -q 'STE024.*shorter' told

# ---- What is collected just now ----

send() { python3 "$SOURCE/tests/cli/collect_send.py" "$@" >/dev/null; }
export STELE

# collect FOLDER ADDRESS...: in the background; sets `place`.
collect() {
    rm -f said
    "$STELE" collect -o "$@" >/dev/null 2>said </dev/null &
    collector=$!
    wait_for grep -q listening said
    place=$(sed -n 's/^listening at [a-z-]* .*:\([0-9]*\)$/\1/p' said | head -n 1)
}

collect heap tcp:0
begin cat -q --json --follow --hold 100ms heap
send "tcp:$place" "$heph/rt_scalars.bin.log" chunk=2000
"$STELE" cat -q --json "$heph/rt_scalars.bin.log" | sed "s#$heph/rt_scalars.bin.log#heap/127.0.0.1.heph#" >whole
wait_for has_lines shown "$(wc -l <whole)"
kill -INT "$collector"
wait "$collector"
interrupt
ended 0
alike whole shown

collect packets udp:0 --window-time 200ms
begin cat -q --json --follow --hold 100ms packets
send "udp:$place" "$ctf/small_2" metadata=first
code=0
"$STELE" cat -q --json "$ctf/small_2" >whole 2>err || code=$?
wait_for has_lines shown "$(wc -l <whole)"
kill -INT "$collector"
wait "$collector"
interrupt
ended $code
sed -i -E 's/"track":\{[^}]*\}//' whole shown
alike whole shown
finish
