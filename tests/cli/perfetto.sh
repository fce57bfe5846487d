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
finish
