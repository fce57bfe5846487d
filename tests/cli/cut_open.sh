#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cut of a sound trace is a sound trace: what is open where it begins nests as it did, and nothing
# counts as lost that the whole did not lose.
. "$SOURCE/tests/cli/lib.sh"

# ---- Nesting, wherever the records stand ----

have python3 || {
    skip 'no python3 to make the trace'
    exit 77
}
python3 "$SOURCE/tests/cli/cut_nested_made.py" whole.fxt || exit 1
expect 0 check whole.fxt
says_not out EVT

# nested FORMAT OPTION...: what is cut passes the check, and its profile is that of the stretch
nested() {
    format=$1
    shift
    rm -rf cut
    last="stele convert --to $format $* whole.fxt"
    "$STELE" convert --to "$format" -o cut --verify $anew "$@" whole.fxt >out 2>err
    says err 'form: open when the cut begins, begun there'
    says err ': verified: '
    mv err verified
    expect 0 check cut
    says_not out 'EVT00[15]'
    "$STELE" profile --csv cut 2>err | cut -d , -f 1-4 >given
    "$STELE" profile --csv "$@" whole.fxt 2>err | cut -d , -f 1-4 >wanted
    case $format in
    xray) # functions have numbers instead of names
        cut -d , -f 2- given | LC_ALL=C sort >numbers
        cut -d , -f 2- wanted | LC_ALL=C sort >wanted_numbers
        same numbers wanted_numbers
        ;;
    *) same given wanted ;;
    esac
}
for begin in 40ns 50ns 55ns; do # 50: an event that is kept begins there, too
    for anew in '' '--sort=full'; do
        nested fxt -b $begin
    done
    nested ctf -b $begin
    nested xray -b $begin
done
anew=
nested fxt -b 40ns -e 81ns
nested ctf -b 40ns -e 81ns
# Spans that are open where the cut ends run to there.
for end in 52ns 61ns 65ns 70ns; do
    for format in fxt ctf xray; do
        nested $format -b 40ns -e $end
        says verified 'form: open when the cut ends, ended there'
        says_not out EVT
    done
done
rm -rf cut
expect 0 cut -b 40ns -e 61ns --no-open -o cut whole.fxt
says_not err 'open when'
expect 0 cut --force -b 40ns -e 95ns -o cut whole.fxt # nothing is open then
says_not err 'when the cut ends'
# A range without events, and an end after the last event: nothing is made, and one note.
expect 0 cut --force -b 61ns -e 40ns -o cut whole.fxt
says_not err 'open when'
same_count() { [ "$(grep -c "$1" "$2")" = "$3" ] || complain "$2 does not have $3 times: $1" "$2"; }
same_count STE014 err 1
expect 0 cut --force -b 1s -o cut whole.fxt
same_count STE014 err 1
expect 0 cut --force -b 52ns -e 1s -o cut whole.fxt
says_not err 'when the cut ends'
# What is damaged is reported once, although the trace is read several times.
for sample in basic-bad-type extents-too-large no-extents; do
    for open in --open --no-open; do
        [ $open = --no-open ] || open=
        # shellcheck disable=SC2086 # an option, or none
        "$STELE" cut $open --force -b 1us -e -1us -o cut.xray "$SOURCE/src/formats/xray/bad/$sample.xray" >out 2>err
        check "$sample: each finding once" test -z "$(grep -o ':[0-9]*: error XRY[0-9]*' err | sort | uniq -d)"
        says err 'error XRY'
    done
done
# The pieces of a trace are the whole again.
expect 0 cut -e 61ns -o piece.1.fxt whole.fxt
expect 0 cut -b 61ns -o piece.2.fxt whole.fxt
expect 0 cat --csv --columns time,kind,name whole.fxt
mv out wanted
expect 0 cat --csv --columns time,kind,name piece.1.fxt piece.2.fxt
same out wanted
# calls FILE OPTION...: when they begin and how long they are, sorted
calls() {
    "$STELE" calls --csv "$@" 2>err | awk -F, 'NR > 1 { print $3 - begin, $4 }' begin="$begin" | sort -n
}
for sample in exc.14.fdr5.tsc recur.14.basic3; do
    trace=$SOURCE/src/formats/xray/good/$sample.xray
    expect 0 cut --force --verify -b 10us -e 100us -o cut.xray "$trace"
    says err 'form: open when the cut ends, ended there'
    begin=10000
    calls -b 10us -e 100us "$trace" >wanted
    begin=$("$STELE" calls --csv cut.xray 2>err | awk -F, 'NR > 1 { print $3 }' | sort -n | head -n 1)
    calls cut.xray >given
    cut -d ' ' -f 2 wanted | sort -n >wanted_lengths
    cut -d ' ' -f 2 given | sort -n >given_lengths
    same given_lengths wanted_lengths
done
# Copies of copies
expect 0 convert --to ctf -o whole.ctf whole.fxt
expect 1 convert --to xray -o whole.xray whole.fxt
for copy in whole.ctf whole.xray; do
    rm -rf cut
    expect 0 cut -b 40ns -o cut --verify $copy
    says err 'begun there'
    expect 0 check cut
    says_not out 'EVT00[15]'
done
rm -rf cut
expect 0 convert --to heph -o cut --verify -b 40ns whole.fxt
says_not err 'end without a begin'
# Nothing is begun on request, or where the trace can be read only once.
expect 0 convert --to ctf -o plain.ctf --no-open -b 40ns whole.fxt
says_not err 'begun there'
gzip -k whole.fxt
expect 0 convert --to ctf -o once.ctf -b 40ns whole.fxt.gz
says err 'is not begun'

# ---- Counters ----

trace=$heph/heph_tracing_example.bin.log
# lost FILE: how many events are known to be lost
lost() {
    "$STELE" info --json "$1" 2>/dev/null | sed -n 's/.*"lost_count": \([0-9]*\).*/\1/p' | head -n 1
}
check 'the whole lost nothing' test "$(lost "$trace")" = 0
names=$("$STELE" cat --csv --columns name "$trace" 2>/dev/null | sed 1d | LC_ALL=C sort -u | head -n 40)
count=0
for name in $names; do
    rm -f cut.heph
    "$STELE" cut --name "$name" -o cut.heph "$trace" 2>err || complain "cut of $name" err
    [ "$(lost cut.heph)" = 0 ] || complain "$name: events are lost"
    count=$((count + 1))
done
check 'there are names' test $count -gt 2
expect 0 cut --force --where 'offset > 300' -o cut.heph "$trace" --verify
check 'nothing is lost in the cut' test "$(lost cut.heph)" = 0
expect 0 convert --force -o all.heph "$trace"
same all.heph "$trace"
# What the trace itself has lost is lost in a cut, too.
lost_count=$(lost "$heph_bad/counter_gap.heph")
check 'the trace has lost events' test "$lost_count" -gt 0
"$STELE" cut --force --kind complete -o cut.heph "$heph_bad/counter_gap.heph" 2>err
check 'so has the cut' test "$(lost cut.heph)" = "$lost_count"
finish
