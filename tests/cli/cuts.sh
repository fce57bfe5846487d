#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A picture of a cut is that stretch of the picture of the whole: what is open when the cut begins is
# in it from there on, and what has not ended lasts to its end. So the times of cuts that lie side by
# side add up to those of the whole, path by path.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_ctf_made.sh"
xray=$SOURCE/src/formats/xray/good

# folded FILE...: PATH TIME, of one file or of several added up
folded() {
    awk '{ time = $NF; sub(/ [0-9]+$/, ""); sums[$0] += time }
        END { for (path in sums) printf "%s %.0f\n", path, sums[path] }' "$@" | LC_ALL=C sort
}

# parts TRACE NS...: cuts at these times after the start, and compares
parts() {
    trace=$1
    shift
    expect 0 flame "$trace"
    folded out > whole
    : > sum
    begin=
    for end in "$@" ''; do
        expect 0 flame ${begin:+--begin} ${begin:+"${begin}ns"} ${end:+--end} ${end:+"${end}ns"} "$trace"
        cat out >> sum
        begin=$end
    done
    folded sum > parts
    last="stele flame, cut at $*, of $trace"
    same parts whole
}

whole_sum=$(expect 0 flame "$xray/exc.14.fdr5.tsc.xray"; awk '{ s += $NF } END { print s }' out)
check "there is something to cut" test "$whole_sum" -gt 1000
for file in exc.14.fdr5.tsc.xray tail.14.fdr5.tsc.xray sleeper.14.fdr5.tsc.xray \
    recur.14.basic3.xray events.14.fdr5.ns.xray; do
    parts "$xray/$file" 1
    parts "$xray/$file" 1000 1001 30000 30500 100000 1000000 2000000
    # Random times; SEED chooses others.
    seed=${SEED:-12}
    last="SEED=$seed"
    parts "$xray/$file" $(awk -v seed="$seed" 'BEGIN { srand(seed)
        for (i = 0; i < 12; i++) print int(exp(rand() * 15)) }' | sort -nu)
done
for file in heph_tracing_example.bin.log rt_scalars.bin.log; do
    parts "$heph/$file" 1 1000 20000 30000 1000000
done

# Figures of a call that is cut: it counts where it is open, with the part of it that lies there.
expect 0 profile --json --begin 1us --end 2us "$xray/recur.14.basic3.xray"
mv out cut
expect 0 profile --json "$xray/recur.14.basic3.xray"
if have jq; then
    check "no call outlasts the cut" jq -e 'all(.. | objects | select(has("max_ns")); .max_ns <= 1000)' cut
fi

# Chrome's cuts begin what is open, with its arguments: spans, operations, flows, running threads.
drawn() { # drawn FROM TO TRACE: x.json
    expect 0 convert --force --to chrome -o x.json --begin "$1" --end "$2" "$3"
}
drawn 215ns 225ns "$fxt/events.fxt"
check "the inner span is open, and ends" test "$(grep -c '"ph":"[BE]"' x.json)" -eq 4
says x.json '"ph":"B".*"ts":0.215,"stele.before_ns":5,"args":{"arg":"value"}}'
says x.json '"ph":"B".*"ts":0.215,"stele.before_ns":15}'
drawn 501ns 502ns "$fxt/events.fxt"
says x.json '"ph":"b".*"ts":0.501,"args":{"stele.before_ns":1}}'
drawn 611ns 612ns "$fxt/events.fxt"
says x.json '"ph":"s".*"ts":0.611,'
drawn 5ns 8ns "$fxt/scheduling.fxt"
says x.json '"ph":"T","name":"Running".*"ts":0.005,'
says x.json '"ph":"T","name":"Running".*"ts":0.005,"dur":0.003,'
says x.json '"ph":"E".*"ts":0.008,"args":{"stele.unfinished":true}}'

# Copies that keep the format begin what is open, too; the unit test "cuts" compares them with the
# whole.
expect 0 convert -o cut.fxt --begin 215ns --end 225ns "$fxt/events.fxt"
says err '^ *2  begin  *form: open when the cut begins, begun there$'
expect 0 check cut.fxt
expect 0 cat --json cut.fxt
check "what was made says so" test "$(grep -c '"name":"stele.before_ns"' out)" -eq 2
expect 0 convert --force -o cut.fxt --no-open --begin 215ns --end 225ns "$fxt/events.fxt"
silent err
expect 0 cat cut.fxt
says_not out stele.before_ns
expect 1 convert --force --to chrome -o x.json --no-open --begin 215ns --end 225ns "$fxt/events.fxt"
says_not x.json stele.before_ns
for file in exc.14.fdr5.tsc.xray events.fdr1.stale.xray recur.14.basic3.xray; do
    expect 0 convert --force -o cut.xray --begin 10us "$xray/$file"
    says err 'begin  *form: open when the cut begins, begun there$'
    expect 0 check cut.xray
    expect 0 profile --json cut.xray
    says out '"entry_lost_count": 0,'
    expect 0 convert --force -o all.xray "$xray/$file"
    same all.xray "$xray/$file"
