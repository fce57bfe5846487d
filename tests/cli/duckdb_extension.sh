#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele.duckdb_extension: programs with DuckDB read the tables that 'stele query' has.
. "$SOURCE/tests/cli/lib.sh"
build=$(dirname "$STELE")
extension=$build/stele.duckdb_extension
[ -e "$extension" ] && [ -x "$build/tests/duckdb_loaded" ] || {
    echo "SKIP: this build has no extension for DuckDB"
    exit 77
}
[ -n "${STELE_DUCKDB:-}" ] || STELE_DUCKDB=$build/../sql/libduckdb.so
export STELE_DUCKDB
events=$fxt/events.fxt
lttng=$SOURCE/src/formats/ctf/good/lttng_216_2
last="LOAD '$extension'"
status=0
"$build/tests/duckdb_loaded" "$extension" \
    "select count(*) from read_event('$events')" "select count(*) from '$events'" \
    "select string_agg(name, ',' order by id) from read_slice('$events')" \
    "select sum(n) from read_class('$lttng', 'tick')" \
    "select count(*) from read_arg('$lttng') where length(value) > 12" >out 2>err || status=$?
[ "$status" -ne 77 ] || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
[ "$status" -eq 0 ] || complain "exit code $status, expected 0" err
mv out have
expect 0 query --csv "$events" "select count(*) from event; select count(*) from event;
    select string_agg(name, ',' order by id) from slice;
    select sum(n) from read_class('$lttng', 'tick')" --allow-files
grep -v '[(]' out | tr -d '"' >wanted
expect 0 query --csv "$lttng" 'select count(*) from arg where length(value) > 12'
tail -n 1 out >>wanted
same have wanted
status=0
"$build/tests/duckdb_loaded" "$extension" "from read_event('/nothing')" >out 2>err || status=$?
[ "$status" -eq 1 ] || complain "exit code $status, expected 1" err
finish
