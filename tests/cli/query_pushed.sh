#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a statement asks of kinds, names and times is left to the reader: the rows are those of the
# same statement over a copy of the table, of which nothing can be left out.
. "$SOURCE/tests/cli/lib.sh"
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
cat >conditions <<'END'
kind = 'complete'
kind <> 'complete'
kind in ('instant', 'counter', 'begin')
kind = 'nothing'
kind = 'complete' and kind = 'instant'
kind = 'complete' or name = 'name'
not (kind = 'complete')
name = 'name'
name in ('name', 'tick', 'long name')
name = ''
name = 'it''s' or name = '*' or name = '[n]ame' or name = 'a\b'
name like 'n%' and kind = 'instant'
name is null
name > 'm' and ts >= 1500
ts between 1500 and 1600
ts >= 1500 and ts < 1600 and ts < 1590
ts > 1500
ts <= 1500
ts = 1600
ts = -5 or ts = 1600
ts < -5
ts >= 9223372036854775807
ts + 1 > 1500 and dur > 0
ts > 1500 and (kind = 'instant' or ts < 1600)
kind = 'instant' and name = 'name' and ts between 1000 and 1700 and byte_offset > 300
1500 < ts
ts between 1600 and 1500
false
END
while read -r condition; do
    echo "select count(*), sum(byte_offset), min(ts), max(name), count(args) from SOURCE where $condition;"
    echo "select name, kind, count(*) from (select * from SOURCE where $condition) group by all order by all;"
    echo "select ts from SOURCE where $condition order by ts, byte_offset limit 3;"
done <conditions >statements
cat >>statements <<'END'
select count(*) from (select ts from SOURCE where kind = 'complete') a, (select ts from SOURCE where kind = 'instant') b;
select count(*) from (select ts from SOURCE where kind = 'complete') a left join (select ts from SOURCE) b using (ts);
select kind, count(*) from SOURCE where kind = 'complete' group by kind union all select kind, count(*) from SOURCE where kind = 'instant' group by kind;
with x as materialized (select ts, kind from SOURCE where ts > 1500) select count(*) from x where kind = 'instant';
select (select count(ts) from SOURCE where ts > 1500) as a, (select count(ts) from SOURCE where ts > 1550) as b, (select count(ts) from SOURCE) as c;
select count(*) from SOURCE a where exists (select 1 from SOURCE b where b.ts = a.ts and b.name = 'name');
END
sed 's/SOURCE/event/g' statements >direct.sql
{
    echo 'create temp table copied as from event;'
    sed 's/SOURCE/copied/g' statements
} >copied.sql
for trace in "$fxt/events.fxt" "$fxt/hostile_names.fxt" "$heph/rt_scalars.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray"; do
    expect 0 query --csv "$trace" -f direct.sql
    mv out have
    check "nothing is said of names that are not there" test "$(grep -c STE014 err)" -eq 0
    expect 0 query --csv "$trace" -f copied.sql
    same have out
done

# Parameters of a function say more than the statement.
expect 0 query --csv "$fxt/events.fxt" \
    "select count(*) from read_event('', kinds := 'complete') where kind = 'instant';
     select count(*) from read_event('', names := 'long*') where name = 'name';
     select count(*) from read_event('', until := '1ns') where ts > 1500"
check "no rows" test "$(grep -v count out | sort -u)" = 0
finish
