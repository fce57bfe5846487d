#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: hashes.sh ROOT
# What comes from an input is hashed with a key (core/hash.h): an input could be made of which
# everything falls into one slot of a table. Where there is no key, there is no table, or one that
# holds a bounded number for each slot.
set -eu
cd "$1"
allowed='^src/(core/hash\.[ch]|formats/ctf/write/writer_packets\.c|analysis/insn/insn_reuse\.c):'   # ids, samples
allowed="$allowed|^src/(sinks/(chrome_links|chrome_spans|perfetto|perfetto_spans)\\.c|formats/fxt/read/state\\.c):"             # caches
allowed="$allowed|^src/(a64/a64\\.h|analysis/insn/cache\\.c):"                          # a cache, chance
allowed="$allowed|^src/formats/(fxt|ctf)/read/index\\.c:"                  # identities, of no table
allowed="$allowed|^src/formats/ctf/records/(compile|labels)\\.c:"                            # addresses
allowed="$allowed|^src/analysis/events/verify_side\\.c:"                     # numbers to compare, of no table
allowed="$allowed|^src/model/saved_index\\.c:"                              # the name of a file
found=$(grep -rnE '\bhash_(bytes|u64)\(|9e3779b' src --include='*.[ch]' |
    grep -vE "$allowed" | grep -v '^src/formats/heph/read/names\.h:' || :)
if [ -n "$found" ]; then
    echo "hashes without a key (core/hash.h; uses that are no tables are listed in tests/format/hashes.sh):"
    echo "$found"
    exit 1
fi
echo "all tables over inputs have keys"
