#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of the Common Trace Format: directories, archives of them, metadata alone, the lines of
# babeltrace2, what holds for an event's context.
. "$SOURCE/tests/cli/lib.sh"
ctf=$SOURCE/src/formats/ctf/good
small=$ctf/small_18

# The two lost events of the sample end every reading with 1.
expect 1 cat --ctf-pretty --clock-gmt --clock-date "$small"
golden ctf_pretty
lines out 6
expect 1 cat --ctf-pretty --clock-cycles --no-delta --pretty-fields none --pretty-names all "$small"
says out '^timestamp = 00000000000671088590, name = a:numbers, stream.packet.context = { cpu_id = 0 }'
expect 1 cat --ctf-pretty --clock-seconds --pretty-names none "$small"
says out '^\[1700000000.671088590\] (+?.?????????) box a:numbers: { 0 }, { 7 }, { -3, 5, '
expect 1 cat --ctf-pretty --clock-seconds --clock-offset=-5 --clock-offset-ns=7 "$small"
says out '^\[1699999995.671088597\] '
expect 1 convert --clock-offset=5 "$small" --to ctf -o moved
expect 1 cat --ctf-pretty --clock-seconds moved
says out '^\[1700000005.671088590\] '
expect 2 cat --clock-offset=1.5 "$small"
says err "expected a whole number of seconds, found '1.5' for clock-offset"
expect 1 cat --ctf-pretty --clock-gmt --color=always "$small"
says out 'cpu_id.\[0m = .\[1m0.\[0m }, { .\[36mvtid.\[0m = .\[1m7.\[0m }'
expect 2 cat --ctf-pretty --pretty-names some "$small"
says err "--pretty-names does not know 'some'"
lines err 1
expect 2 cat --clock-gmt "$small"
says err '--clock-gmt is for --ctf-pretty'
expect 2 cat --ctf-pretty --pretty-names all,none "$small"
expect 1 cat --ctf-pretty --clock-gmt --pretty-names ctx,none --pretty-fields trace,callsite "$small"
says out '^\[22:13:20.671088590\] (+?.?????????) boxa:numbers: { cpu_id = 0 }, { vtid = 7 }, { -3, 5, '
expect 1 cat --ctf-pretty --clock-gmt --pretty-fields trace "$ctf"
says out ' box/small_18a:numbers: '
expect 2 cat --ctf-pretty --json "$small"

# What only CTF 2 has: optionals, bit maps, BLOBs; a trace goes by its host.
expect 1 cat --ctf-pretty --pretty-fields trace "$ctf/small_2"
says out '^\[[^]]*\] ([^)]*) boxvalues: { flag = true, maybe = { "yes" }, big = -12345678901, bits = 0x85 { "low", "top" }, n = 2, blob = { 01 02 }, level = ( "on" : container = 3 ), which = { "hé" } }$'
says out ' maybe = <none>, big = 63, bits = 0x0, n = 0, blob = { }, level'

# A trace is called by its host and where it lies below the source; other clocks than of 1 GHz are
# rounded as babeltrace2 rounds them, for its text only.
mkdir -p rate/below
cp "$small"/ch_? rate/below
sed 's/freq = [0-9]*/freq = 3000000000/' "$small/metadata" >rate/below/metadata
expect 1 cat --ctf-pretty --clock-seconds --pretty-fields all --pretty-names header rate
says out '^timestamp = 566666666.890362862, delta = +?.?????????, trace = box/below, , trace:hostname = box,'
expect 1 cat --json rate
says out '"time_ns":566666666890362863,'
sed "/hostname/d" rate/below/metadata >rate/metadata
mv rate/metadata rate/below/metadata
expect 1 cat --ctf-pretty --pretty-fields trace rate
says out " belowa:numbers: "

# The CPU of an event's context, which the writer made of the packet's; a trace without events.
expect 1 convert "$small" -o cpus --to ctf --to-version 2
expect 1 cat cpus
says out '^0.000000000  thread 7 *cpu 0 '
expect 0 convert "$SOURCE/src/formats/fxt/good/empty.fxt" -o void --to ctf --to-version 2
expect 0 check void

