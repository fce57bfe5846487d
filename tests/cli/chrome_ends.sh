#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that read Chrome's JSON find the begin of a span by the name and the arguments of its end:
# in the output of every sample, and of cuts of it, each end of a span says what its begin says.
. "$SOURCE/tests/cli/lib.sh"
have jq || {
    echo "SKIP: jq is not installed"
    exit 77
}

# An end with arguments of its own has those; scheduled threads are spans of their CPU, not of code.
cat > ends.jq <<'END'
[.traceEvents[] | select((.ph == "B" or .ph == "E") and .pid < 2000000000)] |
reduce .[] as $e ({open: {}, wrong: []};
    "\($e.pid)/\($e.tid)" as $at |
    if $e.ph == "B" then .open[$at] += [$e]
    elif (.open[$at] // []) == [] then .wrong += [$e]
    else .open[$at][-1] as $b | .open[$at] |= .[:-1] |
        if $b.name == $e.name and $b.cat == $e.cat and $b.args == $e.args then .
        else .wrong += [[$b, $e]] end
    end) | .wrong + [.open[][]] | .[]
END

count=0
ends() {
    "$STELE" convert --force --to chrome -o x.json "$@" >out 2>err </dev/null
    last="stele convert --to chrome $*"
    jq -c -f ends.jq x.json > wrong
    check "ends are those of their begins: $(head -c 300 wrong)" test ! -s wrong
    count=$((count + $(grep -c '"ph":"E"' x.json)))
}

for trace in "$SOURCE"/src/formats/xray/good/*.xray "$SOURCE"/src/formats/fxt/good/events.fxt; do
    ends "$trace"
    ends --begin 20us --end 200us "$trace"
done
check "there were ends: $count" test "$count" -gt 1000
finish
