#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The index of a trace that has grown is continued, and is the one that is made anew, byte for byte;
# that of a trace that was replaced is not believed.
. "$SOURCE/tests/cli/lib.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
have python3 || {
    skip "python3 is missing: no trace was made"
    finish
}

# make NAME SEED: some 2 MiB of FXT: two providers, threads and strings that change, disorder, spans
cat >make.py <<'end'
import random, struct, sys
chance = random.Random(sys.argv[2])
words = [0x0016547846040010, 1 | 2 << 4, 1000000000]
def provider(number):
    words.extend([0 | 2 << 4 | 1 << 16 | number << 20 | 4 << 52, int.from_bytes(b"prov\0\0\0\0", "little"),
                  1 | 2 << 4, 1000000000])
def string(index):
    words.extend([2 | 2 << 4 | index << 16 | 8 << 32, int.from_bytes(b"name%04d" % chance.randrange(9999), "little")])
def thread(index):
    words.extend([3 | 3 << 4 | index << 16, 7, 100 + index])
provider(1)
for i in range(1, 4):
    string(i)
    thread(i)
now = 0
for i in range(90000):
    now += chance.randrange(100)
    what = chance.random()
    at = max(now - (chance.randrange(5000) if chance.random() < .1 else 0), 0)
    head = (1 + chance.randrange(3)) << 24 | 1 << 32 | (1 + chance.randrange(3)) << 48
    if what < .001:
        string(1 + chance.randrange(3))
    elif what < .0015:
        thread(1 + chance.randrange(3))
    elif what < .0017 and sys.argv[2] != "1":
        words.extend([0 | 1 << 4 | 2 << 16 | 1 << 20])
    elif what < .3:
        words.extend([4 | 3 << 4 | 4 << 16 | head, at, at + chance.randrange(2000)])
    else:
        words.extend([4 | 2 << 4 | head, at])
open(sys.argv[1], "wb").write(struct.pack(f"<{len(words)}Q", *words))
end

for seed in 1 2 heph; do
    rm -rf grows.fxt grows.fxt.stele-index
    if test $seed = heph; then
        "$STELE" convert --to heph whole.fxt -o whole.heph 2>err || :
        mv whole.heph whole.fxt
    else
        python3 make.py whole.fxt $seed
    fi
    size=$(wc -c <whole.fxt)
    for part in 30 31 55 70 71 99 100; do
        # The end can lie within a record.
        head -c $((size * part / 100)) whole.fxt >>grows.fxt.new
        cat grows.fxt.new >grows.fxt
        rm grows.fxt.new
        "$STELE" cat --begin 1ms --end 1020us grows.fxt >shown 2>shown.err || :
        says_not shown.err STE017
        "$STELE" index grows.fxt >out 2>err || :
        says_not err STE017
        test -s grows.fxt.stele-index || complain "there is no index of $part %" err
        cp grows.fxt.stele-index continued
        rm grows.fxt.stele-index
        "$STELE" cat --begin 1ms --end 1020us grows.fxt >wanted 2>err || :
        same wanted shown
        "$STELE" index grows.fxt >out 2>err || :
        check "$part % of trace $seed has the same index" cmp -s continued grows.fxt.stele-index
    done
done

# A trace that was replaced by a longer one.
python3 make.py whole.fxt 1
head -c 1000000 whole.fxt >other.fxt
"$STELE" index other.fxt >out 2>err || :
python3 make.py other.fxt 3
"$STELE" cat --end 10us other.fxt >out 2>err || :
says err STE017
finish
