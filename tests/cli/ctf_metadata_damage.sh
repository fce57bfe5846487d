#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One damaged byte of metadata costs what needs it, and not the trace. How robust that is, is a
# figure with a bound: of 33 damaged bytes at equal distances, how many lose all events.
. "$SOURCE/tests/cli/lib.sh"
good=$SOURCE/src/formats/ctf/good

# robust SAMPLE BOUND: so many of the damaged copies may lose all of their events.
robust() {
    rm -rf work
    cp -r "$good/$1" work
    chmod -R u+w work
    size=$(wc -c <work/metadata)
    lost=0 unnamed=0 i=0
    while [ $i -lt 33 ]; do
        cp "$good/$1/metadata" work/metadata
        at=$((size * i / 33 + 7))
        printf '\043' | dd of=work/metadata bs=1 seek=$at conv=notrunc 2>/dev/null
        last="stele info --json work, byte $at of $1"
        "$STELE" info --json work >out 2>err </dev/null
        status=$?
        [ $status -le 1 ] || [ $status -eq 3 ] || complain "exit code $status" err
        grep -q '^      "event_count": [1-9]' out || lost=$((lost + 1))
        # What is lost is named, with its place.
        if grep -q '^      "event_count": [1-9]' out || grep -q 'metadata:[0-9]*: error' err; then :; else
            unnamed=$((unnamed + 1))
        fi
        i=$((i + 1))
    done
    echo "$1: $lost of 33 damaged bytes lose all events"
    last="damaged bytes of $1"
    [ $lost -le "$2" ] || complain "$lost of 33 lose all events, expected $2 at most"
    [ $unnamed -le 1 ] || complain "$unnamed losses are not named with their place"
}
robust lttng_216_18 3
robust lttng_216_2 0
robust small_18 0
robust small_2 4

# An event class that cannot be read: the others are read, and what was left out is named.
cat >event.sed <<'END'
s/^event {/event {\
	name = "damaged"; id = 77; fields := struct { no_such_type x; };\
};\
event {/
END
rm -rf work && cp -r "$good/small_18" work && chmod -R u+w work
expect 1 cat work
line_count=$(wc -l <out)
sed -f event.sed "$good/small_18/metadata" >work/metadata
expect 1 cat work
lines out "$line_count"
says err 'metadata:[0-9]*: error CTF104 .*no_such_type'
says err 'warning CTF005 part of the metadata that is left out: .*event {'

# A fragment of CTF 2 that is cut, and one whose separator is gone.
rm -rf work && cp -r "$good/small_2" work && chmod -R u+w work
expect 1 cat work
line_count=$(wc -l <out)
printf '\036{"type":"event-record-class","id":77,"payload-field' >>work/metadata
expect 1 cat work
lines out "$line_count"
says err 'warning CTF005'
for first in '#' '{'; do # the first separator is another byte, or not there at all
    cp "$good/small_2/metadata" work/metadata
    printf '%s' "$first" | dd of=work/metadata bs=1 conv=notrunc 2>/dev/null
    [ "$first" = '#' ] || tail -c +2 "$good/small_2/metadata" >work/metadata
    expect 1 cat work
    lines out "$line_count"
    says err 'metadata:0: error CTF200 .*0x1e'
done

# damaged SAMPLE SCRIPT: a byte of a declaration is wrong, as sed makes it. All events are as they were,
# and the byte is named.
damaged() {
    rm -rf work && cp -r "$good/$1" work && chmod -R u+w work
    "$STELE" cat work >whole 2>err </dev/null
    LC_ALL=C sed "$2" "$good/$1/metadata" >work/metadata
    last="stele cat work, after sed '$2' in $1"
    ! cmp -s "$good/$1/metadata" work/metadata || complain "nothing was changed"
    "$STELE" cat work >out 2>err </dev/null
    same whole out
    says err 'warning CTF00[56]'
}
# What compact headers have is the same in all traces: no other ids are possible.
damaged small_18 's/compact = 0 ... 30, ext/compact = 0 ... q0, ext/'
damaged small_18 "$(printf 's/extended = 31 }/extended = 31\337}/')"
damaged small_18 "$(printf 's/extended = 31 }/extended = \0231 }/')"
damaged small_18 's/\.\.\. 30/..."30/'
# A blank in front of a property of JSON that became a quote, and the version of the RFC.
damaged lttng_216_2 '71s/^   \( *"type"\)/  "\1/'
damaged rfc_le "$(printf 's/minor = 1/minor = \316/')"
finish
