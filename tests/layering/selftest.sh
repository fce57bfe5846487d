#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does the layering check see what it is for? Each line below is a file with one include, and
# whether that is allowed.
set -eu
check=$(dirname "$0")/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

failures=0
try() { # try good|bad FILE INCLUDE
    rm -rf "$tree/src" "$tree/include" "$tree/tools"
    mkdir -p "$tree/include/stele" "$tree/src/core" "$tree/src/model" "$tree/src/formats/one" \
        "$tree/src/formats/two" "$tree/src/formats/ctf/schema" "$tree/src/formats/ctf/records" \
        "$tree/src/formats/one/records" "$tree/src/formats/one/read" "$tree/src/sinks" \
        "$tree/src/query" "$tree/src/flow" "$tree/src/analysis/events" "$tree/src/analysis/insn" "$tree/src/cli" \
        "$tree/src/record" "$tree/src/view" "$tree/tools/one" "$tree/$(dirname "$2")"
    for header in include/stele/event.h src/core/cursor.h src/model/batch.h src/formats/format.h \
        src/formats/one/one.h src/formats/two/two.h src/sinks/sink.h src/analysis/stack.h \
        src/cli/cli.h src/view/view.h tools/one/a.h src/formats/ctf/codes.h src/formats/ctf/schema/schema.h \
        src/formats/ctf/records/decode.h src/formats/one/records/decode.h \
        src/formats/one/read/state.h src/query/glob.h src/flow/flow.h \
        src/analysis/events/calls.h src/analysis/insn/cache.h; do
        : >"$tree/$header"
    done
    printf '#include <stdio.h>\n  #  include %s\n' "$3" >"$tree/$2"
    if sh "$check" "$tree" >"$tree/log"; then result=good; else result=bad; fi
    if [ $result != "$1" ] || { [ $result = bad ] && ! grep -q "^$2: " "$tree/log"; }; then
        echo "$2 with #include $3 should be $1 but is $result:"
        cat "$tree/log"
        failures=$((failures + 1))
    fi
}

try good src/core/a.c '"core/cursor.h"'
try good src/core/a.c '"cursor.h"'
try good src/core/a.c '<stele/event.h>'
try good src/core/a.c '"stele_config.h"'
try good src/model/a.c '"core/cursor.h"'
try good src/formats/one/a.c '"formats/format.h"'
try good src/formats/one/a.c '"one.h"'
try good src/sinks/a.c '"model/batch.h"'
try good src/record/a.c '"formats/one/one.h"'
try bad src/cli/a.c '"sinks/sink.h"'
try good src/library/a.c '"sinks/sink.h"'
try good src/library/a.c '"formats/format.h"'
try bad src/formats/one/a.c '"sinks/sink.h"'
try good src/cli/a.c '<stele/event.h>'
try good src/cli/a.c '"cli/cli.h"'
try bad src/cli/a.c '"core/cursor.h"'
try good src/cli/a.c '"view/view.h"'
try good src/view/a.c '<stele/event.h>'
try bad src/view/a.c '"cli/cli.h"'
try bad src/view/a.c '"core/cursor.h"'
try bad src/cli/insn/a.c '"sinks/sink.h"'
try good src/formats/ctf/ctf.c '"formats/ctf/records/decode.h"'
try good src/formats/ctf/schema/a.c '"formats/ctf/codes.h"'
try good src/formats/ctf/records/a.c '"formats/ctf/schema/schema.h"'
try bad src/formats/ctf/schema/a.c '"formats/ctf/records/decode.h"'
try bad src/formats/ctf/elsewhere/a.c '"formats/ctf/codes.h"'
try good src/formats/one/read/a.c '"formats/one/records/decode.h"'
try bad src/formats/one/records/a.c '"formats/one/read/state.h"'
try good src/flow/a.c '"query/glob.h"'
try bad src/query/a.c '"flow/flow.h"'
try good src/analysis/insn/a.c '"analysis/events/calls.h"'
try bad src/analysis/events/a.c '"analysis/insn/cache.h"'
try bad src/analysis/elsewhere/a.c '"analysis/events/calls.h"'
try bad src/core/a.c '"model/batch.h"'
try bad src/model/a.c '"sinks/sink.h"'
try bad src/formats/a.c '"formats/one/one.h"'
try bad src/formats/one/a.c '"formats/two/two.h"'
try bad src/formats/one/a.c '"../two/two.h"'
try bad src/formats/one/a.c '"sinks/sink.h"'
try bad src/sinks/a.c '"analysis/stack.h"'
try bad src/sinks/a.c '"formats/format.h"'
try bad src/analysis/a.h '"cli/cli.h"'
try bad src/cli/a.c '"formats/one/one.h"'
try bad src/cli/a.c '"model/batch.h"'
try bad include/stele/a.h '"core/cursor.h"'
try good tools/one/a.c '"a.h"'
try bad tools/one/a.c '"core/cursor.h"'
try bad tools/one/a.c '<stele/event.h>'
try bad src/core/a.c '"core/gone.h"'
try bad src/core/a.c '<stele/gone.h>'
try bad src/elsewhere/a.c '"core/cursor.h"'

[ $failures -eq 0 ] && echo "the layering check sees every made-up violation"
