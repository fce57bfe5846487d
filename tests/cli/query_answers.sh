#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 26 questions in SQL over traces of every format: the answers are those that a program of its own
# computes from 'stele cat --json'.
. "$SOURCE/tests/cli/lib.sh"
python=${PYTHON:-/usr/bin/python3}
"$python" -c '' 2>err || {
    echo "SKIP: no python3 (package python3)"
    exit 77
}
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
program=$SOURCE/tests/cli/query_answers.py
"$python" "$program" questions >questions.sql
check "there are questions" test "$(grep -c mark questions.sql)" -ge 25
for trace in "$fxt/events.fxt" "$fxt/scheduling.fxt" \
    "$heph/rt_scalars.bin.log" "$heph/heph_tracing_example.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/ctf/good/bit_events" \
    "$SOURCE/src/formats/xray/good/events.fdr4.xray" \
    "$SOURCE/src/formats/xray/good/threads.14.profile.tsc.xray"; do
    "$STELE" cat --json --unsorted "$trace" 2>err | "$python" "$program" answers >wanted ||
        complain "the answers cannot be computed"
    expect 0 query --csv "$trace" -f questions.sql
    # Headings go: each statement is one of its own, after a mark.
    awk '/^mark$/ { getline; print; skip = 1; next } skip { skip = 0; next } { print }' out >have
    same have wanted
done
finish
