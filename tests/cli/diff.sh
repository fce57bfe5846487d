#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele diff: what changed between two traces.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
before=$xray/events.fdr2.xray
after=$xray/events.14.fdr5.ns.xray

expect 0 diff "$before" "$after"
golden diff
expect 0 diff --json "$before" "$after"
golden diff_json
expect 0 diff --csv "$xray/exc.14.fdr5.tsc.xray" "$xray/tail.14.fdr5.tsc.xray"
golden diff_csv

# The largest change comes first, up or down.
tail -n +2 out | cut -d , -f 2 | tr -d - >have
sort -rns have >wanted
same have wanted

# Nothing changes from a trace to itself, and what is gone one way is new the other way.
expect 0 diff "$before" "$before"
says out '^All together: 0 ns (+0.0 %)'
expect 0 diff "$xray/exc.14.fdr5.tsc.xray" "$xray/tail.14.fdr5.tsc.xray"
says out ' gone .* @(8)$'
expect 0 diff "$xray/tail.14.fdr5.tsc.xray" "$xray/exc.14.fdr5.tsc.xray"
says out ' new .* @(8)$'
expect 0 diff --name '@(2)' "$before" "$after"
check "one function" test "$(grep -c '@(' out)" -eq 1

expect 0 diff --flame d.svg "$before" "$after"
says d.svg '^before: '
says d.svg '^after: '
if have xmllint; then
    check "well-formed" xmllint --noout d.svg
elif have rsvg-convert; then
    check "well-formed" rsvg-convert d.svg -o d.png
else
    skip "the picture is not parsed: neither xmllint nor rsvg-convert"
fi
expect 4 diff --flame d.svg "$before" "$after"
expect 0 diff --flame d.svg --force "$before" "$after"

expect 2 diff "$before"
expect 2 diff "$before" "$after" "$before"
says err "takes TRACE TRACE, but was also given"
expect 3 diff "$before" no-such-file
silent out
finish
