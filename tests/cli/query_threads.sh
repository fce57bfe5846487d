#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rows of every table are the same however many threads read it, and spans are the same whether
# or not only that is asked of them which the calls of a thread know.
. "$SOURCE/tests/cli/lib.sh"
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
xray=$SOURCE/src/formats/xray
ctf=$SOURCE/src/formats/ctf/good

# rows THREADS TRACE FILE: sorted, with the exit code and what is said
rows() {
    status=0
    "$STELE" query --csv -j "$1" "$2" -f "$3" >out 2>err || status=$?
    { sort out; sort err; echo "exit code $status"; } >"rows.$1"
}

"$STELE" query --csv "$fxt/events.fxt" \
    "select 'from \"' || view_name || '\"; select count(*) from \"' || view_name || '\";'
     from duckdb_views() where not internal" | tail -n +2 | sed 's/^"//; s/"$//; s/""/"/g' >tables
check "there are tables" grep -q 'from "slice"' tables
# With "id" the engine of spans gives the rows, without it that of calls.
columns='name, ts, dur, end_ts, self_dur, depth, track, tid, pid, thread, process, ending'
echo "select $columns from slice" >calls
echo "select $columns from (select $columns, id from slice offset 0) where id > 0" >spans
for trace in "$fxt/events.fxt" "$fxt/scheduling.fxt" "$fxt/hostile_names.fxt" \
    "$ctf/lttng_216_2" "$ctf/rfc_le" "$xray/good/tail.14.fdr5.tsc.xray" \
    "$xray/good/wrap.14.fdr5.tiny4x512.xray" "$xray/good/forker.14.fdr5.tsc.xray" \
    "$xray/good/exc.14.fdr5.tsc.xray" "$SOURCE/src/formats/fxt/bad/cut_in_record.fxt"; do
    rows 1 "$trace" tables
    for threads in 2 5; do
        rows $threads "$trace" tables
        same "rows.$threads" rows.1
    done
    rows 1 "$trace" calls
    mv rows.1 rows.calls
    rows 1 "$trace" spans
    same rows.1 rows.calls
    rows 3 "$trace" calls
    same rows.3 rows.calls
done
finish
