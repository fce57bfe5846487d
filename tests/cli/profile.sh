#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele profile: figures of calls.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
heph_trace=$heph/heph_tracing_example.bin.log

expect 0 profile "$xray/exc.14.fdr5.tsc.xray"
golden profile_exceptions
expect 0 profile --sort name "$xray/tail.14.fdr5.tsc.xray"
golden profile_tail
expect 0 profile "$xray/threads.14.profile.tsc.xray"
golden profile_sampled
expect 0 profile --by-thread --top 6 "$heph/heph_tracing_example.bin.log"
golden profile_heph
expect 0 profile --json "$xray/recur.14.basic3.xray"
golden profile_json
expect 0 profile --csv "$xray/sleeper.14.fdr5.tsc.xray"
golden profile_csv

# What a forked child copied from its parent counts once, in one log and in two.
expect 0 profile "$xray/forker.14.basic3.xray"
says out ' 150 .*@(3)$'
says out '103 events repeating others'
expect 0 profile "$xray/forker.14.fdr5.tsc.xray" "$xray/forker.14.fdr5.tsc.1.xray"
says out ' 150 .*@(3)$'
says err 'XRY018'
cp out first
expect 0 profile "$xray/forker.14.fdr5.tsc.1.xray" "$xray/forker.14.fdr5.tsc.xray"
same first out
expect 0 diff "$xray/forker.14.fdr5.tsc.xray" "$xray/forker.14.fdr5.tsc.1.xray"
silent err

# Of logs that forked from each other the longest repetition counts, in any order.
forks=${STELE_SAMPLES:-/nowhere}/../repro/xray/fork-four-logs
if [ -e "$forks.xray" ]; then
    for order in ". .1. .2. .3." ".3. .2. .1. ." ".2. . .3. .1." ".1. .3. . .2."; do
        # shellcheck disable=SC2086
        set -- $order
        expect 0 profile --csv "$forks${1}xray" "$forks${2}xray" "$forks${3}xray" "$forks${4}xray"
        says out '^@(1),360,'
        says out '^@(3),4,'
        says out '^@(4),1,207326575,' # until the largest log leaves it
        expect 0 calls --csv "$forks${1}xray" "$forks${2}xray" "$forks${3}xray" "$forks${4}xray"
        [ -e calls ] || cp out calls
        same calls out
    done
else
    skip "four logs that forked from each other are not here"
fi

# What a signal interrupts between its time and its record is written after all of the handler's
# calls, which may be in another buffer: in order of time they nest.
signal=${STELE_SAMPLES:-/nowhere}/../repro/xray/signal-at-buffer-boundary.xray.zst
if [ -e "$signal" ]; then
    expect 0 profile --json "$signal"
    says out '"unended_count": 0'
    says_not out '"\(unended_count\|lost_count\)": [1-9]'
    silent err
else
    skip "the log of a signal at the end of a buffer is not here"
fi

# Calls beyond the limit of depth are told in every output.
expect 0 profile --max calls=2 "$xray/recur.14.basic3.xray"
says out 'calls beyond the depth limit: in no figure'
expect 0 profile --max calls=2 --csv "$xray/recur.14.basic3.xray"
says err 'calls beyond the depth limit: in no figure'
expect 0 profile --max calls=2 --json "$xray/recur.14.basic3.xray"
says out '"cut_count": [1-9]'
for form in folded speedscope svg; do
    expect 0 flame --format "$form" --max calls=2 "$xray/recur.14.basic3.xray"
    says err 'calls beyond the depth limit: in no figure'
done
for form in tree dot; do
    expect 0 graph --format "$form" --max calls=2 "$xray/recur.14.basic3.xray"
    says err 'calls beyond the depth limit: in no figure'
done

expect 0 stats --by name --of dur --max calls=2 "$xray/recur.14.basic3.xray"
says out 'calls beyond the limits of open ones: in no figure'
expect 0 stats --by name --of dur --max calls=2 --json "$xray/recur.14.basic3.xray"
says out '"left_out_count": [1-9]'
expect 0 stats --of dur "$xray/recur.14.basic3.xray"
says_not out 'limits of open ones'
expect 0 top --max calls=2 "$xray/recur.14.basic3.xray"
says err 'calls beyond the limits of open ones: in no figure'
expect 0 why --max calls=2 "$xray/recur.14.basic3.xray"
says out 'calls beyond the depth limit: in no figure'

# Names and tracks that no call has are told, with what there is.
exc=$xray/exc.14.fdr5.tsc.xray
for command in profile 'profile --csv' 'profile --json' graph flame calls 'calls --json' replay; do
    # shellcheck disable=SC2086
    expect 0 $command --name nothing_like_it "$exc"
    says err "STE014 .*a name that matches 'nothing_like_it', found none, but '@"
    # shellcheck disable=SC2086
    expect 0 $command --track nothing_like_it "$exc"
    says err "STE014 .*a track that matches 'nothing_like_it', found none, but 'thread"
    # shellcheck disable=SC2086
    expect 0 $command --name '@(2)' "$exc"
    says_not err STE014
