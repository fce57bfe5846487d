#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles for pprof and KCachegrind: a decoder of pprof's own finds the paths of 'stele flame' in
# them, one of Callgrind, and callgrind_annotate, the own time of each function.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}

decode() {
    python3 "$SOURCE/tests/cli/profiles.py" "$@" >decoded 2>decode.err ||
        complain "it cannot be decoded" decode.err
    grep -v '^#' decoded | sort >theirs
}

# holds TRACE: nothing is lost on the way
holds() {
    expect 0 flame --force -o x.pb.gz "$1"
    decode x.pb.gz thread
    says decoded '^# calls/count time/[a-z]* time$'
    expect 0 flame --by-thread "$1"
    sort out >own
    same theirs own
    expect 0 flame --force --format callgrind -o x "$1"
    decode x
    expect 0 flame "$1"
    awk '{ name = $0; sub(/ [0-9]*$/, "", name); n = split(name, part, ";"); sum[part[n]] += $NF }
        END { for (name in sum) printf "%s %.0f\n", name, sum[name] }' out | sort >own
    same theirs own
    if have callgrind_annotate; then
        last="callgrind_annotate of $1"
        callgrind_annotate x >out 2>err || complain "it is refused" err
        total=$(awk '{ sum += $NF } END { printf "%.0f", sum }' own)
        tr -d , <out >annotated
        says annotated "^ *$total (100.0%)  PROGRAM TOTALS"
    else
        skip "callgrind_annotate is not installed"
    fi
}

for trace in "$xray/exc.14.fdr5.tsc.xray" "$xray/recur.14.basic3.xray" \
    "$xray/threads.14.profile.tsc.xray" "$heph/heph_tracing_example.bin.log" "$fxt/events.fxt"; do
    holds "$trace"
done

# Calls that are made in and returned from are counted by both.
expect 0 flame --format callgrind "$xray/recur.14.basic3.xray"
says out '^calls=[1-9][0-9]* 0$'

# Instructions.
trace=$SOURCE/src/formats/xtrace/good/collection
expect 0 insn calls --format pprof -o i.pb "$trace"
decode i.pb
says decoded '^# calls/count instructions/count instructions$'
expect 0 insn calls --format folded "$trace"
sort out >own
same theirs own
expect 0 insn calls --format callgrind "$trace"
says out '^event: Cost : instructions$'

# The name of the output tells the form.
expect 0 flame -o callgrind.out.7 "$xray/exc.14.fdr5.tsc.xray"
says callgrind.out.7 '^# callgrind format$'
expect 2 flame -o x.bin "$xray/exc.14.fdr5.tsc.xray"
says err 'callgrind'
finish
