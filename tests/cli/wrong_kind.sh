#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands that are about one kind of traces end with 2 and say so where a trace is of another kind,
# in all forms of output; a stretch without such events is an empty result.
. "$SOURCE/tests/cli/lib.sh"
calls=$heph/heph_tracing_example.bin.log
insns=$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin

# refuses TRACE WHAT COMMAND...
refuses() {
    trace=$1
    what=$2
    shift 2
    expect 2 "$@" "$trace"
    says err "^stele: $trace has no $what\$"
    silent out
}

for trace in "$calls" "$insns" "$fxt/providers.fxt"; do
    for form in "" "--json" "--show states --csv" "--show cpus" "--every 1ms"; do
        # shellcheck disable=SC2086
        refuses "$trace" scheduling sched $form
    done
    for form in "" "--json" "--show syscalls --csv" "--by-thread"; do
        # shellcheck disable=SC2086
        refuses "$trace" 'events of a kernel' kernel $form
    done
done
for command in mix branches blocks syscalls calls cache; do
    refuses "$calls" instructions insn "$command"
    refuses "$fxt/scheduling.fxt" instructions insn "$command"
done

expect 2 insn regs "$calls"
says err 'has no instructions and no snapshots$'
expect 2 sched "$calls" "$calls"
says err '^stele: none of the 2 traces has scheduling$'
expect 0 sched --begin 100s "$calls"
says out '^No scheduling$'
expect 0 kernel --begin 100s "$calls"
says out '^No events of a kernel$'
finish
