#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Statistics: what they show, and their figures against those of `cat --json`.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/heph_tracing_example.bin.log
xray=$SOURCE/src/formats/xray/good
ctf=$SOURCE/src/formats/ctf/good

expect 0 stats --by name --of dur "$trace"
golden stats
expect 0 stats --by name "$trace"
golden stats_count
# Values that are all different are not estimated to be more than there are.
expect 0 stats --events --of offset --figures count,distinct --csv "$trace"
check 'no more different values than values' awk -F, 'NR == 2 { exit !($NF + 0 <= $2 + 0) }' out
expect 0 stats --by name --of dur --hist log2 --top 2 "$trace"
golden stats_hist
expect 0 stats --by name --of dur --every 20ms --top 3 "$trace"
golden stats_every
expect 0 stats --json --by 'name, long=dur > 5ms' --of dur --figures distinct "$trace"
documented out
expect 0 stats --json --by name --of dur --every 50ms "$trace"
documented out
expect 0 stats --json --by name --of dur --hist linear "$trace"
documented out
expect 0 stats --csv --by name --of dur --sort key --top 1 "$trace"
lines out 2
says out '^name,count,dur.count,dur.sum,dur.min,dur.max,dur.p50,'

# Rows are calls where only they know what is asked, and can be chosen.
expect 0 stats --by depth --of self "$xray/events.fdr2.xray"
says out ' calls in '
expect 0 stats --by kind --of dur --events "$xray/events.fdr2.xray"
says out ' events in '
says err 'STE014.*`dur`'
expect 0 stats --by caller,ended --of dur --where 'depth > 0' "$xray/events.fdr2.xray"
says_not out '(none)'

# Order, and what is not there.
expect 0 stats --by name --of dur --sort +max --csv "$trace"
tail -n +2 out | cut -d, -f6 >given
sort -n given >sorted
same given sorted
expect 0 stats --by arg.nothing --of arg.none "$trace"
says err "STE014.*a field 'nothing'"
says err "STE014.*a field 'none'"
expect 0 stats --by name --where 'name == "no such"' "$trace"
says out '^No events'

# What cannot be used says where.
expect 2 stats --by 'name,' "$trace"
says err 'STE009'
expect 2 stats --by 'lenght(name)' "$trace"
says err 'length, or a function'
expect 2 stats --of dur --figures p51 "$trace"
says err 'p51'
expect 2 stats --hist log2 "$trace"
says err 'needs --of'
expect 2 stats --every 0 "$trace"
expect 2 stats --of dur --sort max:arg.x "$trace"
says err 'arg.x'

# Values of counters hold.
expect 0 stats --counters "$fxt/events.fxt"
golden stats_counters
expect 0 stats --counters --json "$fxt/events.fxt"
documented out
expect 0 stats --held --by name --of arg.port --csv "$ctf/lttng_216_2"
says out 'arg.port.last,arg.port.held_ns'
expect 2 stats --held --spans "$trace"
expect 2 stats --counters --by name "$trace"
says err 'exclude each other'

# Calls that are counted by name alone take another way than those whose values must be known: the
# figures of both are the same, but for the last column. Some names are known in their batch only,
# some entries are lost.
for file in "$trace" "$fxt"/*.fxt "$xray"/*.xray; do
    for of in dur self; do
        "$STELE" stats --by name --of "$of" --csv "$file" >short 2>short.err
        "$STELE" stats --by name --of "$of" --csv --figures distinct "$file" >long 2>long.err
        tr -d '\r' <short | sed 's/,[^,]*$//' | sort >given
        tr -d '\r' <long | sed 's/,[^,]*$//' | sort >wanted
        same given wanted
        same short.err long.err
    done
done

# A pipe is read once, and damaged traces say so once.
expect 0 stats --by name --of dur --csv "$trace"
cp out wanted
expect_from 0 "$trace" stats --by name --of dur --csv -
same out wanted
expect 1 stats --by name --of dur "$fxt_bad/argument_too_large.fxt"
check "each finding once" test "$(sort err | uniq -d | wc -l)" -eq 0

if have python3; then
    for file in "$trace" "$fxt"/*.fxt "$xray"/events.fdr2.xray "$xray"/exc.14.fdr5.tsc.xray \
        "$ctf"/*/; do
        case $file in
        */hostile_names.fxt | */objects.fxt) continue ;; # JSON lines and reports escape differently
        esac
        [ ! -e "$file" ] || python3 "$SOURCE/tests/cli/stats.py" "$STELE" "$file" >answer 2>&1 ||
            complain "figures of $file" answer
    done
else
    skip "figures against cat --json: there is no python3"
fi
# Words that only calls have are refused where rows are events, instead of being empty everywhere.
for words in '--events --of delta' '--events --by depth' '--events --where depth==0' '--held --of self' \
    '--counters --where depth==0'; do
    # shellcheck disable=SC2086
    expect 2 stats $words "$fxt/events.fxt"
    says err 'calls have this one'
done

# A rate is by the time that the trace covers, which may end before its last interval does.
for every in 20ms 1s; do
    expect 0 stats --every $every "$heph/heph_tracing_example.bin.log"
    says out '^ *953.4/s'
done

finish
