#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions one after the other. Texts depend on a disassembler and are left out here.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace/good

# Without the text there are fields in JSON that do not depend on it.
expect 0 insn view --json "$xtrace/every_token.xinsndata.bin"
sed -i 's/,"text":"[^"]*"//; s/,"text":null//' out
golden insn_view
expect 0 insn view --csv "$xtrace/levels.xinsndata.bin"
lines out 17
says out '^thread,number,level,pc,opcode,class,text,symbol,loads,stores'
says out '^0,2,1,0xffff800008010004,f9000020,store,.*,,,0xffff800012340000/8=0x000000007ffffff0'
expect 0 insn view "$xtrace/levels.xinsndata.bin"
lines out 17
says out '^        6  EL1  ffff800008000284  d69f03e0  .*  target=0x400004'
says out '^        1  EL1  .*  registers (256 bytes)  system=0x7ffffff0  x0:=0x7ffffff0'
expect 0 insn view -n 3 "$xtrace/collection"
lines out 5
says out '(snapshot 0)'
expect 0 insn view --insns 100 --thread 11796 "$xtrace/collection"
lines out 2
expect 0 insn view --pc 0x400164 "$xtrace/collection" --csv
lines out 2
finish
