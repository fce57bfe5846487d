#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Perfetto's trace_processor finds in Perfetto's own format what Stele finds in the trace, refuses
# nothing of it, and finds what it reads itself from FXT. STELE is the command, SOURCE the repository,
# TRACE_PROCESSOR the path of trace_processor_shell; STELE_SAMPLES may name a folder with more traces.
. "$SOURCE/tests/cli/lib.sh"
samples=$SOURCE/src/formats
[ -n "${TRACE_PROCESSOR:-}" ] && [ -x "$TRACE_PROCESSOR" ] || {
    echo "SKIP: TRACE_PROCESSOR does not name trace_processor_shell"
    exit 77
}
have python3 || {
    echo "SKIP: python3 is not installed"
    exit 77
}

# holds TRACE [direct]
holds() {
    [ -e "$1" ] || return 0
    last="stele convert --to perfetto $1"
    status=0
    "$STELE" convert --force -o x.pftrace "$1" >out 2>err </dev/null || status=$?
    [ "$status" -le 1 ] || complain "exit code $status" err
    python3 "$SOURCE/tests/peers/pftrace.py" "$STELE" "$TRACE_PROCESSOR" "$1" x.pftrace ${2:-} \
        >answer 2>&1 || complain "Perfetto finds something else" answer
}

for trace in "$fxt"/*.fxt; do
    case $trace in
    */hostile_names.fxt | */objects.fxt) ;; # JSON lines and reports escape differently
    */events.fxt) holds "$trace" direct ;;
    *) holds "$trace" ;;
    esac
done
for trace in "$heph"/*.log "$samples"/xray/good/*.xray "$samples"/ctf/good/*/; do
    holds "$trace"
done
if [ -d "${STELE_SAMPLES:-}" ]; then
    for trace in "$STELE_SAMPLES"/fxt/*.fxt "$STELE_SAMPLES"/xray/*.xray "$STELE_SAMPLES"/heph/*.log \
        "$STELE_SAMPLES"/ctf/*.tar.gz "$STELE_SAMPLES"/xtrace/*/; do
        holds "$trace"
    done
else
    skip "the samples are not here"
fi
finish
