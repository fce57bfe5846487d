#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every recipe of docs/sql.md runs on traces of every format.
. "$SOURCE/tests/cli/lib.sh"
if ! "$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err; then
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
fi
sed -n '/^## Recipes$/,/^## Tables$/p' "$SOURCE/docs/sql.md" |
    sed -n '/^```sql$/,/^```$/p' | grep -v '^```' >recipes.sql
check "40 recipes" test "$(sed -n '/^## Recipes$/,$p' "$SOURCE/docs/sql.md" | grep -c '^```sql$')" -ge 40
for trace in "$fxt/events.fxt" "$fxt/scheduling.fxt" "$heph/heph_tracing_example.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray" \
    "$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin"; do
    expect 0 query --csv "$trace" -f recipes.sql
done
# A typed field that is text somewhere is said to be so, and the other recipes go on.
expect 0 query --csv "$fxt/events.fxt" "$fxt/objects.fxt" -f recipes.sql
finish