# One metadata UUID, and in CTF 2 one name and unique identifier, are one trace.
mkdir -p twice/a twice/b
cp "$ctf"/small_2/* twice/a
cp "$ctf"/small_2/* twice/b
expect 1 info twice
says out '^ *traces  *1$'
sed 's/"uid":"1"/"uid":"2"/' "$ctf/small_2/metadata" >twice/b/metadata
expect 1 info twice
says out '^ *traces  *2$'

# Contexts can be asked for as fields.
expect 1 cat --where 'arg.vtid == 7' "$small"
lines out 3
expect 1 cat --where 'arg.cpu_id == 1 and exists arg.vtid' "$small"
lines out 2
expect 0 cat --stream-intersection "$small"
lines out 4
expect 2 cat --stream-intersection --begin 1ms "$small"

# The same from an archive; and metadata without any data.
(cd "$ctf" && tar czf - small_18) >small.tar.gz
expect 1 cat --ctf-pretty --clock-gmt --clock-date small.tar.gz
golden ctf_pretty
expect 0 info "$small/metadata"
says out 'event record classes  *2'

expect 1 info "$small"
says out 'Common Trace Format (ctf), version 1.8'
says out 'Lost *2 events'
expect 1 check "$small"
says out 'CTF408'
expect 1 check --strict "$small"
expect 0 dump "$small"
says out 'Packet  *packet_size=216 content_bits=1136'
expect 3 info "$SOURCE/docs"
# What was discarded is told with the time in which it was.
expect 1 check "$small"
says out 'CTF408 .*: 2 between 2023-11-14T22:13:20\.[0-9]*Z and 2023-11-14T22:13:20\.[0-9]*Z (2 lost)'

# Times beyond those that there are: told once, whatever the number of streams, and the last one is shown.
mkdir far
cat >far/metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 8; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1; offset = 9223372030; };
typealias integer { size = 8; map = clock.c.value; } := t;
stream { event.header := struct { t timestamp; }; };
event { name = e; fields := struct { u8 x; }; };
END
printf '\001\001\002\002\007\003\010\004\011\005' >far/one
printf '\001\001\007\003' >far/two
expect 0 cat far
lines out 7
lines err 1
says err 'one:4: warning STE010 .* events at 7 cycles and later'
says out '  x=5  CLAMPED'
expect 0 cat --ctf-pretty --clock-gmt --clock-date far
says out '^\[2262-04-11 23:47:16\.854775807\] (+0.000000000) e: { x = 5 }$'

# A clock without an offset counts from anywhere; what is added to it does not make it tell the date.
sed '/^clock/s/offset = 9223372030/offset = 0/' far/metadata >without && mv without far/metadata
expect 0 cat --json --clock-offset=1700000000 far
says out '"time_ns":1700000001000000000'
says_not out wall_ns
expect 0 cat --ctf-pretty --clock-gmt --clock-date --clock-offset=1700000000 far
says out '^\[2023-11-14 22:13:21.000000000\]'

# More event classes than programs are compiled for: those of the same fields have their own names,
# labels and contexts all the same.
mkdir many
awk 'BEGIN {
    print "/* CTF 1.8 */ typealias integer { size = 8; } := u8; typealias integer { size = 16; align = 8; } := u16;"
    print "trace { major = 1; minor = 8; byte_order = le; };"
    print "stream { event.header := struct { u16 id; }; event.context := struct { u8 _vtid; }; };"
    for (i = 0; i < 2500; i++) {
        print "event { name = \"p" i % 3 ":e" i "\"; id = " i ";"
        if (i % 5 == 0) print "context := struct { u8 _c; };"
        print i % 7 == 0 ? "fields := struct { u8 _n; u8 _a[_n]; };" \
            : i % 2 == 0 ? "fields := struct { u8 _x; enum : u8 { A = 1, B } _e; };" \
            : "fields := struct { u8 _y; };"
        print "};"
        line = "p" i % 3 ":e" i ": { vtid = 9 }, " (i % 5 == 0 ? "{ c = 8 }, " : "")
        print line (i % 7 == 0 ? "{ n = 1, a = [ [0] = 7 ] }" \
            : i % 2 == 0 ? "{ x = 2, e = ( \"B\" : container = 2 ) }" : "{ y = 3 }") >"lines"
        record = sprintf("\\%03o\\%03o\\011", i % 256, int(i / 256)) (i % 5 == 0 ? "\\010" : "")
        print record (i % 7 == 0 ? "\\001\\007" : i % 2 == 0 ? "\\002\\002" : "\\003") >"records"
    }
}' >many/metadata
printf "$(tr -d '\n' <records)" >many/stream
expect 0 cat --ctf-pretty many
cmp -s lines out || complain "other lines" out
finish
