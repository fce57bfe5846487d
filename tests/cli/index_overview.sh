#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Overviews in index files: of samples of all formats, sound or not, the same is shown and said with an index
# and without; a damaged one is never believed.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
rm -rf cache traces
mkdir traces

# show TRACE NAME: what is drawn, what is reported, and the exit code
show() {
    code=0
    "$STELE" timeline --json --tracks 0 "$1" >"$2" 2>"$2.err" || code=$?
    echo "$code" >>"$2"
    cat "$2.err" >>"$2"
}
count=0
seen=0
for sample in "$formats"/*/good/* "$formats"/*/bad/*; do
    case $sample in
    *.pretty* | *EXPECT | *NEEDS | *README*) continue ;;
    esac
    seen=$((seen + 1))
    test $((seen % 3)) -eq 0 || continue
    trace=traces/sample
    rm -rf $trace $trace.stele-index
    cp -r "$sample" $trace
    show $trace without
    "$STELE" index $trace >out 2>err || :
    test -s out || continue
    count=$((count + 1))
    show $trace with
    same without with
done
check "most samples have an index" test "$count" -gt 50

# Packed traces have one, too, and traces of several providers.
gzip -c "$formats/fxt/good/scheduling.fxt" >traces/packed.fxt.gz
show traces/packed.fxt.gz without
expect 0 index traces/packed.fxt.gz
check "a packed trace has an index" test -s traces/packed.fxt.gz.stele-index
show traces/packed.fxt.gz with
same without with

# A byte changed anywhere after the header, or the end cut off: it is said, and the trace is read, or
# what is not valid is refused when it is asked for.
cp "$formats/heph/good/heph_tracing_example.bin.log" traces/a.bin.log
show traces/a.bin.log without
expect 0 index traces/a.bin.log
cp traces/a.bin.log.stele-index kept
size=$(wc -c <kept)
at=60
while [ $at -lt "$size" ]; do
    cp kept traces/a.bin.log.stele-index
    printf x | dd of=traces/a.bin.log.stele-index bs=1 seek=$at conv=notrunc 2>err
    "$STELE" timeline --json --tracks 0 traces/a.bin.log >with 2>err || :
    if grep -q STE017 err; then
        head -n "$(wc -l <with)" without >wanted
        same wanted with
    fi
    at=$((at + size / 40 + 1))
done
head -c $((size / 2)) kept >traces/a.bin.log.stele-index
expect 0 timeline traces/a.bin.log
says err STE017

# What changed since is read.
cp kept traces/a.bin.log.stele-index
head -c 100 traces/a.bin.log >>traces/a.bin.log
"$STELE" timeline traces/a.bin.log >out 2>err || :
says err STE017
finish
