#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parts of traces: a trace in several directories, a stream in several files, ranges of time of
# packets that say little.
. "$SOURCE/tests/cli/lib.sh"

# u8 VALUE; u32 VALUE and u64 VALUE in little-endian order, u32be VALUE in big-endian order.
u8() {
    printf "\\$(($1 / 64 % 4))$(($1 / 8 % 8))$(($1 % 8))"
}
u32() {
    u8 "$1" && u8 $(($1 / 256)) && u8 $(($1 / 65536)) && u8 $(($1 / 16777216))
}
u64() {
    u32 $(($1 % 4294967296)) && u32 $(($1 / 4294967296))
}
u32be() {
    u8 $(($1 / 16777216)) && u8 $(($1 / 65536)) && u8 $(($1 / 256)) && u8 "$1"
}

# metadata ORDER CONTEXT [UUID]: events have a time of 64 bits, or of 32 where it wraps.
metadata() {
    echo '/* CTF 1.8 */'
    echo "trace { major = 1; minor = 8; byte_order = $1;"
    [ -z "${3:-}" ] || echo "uuid = \"$3\";"
    echo 'packet.header := struct { integer { size = 32; } magic; }; };'
    echo 'clock { name = c; };'
    echo 'typealias integer { size = 32; } := u32; typealias integer { size = 64; } := u64;'
    echo 'typealias integer { size = 64; map = clock.c.value; } := ticks;'
    echo 'typealias integer { size = 32; map = clock.c.value; } := short_ticks;'
    echo "stream { packet.context := struct { $2 };"
    echo "event.header := struct { ${4:-ticks} timestamp; }; };"
    echo 'event { name = e; fields := struct { u32 x; }; };'
}

# Two directories with one UUID, in plain text and big-endian order, are one trace.
uuid=11111111-2222-3333-4444-555555555555
for part in 1 2; do
    mkdir -p parts/$part
    metadata be 'u32 packet_size;' $uuid >parts/$part/metadata
    for time in 1 2 3; do
        u32be 3254525889 && u32be 160 && u32be 0 && u32be $((10 * time + part)) && u32be 7
    done >parts/$part/s
done
expect 0 info parts
says out '^ *traces  *1$'
expect 0 cat parts
lines out 6

# Packets that do not say when they begin are read from the first one on. One that says it in few bits
# counts on from the packet before, also where reading begins in the middle.
mkdir silent wraps short
metadata le 'u32 packet_size;' >silent/metadata
metadata le 'short_ticks timestamp_begin; u32 packet_size;' '' short_ticks >wraps/metadata
for second in 0 1 2 3 4 5 6 7 8 9; do
    u32 3254525889 && u32 160 && u64 ${second}000000000 && u32 "$second"
done >silent/s
for second in 0 1 2 3 4 5 6 7 8 9; do
    u32 3254525889 && u32 ${second}000000000 && u32 160 && u32 ${second}000000000 && u32 "$second"
done >wraps/s
expect 0 cat --begin 7s silent
lines out 3
says out '^7.000000000 .* x=7$'
says out '^9.000000000 .* x=9$'
expect 0 cat wraps
lines out 10
says out '^5.000000000 .* x=5$'
says out '^9.000000000 .* x=9$'
expect 0 cat --begin 7s wraps
lines out 3
says out '^7.000000000 .* x=7$'
expect 0 cat --clock-start=packet wraps
says out '^0.705032704 .* x=5 '
says err 'time goes back: clock value 705032704 after 4000000000'
cp wraps/metadata short
head -c 100 wraps/s >short/s
expect 0 cat --begin 3s short
lines out 2
says out '^3.000000000 .* x=3$'

# What was lost before a range is not told as lost in it.
mkdir -p lossy/index
metadata le 'ticks timestamp_begin; ticks timestamp_end; u32 packet_size; u64 events_discarded;' \
    >lossy/metadata
packet() {
    u32 3254525889
    u64 "${1}000"
    u64 "${1}500"
    u32 352
    u64 "$2"
    u64 "${1}250"
    u32 "$1"
}
for second in 1 2 3 4 5 6 7 8 9; do
    packet $second ${second}0
done >lossy/s
expect 1 cat lossy
says err '(10 lost)'
expect 1 cat --begin 5000ns --ctf-pretty lossy
lines out 4
says_not err '[2-9]0 lost'
says_not err 's:0: '

