#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Data streams whose packets say what is not so: the packets around them are read all the same. And
# tracers that are known for it.
. "$SOURCE/tests/cli/lib.sh"
small=$SOURCE/src/formats/ctf/good/small_18

# poke FILE OFFSET BYTES: writes bytes (as printf's octal escapes) into the file.
poke() {
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# The packet size lies at 56: after the end of the file, then at another place than the next packet.
for size in '\300\006\000\100' '\000\007\000\000' '\340\010\000\000'; do
    rm -rf size
    cp -r "$small" size
    rm -r size/index
    poke size/ch_0 56 "$size"
    expect 1 cat --ctf-pretty size
    lines out 6
    says err 'ch_0:0: error CTF403 packet of impossible size'
    says err 'a packet after 216'
done

# So are those of a stream that is in several files: here in two folders of one trace.
mkdir both
cp -r "$small" both/a
cp -r "$small" both/b
rm -r both/a/index both/b/index
poke both/a/ch_0 56 '\000\000\000\000'
for command in 'cat --ctf-pretty' info; do
    # shellcheck disable=SC2086
    expect 1 $command both
    says err 'a/ch_0:0: error CTF403 packet of impossible size'
    says_not err 'out of memory'
done

# A file that is cut within its last packet has nothing after it.
cp -r "$small" cut
head -c 330 "$small/ch_0" >cut/ch_0
expect 1 cat --ctf-pretty cut
lines out 5
says err 'ch_0:216: error CTF405'
says_not err 'error CTF450' # the record at its end is cut by the same

# barectf before 2.3.1 began packets after their first event: --end must not miss it. Two packets of
# one event each, at 10 ns in 10 to 20, and at 50 ns in 60 to 70.
u64() {
    printf "\\$1\\$2\\0\\0\\0\\0\\0\\0"
}
packet() {
    u64 "$1" 0
    u64 "$2" 0
    u64 110 1
    u64 110 1
    u64 "$3" 0
    printf 'v'
}
mkdir early
{
    packet 012 024 012
    packet 074 106 062
} >early/stream
cat >early/metadata <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
env { tracer_name = "barectf"; tracer_major = 2; tracer_minor = 3; tracer_patch = 0; };
clock { name = c; };
typealias integer { size = 64; align = 8; } := u64;
typealias integer { size = 64; align = 8; map = clock.c.value; } := ticks;
stream {
    packet.context := struct {
        ticks timestamp_begin; ticks timestamp_end; u64 content_size; u64 packet_size;
    };
    event.header := struct { ticks timestamp; };
};
event { name = e; fields := struct { integer { size = 8; } v; }; };
END
expect 0 check early
says out 'CTF414'
expect 0 cat --end 45ns early
lines out 2
sed -i 's/minor = 3; tracer_patch = 0/minor = 3; tracer_patch = 1/' early/metadata
expect 0 check early
says out 'CTF413'
finish
