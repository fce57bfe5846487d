#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Perfetto's own format: every sample is read back by a decoder that knows the wire format only, and
# holds what stele says of it.
. "$SOURCE/tests/cli/lib.sh"
samples=$SOURCE/src/formats
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}

# holds TRACE OPTION...
holds() {
    trace=$1
    shift
    status=0
    last="stele convert --to perfetto $* $trace"
    "$STELE" convert --force -o x.pftrace "$@" "$trace" >out 2>err </dev/null || status=$?
    [ "$status" -le 1 ] || complain "exit code $status" err
    python3 "$SOURCE/tests/cli/perfetto.py" "$STELE" "$trace" x.pftrace "$@" >answer 2>&1 ||
        complain "it says something else" answer
}

for trace in "$fxt"/*.fxt "$heph"/*.log "$samples"/xray/good/*.xray "$samples"/ctf/good/*/; do
    case $trace in
    */hostile_names.fxt | */objects.fxt) continue ;; # JSON lines and reports escape differently
    esac
    holds "$trace"
done

# Calls of instructions, by both commands that draw them.
expect 1 convert -o calls.pftrace "$samples/xtrace/good/collection"
"$STELE" insn calls "$samples/xtrace/good/collection" -o insn.pftrace >out 2>err </dev/null
check "both are the same" cmp calls.pftrace insn.pftrace

# Switches and wake-ups of a kernel are the scheduler's, whose fields say no more than that.
. "$SOURCE/tests/cli/lib_kernel_made.sh"
"$STELE" convert -o kernel.pftrace trace >out 2>err </dev/null
python3 "$SOURCE/tests/cli/perfetto.py" "$STELE" trace kernel.pftrace >answer 2>&1 ||
    complain "kernel: it says something else" answer
says answer ' 5 instants,.* 5 switches$'

# Names of files tell the format, as --to does.
"$STELE" convert --to perfetto -o - "$fxt/events.fxt" >a.pftrace 2>err </dev/null
"$STELE" convert -o b.perfetto-trace "$fxt/events.fxt" >out 2>err </dev/null
check "the name tells the format" cmp a.pftrace b.perfetto-trace
finish
