#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert of CTF to CTF of another generation, and of several traces: packets keep their bytes,
# metadata says all that it can, and what it cannot is counted.
. "$SOURCE/tests/cli/lib.sh"
good=$SOURCE/src/formats/ctf/good

# What happened, without what babeltrace2 orders by generation: the labels of a value.
events() {
    "$STELE" cat --ctf-pretty "$@" 2>/dev/null | sed 's/( {[^{}]*} : container/( several : container/g'
}

# same_packets ONE OTHER: all files but the metadata are the same.
same_packets() {
    diff -r -x metadata "$1" "$2" >differences 2>&1 || complain "packets of $1 and $2 differ" differences
}

# generation TRACE: of its metadata.
generation() {
    grep -q '^/\* CTF 1.8' "$1/metadata" && echo 1.8 || echo 2
}

convert() {
    last="stele convert $*"
    status=0
    "$STELE" convert "$@" >out 2>err </dev/null || status=$?
    [ "$status" -le 1 ] || complain "exit code $status, expected 0 or 1" err
}

# To the other generation and back: the packets are the same files, and the events those of before.
count=0
for sample in lttng_216_18 lttng_216_2 small_18 bit_events short_times; do
    events "$good/$sample" >once
    for version in 2 1.8; do
        rm -rf there
        convert "$good/$sample" -o there --to ctf --to-version $version
        same_packets "$good/$sample" there
        [ "$(generation there)" = "$version" ] || complain "$sample is not CTF $version"
        case $sample-$version in
        lttng_216_2-1.8) ;; # names, BLOBs and labels are others: below
        *)
            events there >twice
            same once twice
            ;;
        esac
    done
    count=$((count + 1))
done
[ "$count" -eq 5 ] || complain "only $count samples"

# All that the metadata says: environment, log levels, ranges, classes without events, clocks.
expect_loss() { # TEXT: it is in the table of losses of the last conversion
    says err "changed: $1"
}
convert "$good/lttng_216_18" -o two --to ctf --to-version 2
says_not err 'UUIDs of clocks'
says_not err 'dropped'
"$STELE" ctf metadata "$good/lttng_216_18" >own
[ "$(grep -c 'event-record-class' two/metadata)" -ge "$(grep -c '^event {' own)" ] ||
    complain "classes of events are missing"
grep -q 'tracer_name' two/metadata || complain "no environment"
grep -q 'log-level' two/metadata || complain "no log levels"
convert two -o back --to ctf --to-version 1.8
"$STELE" ctf metadata back >again
grep 'uuid = "' own >once
grep 'uuid = "' again >twice
same once twice
[ "$(grep -c . once)" -eq 2 ] || complain "no UUIDs of trace and clock"
events "$good/lttng_216_18" >once
events back >twice
same once twice
convert "$good/lttng_216_2" -o old --to ctf --to-version 1.8
expect_loss 'BLOBs (shown as arrays of bytes)'
expect_loss 'attributes of events'
[ "$(events old | wc -l)" -eq "$(events "$good/lttng_216_2" | wc -l)" ] || complain "other events"

# --strict keeps nothing where something is lost.
expect 1 convert "$good/lttng_216_2" -o strict --to ctf --to-version 1.8 --strict
says err 'not written, because of --strict'
[ ! -e strict/metadata ] || complain "written in spite of --strict"

# A part of it: what the copier of one generation does.
for options in '--name text' '--begin 20ns' '--begin 50ns --end 100ns'; do
    rm -rf part
    # shellcheck disable=SC2086
    convert "$good/small_18" -o part --to ctf --to-version 2 $options
    # shellcheck disable=SC2086
    "$STELE" cat --csv --columns=ticks,name,fields "$good/small_18" $options 2>/dev/null |
        grep -v discarded >once
    "$STELE" cat --csv --columns=ticks,name,fields part 2>/dev/null | grep -v discarded >twice
    same once twice
done

# What only this generation can lay out is written anew, and what that costs is told.
convert "$good/small_2" -o anew --to ctf --to-version 1.8
says err 'dropped: entry of the environment'
says err 'changed: clock, replaced by one in nanoseconds'
says err "note CTF484 .* found in 'values': "
convert "$good/small_18" -o rfc --to ctf --to-version rfc
says err 'form: class of events, made anew of the events that there are'

