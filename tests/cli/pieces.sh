#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pieces of a trace that was cut, read together, give the events of the whole: their clocks are
# known to be one, and what several pieces hold is given once.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# events FILE...: what they are, sorted, without where they lie. Marks of loss are not compared: what
# stands in another piece may be a gap; nor are counters of events, which a cut can begin anew.
events() {
    last="stele cat --json --sort full $*"
    "$STELE" cat --json --sort full "$@" >out 2>err # some samples have findings
    grep -v -e '"kind":"lost"' out | sed -e 's/"trace":[0-9]*,"stream":[0-9]*,"offset":[0-9]*,"size":[0-9]*//' \
        -e 's/{"name":"counter","type":"uint","value":[0-9]*,"bits":32},\{0,1\}//' \
        -e 's/,"flags":\["repeated"\]//' | LC_ALL=C sort
}

# cut FORMAT TRACE TICKS...: into pieces at these ticks, one more than there are.
cut_at() {
    format=$1
    trace=$2
    shift 2
    rm -rf piece.*
    count=0
    from=
    for to in "$@" ''; do
        count=$((count + 1))
        "$STELE" convert "$trace" --to "$format" -o "piece.$count" ${from:+--begin} ${from:+"@$from"} \
            ${to:+--end} ${to:+"@$to"} 2>err
        [ -e "piece.$count" ] || complain "piece $count of $trace was not cut" err
        from=$to
    done
}

# whole FORMAT TRACE: cut in two and in three
whole() {
    "$STELE" cat --json "$2" >out 2>err
    ticks=$(sed -n 's/.*"ticks":\([0-9][0-9]*\),.*/\1/p' out | sort -n)
    count=$(echo "$ticks" | wc -l)
    middle=$(echo "$ticks" | sed -n "$((count / 2 + 1))p")
    third=$(echo "$ticks" | sed -n "$((count / 3 + 1))p")
    events "$2" >wanted
    [ -s wanted ] || complain "$2 has no events"
    cut_at "$1" "$2" "$middle"
    events piece.1 piece.2 >given
    same given wanted
    events piece.2 piece.1 >given
    same given wanted
    # Written as one, where the format writes what it reads.
    case $1 in heph | fxt)
        "$STELE" convert --to "$1" --force -o joined piece.1 piece.2 2>err
        [ "$(grep -c . wanted)" -eq "$("$STELE" cat --json joined 2>err | grep -c -v '"kind":"lost"')" ] ||
            complain "joined pieces of $2 have other events than the whole"
        ;;
    esac
    [ "$third" = "$middle" ] && return
    cut_at "$1" "$2" "$third" "$middle"
    events piece.1 piece.2 piece.3 >given
    same given wanted
}

for file in four_word_initialization providers; do
    whole fxt "$formats/fxt/good/$file.fxt"
done
for file in attributes.heph counter_wrap.heph heph_tracing_example.bin.log old_nosubstream.bin.log \
    rt_arrays.bin.log rt_scalars.bin.log unordered_counters.heph zero_length_overlap.heph; do
    whole heph "$formats/heph/good/$file"
done
for file in arg1.fdr5.be events.14.fdr5.ns events.fdr3 exc.14.fdr5.tsc forker.14.basic3 \
    forker.14.fdr5.tsc recur.14.basic3 sleeper.14.fdr5.tsc tail.14.fdr5.tsc wrap.14.fdr5.tiny4x512; do
    whole xray "$formats/xray/good/$file.xray"
done
# Not small_2: streams without a number of their own are numbered by their files.
for folder in lttng_216_18 lttng_216_2 small_18; do
    whole ctf "$formats/ctf/good/$folder"
done

# What a copy began where it begins is not given beside its own begin, which is in another piece.
trace=$fxt/events.fxt
events "$trace" >wanted
for time in 205ns 215ns 501ns 615ns; do
    rm -rf piece.*
    "$STELE" convert -o piece.1.fxt --end $time "$trace" 2>err
    "$STELE" convert -o piece.2.fxt --begin $time "$trace" 2>err
    grep -q 'begun there' err || complain "nothing is open at $time" err
    events piece.1.fxt piece.2.fxt >given
    [ "$(grep -c . given)" -eq "$(grep -c . wanted)" ] || complain "events cut at $time" given
done

# A note says how many were given once; with an offset, all are given.
trace=$heph/zero_length_overlap.heph
cut_at heph "$trace" 50
expect 0 cat --json piece.1 piece.2
says err 'note STE016 '
expect 0 cat --json piece.1 --offset 0s piece.2
says_not err STE016
# A trace that is given twice is read twice.
expect 0 cat --json "$trace"
count=$(grep -c . out)
expect 0 cat --json "$trace" "$trace"
lines out $((2 * count))
# What says nothing of its clock is still refused.
file=$formats/xray/good/events.fdr2.xray # without process ids
"$STELE" cat --json "$file" >out
cut_at xray "$file" "$(sed -n '70s/.*"ticks":\([0-9]*\),.*/\1/p' out)"
expect 2 cat --json piece.1 piece.2
says err STE008
finish
