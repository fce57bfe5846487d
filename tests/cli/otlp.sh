#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele calls --otlp: what OpenTelemetry's protocol wants, and the spans of --json.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}

for trace in "$xray/exc.14.fdr5.tsc.xray" "$heph/rt_scalars.bin.log" "$heph/rt_arrays.bin.log" \
    "$heph/heph_tracing_example.bin.log" "$fxt/events.fxt" "$fxt/objects.fxt"; do
    expect 0 calls --otlp "$trace"
    mv out x.json
    python3 "$SOURCE/tests/cli/otlp.py" "$STELE" "$trace" x.json >answer 2>&1 ||
        complain "it says something else" answer
done

# Options choose the spans, and none is a file, too.
expect 0 calls --otlp --name 'sending*' "$heph/heph_tracing_example.bin.log"
says out '"name":"sending message"'
says_not out '"name":"receiving message"'
expect 0 calls --otlp --name 'no such name' "$heph/heph_tracing_example.bin.log"
lines out 2

expect 2 calls --otlp --json "$fxt/events.fxt"
expect 2 calls --otlp --columns name "$fxt/events.fxt"
says err 'otlp'
finish
