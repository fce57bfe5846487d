#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The schema of traces: info --fields.
. "$SOURCE/tests/cli/lib.sh"
ctf=$SOURCE/src/formats/ctf/good
xray=$SOURCE/src/formats/xray/good

expect 0 info --fields "$ctf/lttng_216_2"
sed -n '/^Fields/,$p' out >fields && mv fields out
golden info_fields_ctf
expect 0 info --fields "$fxt/events.fxt"
sed -n '/^Fields/,$p' out >fields && mv fields out
golden info_fields_fxt
expect 0 info --fields --json "$heph/heph_tracing_example.bin.log"
sed -n '/^ *"events"/,$p' out >fields && documented fields
expect 0 info --fields --name tick "$ctf/lttng_216_2"
says out '^  tour:nothing$'
says_not out '^  tour:tick'

if have python3; then
    for file in "$heph/heph_tracing_example.bin.log" "$fxt"/*.fxt "$xray"/events.fdr2.xray "$ctf"/*/; do
        case $file in
        */hostile_names.fxt | */objects.fxt) continue ;; # JSON lines and reports escape differently
        esac
        python3 "$SOURCE/tests/cli/fields.py" "$STELE" "$file" >answer 2>&1 ||
            complain "fields of $file" answer
    done
else
    skip "fields against cat --json: there is no python3"
fi
finish
