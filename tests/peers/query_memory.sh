#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Valgrind watches the whole way from a trace to rows: the command with DuckDB's library, the extension
# in a program of its own, Arrow's stream, and files of parts; nothing is read that is not there, and
# nothing is lost, also when a statement is cancelled.
. "$SOURCE/tests/cli/lib.sh"
build=$(dirname "$STELE")
have valgrind || {
    echo "SKIP: valgrind is not installed"
    exit 77
}
! grep -q __asan_init "$STELE" || {
    echo "SKIP: this build watches itself"
    exit 77
}
[ -n "${STELE_DUCKDB:-}" ] || STELE_DUCKDB=$build/../sql/libduckdb.so
export STELE_DUCKDB
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
leaks=full
watch() {
    last="valgrind $*"
    status=0
    valgrind -q --error-exitcode=99 --leak-check=$leaks --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite "$@" >out 2>err || status=$?
    [ "$status" -eq 0 ] || complain "exit code $status, expected 0" err
}

lttng=$SOURCE/src/formats/ctf/good/lttng_216_2
watch "$STELE" convert "$lttng" --to parquet -o parts --partition class --sort track \
    --table-format delta --columns '*,arg.*' --tables event
watch "$STELE" query --csv "$lttng" "select name, count(*), max(args) from event
        where kind = 'instant' and name in ('tick', 'x') and ts > 5 group by all;
    select count(*) from slice; select sum(n) from class_tick; select count(*) from arg;
    select sum(arg_vtid) from read_event('', args := 'vtid int')"
[ ! -x "$build/tests/duckdb_loaded" ] ||
    watch "$build/tests/duckdb_loaded" "$build/stele.duckdb_extension" \
        "select count(*) from read_event('$lttng')" "select sum(n) from read_class('$lttng', 'tick')"
"$STELE" convert "$lttng" --to parquet -o tables --tables event,arg 2>err
# DuckDB's C interface to Arrow never releases the schemas that it is given.
leaks=no
[ ! -x "$build/tests/arrow_loaded" ] || watch "$build/tests/arrow_loaded" "$lttng" tables event arg

last="a query that is cancelled"
valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$STELE" query \
    "$fxt/events.fxt" 'select count(*) from event a, event b, event c, event d, event e, event f' \
    >out 2>err &
child=$!
sleep 20
kill -s TERM $child
status=0
wait $child || status=$?
[ "$status" -ne 99 ] || complain "memory is lost" err
finish
