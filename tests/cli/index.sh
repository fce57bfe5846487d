#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Indexes that are kept: ranges are shown the same with and without, stale ones are not believed, and
# only indexes are removed.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
rm -rf cache traces
mkdir traces
cp "$formats/heph/good/heph_tracing_example.bin.log" traces/a.bin.log
cp "$formats/xray/good/tail.14.fdr5.tsc.xray" traces/b.xray
cp "$formats/xtrace/good/levels.xinsndata.bin" traces/c.xinsndata.bin
mkdir traces/d
cp "$formats"/xtrace/good/threads/* traces/d

# show TRACE: what a range has, and what is open when it begins
show() {
    "$STELE" cat --json --begin 40ns --end 90us "$1" 2>&1
    "$STELE" profile --json --begin 40ns --end 90us "$1" 2>&1
}
for trace in traces/a.bin.log traces/b.xray traces/c.xinsndata.bin traces/d; do
    show $trace >without
    for option in '' --cache; do
        # shellcheck disable=SC2086
        expect 0 index $option $trace
        index=$(cat out)
        check "there is an index of $trace" test -s "$index"
        show $trace >with
        same without with
        cp "$index" kept
        printf x | dd of="$index" bs=1 seek=30 conv=notrunc 2>err
        expect 0 cat --json --begin 40ns --end 90us $trace
        says err STE017
        cp kept "$index"
        # shellcheck disable=SC2086
        expect 0 index --remove $option $trace
        check "the index of $trace is gone" test ! -e "$index"
    done
done

# In the cache, nobody else reads them; commands that are not asked to write none.
expect 0 index --cache traces/a.bin.log
check "the folder is its owner's" test "$(stat -c %a cache/stele)" = 700
check "the index is its owner's" test "$(stat -c %a "$(cat out)")" = 600
rm -r cache
expect 0 info traces/a.bin.log
check "no index is made without being asked" test ! -e cache

# What is none is not removed, nor what a link leads to.
echo mine >traces/a.bin.log.stele-index
expect 0 index --remove traces/a.bin.log
same traces/a.bin.log.stele-index - <<end
mine
end
rm traces/a.bin.log.stele-index
expect 0 index traces/a.bin.log
mv traces/a.bin.log.stele-index real
ln -s ../real traces/a.bin.log.stele-index
expect 0 index --remove traces/a.bin.log
check "a link stays" test -L traces/a.bin.log.stele-index

# Killed at any moment, it leaves no index that is not whole.
rm traces/a.bin.log.stele-index
for delay in 0 0.001 0.002 0.004 0.008; do
    "$STELE" index traces/a.bin.log >out 2>err &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null || :
    wait $process 2>/dev/null || :
    expect 0 cat --json --begin 40ns traces/a.bin.log
    says_not err STE017
done
finish
