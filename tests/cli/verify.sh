#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is written is read back and compared, event by event, with what it was made of: of every sample
# in every format. Only what the table of losses names may differ.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# verified TRACE FORMAT OUT OPTION...
verified() {
    source=$1 target=$2 result=$3
    shift 3
    last="stele convert --verify $source --to $target $*"
    "$STELE" convert --verify --force "$source" --to "$target" -o "$result" "$@" >out 2>err
    status=$?
    grep -q 'can hold none of these events' err && return # refused, and nothing is there
    [ $status -le 1 ] || complain "exit code $status" err
    grep -a -q ': verified: ' err || complain 'not verified' err
}

for from in fxt heph xray ctf; do
    for trace in "$formats/$from/good"/*; do
        # A span that ends before it begins is an error of the source.
        case $trace in *README* | *EXPECT | */NEEDS | *.yaml | */end_before_begin*) continue ;; esac
        for to in fxt heph xray ctf; do
            rm -rf there
            verified "$trace" $to there
        done
    done
done

# And back again, over a format that may carry less.
for from in fxt heph xray ctf; do
    for trace in "$formats/$from/good"/*; do
        case $trace in *README* | *EXPECT | */NEEDS | *.yaml | */end_before_begin*) continue ;; esac
        for to in fxt heph xray ctf; do
            [ $to != $from ] || continue
            rm -rf there back
            "$STELE" convert -q --force "$trace" --to $to -o there >out 2>err
            [ -e there ] || continue
            verified there $from back
        done
    done
done

# What cannot be verified.
expect 2 convert --verify "$fxt/events.fxt" -o x.json
says err 'is not read back'
expect 2 convert --verify "$fxt/events.fxt" --to heph -o -
expect_from 2 "$fxt/events.fxt" convert --verify - -o x.fxt
expect 2 convert --verify "$fxt/events.fxt" -o x.parquet
says err 'is not read back'
expect 2 convert --to-version 2 "$fxt/events.fxt" -o x.parquet
check 'nothing was made' test ! -e x.parquet
# What can be read only once can be verified, too.
gzip -c "$fxt/events.fxt" >events.fxt.gz
for to in fxt ctf heph xray; do
    rm -rf there
    verified events.fxt.gz $to there
done
expect 0 convert --verify "$fxt/events.fxt" -o packed.fxt.gz
# What is counted: of two spans the begins and the ends.
expect 0 convert --force --verify "$heph/zero_length_overlap.heph" -o same.heph
says err ': verified: [0-9,]* moments (begins and ends of spans, and other events): [0-9,]* the same, 0 '
# Cuts and merges.
expect 0 cut --verify --begin 215ns "$fxt/events.fxt" -o cut.fxt
says err ': verified: '
expect 0 merge --verify "$fxt/events.fxt" "$fxt/four_word_initialization.fxt" --offset 0s -o merged.fxt
says err ': verified: '
finish
