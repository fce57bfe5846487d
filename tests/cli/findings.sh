#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How findings are told: their form, how many, where to, in colour, and what they make of the exit
# code.
. "$SOURCE/tests/cli/lib.sh"
bad=$heph_bad/truncated.bin.log

expect 1 check "$bad"
says out "^$bad:4735: error HEP002 [^:]*: "
says out "^$bad: 1 error, 0 warnings, 0 notes in 46 events"
says out '^ *1  HEP002  error '
silent err
expect 0 check "$heph/rt_scalars.bin.log"
says out ': 0 errors, 0 warnings, 0 notes in '
for command in info cat dump "convert --to json -o -"; do
    expect 1 $command "$bad"
    says err "^$bad:4735: error HEP002 "
    says_not out 'HEP002 [a-z]* [a-z]*: '
done

# One fault is one finding, whoever sees it: an event that ends before it begins, also where one of
# its times is beyond the last one of an event; a packet that the file cuts, with its last record.
one_finding() { # one_finding CODE TRACE
    expect 1 check "$2"
    says out "error $1 "
    check "$2 has one finding" test "$(grep -cE ': (error|warning|note) [A-Z]+[0-9]+ ' out)" -eq 1
}
one_finding EVT006 "$heph/end_before_start.heph"
one_finding EVT006 "$fxt/end_before_begin.fxt"
cp "$heph/end_before_start.heph" late.heph
printf '\377' | dd of=late.heph bs=1 seek=47 conv=notrunc 2>/dev/null # the start, about 2^64 ns
expect 0 check late.heph
says out 'warning STE010 '
says_not out 'EVT006'
cp -r "$SOURCE/src/formats/ctf/good/small_18" cut
head -c 330 "$SOURCE/src/formats/ctf/good/small_18/ch_0" >cut/ch_0
"$STELE" check cut >out 2>err
check "the cut is one error" test "$(grep -c '^cut/ch_0:[0-9]*: error ' out)" -eq 1
rm -r cut

# Warnings: a second epoch. With --strict they give 1, and not without.
cat "$heph/epoch_only.bin.log" "$heph/no_epoch.bin.log" "$heph/doc_example.bin.log" >warned
for command in info cat check; do
    expect 0 $command warned
    expect 1 $command --strict warned
done
expect 0 check warned
says out '^warned:4794: warning HEP012 '
expect 0 info warned
says err '^warned:4794: warning HEP012 '
expect 0 info --quiet warned
silent err
says out 'warning HEP012'
expect 1 info --quiet "$bad"
says err ' error HEP002 '

# No more than some of each code, and how many more there were.
cp "$heph/no_epoch.bin.log" many
i=0
while [ $i -lt 20 ]; do
    cat "$heph/epoch_only.bin.log"
    i=$((i + 1))
done >>many
expect 0 info many
check "five are told" test "$(grep -c 'warning HEP012' err)" -eq 5
says err '^many: … and 14 more HEP012 ('
expect 0 info --all many
check "all are told" test "$(grep -c 'warning HEP012' err)" -eq 19
says_not err ' more HEP012'
expect 0 check many
check "five are told" test "$(grep -c ': warning HEP012' out)" -eq 5
says out '^many: … and 14 more HEP012 ('
says out '^ *19  HEP012  warning '
expect 0 check --all many
check "all are told" test "$(grep -c ': warning HEP012' out)" -eq 19

expect 1 check --json "$bad"
documented out
if have jq; then
    jq -e '.version == 1 and (.traces[0] | .format == "heph" and .error_count == 1 and
        .is_complete and .findings[0].code == "HEP002" and .findings[0].offset == 4735 and
        .codes[0].count == 1)' out >jq.log || complain "not the JSON that docs/json.md describes" out
    expect 0 check --json --all many
    jq -e '.traces[0].findings | length == 19' out >jq.log || complain "not all findings" out
    expect 3 check --json nothing-here "$bad"
    jq -e '.traces | length == 2' out >jq.log || complain "not both traces" out
else
    skip "no jq: the shape of the JSON is not checked"
fi

# Colours: on request, never in pipes, and not in files.
escape=$(printf '\033')
expect 1 check "$bad"
says_not out "$escape"
expect 1 check --color=always "$bad"
says out "$escape"
expect 1 info --color always "$bad"
says out "$escape"
says err "$escape"
expect 0 cat --color=always "$heph/doc_example.bin.log"
says out "$escape"
expect 0 convert --color=always --to text -o - "$heph/doc_example.bin.log"
says_not out "$escape"
if have_terminal; then
    last="stele check on a terminal"
    script -qec "TERM=xterm '$STELE' check '$bad'" /dev/null >out 2>&1 </dev/null
    says out "$escape"
    script -qec "NO_COLOR=1 TERM=xterm '$STELE' check '$bad'" /dev/null >out 2>&1 </dev/null
    says_not out "$escape"
    script -qec "TERM=dumb '$STELE' check '$bad'" /dev/null >out 2>&1 </dev/null
    says_not out "$escape"
    script -qec "TERM=xterm '$STELE' check --color=never '$bad'" /dev/null >out 2>&1 </dev/null
    says_not out "$escape"
else
    skip "no terminal to be had: nothing is tested on one"
fi
finish
