#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same input gives the same bytes, whenever and wherever it is written, by every writer.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats
mkdir one two

# twice NAME ARGUMENTS...: writes NAME in two folders, which must not be told apart.
twice() {
    name=$1
    shift
    for folder in one two; do
        # Another folder, another time zone, another process with other addresses.
        last="stele $* -o $name"
        (cd $folder && TZ=$([ $folder = one ] && echo UTC || echo Asia/Tokyo) "$STELE" "$@" -o "$name" \
            >"$name.out" 2>"$name.err" </dev/null)
        [ -e "$folder/$name" ] || complain "nothing was written" "$folder/$name.err"
    done
    diff -r "one/$name" "two/$name" >differ 2>&1 || complain "two runs differ" differ
    diff "one/$name.err" "two/$name.err" >differ 2>&1 || complain "two runs say something else" differ
    rm -rf one/* two/*
}

for trace in "$fxt/events.fxt" "$heph/heph_tracing_example.bin.log" "$formats/xray/good/exc.14.fdr5.tsc.xray" \
    "$formats/ctf/good/lttng_216_2"; do
    for to in fxt heph xray ctf text json csv chrome perfetto; do
        twice x.$to convert "$trace" --to $to
    done
    twice x.ctf2 convert "$trace" --to ctf --to-version 2
    twice x.gz convert "$trace" --to json
    twice x.zst convert "$trace" --to json
    twice x.parquet convert "$trace" --to parquet
    case $trace in
    */lttng_216_2) continue ;; # it has no calls
    esac
    for form in folded speedscope svg pprof callgrind evented firefox; do
        twice x.$form flame --format $form "$trace"
    done
done
trace=$formats/xtrace/good/collection
for form in tree folded speedscope svg chrome perfetto pprof callgrind; do
    twice x.$form insn calls --format $form "$trace"
done
finish
