#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele graph: who calls whom.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
trace=$heph/heph_tracing_example.bin.log

expect 0 graph "$xray/exc.14.fdr5.tsc.xray"
golden graph_tree
expect 0 graph --format dot "$xray/tail.14.fdr5.tsc.xray"
golden graph_dot
expect 0 graph --top 1 --by-thread "$trace"
golden graph_top
expect 0 graph --min-share 50% "$xray/exc.14.fdr5.tsc.xray"
lines out 3
says out '(4 more)'
expect 0 graph --min-share 0 --top 0 "$xray/exc.14.fdr5.tsc.xray"
says_not out 'more)'
expect 0 graph --format dot --top 2 "$xray/tail.14.fdr5.tsc.xray"
says out '// 2 of 5 functions and 1 of 4 edges are shown'
expect 0 graph --format dot -o x.dot "$trace"
silent out
if have dot; then
    check "Graphviz reads it" dot -Tsvg x.dot -o x.svg
else
    skip "DOT is not parsed: no dot"
fi
expect 0 graph "$xray/threads.14.profile.tsc.xray"
says out '13,974,818  *51.1 % '
expect 2 graph --min-share much "$trace"
expect 2 graph --min-share -1 "$trace"
finish
