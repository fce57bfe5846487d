#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How instructions use memory: each table in each form.
. "$SOURCE/tests/cli/lib.sh"
pairs=$SOURCE/src/formats/xtrace/good/collection

for what in footprint strides reuse sharing contention; do
    expect 0 insn memory --show $what -n 5 "$pairs"
    golden "insn_memory_$what"
    expect 0 insn memory --show $what --json "$pairs"
    documented out
    rows=$(grep -c '^    {' out)
    expect 0 insn memory --show $what --csv "$pairs"
    lines out $((rows + 1))
done

expect 0 insn memory --interval 1000 "$pairs"
golden insn_memory_intervals
expect 0 insn memory --interval 1000 --json "$pairs"
documented out

expect 0 insn memory "$pairs"
mv out one
expect 0 insn memory --threads 3 "$pairs"
same out one

expect 0 insn memory --show reuse --sample 2 --json "$pairs"
says out '"sample": 2'
expect 2 insn memory --show reuse --sample 0 "$pairs"
says err 'takes 1 or more'
expect 2 insn memory --show nothing "$pairs"
finish
