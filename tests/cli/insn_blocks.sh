#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Basic blocks: counted by hand for a loop, and the same in parts.
. "$SOURCE/tests/cli/lib.sh"
pairs=$SOURCE/src/formats/xtrace/good/collection

expect 0 insn blocks --csv "$pairs"
golden insn_blocks
mv out one
for threads in 2 3 5 8; do
    expect 0 insn blocks --csv --threads $threads "$pairs"
    same out one
done
# All instructions are in blocks, whatever is selected.
for pc in 0x400120..0x400190 0x400188..; do
    expect 0 insn mix --json --pc "$pc" "$pairs"
    total=$(sed -n 's/^  "insn_count": \(.*\),/\1/p' out)
    expect 0 insn blocks --csv --pc "$pc" "$pairs"
    check "blocks of $pc" [ "$(sed 1d out | awk -F, '{ sum += $6 } END { print sum }')" = "$total" ]
done
expect 0 insn blocks --top 1 "$pairs"
says out '^4,217 instructions in [0-9]* blocks, of which 1 are shown'
says out '^         00000000004001c8  b8607841  '
expect 0 insn blocks --json "$pairs"
documented out
finish
