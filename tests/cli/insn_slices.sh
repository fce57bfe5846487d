#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What other programs take from a trace: basic-block vectors, registers, memory.
. "$SOURCE/tests/cli/lib.sh"
pairs=$SOURCE/src/formats/xtrace/good/collection

expect 0 insn bbv --interval 1000 "$pairs"
golden insn_bbv
expect 0 insn bbv --interval 1000 -o vectors "$pairs"
silent out
cp vectors out
golden insn_bbv
expect 4 insn bbv -o vectors "$pairs"
expect 0 insn bbv -f -o vectors "$pairs"
expect 2 insn bbv --interval 0 "$pairs"
says err 'takes 1 or more'

expect 0 insn regs --thread 11796 "$pairs"
says out '^thread 11796, snapshot 0: after 0 instructions'
says out '^sp          0x00'
says out '^daif '
expect 0 insn regs --thread 11796 --snapshots 0..1 "$pairs"
golden insn_regs
expect 0 insn regs --json --snapshots 1 "$pairs"
documented out
expect 0 insn regs --json --snapshots 0..1 "$pairs"
documented out
# The registers at an instruction are those of the last snapshot that is not after it.
expect 0 insn regs --thread 11796 --snapshots 1 "$pairs"
cp out second
before=$(sed -n 's/.*after \([0-9,]*\) instructions.*/\1/p' second | tr -d ,)
expect 0 insn regs --thread 11796 --insns "$before" "$pairs"
cmp out second
expect 0 insn regs --thread 11796 --insns $((before + 1)) "$pairs"
says out "the last snapshot before instruction .*, 1 instruction earlier"
sed 2d out | cmp - second
expect 0 insn regs --thread 11796 --insns $((before - 1)) "$pairs"
says out '^thread 11796, snapshot 0: after 0 instructions'
expect 0 insn regs --json --insns 3 "$pairs"
documented out
expect 2 insn regs --insns 3..5 "$pairs"
expect 2 insn regs --insns 3 --snapshots 1 "$pairs"
for selection in '--pc 0x400000' '--symbol main' '--level 1'; do
    # shellcheck disable=SC2086
    expect 2 insn regs $selection "$pairs"
    says err 'selects instructions'
done
expect 1 insn regs --snapshots 77 "$pairs"
says err 'no thread has such a snapshot'
expect 2 insn regs --snapshots 1.. "$pairs"

expect 0 insn image -o core --thread 11796 --snapshots 1.. "$pairs"
says err '^stele: [0-9]* pages of [0-9]* known bytes; [0-9]* bytes were written first'
if have readelf; then
    readelf -hlnW core >out 2>err
    says out 'CORE (Core file)'
    says out 'AArch64'
    says out 'NT_PRSTATUS'
    says out 'LOAD .*0x0000000000400000'
else
    skip 'no readelf: the core was not read by another program'
fi
expect 0 insn image --format raw -o raw --thread 11796 "$pairs"
check 'whole pages' test $(($(wc -c <raw) % 4104)) -eq 0
expect 0 insn image -f -o core --insns 10..20 --thread 11796 "$pairs"
says err 'its registers are 0'
expect 2 insn image "$pairs"
says err '^stele: --output is missing'
finish