done

# In CTF, moments that begin and end something are begun, too, by records with their own fields.
# cut_of TRACE BEGIN: the profile of a copy is that of the stretch
cut_of() {
    last="cut of $1 from $2"
    rm -rf cut.ctf
    "$STELE" convert --to ctf -o cut.ctf --begin "$2" "$1" 2>losses # 1: the trace has losses
    # Name, total and self time. Threads that are never seen again give no calls in a stretch.
    "$STELE" profile --csv --begin "$2" "$1" 2>err | cut -d , -f 1,3,4 >wanted
    "$STELE" profile --csv cut.ctf 2>err | cut -d , -f 1,3,4 >given
    same given wanted
}
ctf_made user context <<END
1000 0 7 app:main_entry 1
1100 0 7 app:read_entry 3
1200 1 8 app:main_entry 2
1500 0 7 app:read_exit 0
1600 0 7 app:read_entry 4
1700 1 7 app:lock_entry 4
1800 1 7 app:lock_exit 4
1900 1 7 app:read_exit 1
2000 1 8 app:main_exit 0
2100 1 7 app:read_entry 9
2200 1 7 app:read_exit 9
2500 1 7 app:main_exit 0
END
cut_of user 150ns
says losses '^ *2  begin  *form: open when the cut begins, begun there$'
# So do traces that are written anew, in another format or version.
for file in exc.14.fdr5.tsc.xray recur.14.basic3.xray; do
    for to in ctf fxt; do
        rm -rf cut.$to
        expect 0 convert --to $to -o cut.$to --begin 10us "$xray/$file"
        says err '^ *[1-9][0-9]*  begin  *form: open when the cut begins, begun there$'
        "$STELE" profile --csv --begin 10us "$xray/$file" 2>err | cut -d , -f 1-4 >wanted
        "$STELE" profile --csv cut.$to 2>err | cut -d , -f 1-4 >given
        same given wanted
        rm -rf cut.$to
        expect 0 convert --to $to -o cut.$to --no-open --begin 10us "$xray/$file"
        says_not err 'open when the cut begins'
    done
done
rm -rf cut.ctf
expect 0 convert --to ctf --verify -o cut.ctf --begin 10us "$xray/exc.14.fdr5.tsc.xray"
"$STELE" convert --to ctf -o piped.ctf --begin 10us - <"$xray/exc.14.fdr5.tsc.xray" >out 2>err
says err 'what is open at --begin is not begun: it can be read only once'
cut_of user 650ns
says losses '^ *3  begin  *form: open when the cut begins, begun there$'
cut_of user 750ns # the thread has moved on to another CPU, inside of two calls
says given '^lock,50,50$'
expect 0 cat --json cut.ctf
says out '"time_ns":1750,.*"name":"read_entry",.*"value":4'
# A call of a CPU's thread can't be begun where it is not known which thread that is.
ctf_made kernel <<END
1000 0 0 sched_switch 7
1100 0 0 syscall_entry_read 3
1200 0 0 sched_switch 9
1250 0 0 sched_switch 7
1350 0 0 syscall_exit_read 3
END
rm -rf cut.ctf
expect 0 convert --to ctf -o cut.ctf --begin 150ns kernel
says err '^ *1  begin  *form: open when the cut begins, not begun there$'
# LTTng's times of 27 bits count on from the packet's begin, or become whole ones.
for folder in lttng_216_18 lttng_216_2; do
    rm -rf lttng
    cp -r "$SOURCE/src/formats/ctf/good/$folder" lttng
    sed -i -e 's/tour:nothing/tour:a_exit/' -e 's/tour:kinds/tour:a_entry/' lttng/metadata
    begun=0
    for begin in 8500ns 10us 4.99ms 20ms 300ms 300.116ms; do
        cut_of lttng $begin
        grep -q 'not begun' losses && complain "$folder at $begin" losses
        begun=$((begun + $(sed -n 's/^ *\([0-9]*\)  begin .*begun there$/\1/p' losses)))
        "$STELE" check cut.ctf >out 2>err
        grep -q ' error CTF\| warning CTF4[01][0-7]' err && complain "$folder at $begin" err
    done
    check "$folder: calls were open" test "$begun" -gt 3
done
finish