# An index that knows of packets that the file has no more.
{
    u32be 3253853377 && u32be 1 && u32be 1 && u32be 72
    for second in 1 2 3 4 5 6 7 8 9; do
        u32be 0 && u32be $(((second - 1) * 44))
        u32be 0 && u32be 352 && u32be 0 && u32be 352
        u32be 0 && u32be ${second}000 && u32be 0 && u32be ${second}500
        u32be 0 && u32be ${second}0 && u32be 0 && u32be 0
        u32be 0 && u32be 0 && u32be 0 && u32be 0
    done
} >lossy/index/s.idx
expect 1 check lossy
says_not out CTF411
# Packets that are gone, one that is there twice, and an entry with a wrong offset are a finding each,
# and not one for each entry after them.
cp lossy/s whole
{ head -c 88 whole && tail -c +177 whole; } >lossy/s
expect 1 check lossy
check 'two packets gone: one finding of the index' test "$(grep -c '^lossy.* CTF411 ' out)" -eq 1
says out '^lossy/index/s.idx:160: warning CTF411 .*none for this one of offset 88 and 1 after it'
{ head -c 88 whole && tail -c +45 whole; } >lossy/s
expect 1 check lossy
check 'a packet twice: one finding of the index' test "$(grep -c '^lossy.* CTF411 ' out)" -eq 1
says out '^lossy/index/s.idx:160: warning CTF411 .*an entry for every packet, found none for the packet at 88'
cp whole lossy/s
cp lossy/index/s.idx index
{ head -c 235 index && printf '\001' && tail -c +237 index; } >lossy/index/s.idx
expect 1 check lossy
check 'a wrong offset: one finding of the index' test "$(grep -c '^lossy.* CTF411 ' out)" -eq 1
says out '^lossy/index/s.idx:232: warning CTF411 .*found offset [0-9]* of the packet at 132, which says 132'
cp index lossy/index/s.idx
head -c 352 lossy/s >shorter && mv shorter lossy/s
expect 1 check lossy
says out "^lossy/index/s.idx:592: warning CTF411 .*expected a packet for every entry, found none at 352, where 'lossy/s'"
# Of several traces those are read that can be; findings say in which one they are.
mkdir -p several/large several/small several/torn
cp silent/* several/small
cp silent/* several/torn
head -c 100 silent/metadata >several/torn/metadata
cp silent/* several/large
head -c 5000 /dev/zero | tr '\0' ' ' >>several/large/metadata
expect 1 cat --max metadata=2000 several
lines out 10
says err '^several/large/metadata:2000: error CTF002'
says err '^several/torn/metadata:100: error CTF101'
expect 3 cat --max metadata=2000 several/large
expect 1 info several
says out '^ *traces  *2$'
says out '^ *what follows  *is of the first trace$'

# Data streams without their metadata are told for what they are.
mkdir headless
cp several/small/s headless/a
cp several/small/s headless/b
expect 3 cat headless
says err 'headless: error CTF001 .*expected a file called metadata beside the data streams, found none'
mkdir others
echo a >others/a
echo b >others/b
expect 3 cat others
says err "others: error STE002 .*expected files of a known format, found 2 files that no format knows, such as 'a'"

# Missing packets are a loss, though nobody knows of how many events.
mkdir -p gap
metadata le 'u32 packet_size; u32 packet_seq_num;' >gap/metadata
for number in 0 1 4; do
    u32 3254525889 && u32 192 && u32 $number && u64 $((number * 10)) && u32 $number
done >gap/stream
expect 1 check gap
says out 'CTF409 missing packets: 2 between'
expect 1 info gap
says out '^  Lost  *2 packets missing, '
expect 1 info --json gap
says out '"missing_count": *2'
expect 1 cat gap

# The streams of a short range are read one after the other if there are many. That gives the same events
# in the same order; events of several streams have the same time here.
mkdir many
metadata le 'ticks timestamp_begin; ticks timestamp_end; u32 packet_size;' >many/metadata
stream=0
while [ $stream -lt 80 ]; do
    for packet in 0 1 2 3 4; do
        at=$((1000 * packet + stream * 53 % 100 * 10))
        u32 3254525889 && u64 $((1000 * packet)) && u64 $((1000 * packet + 999)) && u32 288 && u64 $at && u32 $stream
    done >many/s$stream
    stream=$((stream + 1))
done
expect 0 cat many
lines out 400
tr -s ' ' <out >all
for range in '0 1' '1 1000' '990 2011' '2500 2500' '2500 2501' '1999 3001' '3700 9000'; do
    begin=${range% *} end=${range#* }
    awk -v b="$begin" -v e="$end" '{ t = $1 * 1e9 } t >= b - .5 && t < e - .5' all >want
    expect 0 cat --begin "${begin}ns" --end "${end}ns" many
    tr -s ' ' <out >given
    check "many streams from $begin to $end" cmp -s want given
done

finish
