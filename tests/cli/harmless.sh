#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that hold markup, formulas, control characters and marks that turn or break lines do no harm
# in any output: none of them holds a raw control character, and none of another language.
. "$SOURCE/tests/cli/lib.sh"
evil=$SOURCE/src/formats/fxt/good/hostile_names.fxt

# raw FILE: has bytes that terminals, editors or viewers obey
raw() {
    LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1"
}
is_harmless() {
    check "$1 has no control characters" sh -c "! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' $1"
}
check "the trace itself has some" raw "$evil"
for args in "cat" "cat --json" "cat --csv" "info" "info --json" "check" "dump" "profile" \
    "profile --json" "profile --csv" "graph" "graph --format dot" "flame" \
    "flame --format speedscope" "flame --format svg" "convert --to chrome -o -" \
    "convert --to text -o -" "convert --to json -o -" "convert --to csv -o -" \
    "calls" "calls --json" "calls --csv" "calls --columns time,name,category,track,stack,args" \
    "calls --outliers" "calls --otlp" "calls --children --json" "replay" "replay --by-thread" \
    "critical" "critical --json" "critical --csv" "critical --show stretches" "why" "top --json" \
    "latency *Slice* *" "latency --by track * *" "latency --json * *" "stats --by name" \
    "stats --by track,name --json" "stats --by name,category --csv" "stats --events --by args" \
    "timeline" "timeline --json" "sched" "sched --show rows" "sched --by-thread --csv" "kernel" \
    "convert --to ctf-pretty -o -" "info --fields" "info --fields --json" "flame --format folded" "flame --format callgrind" \
    "graph --format json" "cat -C" "cat --csv --columns time,name,track,args" \
    "check --json" "convert --to callgrind -o -" "dump --json" "info --csv"; do
    # shellcheck disable=SC2086
    set -f # globs are for the command
    "$STELE" $args "$evil" >out 2>err </dev/null
    set +f
    last="stele $args"
    sed 's/\r$//' out >lines # RFC 4180
    is_harmless lines
    is_harmless err
done
expect 0 flame --format svg "$evil"
says_not out '<script>alert\|<img'
expect 0 cat --csv "$evil"
check "no cell is a formula" sh -c "! grep -qE '(^|,)\"?[=+@][^,0-9]' out"
finish
