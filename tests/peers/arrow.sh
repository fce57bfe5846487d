#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# DuckDB reads tables through Arrow's C stream: the same rows as in the files of Parquet, which
# peers/parquet.sh compares with what 'stele cat' shows. STELE is the command, SOURCE the repository.
. "$SOURCE/tests/cli/lib.sh"
build=$(dirname "$STELE")
[ -x "$build/tests/arrow_loaded" ] || {
    echo "SKIP: this build has no program with DuckDB"
    exit 77
}
[ -n "${STELE_DUCKDB:-}" ] || STELE_DUCKDB=$build/../sql/libduckdb.so
export STELE_DUCKDB
tables='trace stream track thread process event slice async_slice arrow counter arg finding lost'
for trace in "$fxt/events.fxt" "$fxt/hostile_names.fxt" "$heph/rt_scalars.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray" \
    "$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin"; do
    expect 0 convert "$trace" --to parquet -o folder --force \
        --tables "$(echo "$tables" | tr ' ' ',')"
    last="arrow_loaded $trace"
    status=0
    # shellcheck disable=SC2086
    "$build/tests/arrow_loaded" "$trace" folder $tables >out 2>err || status=$?
    [ "$status" -ne 77 ] || {
        cat out
        exit 77
    }
    [ "$status" -eq 0 ] || complain "exit code $status, expected 0" err
    check "tables were compared" test "$(wc -l <out)" -eq "$(echo "$tables" | wc -w)"
    check "no row differs" test "$(grep -vc '^0$' out)" -eq 0
done
finish
