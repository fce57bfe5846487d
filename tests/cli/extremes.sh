#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events at the first and last times that 64 bits hold, and beyond, are there in every command,
# order, output and copy: no time stands for "none" or "no end".
. "$SOURCE/tests/cli/lib.sh"

# bytes HEX...: as they are.
bytes() {
    for pair in $(printf '%s' "$*" | tr -d ' ' | sed 's/../& /g'); do
        # shellcheck disable=SC2059
        printf "\\$(printf '%03o' "0x$pair")"
    done
}

# event COUNTER START END NAME: a packet of stream 0, times as 16 digits, a name of one letter.
event() {
    bytes c1fc1fb7 0000002b 00000000 "0000000$1" 0000000000000001 "$2" "$3" 0001
    printf '%s' "$4"
}

# In the order of the file, which is not that of time: 1, 2^63 - 2, 2^63 - 1, 2^63, 2^64 - 1.
{
    bytes 75d11d4d 00000017 0005 65706f6368 0000000000000000
    event 0 7fffffffffffffff 7fffffffffffffff c
    event 1 0000000000000001 0000000000000002 a
    event 2 ffffffffffffffff ffffffffffffffff e
    event 3 7ffffffffffffffe 7fffffffffffffff b
    event 4 8000000000000000 8000000000000001 d
} >late.heph

# The same from the other end: with an offset of minus 2^63 ns the times begin at the first one.
early="--offset -9223372036s"

# finds COUNT OPTIONS...: so many events, whatever the order and the output.
finds() {
    count=$1
    shift
    for sort in auto window full none; do
        expect 0 cat --json --kind complete --sort "$sort" "$@"
        lines out "$count"
        expect 0 cat --kind complete --sort "$sort" "$@"
        lines out "$count"
    done
    expect 0 cat --csv --kind complete "$@"
    lines out $((count + 1))
}

finds 5 late.heph
finds 5 --begin 0s late.heph
finds 5 --begin @0 late.heph
finds 5 --begin @1 late.heph
finds 4 --begin @3 late.heph
finds 5 --where 'dur >= 0s' late.heph
finds 1 --end 5s late.heph
finds 4 --begin 5s late.heph
finds 4 --begin 2200-01-01 late.heph
finds 4 --begin -1s late.heph
# shellcheck disable=SC2086
finds 5 late.heph $early
finds 10 late.heph late.heph
finds 10 --begin 0s late.heph late.heph

# Spilled and merged.
expect 0 cat --json --kind complete --max sort=1 late.heph late.heph
lines out 10

expect 0 info --json late.heph
says out '"event_count": 6,'
expect 0 info --json --begin 5s late.heph
says out '"event_count": 5,'
expect 0 check late.heph
says out ' in 6 event'
expect 0 profile --json late.heph
says out '"function_count": 5,'

# A span that ends at the last time there is has ended, and no mean is above the longest.
{
    bytes 75d11d4d 00000017 0005 65706f6368 0000000000000000
    event 0 0000000000000001 7fffffffffffffff a
    event 1 0000000000000002 0000000000000005 b
    event 2 7ffffffffffffffe 7fffffffffffffff c
} >last.heph
expect 0 profile --json last.heph
says out '"open_count": 0,'
says out '"mean_ns": 9223372036854775806,'
says_not out '"unended_count": [^0]'
expect 0 flame last.heph
says out '^a 9223372036854775802$'
says out '^a;c 1$'
expect 0 check last.heph

# Copies keep all bytes, with bounds, too; events that are written anew keep their times.
expect 0 convert late.heph --to heph -o copy
same copy late.heph
expect 0 convert late.heph --to heph --begin 0s -o copy --force
same copy late.heph
expect_from 0 late.heph convert - --to heph -o written
expect 0 dump late.heph
sed -n 's/.* \(counter=.*\)/\1/p' out | sort >wanted
expect 0 dump written
sed -n 's/.* \(counter=.*\)/\1/p' out | sort >given
lines wanted 5
same given wanted

# Every format that holds the events gives them back.
for format in fxt ctf; do
    "$STELE" convert late.heph --to "$format" -o "as.$format" 2>err
    expect 0 cat --json --name '?' "as.$format"
    lines out 5
    expect 0 cat --json --name '?' --begin 5s "as.$format"
    lines out 4
    expect 0 convert "as.$format" --to "$format" -o "copy.$format" --begin 0s
    expect 0 cat --json --name '?' "copy.$format"
    lines out 5
done
for output in json text csv chrome; do
    "$STELE" convert late.heph --to "$output" -o "as.$output" 2>err
    for name in a b c d e; do
        check "$output has $name" grep -q -e "\"$name\"" -e "  $name  " -e ",$name," "as.$output"
    done
done

# Intervals of time end where time does, and not before it begins.
for every in 1ms 7s; do
    expect 0 stats --every $every late.heph
    says out 'to 9223372036.854775807 s'
    expect 0 stats --every $every --json late.heph
    grep -o '"begin_ns":-\?[0-9]*' out | cut -d : -f 2 >begins
    sort -n begins >wanted
    same wanted begins
done

finish
