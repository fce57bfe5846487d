#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The samples of the RFC are what was written by hand, byte for byte.
set -eu
hand=$SOURCE/src/formats/ctf/by_hand
count=0
for hex in "$hand"/*/*.hex; do
    trace=$(basename "$(dirname "$hex")")
    file=$(basename "$hex" .hex)
    sh "$hand/assemble.sh" "$hex" >assembled
    cmp assembled "$SOURCE/src/formats/ctf/good/$trace/$file"
    count=$((count + 1))
done
[ "$count" -ge 4 ] || { echo "found $count files written by hand, expected 4 or more"; exit 1; }
