#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where results go: full disks, closed pipes, existing files, and no half files.
. "$SOURCE/tests/cli/lib.sh"
trace=trace.bin.log # a name without a space, for lists of words
cp "$heph/heph_tracing_example.bin.log" $trace

# A full disk gives 4, whatever is written.
if [ -e /dev/full ]; then
    for command in "info $trace" "cat $trace" "cat --json $trace" "cat --csv $trace" \
        "cat --tail 3 $trace" "dump $trace" "check $trace" "check --json $trace" \
        "explain --list" "formats" "formats --json" "help" "version" "--help" \
        "help --completion bash" "convert $trace --to json -o -" "convert $trace --to heph -o -"; do
        last="stele $command >/dev/full"
        status=0
        "$STELE" $command >/dev/full 2>err || status=$?
        [ $status -eq 4 ] || complain "exit code $status, expected 4" err
        says err 'error STE005 .*No space left on device'
    done
    expect 4 convert "$trace" --to json -o /dev/full --force
    says err 'error STE005'
else
    skip "no /dev/full"
fi

# Whoever reads the output may go away: quiet, and 0. (The status of the left side is in `left`.)
closed() {
    last="stele $* | head -n 1"
    { status=0; "$STELE" "$@" 2>err || status=$?; echo $status >left; } | head -n 1 >first
    [ "$(cat left)" -eq 0 ] || complain "exit code $(cat left), expected 0" err
    silent err
}
i=0
while [ $i -lt 300 ]; do
    cat "$heph/no_epoch.bin.log"
    i=$((i + 1))
done >many.heph
closed cat --unsorted many.heph
closed cat --json --unsorted many.heph
closed cat --csv --unsorted many.heph
closed dump many.heph
closed dump --hex many.heph
closed convert many.heph -o - --to json --unsorted
closed convert many.heph -o - --to heph

# Files that exist are replaced with --force only.
for to in json csv heph; do
    echo precious >result
    expect 4 convert "$trace" --to $to -o result
    says err 'result: error STE005 .*'
    check "the file is as it was" test "$(cat result)" = precious
    expect 0 convert "$trace" --to $to -o result --force
    check "the file is new" test "$(head -c 8 result)" != precious
    rm result
done
# What lies in a directory that is written to again stays, and is told.
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
silent err 'STE012'
echo precious >folder/other
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
says err "folder: warning STE012 files of an earlier trace: .* 1 more, such as 'other'"
check "the other file is as it was" test "$(cat folder/other)" = precious
expect 4 convert "$trace" --to json -o missing-folder/result
says err 'error STE005 .*No such file or directory'

# Nothing is left behind by runs that fail.
mkdir results
head -c 4000 "$trace" | tail -c 3990 >damaged
for words in "nothing-here --to json" "$trace nothing-here --to json" "$trace --to json --where dur>" \
    "$trace --to json --columns nonsense"; do
    status=0
    last="stele convert $words -o results/result"
    "$STELE" convert $words -o results/result >out 2>err || status=$?
    [ $status -ne 0 ] || complain "should fail"
    check "nothing is left behind" test -z "$(ls -A results)"
done

# Killed in the middle: no half file, and no temporary one where the signal can be caught. The input
# is a pipe that gives all it has and then keeps its reader waiting.
interrupted() { # interrupted SIGNAL NUMBER WORDS...
    signal=$1 number=$2
    shift 2
    last="stele $*, ended by $signal"
    (cat many.heph; exec sleep 60) >pipe &
    writer=$!
    "$STELE" "$@" >out 2>err &
    runner=$!
    sleep 1
    kill -"$signal" $runner 2>/dev/null
    status=0
    wait $runner || status=$?
    check "the signal ended it" test $status -eq $((128 + number))
    check "the one that waited was ended, not the one it waited for" kill -0 $writer
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
    check "nothing is left behind" test -z "$(ls -A results)"
}
if mkfifo pipe 2>/dev/null; then
    ulimit -c 0
    for signal in 'INT 2' 'TERM 15' 'HUP 1' 'QUIT 3'; do
        # shellcheck disable=SC2086
        interrupted $signal convert --in heph --to json --unsorted -o results/result pipe
    done
    interrupted TERM 15 convert --in heph --to json -o results/result pipe
    interrupted TERM 15 cat --in heph pipe
    interrupted TERM 15 info pipe
    interrupted HUP 1 dump --in heph pipe
    interrupted QUIT 3 check --in heph pipe
fi

# What is no regular file is written straight.
expect 0 convert "$trace" --to json -o /dev/null --force
finish