done
expect 0 diff --name nothing_like_it "$exc" "$exc"
says err "STE014 .*a name that matches 'nothing_like_it'"
expect 2 flame --format evented --name '@(2)' "$exc"
says err 'name is not for --format evented'

# Orders: each column falls (names rise).
trace=$heph/heph_tracing_example.bin.log
column() { # NUMBER: that column of the CSV
    tail -n +2 out | cut -d , -f "$1"
}
for order in count:2 total:3 self:4 mean:5 max:10; do
    expect 0 profile --csv --sort "${order%:*}" "$trace"
    column "${order#*:}" >have
    sort -rns have >wanted
    same have wanted
done
expect 0 profile --csv --sort name "$trace"
column 1 >have
LC_ALL=C sort have >wanted
same have wanted

# --top cuts what is shown, not what is counted.
expect 0 profile --top 2 "$trace"
says out '(2 of '
expect 0 profile --csv --top 2 "$trace"
lines out 3
expect 0 profile --top 0 "$trace"
says_not out ' of '

# The same calls through a pipe, where streams cannot be read one by one.
expect 0 profile --csv "$xray/events.fdr4.xray"
mv out wanted
expect_from 0 "$xray/events.fdr4.xray" profile --csv -
same out wanted

# Two traces count together.
expect 0 profile --csv --sort name "$trace"
column 2 >once
expect 0 profile --csv --sort name "$trace" "$trace"
column 2 >twice
awk '{ print 2 * $1 }' once >wanted
same twice wanted

# Choosing calls leaves the self time of their callers as it is.
expect 0 profile --csv "$xray/exc.14.fdr5.tsc.xray"
grep '^@(6),' out >wanted
expect 0 profile --csv --name '@(6)' "$xray/exc.14.fdr5.tsc.xray"
tail -n +2 out >have
same have wanted
expect 0 profile --csv --where 'name == "@(6)"' "$xray/exc.14.fdr5.tsc.xray"
tail -n +2 out >have
same have wanted
expect 0 profile --csv --depth 0 "$xray/exc.14.fdr5.tsc.xray"
lines out 2
says out '^@(8),1,'
expect 0 profile --csv --min-duration 200us "$xray/exc.14.fdr5.tsc.xray"
lines out 2
expect 0 profile --name 'no such' "$trace"
says out '^No calls'
expect 0 profile --where 'arg.arg0 > 0' --csv "$xray/arg1.fdr5.be.xray"
check "some have arguments, some have none" test "$(wc -l <out)" -ge 2
expect 0 profile --by-thread --json "$trace"
says out '"kind": "substream"'

# What is lost is told.
expect 0 profile "$xray/wrap.14.fdr5.tiny4x512.xray"
says out 'without entry'

expect 2 profile --depth 5..2 "$trace"
expect 2 profile --depth x "$trace"
expect 2 profile --depth .. --min-duration -5ms "$trace"
expect 2 profile --json --csv "$trace"
expect 2 profile --where '(' "$trace"
expect 2 profile
expect 3 profile no-such-file
silent out
# Tables are as wide as the terminal: without some columns, and names without their middle.
if have_terminal; then
    for asked in "profile" "profile --by-thread" "diff --paths '$heph_trace'" "diff '$heph_trace'"; do
        for width in 80 100 132; do
            script -qec "stty cols $width; NO_COLOR=1 TERM=xterm '$STELE' $asked '$heph_trace'" \
                /dev/null >out 2>err </dev/null
            last="stele $asked on $width columns"
            says out 'self'
            LC_ALL=C sed 's/\r$//; s/[\x80-\xbf]//g' out >characters
            check "lines of at most $width columns" \
                awk -v most="$width" 'length($0) > most { exit 1 }' characters
        done
    done
    # Tables whose columns become as wide as they need are cut there, too, however long names are.
    {
        head -c 23 "$heph/heph_tracing_example.bin.log"
        printf '\301\374\037\267\000\000\077\252' # a span of 16,298 bytes, whose name has 16,256
        printf '\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\000'
        printf '\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000\011\077\200'
        head -c 16256 /dev/zero | tr '\0' N
    } >long.heph
    for asked in 'stats --by name' 'stats --by name,kind --of dur' graph; do
        script -qec "stty cols 80; NO_COLOR=1 TERM=xterm '$STELE' $asked long.heph" /dev/null >out 2>err </dev/null
        last="stele $asked on 80 columns"
        says out 'NNN.*…'
        LC_ALL=C sed 's/\r$//; s/[\x80-\xbf]//g' out >characters
        check "lines that end" awk 'length($0) > 200 { exit 1 }' characters
    done
else
    skip "no terminal: script is missing"
fi
finish
