#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# babeltrace2 reads what Stele writes, and prints of it what Stele does: traces made of all formats,
# merges, cuts, and changes of generation, whose environment, log levels and enumerations it prints
# as those of the original. The environment variable BABELTRACE2 names it where PATH does not.
. "$SOURCE/tests/cli/lib.sh"
babeltrace2=${BABELTRACE2:-babeltrace2}
command -v "$babeltrace2" >/dev/null || {
    echo "SKIP: no babeltrace2 (package babeltrace2, or BABELTRACE2=/path/to/it)"
    exit 77
}
good=$SOURCE/src/formats
versions='1.8 2'
"$STELE" convert "$good/ctf/good/small_2" -o probe --to ctf >/dev/null 2>&1
"$babeltrace2" probe >out 2>err || {
    echo "SKIP of CTF 2: $("$babeltrace2" --version | head -1) does not read it, only 1.8 is compared"
    versions=1.8
}

# Before 2.1 several labels of one value stand without braces and in another order, and an empty text
# may show the one that was read before it: lines that have one are left out then.
as_before() {
    if [ "$versions" = 1.8 ]; then
        awk 'FNR == NR { sub(/procname = ""/, ""); if (/ = ""/) has[FNR] = 1; next }
            !(FNR in has)' plain "$1" |
            sed 's/( {* *"[^"]*", "[^:]* : container/( several : container/g'
    else
        cat "$1"
    fi
}

# Names with control characters, and texts with those that turn or break lines, are harmless in
# Stele's lines and raw in those of babeltrace2. What follows a line break in a name begins no line.
cat >harmless.py <<'END'
import re, sys
lines = re.sub(rb'\n(?!\[|\Z)', rb'\\x0a', sys.stdin.buffer.read())
marks = rb'[\0-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
shown = re.sub(marks, lambda at: b''.join(rb'\x%02x' % byte for byte in at.group()), lines)
sys.stdout.buffer.write(shown)
END

# compare NAME: what both print of the trace `written`.
count=0
compare() {
    "$babeltrace2" written >raw 2>err || complain "$1: babeltrace2 ends with $(tail -1 err)"
    python3 harmless.py <raw >bare || complain "$1: lines of babeltrace2"
    "$STELE" cat --ctf-pretty written >plain 2>/dev/null
    same_size=$(($(wc -l <plain) - $(wc -l <bare)))
    [ "$same_size" -eq 0 ] || complain "$1: $same_size lines more than babeltrace2 prints"
    as_before plain >want
    as_before bare >got
    cmp -s want got || {
        diff want got | head -4 | cut -c1-400
        complain "$1: other lines than those of babeltrace2"
    }
    count=$((count + 1))
    lines=$((lines + $(wc -l <got)))
}

lines=0
for version in $versions; do
    for trace in "$good"/fxt/good/*.fxt "$good"/heph/good/*.log "$good"/heph/good/*.heph \
        "$good"/xray/good/*.xray "$good"/xtrace/good/*.bin "$good"/ctf/good/*_2 \
        "$good"/ctf/good/*_18; do
        rm -rf written
        "$STELE" convert "$trace" -o written --to ctf --to-version $version >/dev/null 2>&1
        compare "$(basename "$trace") as CTF $version"
        case $trace in
        *.bin | */no_epoch*) continue ;;
        esac
        rm -rf written cut
        "$STELE" convert --begin 1us --end 300us "$trace" -o written --to ctf \
            --to-version $version >/dev/null 2>&1
        [ ! -e written/metadata ] || compare "a part of $(basename "$trace") as CTF $version"
    done
    for format in heph:rt_scalars.bin.log:rt_arrays.bin.log \
        ctf:lttng_216_18:lttng_216_2 ctf:small_2:small_18; do
        name=${format#*:}
        rm -rf written
        "$STELE" convert "$good/${format%%:*}/good/${name%:*}" "$good/${format%%:*}/good/${name#*:}" \
            -o written --to ctf --to-version $version >/dev/null 2>&1
        case $version:$name in
        1.8:small_2:small_18)
            # The clock of the one that is kept means the time of day by custom alone, so that
            # babeltrace2 does not relate it to the other's: it shows them one by one.
            mv written both
            for part in both/*; do
                mv "$part" written
                compare "$(basename "$part"), merged as CTF $version with another one"
                rm -rf written
            done
            rm -r both
            ;;
        *) compare "$name merged as CTF $version" ;;
        esac
    done
done
[ "$count" -gt 60 ] || complain "only $count traces"
[ "$lines" -gt 1000 ] || complain "only $lines lines"
echo "$count traces, $lines lines"

# What a trace says beside its events, after CTF 2 and back. A clock that means the time of day by
# custom says so then.
details() {
    "$babeltrace2" -c sink.text.details "$1" 2>err | sed '/^  Name: \//d
        s/^\( *Origin is Unix epoch: \).*/\1-/'
}
for name in lttng_216_18 small_18 short_times; do
    rm -rf second written
    "$STELE" convert "$good/ctf/good/$name" -o second --to ctf --to-version 2 >/dev/null 2>&1
    "$STELE" convert second -o written --to ctf --to-version 1.8 >/dev/null 2>&1
    details "$good/ctf/good/$name" >want
    details written >got
    [ "$(wc -l <want)" -gt 40 ] || complain "$name: babeltrace2 prints no details"
    same want got
done

finish
