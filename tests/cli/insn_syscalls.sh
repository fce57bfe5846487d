#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# System calls of a trace: lines, JSON, the summary.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace/good

expect 0 insn syscalls "$xtrace/every_token.xinsndata.bin"
golden insn_syscalls
expect 0 insn syscalls "$xtrace/levels.xinsndata.bin"
golden insn_syscalls_late
expect 0 insn syscalls --summary "$xtrace/every_token.xinsndata.bin" "$xtrace/levels.xinsndata.bin"
golden insn_syscalls_summary
expect 0 insn syscalls --summary --json "$xtrace/levels.xinsndata.bin"
documented out
expect 0 insn syscalls --json "$xtrace/every_token.xinsndata.bin"
says out '^{"thread":.*"arguments":\[.*\]'
if have jq; then
    check 'lines of JSON' jq -e . out >/dev/null
else
    skip 'no jq: the JSON was not read by another program'
fi
expect 2 insn syscalls --csv "$xtrace/levels.xinsndata.bin"
says err 'is for --summary'
finish
