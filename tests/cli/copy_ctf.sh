#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert of CTF to CTF: packets keep their bytes; of those that are cut the rest reads the
# same, and nothing is lost that was not lost before.
. "$SOURCE/tests/cli/lib.sh"
good=$SOURCE/src/formats/ctf/good

# The bytes of hexadecimal numbers.
bytes() {
    for byte in $*; do
        # shellcheck disable=SC2059
        printf "\\$(printf %o "0x$byte")"
    done
}

same_tree() {
    diff -r "$1" "$2" >differences 2>&1 || complain "$1 and $2 differ" differences
}

# same_events TRACE COPY OPTIONS...: the copy has the events of the trace that the options choose.
same_events() {
    trace=$1
    copy=$2
    shift 2
    last="stele cat $trace, and $copy with $*"
    "$STELE" cat --csv --columns=ticks,name,fields "$trace" "$@" 2>/dev/null >out
    grep -v 'discarded' out >once
    "$STELE" cat --csv --columns=ticks,name,fields "$copy" 2>/dev/null >out
    grep -v 'discarded' out >twice
    same once twice
}

# What was discarded when the trace was recorded is a finding, where it is in the part.
expect_good() {
    last="stele $*"
    status=0
    "$STELE" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -le 1 ] || complain "exit code $status, expected 0 or 1" err
}

# Everything: the same files, from a directory, an archive, and with several traces in one.
for sample in small_18 small_2 rfc_le rfc_be; do
    expect 1 convert "$good/$sample" -o "$sample" --to ctf # 1: events were discarded
    same_tree "$good/$sample" "$sample"
done
mkdir -p two/a/b two/c
cp -r "$good/small_18" two/a/b/first
cp -r "$good/small_18" two/c/second
: >two/c/second/empty
tar czf two.tar.gz -C two .
expect 1 convert two.tar.gz -o untarred --to ctf
same_tree two untarred
expect 1 convert two -o copied --to ctf
same_tree two copied
expect 0 convert "$good/small_18/metadata" -o alone --to ctf
same "$good/small_18/metadata" alone/metadata

# A part: the same events, and an index that fits.
for options in '--name text' '--name numbers' '--begin 20ns' '--end 1us' '--begin 50ns --end 100ns'; do
    for trace in "$good/small_18" two; do
        rm -rf part
        # shellcheck disable=SC2086
        expect_good convert "$trace" -o part --to ctf $options
        # shellcheck disable=SC2086
        same_events "$trace" part $options
        expect_good check part
        says_not out 'CTF409\|CTF41' # missing packets, a wrong index
        says_not out '[1-9][0-9]* error'
    done
done
expect 1 convert "$good/rfc_le" -o far --to ctf --name far
same_events "$good/rfc_le" far --name far
expect_good convert "$good/small_18" -o none --to ctf --name nothing
[ "$(ls none)" = metadata ] || complain "files of a trace without events"

# Damage: the packets that can be read are there, and nothing else.
cp -r "$good/small_18" damaged
printf 'XX' | dd of=damaged/ch_1 bs=1 seek=0 conv=notrunc 2>/dev/null
printf 'garbage' >>damaged/ch_0
expect 1 convert damaged -o mended --to ctf
says err 'CTF401'
same "$good/small_18/ch_0" mended/ch_0
same "$good/small_18/index/ch_0.idx" mended/index/ch_0.idx
expect 1 check mended
says out '0 errors'

# Numbered packets, events that tell the lowest 27 bits of their time.
head='trace { major = 1; minor = 8; byte_order = le;
    packet.header := struct { u32 magic; }; };
clock { name = c; freq = 1000000000; };'
types='/* CTF 1.8 */
typealias integer { size = 8; } := u8;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 64; align = 8; } := u64;
typealias integer { size = 32; align = 8; map = clock.c.value; } := t32;
typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;'
events='event { name = a; id = 1; fields := struct { u8 x; }; };
event { name = b; id = 2; fields := struct { u8 x; }; };'
mkdir far_apart unsure
cat >far_apart/metadata <<END
$types
$head
stream {
    packet.context := struct { t64 timestamp_begin; t64 timestamp_end; u32 content_size;
        u32 packet_size; u8 packet_seq_num; u8 events_discarded; };
    event.header := struct {
        enum : integer { size = 5; align = 1; } { compact = 0 ... 30, extended = 31 } id;
        variant <id> {
            struct { integer { size = 27; align = 1; map = clock.c.value; } timestamp; } compact;
            struct { u32 id; t64 timestamp; } extended;
        } v;
    } align(8);
};
$events
END
# packet NUMBER BEGIN END DISCARDED EVENTS: times are 0x10000000 plus a byte of its 4.
packet() {
    bytes c1 1f fc c1 00 00 00 "$2" 00 00 00 00 10 00 00 "$3" 00 00 00 00
    bytes 68 01 00 00 68 01 00 00 "$1" "$4" # 360 bits
    shift 4
    bytes "$*"
}
e1='01 02 00 00 01' # a at +10, x = 1
e2='02 02 00 e0 02' # b at +7000010, x = 2
e3='01 02 00 c0 03' # a at +e000010, x = 3
{
    packet 00 10 1e 00 "$e1 $e2 $e3"
    packet 01 20 2e 00 "02 02 00 00 04 02 02 00 20 05 02 02 00 40 06" # b only
    packet 02 30 3e 02 "$e1 $e2 $e3"
    packet 03 40 4e 03 "02 02 00 00 04 02 02 00 20 05 02 02 00 40 06"
    packet 04 50 5e 03 "$e1 $e2 $e3"
} >far_apart/stream
expect 1 check far_apart
says out '0 errors, 2 warnings, 0 notes in 15 events and 2 marks of loss'
expect 1 convert far_apart -o same --to ctf
same_tree far_apart same
for options in '--name a' '--name b' '--where arg.x==3' '--where arg.x==2' \
    '--where arg.x<3' '--where arg.x>3'; do
    rm -rf part
    # shellcheck disable=SC2086
    expect 1 convert far_apart -o part --to ctf $options
    # shellcheck disable=SC2086
    same_events far_apart part $options
    expect 1 check part
    says_not out 'CTF409' # no packet is missing
    expect_good cat --kind lost part
    says out '2 events lost'
