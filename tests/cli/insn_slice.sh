#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele insn slice, split, join.
. "$SOURCE/tests/cli/lib.sh"
pairs=$SOURCE/src/formats/xtrace/good/collection

expect 0 insn split --every 1 -o split "$pairs"
check "a directory for each slice" [ "$(ls split | tr '\n' ' ')" = '000000 000001 ' ]
expect 0 check split/000000 split/000001
expect 0 insn join -o joined split/000000 split/000001
check "joined it is what it was" diff -r joined "$pairs"

expect 0 insn slice --snapshots 1..1 -o one "$pairs"
check "a slice of one snapshot is what split makes" diff -r one split/000001
expect 0 insn slice --global -o all "$pairs"
check "the global snapshot is the first one" diff -r all "$pairs"

# With the memory that it begins with.
expect 0 insn slice --snapshots 1.. --image core -o imaged "$pairs"
expect 0 insn image -o memory.core one
check "the image is that of the slice" cmp imaged/memory.core memory.core
rm imaged/memory.core
check "which is the same" diff -r imaged one
expect 0 insn slice --snapshots 1.. --image raw -o raw "$pairs"
check "or raw pages" [ "$(($(wc -c <raw/memory.raw) % 4104))" = 0 ]

# A thread that ends before is told of.
mkdir short
cp one/*11787* short
cp "$pairs"/*11796* short
expect 0 insn slice --snapshots 1.. -o later short
says err 'note XTR015 .*snapshots: 1'
check "the other one is there" [ "$(ls later | wc -l)" = 2 ]

# Nothing is replaced, or left, by accident.
expect 4 insn slice -o one "$pairs"
expect 0 insn slice --force --snapshots 1 -o one "$pairs"
expect 2 insn slice --snapshots 2.. -o none "$pairs"
says err 'expected a thread with such snapshots'
expect 2 insn slice "$pairs"
says err 'output is missing'
expect 2 insn split --every 0 -o none "$pairs"
expect 2 insn slice -o none "$heph/doc_example.bin.log"
says err 'expected an xtrace trace, found heph'
expect 2 insn join -o none "$pairs" "$heph/doc_example.bin.log"
expect 2 insn join -o none split/000000 "$SOURCE/src/formats/xtrace/good/levels.xinsndata.bin"
says err 'expected the threads of the first slice'
expect 3 insn join -o none "$pairs" nothing
check "nothing is left" [ ! -e none ]
finish
