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
says err 'changed: an output whose value is not known, left out'
{ od -An -v -tx1 -w16 -N 256 out.cvp && cksum <out.cvp; } >out
golden cvp
# A value that is not known is not written as one: flags, which nothing recorded. The instructions are
# mov x0, #5; subs x1, x0, #5; adds x2, x0, #7; csel x3, x0, x1, eq, with the flags that it found.
{
    printf '\011\324\000\100\000\000\000\000\000\240\000\200\322'
    printf '\001\001\024\000\361'
    printf '\001\002\034\000\261'
    printf '\001\003\000\201\232\034\000\000\000\000\000\000\000\000'
} >flags.xinsndata.bin
expect 1 convert -o flags.cvp flags.xinsndata.bin
says err ' 2  insn .*an output whose value is not known, left out'
od -An -v -tx1 -w16 flags.cvp >out
golden cvp_flags
# A program counter that no instruction leads to is a signal's handler, whose registers are others.
{
    printf '\011\000\020\100\000\000\000\000\000\240\000\200\322' # mov x0, #5
    printf '\011\000\040\100\000\000\000\000\000\001\004\000\221' # add x1, x0, #1, elsewhere
} >signal.xinsndata.bin
expect 1 convert -o signal.cvp signal.xinsndata.bin
says err ' 1  insn .*an output whose value is not known, left out'
expect 1 convert -o every.champsim "$xtrace/every_token.xinsndata.bin"
expect 2 convert -o events.cvp "$fxt/events.fxt"
says err 'can hold none of these events'
check 'nothing of other traces' test ! -s events.cvp
finish
