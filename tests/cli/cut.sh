#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cut is a trace of its format, or of another one, with what was asked for: what 'convert' with the
# same options writes. What it begins and keeps is for the test "cuts".
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# kept FORMAT TRACE OPTION...: keeps the format, whatever the output is called
kept() {
    format=$1 trace=$2
    shift 2
    rm -rf cut wanted
    "$STELE" convert "$trace" --to "$format" -o wanted "$@" >out 2>wanted.err
    wanted_status=$?
    expect $wanted_status cut "$trace" -o cut "$@"
    check 'the same as of convert' diff -r cut wanted
    same err wanted.err
}

for how in '--begin 215ns --end 225ns' '--name [a-m]*' '--kind counter' '--no-open --begin 1us'; do
    set -f
    # shellcheck disable=SC2086
    kept fxt "$fxt/events.fxt" $how
    # shellcheck disable=SC2086
    kept heph "$heph/heph_tracing_example.bin.log" $how
    # shellcheck disable=SC2086
    kept xray "$formats/xray/good/exc.14.fdr5.tsc.xray" $how
    # shellcheck disable=SC2086
    kept ctf "$formats/ctf/good/lttng_216_2" $how
done
set +f
kept xtrace "$formats/xtrace/good/bare_front.xinsndata.bin" --begin 3ns
kept ctf "$formats/ctf/good/small_18" --where 'name != ""'
kept ctf "$formats/ctf/good/small_18" --track '*'

# Another format: by its name, or by that of the output.
expect 0 cut "$fxt/events.fxt" --end 225ns -o cut.json
says cut.json '"traceEvents"'
expect 0 cut "$fxt/events.fxt" --end 225ns -o cut.csv --columns time,name
says cut.csv '^time,name$'
expect 1 cut "$fxt/events.fxt" --end 225ns -o cut.any --to heph
expect 0 info cut.any
says out 'Heph'

# A pipe is copied by its records, too.
expect_from 0 "$fxt/events.fxt" cut - -o whole.fxt
silent err
same whole.fxt "$fxt/events.fxt"

expect 2 cut "$fxt/events.fxt"
expect 2 cut "$fxt/events.fxt" "$fxt/events.fxt" -o x
expect 4 cut "$fxt/events.fxt" -o whole.fxt
expect 0 cut "$fxt/events.fxt" -o whole.fxt --force
finish
