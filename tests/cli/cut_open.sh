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
