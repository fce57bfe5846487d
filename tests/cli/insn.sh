#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands over instructions: selecting them, and the same result in parts.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace/good
pairs=$xtrace/collection

# total OPTIONS... gives the number of instructions that pass.
total() {
    expect 0 insn mix --json "$@"
    sed -n 's/^  "insn_count": \([0-9]*\),/\1/p' out
}

check 'all threads' [ "$(total "$pairs")" = 4217 ]
check 'one thread' [ "$(total --thread 11796 "$pairs")" = 2991 ]
check 'two threads' [ "$(total --thread 11796 --thread 11787 "$pairs")" = 4217 ]
check 'a range of numbers in each' [ "$(total --insns 10..19 "$pairs")" = 20 ]
check 'numbers from' [ "$(total --insns 2981.. --thread 11796 "$pairs")" = 10 ]
check 'numbers up to' [ "$(total --insns ..4 --thread 11796 "$pairs")" = 5 ]
check 'after a snapshot' [ "$(total --snapshots 1 --thread 11796 "$pairs")" = 991 ]
check 'after snapshots' [ "$(total --snapshots ..1 --thread 11796 "$pairs")" = 2991 ]
check 'an address' [ "$(total --pc 0x400120 --thread 11796 "$pairs")" = 1 ]
check 'all levels' [ "$(total "$xtrace/levels.xinsndata.bin")" = 16 ]
check 'user mode' [ "$(total --level 0 "$xtrace/levels.xinsndata.bin")" = 7 ]
check 'the kernel and above' [ "$(total --level 1 --level 2 --level 3 "$xtrace/levels.xinsndata.bin")" = 9 ]

# What info counts without events is what it counts with them.
for trace in "$xtrace"/*.bin "$pairs" "$xtrace/snapshots" "$SOURCE"/src/formats/xtrace/bad/*.bin; do
    "$STELE" info --json --where true "$trace" >wanted 2>complaints
    for threads in 1 3; do
        "$STELE" info --json --threads $threads "$trace" >out 2>err
        same out wanted
        same err complaints
    done
done

for by in class opcode level; do
    expect 0 insn mix --by "$by" --csv "$pairs"
    mv out one
    for threads in 2 3 7; do
        expect 0 insn mix --by "$by" --csv --threads "$threads" "$pairs"
        same out one
    done
done
expect 0 insn mix --threads 3 "$pairs"
golden insn_mix
expect 0 insn mix --json "$pairs"
documented out

refused() {
    pattern=$1
    shift
    expect 2 insn "$@"
    silent out
    says err "$pattern"
}
refused 'no command given'
refused "did you mean 'mix'" mxi "$pairs"
refused 'TRACE... is missing' mix
refused 'has no instructions' mix "$heph/doc_example.bin.log"
refused 'no such thread' mix --thread 5 "$pairs"
refused 'takes FIRST..LAST' mix --insns 5..3 "$pairs"
refused 'takes FIRST..LAST' mix --pc 0x..5 "$pairs"
refused 'takes 0, 1, 2 or 3' mix --level 4 "$pairs"
refused "no function 'x'" mix --symbol x "$pairs"
refused 'exclude each other' mix --json --csv "$pairs"
expect 3 insn mix --binary nothing "$pairs"
grep -q SYM002 err || says err STE001 # a build without elfutils reads no binary at all
# A binary that is not the one that was traced is said to name nothing, in every command.
if ! grep -q SYM002 err; then
    for command in 'insn mix' 'insn blocks' 'insn view' 'insn memory' 'insn mix -j 4'; do
        expect 0 $command --binary "$STELE" "$pairs"
        says err 'SYM006'
        says err 'executed were 0x'
    done
    expect 0 insn view --limit 1 --binary "$STELE" "$pairs" # of the rest nothing is known
    silent err
fi
# What no binary can name, or no binary was given for, is said.
expect 0 insn mix --by symbol "$pairs"
says err 'functions have names where --binary'
expect 0 cat --binary "$STELE" "$pairs"
says err "--binary named nothing: 'cat' shows no function of this input"
expect 0 profile --binary "$STELE" "$heph/doc_example.bin.log"
says err "--binary named nothing: 'profile' shows no function of this input"
expect 0 help insn mix
says out '^Usage: stele insn mix \[OPTIONS\] TRACE'
expect 0 insn --help
says out '^  mix  '
finish
