#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is sound in a damaged trace becomes a trace that passes 'stele check', with the bytes of its
# records and all of its events; what was left out is listed with its address.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# events FILE: when and what they are, sorted
events() {
    "$STELE" cat --csv --time absolute --columns time,kind,name,flags --sort full "$@" 2>err |
        grep -a -v -e ',lost,' -e 'DAMAGED' | LC_ALL=C sort
}

# repaired TRACE
repaired() {
    rm -rf sound
    "$STELE" repair "$1" -o sound >out 2>report
    status=$?
    last="stele repair $1 -o sound"
    [ $status -le 1 ] || {
        complain "exit code $status" report
        return
    }
    says report "^stele: sound: passes 'stele check'"
    "$STELE" check sound >out 2>err
    says_not out ': error '
    # Nothing else than what the errors are about is gone. A record can be two events: an instruction and
    # its access. One that stands in the wrong place can be another event where it is written anew.
    events "$1" >wanted
    events sound >given
    comm -13 wanted given >new
    comm -23 wanted given >gone
    errors=$(grep -a -c ': error ' report)
    [ "$(grep -a -c . new)" -le "$errors" ] || complain 'events are new' new
    [ "$(grep -a -c . gone)" -le $((2 * errors)) ] || complain 'events are gone' gone
    # Sound means that there is nothing more to be left out.
    rm -rf again
    "$STELE" repair sound -o again >out 2>err
    check 'a sound trace stays as it is' diff -r sound again
}

for format in fxt heph xray ctf xtrace; do
    for trace in "$formats/$format/bad"/*; do
        case $trace in */EXPECT | */README.md | */no_layout*) continue ;; esac
        repaired "$trace"
    done
done

# A byte that came in between, or is missing, costs some records of an FXT trace, not its rest.
expect 1 convert --to fxt "$heph/rt_scalars.bin.log" -o whole.fxt
size=$(wc -c <whole.fxt)
count=$("$STELE" cat whole.fxt | wc -l)
for at in $((size / 4 / 8 * 8)) $((size / 3 / 8 * 8 + 5)) $((size / 2)); do
    { head -c "$at" whole.fxt; printf '\125'; tail -c +$((at + 1)) whole.fxt; } >more.fxt
    { head -c "$at" whole.fxt; tail -c +$((at + 2)) whole.fxt; } >less.fxt
    for file in more.fxt less.fxt; do
        "$STELE" cat "$file" >out 2>err
        says err 'FXT.* error\|error FXT'
        left=$(grep -c . out)
        [ $((count - left)) -le 30 ] || complain "$file at $at: $left of $count events" err
    done
done

# Nor at its begin, where names and threads are introduced: neither records that read askew as one of
# an unknown kind, nor those up to where reading goes on, are lost.
for at in 8 12 16 24 32 40 64 100 200; do
    { head -c "$at" whole.fxt; printf '\125'; tail -c +$((at + 1)) whole.fxt; } >more.fxt
    { head -c "$at" whole.fxt; tail -c +$((at + 2)) whole.fxt; } >less.fxt
    for file in more.fxt less.fxt; do
        "$STELE" cat "$file" >out 2>err
        left=$(grep -c . out)
        [ $((count - left)) -le 3 ] || complain "$file at $at: $left of $count events" err
        says err 'error FXT\|warning FXT'
    done
done

# A log that was cut between two records tells that its last buffer was longer.
exc=$formats/xray/good/exc.14.fdr5.tsc.xray
for less in 8 16 400 1000; do
    head -c -$less "$exc" >short.xray
    expect 1 info short.xray
    says err 'error XRY00[54] .*the end of the file\|error XRY005'
    repaired short.xray
done

# Nothing in it can be read.
expect 3 repair "$formats/xtrace/bad/no_layout.xsnapshot.bin" -o x
check 'nothing was made' test ! -e x
check 'no trial is left' test -z "$(find . -name '.stele-repair*')"

# A sound trace is copied byte by byte, and nothing is left out.
expect 0 repair "$fxt/events.fxt" -o copy.fxt
same copy.fxt "$fxt/events.fxt"
says err '^Left out: nothing$'
expect_from 2 "$fxt/events.fxt" repair - -o piped.fxt
# Each finding has its address.
expect 1 repair "$heph_bad/garbage_between.heph" -o mended.heph
says err 'garbage_between.heph:[0-9]*: error HEP'
says err '^Left out: [1-9][0-9]* bytes of no record$'
expect 1 repair --force "$fxt_bad/cut_in_record.fxt" -o mended.fxt
says err '^Left out: 1 event, which 1 error is about$'
expect 1 repair --force "$heph_bad/trailing_bytes.heph" -o mended.heph
says err '^Left out: 1 byte of no record$'
says err 'and 1 byte to the next packet'
expect 4 repair "$fxt/events.fxt" -o copy.fxt
expect 0 repair --force "$fxt/events.fxt" -o copy.fxt
expect 2 repair "$fxt/events.fxt"
finish
