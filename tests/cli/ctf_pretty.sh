#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of --ctf-pretty, where what they show is not as plain as in the samples. What is expected is
# what babeltrace2 2.1.2 wrote for the same trace.
. "$SOURCE/tests/cli/lib.sh"

# One event of one field in one byte, of CTF 1.8 and of CTF 2.
trace_18() {
    mkdir -p "$1"
    printf '%s\n' '/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };' \
        "event { name = e; fields := struct { $2 x; }; };" >"$1/metadata"
    printf '\001' >"$1/s"
}
trace_2() {
    mkdir -p "$1"
    printf '\036%s\n' '{"type": "preamble", "version": 2}' '{"type": "trace-class"}' \
        '{"type": "data-stream-class"}' '{"type": "event-record-class", "name": "e",
         "payload-field-class": {"type": "structure", "member-classes": [{"name": "x",
         "field-class": '"$2"'}]}}' >"$1/metadata"
    printf '\001' >"$1/s"
}
integer='{"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian", '

# Several labels of one value stand in the order of the table that babeltrace2 keeps them in.
trace_18 few 'enum : integer { size = 8; } { "RED" = 0, "OVERLAP" = 1 ... 9, "GREEN" = 1, "VERT" = 1, "SHADES OF BLUE" = 0 ... 8, "GREEN" = 1 ... 3, "OVERLAP" }'
expect 0 cat --ctf-pretty few
says out '^e: { x = ( { "SHADES OF BLUE", "VERT", "GREEN", "OVERLAP" } : container = 1 ) }$'

json='' tsdl=''
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    json="$json${json:+, }\"label $i\": [[0, $i]]" tsdl="$tsdl \"label $i\" = 0 ... $i,"
done
trace_18 many "enum : integer { size = 8; } {$tsdl }"
trace_2 many2 "$integer \"mappings\": {$json}}"
expect 0 cat --ctf-pretty many
cp out many.lines
expect 0 cat --ctf-pretty many2
cat many.lines out >both
mv both out
golden ctf_pretty_labels

# Cycles of one ns that go back by one, as those of two streams do: it is not known by how much.
mkdir back
printf '%s\n' '/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };' \
    'clock { name = c; freq = 3000000000; };' \
    'stream { event.header := struct { integer { size = 8; map = clock.c.value; } timestamp; }; };' \
    'event { name = e; fields := struct { integer { size = 8; } x; }; };' >metadata
for stream in '1 \013' '2 \012'; do
    into=back/${stream%% *}
    mkdir "$into"
    cp metadata "$into"
    # shellcheck disable=SC2059
    printf "${stream#* }\001" >"$into/s"
done
expect 0 cat --ctf-pretty --clock-cycles back
says out '^\[00000000000000000011\] (+????????????) e: '
says out '^\[00000000000000000010\] (+????????????) e: '

# What LTTng 2.16 recorded: a channel without CPUs, contexts of the program, BLOBs, discarded events.
ctf=$SOURCE/src/formats/ctf/good
expect 0 cat --ctf-pretty --clock-gmt --clock-date "$ctf/lttng_216_2"
golden ctf_pretty_lttng_2
expect 1 cat --ctf-pretty --clock-gmt --clock-date "$ctf/lttng_216_18"
[ "$(cksum <out)" = "2346833334 107950" ] || complain 'other lines'
says err 'CTF408 discarded events: 598 between .* (598 lost)'
says err 'CTF408 discarded events: 116 between .* (116 lost)'
grep -v tour:tick out >rest
mv rest out
golden ctf_pretty_lttng_18

# lttng-crash leaves packets open, with an end of 0: they end with their last event.
mkdir crashed
for file in one_0 two_1; do
    cp "$ctf/lttng_216_2/$file" crashed
    printf '\0\0\0\0\0\0\0\0' | dd of=crashed/$file bs=1 seek=40 conv=notrunc status=none
done
cp "$ctf/lttng_216_2/metadata" crashed
expect 0 check crashed
says out '2  CTF414  note '
expect 0 cat --ctf-pretty --clock-gmt --stream-intersection crashed
lines out 41

finish
