#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --follow: a trace that grows in pieces that cut records is shown as the whole would be, as it comes;
# pipes are shown as they come, too.
# shellcheck disable=SC2034,SC2154 # names of lib.sh
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_follow.sh"
xray=$SOURCE/src/formats/xray/good

# grow FILE PIECE: appends the trace to ./FILE in pieces of so many bytes.
grow() {
    size=$(wc -c <"$1")
    at=0
    while [ "$at" -lt "$size" ]; do
        tail -c +$((at + 1)) "$1" | head -c "$2"
        at=$((at + $2))
        sleep 0.02
    done
}

# ---- Pieces that cut records ----

for trace in "$fxt/events.fxt" "$fxt/large_blob.fxt" "$heph/rt_arrays.bin.log" \
    "$heph/no_option_first.heph" "$xray/arg1.fdr5.be.xray" \
    "$xray/events.14.fdr5.ns.xray" "$xray/recur.14.basic3.xray"; do
    size=$(wc -c <"$trace")
    name=${trace##*/}
    : >"$name"
    "$STELE" cat -q --json "$trace" | sed "s#$trace#$name#" >whole
    [ -s whole ] || complain "no events in $trace"
    begin cat -q --json --follow --hold 100ms "$name"
    grow "$trace" $((size / 9 + 3)) >>"$name"
    interrupt # what is there is read to its end
    ended 0
    alike whole shown
done

# An end by itself.
cp "$heph/rt_scalars.bin.log" part.heph
"$STELE" cat -q --json part.heph >whole
begin cat -q --json --follow --idle 2s part.heph
ended 0
same whole shown

# ---- What is there is shown before more is written, and Ctrl-C ends it ----

head -c 20000 "$heph/rt_scalars.bin.log" >part.heph
begin cat -q --json --follow part.heph
wait_for has_lines shown 100
tail -c +20001 "$heph/rt_scalars.bin.log" >>part.heph
"$STELE" cat -q --json "$heph/rt_scalars.bin.log" | sed "s#$heph/rt_scalars.bin.log#part.heph#" >whole
wait_for has_lines shown "$(wc -l <whole)"
interrupt
ended 0
alike whole shown

# Text, too, of which lines are held back to know how wide columns are.
head -c 20000 "$heph/rt_scalars.bin.log" >part.heph
begin cat -q --follow --sort=none part.heph
wait_for has_lines shown 100
interrupt
ended 1

# What is half there when it ends is damage.
head -c 20000 "$heph/rt_scalars.bin.log" >part.heph
begin check --follow part.heph
interrupt
ended 1
check "a finding at the cut" grep -q HEP002 shown
expect 1 cat -q --follow --idle 1s part.heph
expect 1 stats --follow --idle 1s part.heph
says out 'in 1 group'

# ---- Rotation ----

cp "$heph/rt_scalars.bin.log" part.heph
begin cat --json --follow part.heph
wait_for has_lines shown 200
mv part.heph part.1
cp part.1 part.heph
ended 0
check "another file is said" grep -q 'STE024.*replaced' told
alike whole shown
begin cat --follow part.heph
wait_for has_lines shown 200
: >part.heph
ended 0
check "a shorter file is said" grep -q 'STE024.*shorter' told

# ---- A slow pipe ----

for trace in "$heph/rt_scalars.bin.log" "$xray/arg1.fdr5.be.xray" "$fxt/events.fxt"; do
    last="stele cat - of a slow pipe, ${trace##*/}"
    size=$(wc -c <"$trace")
    : >shown
    {
        head -c $((size * 2 / 3)) "$trace"
        wait_for has_lines shown 10 >waited
        tail -c +$((size * 2 / 3 + 1)) "$trace"
    } | "$STELE" cat -q --json - >shown 2>told
    [ ! -s waited ] || complain "nothing was shown before the writer ended" waited
    "$STELE" cat -q --json - <"$trace" >whole
    alike whole shown
done
mkfifo fifo
last="stele cat --follow fifo"
grow "$heph/rt_scalars.bin.log" 5001 >fifo &
"$STELE" cat -q --json --follow fifo >shown 2>told || complain "exit code" told
"$STELE" cat -q --json "$heph/rt_scalars.bin.log" | sed "s#$heph/rt_scalars.bin.log#fifo#" >whole
alike whole shown

# ---- What is refused ----

expect 2 cat --follow part.heph part.1
says err 'one TRACE'
expect 2 cat --idle 3s part.heph
expect 2 cat --follow --idle x part.heph
mkdir folder
cp part.1 folder/one
cp part.1 folder/two
expect 3 cat --follow folder
says err 'a folder of another format\|files of which each may be a trace'
(cd "$SOURCE/src/formats/ctf/good" && tar cf - small_2) >ctf.tar
expect 3 cat --follow ctf.tar
says err 'an archive'
finish
