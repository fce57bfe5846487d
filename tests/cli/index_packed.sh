#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packed traces of several parts that can be unpacked on their own (frames of zstd, members of bgzip):
# they are read anywhere, have an index as plain ones have, and say the same as those.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
have python3 || {
    skip "python3 is missing: nothing was packed"
    finish
}
rm -rf cache traces
mkdir traces

# pack NAME: NAME.gz of members as bgzip writes them, and NAME.parts/ of what is in each
cat >pack.py <<'end'
import os, sys, zlib
name = sys.argv[1]
data = open(name, "rb").read()
size = max(len(data) // 9, 1)
parts = [data[i:i + size] for i in range(0, len(data), size)]
os.mkdir(name + ".parts")
with open(name + ".gz", "wb") as out:
    for i, part in enumerate(parts + [b""]):
        if part:
            open(f"{name}.parts/{i:03}", "wb").write(part)
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = deflate.compress(part) + deflate.flush()
        out.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + (len(body) + 25).to_bytes(2, "little"))
        out.write(body + zlib.crc32(part).to_bytes(4, "little") + len(part).to_bytes(4, "little"))
end

# show TRACE NAME: all that is shown of ranges, with the trace called the same
show() {
    for range in '--begin 40ns --end 90us' '--begin -10us' '--end 20us'; do
        # shellcheck disable=SC2086
        "$STELE" cat --json $range "$1"
        # shellcheck disable=SC2086
        "$STELE" profile --json $range "$1"
    done 2>&1 | sed "s,$1,TRACE,g" | grep -vE '"(size|stored|packing|bytes)' >"$2" || :
}

for sample in heph/good/heph_tracing_example.bin.log xray/good/tail.14.fdr5.tsc.xray fxt/good/events.fxt \
    fxt/good/scheduling.fxt xtrace/good/levels.xinsndata.bin; do
    name=traces/$(basename $sample)
    cp "$formats/$sample" "$name"
    python3 pack.py "$name"
    show "$name" plain
    rm -f "$name.zst"
    if have zstd; then
        for part in "$name".parts/*; do
            zstd -q -c "$part" >>"$name.zst"
        done
    fi
    for packed in "$name.gz" "$name.zst"; do
        test -s "$packed" || continue
        show "$packed" without
        same plain without
        expect 0 index "$packed"
        says_not err 'cannot begin'
        show "$packed" with
        same plain with
    done
done

# The index of a larger one has blocks, and ranges are read by them.
"$STELE" convert --to fxt "$formats/heph/good/heph_tracing_example.bin.log" -o traces/small.fxt 2>err
python3 - <<'end'
import struct
head = [0x0016547846040010, 1 | 2 << 4, 1000000000, 3 | 3 << 4 | 1 << 16, 7, 9,
        2 | 2 << 4 | 1 << 16 | 6 << 32, int.from_bytes(b"moment\0\0", "little")]
moment = 4 | 2 << 4 | 1 << 24 | 1 << 48
with open("traces/large.fxt", "wb") as file:
    file.write(struct.pack(f"<{len(head)}Q", *head))
    file.write(b"".join(struct.pack("<QQ", moment, i) for i in range(100000)))
end
python3 pack.py traces/large.fxt
"$STELE" cat --begin 90us --end 90010ns traces/large.fxt >plain
expect 0 index traces/large.fxt
cp traces/large.fxt.stele-index plain.index
expect 0 index traces/large.fxt.gz
check "the index of a packed trace has what that of the plain one has" \
    test "$(wc -c <traces/large.fxt.gz.stele-index)" -ge $(($(wc -c <plain.index) - 64))
expect 0 cat --begin 90us --end 90010ns traces/large.fxt.gz
same plain out

# One part: it has an overview, and it is said that reading cannot begin in the middle, and why.
gzip -c traces/large.fxt >traces/single.fxt.gz
expect 0 index traces/single.fxt.gz
says err 'packed as one part'
expect 0 cat --begin 90us --end 90010ns traces/single.fxt.gz
same plain out

# A part that is damaged is reported, also where it lies in a range, and nothing hangs.
python3 - <<'end'
data = bytearray(open("traces/large.fxt.gz", "rb").read())
data[len(data) // 2] ^= 0x55
open("traces/damaged.fxt.gz", "wb").write(data)
end
"$STELE" cat traces/damaged.fxt.gz >out 2>err || :
says err STE003
"$STELE" cat --begin 90us --end 90010ns traces/damaged.fxt.gz >out 2>err || :
same plain out
finish