# Merges: traces side by side, each as it was.
convert "$good/small_18" "$good/lttng_216_2" -o merged --to ctf
says_not err 'cannot carry'
same_packets "$good/small_18" merged/small_18
same_packets "$good/lttng_216_2" merged/lttng_216_2
same "$good/small_18/metadata" merged/small_18/metadata
events "$good/small_18" "$good/lttng_216_2" >once
events merged >twice
same once twice
convert "$good/small_18" "$good/lttng_216_18" "$good/lttng_216_2" -o three --to ctf --to-version 2
events "$good/small_18" "$good/lttng_216_18" "$good/lttng_216_2" >once
events three >twice
same once twice

# Of several, only the one that cannot be translated is written anew, and what it loses is said.
rm -rf mixed strict
convert "$good/small_18" "$good/small_2" "$good/lttng_216_18" -o mixed --to ctf --to-version 1.8
says err "small_2: written anew in 'small_2'"
says err 'dropped: entry of the environment'
lines_of=$(grep -c 'note CTF484' err) || true
[ "$lines_of" = 1 ] || complain "CTF484 is reported $lines_of times" err
for name in small_18 lttng_216_18; do
    same_packets "$good/$name" "mixed/$name"
    same "$good/$name/metadata" "mixed/$name/metadata"
done
when_and_what='s/^\(\[[0-9:.]*\]\) ([^)]*) \([a-z]* \)*\([a-z:_]*\): .*/\1 \3/'
events "$good/small_18" "$good/small_2" "$good/lttng_216_18" | sed "$when_and_what" >once
events mixed | sed "$when_and_what" >twice
same once twice
says once '^\[22:13:20.070006000\] values$'
expect 1 merge "$good/small_18" "$good/small_2" -o strict --to-version 1.8 --strict
says err "not written, because of --strict"
[ ! -e strict ] || complain "--strict has left its output"
# The second reading is of the same events: with a filter, too, and in a range.
convert "$good/small_18" "$good/small_2" -o some --to ctf --to-version 1.8 --where 'name != "values"' \
    --begin 1ms
events "$good/small_18" "$good/small_2" --where 'name != "values"' --begin 1ms >once
events some >twice
same once twice

# Shifted, the clocks are.
for shift in '3.5s' '-20ms' '1ns'; do
    rm -rf shifted
    convert "$good/small_18" "--offset=$shift" "$good/lttng_216_18" -o shifted --to ctf
    same_packets "$good/small_18" shifted/small_18
    events "$good/small_18" "--offset=$shift" "$good/lttng_216_18" >once
    events shifted >twice
    same once twice
done
rm -rf shifted
convert --align-start "$good/small_18" "$good/lttng_216_18" -o shifted --to ctf
events --align-start "$good/small_18" "$good/lttng_216_18" >once
events shifted >twice
same once twice
convert "$good/lttng_216_18" --clock-offset=7 -o later --to ctf
events --clock-offset=7 "$good/lttng_216_18" >once
events later >twice
same once twice

# Traces of one name have folders of their own.
mkdir -p a/x b/x
cp -r "$good/small_18/." a/x
cp -r "$good/lttng_216_18/." b/x
convert a/x b/x -o names --to ctf
[ -f names/x/metadata ] || complain "no folder x"
[ -f names/x-2/metadata ] || complain "no folder x-2"

# A clock that ticks more slowly cannot be shifted by any time.
sed 's/freq = [0-9]*/freq = 1000/' "$good/lttng_216_18/metadata" >slow.metadata
mkdir slow
cp -r "$good/lttng_216_18/." slow
cp slow.metadata slow/metadata
convert "$good/small_18" slow --offset=1ns -o rounded --to ctf
says err 'dropped: shift of less than a tick of the clock'

# Times that count on in CTF 1.8 begin at 0 with each packet of CTF 2.
bytes() {
    for byte in $*; do
        # shellcheck disable=SC2059
        printf "\\$(printf %o "0x$byte")"
    done
}
mkdir low
cat >low/metadata <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
    packet.header := struct { integer { size = 32; } magic; }; };
clock { name = c; freq = 1000000000; };
stream {
    packet.context := struct { integer { size = 64; } timestamp_end; integer { size = 8; } packet_size; };
    event.header := struct { integer { size = 8; map = clock.c.value; } timestamp; };
};
event { name = e; fields := struct { integer { size = 8; } x; }; };
END
{
    bytes "c1 1f fc c1 00 00 00 00 00 00 00 00 88 10 01 20 02"
    bytes "c1 1f fc c1 00 00 00 00 00 00 00 00 88 30 03 40 04"
} >low/s
convert low -o low_2 --to ctf --to-version 2
same_packets low low_2

finish
