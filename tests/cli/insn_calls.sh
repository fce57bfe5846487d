#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls and branches made of instructions.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace/good
pairs=$xtrace/collection

# Exceptions are calls of their handlers; the way back ends them.
expect 0 insn calls --min-share 0 "$xtrace/levels.xinsndata.bin"
golden insn_calls
expect 0 insn calls --format folded "$xtrace/levels.xinsndata.bin"
check 'every instruction once' [ "$(awk '{ sum += $NF } END { print sum }' out)" = 16 ]
expect 0 insn calls --format folded --thread 11796 "$pairs"
check 'every instruction once' [ "$(awk '{ sum += $NF } END { print sum }' out)" = 2991 ]
expect 0 insn calls --level 1 --format folded "$xtrace/levels.xinsndata.bin"
check 'those that are wanted' [ "$(awk '{ sum += $NF } END { print sum }' out)" = 6 ]
expect 0 insn calls -o calls.svg "$pairs"
silent out
says calls.svg '^<svg'
expect 4 insn calls -o calls.svg "$pairs"
expect 0 insn calls -o calls.json "$xtrace/levels.xinsndata.bin"
check 'as many ends as begins' [ "$(grep -o '"ph":"B"' calls.json | wc -l)" = "$(grep -o '"ph":"E"' calls.json | wc -l)" ]
expect 1 convert -o spans.json "$xtrace/levels.xinsndata.bin"
same spans.json calls.json
expect 1 convert -o instants.json --kind insn "$xtrace/levels.xinsndata.bin"
check 'each instruction, where they are asked for' [ "$(grep -c '"ph":"i"' instants.json)" = 16 ]
expect 0 insn calls --format speedscope "$pairs"
says out speedscope

expect 0 insn branches --csv "$pairs"
golden insn_branches
expect 0 insn branches --csv --kind indirect "$xtrace/levels.xinsndata.bin"
lines out 2
says out '^0xffff800008000284,,d61f0020,branch-indirect,1,1,0,0,1,0xffff800008012344,1'
expect 0 insn branches --top 2 "$pairs"
says out '^       executed    taken        changes  branch (2 of [0-9]*)$'
lines out 4
expect 0 insn branches --json "$pairs"
documented out
finish
