#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every format through every output for profilers: folded stacks, pprof, Callgrind, speedscope (both forms)
# and the Firefox Profiler have the own times of 'stele profile', OTLP the calls of 'stele calls', which are
# those of the profile and asynchronous operations.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}

sum() { awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$@"; }
is() {
    check "$1 of $trace: $2, profile: $3" test "$2" = "$3"
}

# total NAME DECODER...: of ./out, which the decoder makes folded stacks of
total() {
    name=$1
    shift
    "$@" >folded 2>err || complain "$name of $trace cannot be decoded" err
    is "$name" "$(grep -v '^#' folded | sum)" "$own"
}

profilers() {
    trace=$1
    expect 0 profile --json "$trace"
    python3 -c "
import json, sys
functions = json.load(sys.stdin)['functions']
print(sum(f.get('self_ns', f.get('self_insns', f.get('self_ticks'))) for f in functions), sum(f['count'] for f in functions))" <out >figures
    read -r own calls <figures
    check "$trace has calls" test "$own" -gt 0
    expect 0 flame --format folded "$trace"
    is folded "$(sum out)" "$own"
    expect 0 flame --format pprof --force -o x.pb.gz "$trace"
    total pprof python3 "$SOURCE/tests/cli/profiles.py" x.pb.gz thread
    expect 0 flame --format callgrind --force -o x.callgrind "$trace"
    total callgrind python3 "$SOURCE/tests/cli/profiles.py" x.callgrind
    if have callgrind_annotate; then
        callgrind_annotate x.callgrind 2>err | tr -d , >annotated
        says annotated "^ *$own (100.0%)  PROGRAM TOTALS"
    fi
    expect 0 flame --format speedscope "$trace"
    python3 -c "
import json, sys
print(sum(sum(p['weights']) for p in json.load(sys.stdin)['profiles']))" <out >figures
    is speedscope "$(cat figures)" "$own"
    for form in evented firefox; do
        expect 0 flame --format $form "$trace"
        total $form python3 "$SOURCE/tests/cli/flame_times.py" out
    done
    expect 0 calls --otlp "$trace"
    spans=$(grep -o '"spanId"' out | wc -l)
    expect 0 calls --csv --columns name "$trace"
    check "$spans spans of OTLP are those of calls" test "$spans" -eq $(($(wc -l <out) - 1))
    check "$spans spans of OTLP, $calls calls" test "$spans" -ge "$calls"
}

profilers "$formats/xray/good/exc.14.fdr5.tsc.xray"
profilers "$formats/heph/good/heph_tracing_example.bin.log"
profilers "$formats/fxt/good/events.fxt"
expect 0 convert "$formats/xray/good/exc.14.fdr5.tsc.xray" --to ctf -o made
profilers made
profilers "$formats/xtrace/good/collection"
finish