done
# In front of the first packet that is kept, one stays to count from.
rm -rf part
expect_good convert far_apart -o part --to ctf --begin 1100ms
same_events far_apart part --begin 1100ms
expect 0 check part
says out 'CTF412'
says_not out 'CTF40[89]'

# An index leads past a packet that says it is longer than it is: what it leads to is not copied.
mkdir far_apart/index
{
    bytes c1 f1 dc c1 00 00 00 01 00 00 00 01 00 00 00 48
    for entry in '00 10 1e 00 00' '2d 20 2e 00 01' '5a 30 3e 02 02' '87 40 4e 03 03' 'b4 50 5e 03 04'; do
        # shellcheck disable=SC2086
        set -- $entry
        bytes 00 00 00 00 00 00 00 "$1" 00 00 00 00 00 00 01 68 00 00 00 00 00 00 01 68
        bytes 00 00 00 00 "$2" 00 00 00 00 00 00 00 "$3" 00 00 10 00 00 00 00 00 00 00 "$4"
        bytes 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "$5"
    done
} >far_apart/index/stream.idx
expect 1 convert far_apart -o indexed --to ctf
same_tree far_apart indexed
expect_good check indexed
says_not out 'CTF41'
bytes 08 07 | dd of=far_apart/stream bs=1 seek=24 conv=notrunc 2>/dev/null
expect 1 convert far_apart -o short --to ctf --begin 1100ms
says err 'CTF481.*2 events'

# Times that count from the events before, and nothing else: the stream cannot be cut.
cat >unsure/metadata <<END
$types
$head
stream { event.header := struct { u8 id; t32 timestamp; }; };
$events
END
bytes c1 1f fc c1 01 10 00 00 00 01 02 20 00 00 00 02 01 10 00 00 00 03 >unsure/stream
expect 0 convert unsure -o whole --to ctf --name a
says err 'CTF480.*found 1 packet, with 1 event not asked for'
same_tree unsure whole

# Events and nothing around them.
mkdir bare
cat >bare/metadata <<END
/* CTF 1.8 */
typealias integer { size = 8; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { u8 id; }; };
$events
END
bytes 01 01 02 02 01 03 09 >bare/stream
expect 1 convert bare -o part --force --to ctf --name a
bytes 01 01 01 03 >once
same once part/stream

# Packed packets are packed again.
fxt=$SOURCE/src/formats/fxt/good/events.fxt
printf '0123456789abcdef' >key
if "$STELE" convert "$fxt" -o packed --to ctf --to-version rfc --compress gzip --checksum sha1 \
    --to-key-file key 2>err; [ -f packed/metadata ]; then
    expect 0 convert packed -o again --to ctf --key-file key
    same_tree packed again
    expect 0 convert packed -o some --to ctf --key-file key --name name
    expect 0 cat --key-file key --csv --columns=ticks,name,fields packed --name name
    cp out once
    expect 0 cat --key-file key --csv --columns=ticks,name,fields some
    same out once
    expect 0 check --key-file key some
    # Without the key, or with another one: nothing has to be understood of what is only copied.
    expect 0 convert packed -o sealed --to ctf
    says_not err 'CTF312'
    says err 'threads_0:0: note CTF483 .* found 1 copied without being read'
    same_tree packed sealed
    printf 'fedcba9876543210' >other_key
    expect 0 convert packed -o sealed_too --to ctf --key-file other_key
    says_not err 'error'
    same_tree packed sealed_too
    # Among packets that can be read, in front, between and after; damage alone is left out.
    expect_good convert "$fxt" -o mixed --to ctf --to-version rfc
    cat packed/threads_0 mixed/threads_0 packed/threads_0 mixed/threads_0 packed/threads_0 >some_packets
    cp some_packets mixed/threads_0
    expect 0 convert mixed -o mixed_copy --to ctf
    says err 'CTF483 .* found 3 copied'
    same_tree mixed mixed_copy
    printf 'garbage' >>mixed/threads_0
    expect 1 convert mixed -o mixed_mended --to ctf
    says_not err 'CTF312'
    same some_packets mixed_mended/threads_0
    # With filters they are left out: whether they hold what is asked for is not known.
    expect 1 convert mixed -o filtered --to ctf --kind instant
    says err 'CTF312'
    says_not err 'CTF483'
    expect_good check filtered
    says_not out 'CTF312'
    # Packets whose alignment nothing but they themselves tell.
    expect_good convert "$good/rfc_packed" -o fewer --to ctf --name few_b
    says err 'CTF482.*--rfc-alignment=packed'
    expect 0 cat --csv --columns=ticks,name,fields fewer --rfc-alignment=packed --kind instant
    lines out 2
else
    says err 'a build with libbz2 and libcrypto'
fi

finish
