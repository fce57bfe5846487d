#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pieces into which a trace is split are traces that pass 'stele check' as the whole does, and
# together they are the whole again: each event is in one of them.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# events FILE...: what they are, sorted, without where they lie. Marks of loss are not compared: what
# stands in another piece is a gap in the counters of each.
events() {
    last="stele cat --json --sort full $*"
    "$STELE" cat --json --sort full "$@" >out 2>err # some samples have findings
    grep -v -e '"kind":"lost"' out | sed -e 's/"trace":[0-9]*,"stream":[0-9]*,"offset":[0-9]*,"size":[0-9]*//' \
        -e 's/,"flags":\["repeated"\]//' | LC_ALL=C sort
}

errors() {
    "$STELE" check -q "$1" >out 2>err
    grep -c ': error ' out
}

# whole TRACE HOW...: splits, and compares
whole() {
    trace=$1
    shift
    rm -rf pieces
    "$STELE" split "$trace" -o pieces "$@" >out 2>err
    [ -d pieces ] || {
        last="stele split $trace -o pieces $*"
        complain 'no pieces' err
        return
    }
    wanted_errors=$(errors "$trace")
    for piece in pieces/*; do
        last="stele split $* $trace; stele check $piece"
        [ "$(errors "$piece")" -le "$wanted_errors" ] || complain "$piece has errors" out
    done
    events "$trace" >wanted
    events pieces/* >given
    last="stele split $trace $*"
    same given wanted
}

# every TRACE: in all ways
every() {
    whole "$1" --count 1
    whole "$1" --count 7
    whole "$1" --size 100
    whole "$1" --duration 10us
    whole "$1" --by-track
}

for file in events four_word_initialization providers scheduling; do
    every "$formats/fxt/good/$file.fxt"
done
for file in attributes.heph heph_tracing_example.bin.log rt_arrays.bin.log zero_length_overlap.heph; do
    every "$formats/heph/good/$file"
done
for file in arg1.fdr5.be events.14.fdr5.ns exc.14.fdr5.tsc forker.14.fdr5.tsc wrap.14.fdr5.tiny4x512; do
    whole "$formats/xray/good/$file.xray" --count 10
    whole "$formats/xray/good/$file.xray" --by-track
done
for folder in lttng_216_18 lttng_216_2 small_18; do
    whole "$formats/ctf/good/$folder" --count 3
    whole "$formats/ctf/good/$folder" --duration 1ms
    whole "$formats/ctf/good/$folder" --by-track
done

# What is in which piece.
expect 0 split --duration 100ns "$fxt/events.fxt" -o by_time
check 'names are numbers' test -e by_time/000000.fxt
expect 0 cat --json by_time/000000.fxt
count=$(grep -c . out)
check 'a piece is not all' test "$count" -lt "$(grep -c . wanted)"
expect 0 split --by-track "$heph/heph_tracing_example.bin.log" -o tracks
check 'tracks are named' test -e tracks/000001-stream-1-0.heph
expect 0 split --count 1000000 "$fxt/events.fxt" -o alone
same alone/000000.fxt "$fxt/events.fxt"
expect_from 0 "$fxt/events.fxt" split --count 1000000 - -o piped
same piped/000000.fxt "$fxt/events.fxt"

# What cannot be.
expect 2 split "$fxt/events.fxt" -o x
says err 'Give --duration, --count, --size or --by-track'
expect 2 split --count 1 --size 1K "$fxt/events.fxt" -o x
expect 2 split --count 0 "$fxt/events.fxt" -o x
expect 2 split --size x "$fxt/events.fxt" -o x
expect 2 split --duration -1s "$fxt/events.fxt" -o x
expect 2 split --count 1 "$fxt/events.fxt"
expect 4 split --count 1 "$fxt/events.fxt" -o tracks
expect 0 split --count 1 --force "$fxt/events.fxt" -o tracks
expect 3 split --count 1 /does/not/exist -o x
check 'nothing was made' test ! -e x
finish
