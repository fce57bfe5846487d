#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of instructions for simulators: record by record, and what they cannot carry.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace/good
pairs=$xtrace/collection

# record N: the 64 bytes of a record of ./out.champsim, in 8 lines.
record() {
    od -An -v -tx1 -w8 -j $((64 * $1)) -N 64 out.champsim
}

expect 1 convert --track 11796 -o out.champsim "$pairs"
says err 'dropped: the kind'
says_not err 'another thread'
check 'a record for each instruction' test "$(wc -c <out.champsim)" -eq $((64 * 2991))
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do record $i; done >records
mv records out
golden champsim
expect 1 convert -o both.champsim "$pairs"
says err 'dropped: another thread than the first'
expect 1 convert --track 11796 -o out.cvp "$pairs"
says err 'changed: the value of a register, written as 0'
{ od -An -v -tx1 -w16 -N 256 out.cvp && cksum <out.cvp; } >out
golden cvp
expect 1 convert -o every.champsim "$xtrace/every_token.xinsndata.bin"
expect 1 convert -o events.cvp "$fxt/events.fxt"
check 'nothing of other traces' test ! -s events.cvp
finish
