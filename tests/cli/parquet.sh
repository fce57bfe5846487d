#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert --to parquet, and --to clickhouse-native.
. "$SOURCE/tests/cli/lib.sh"
events=$fxt/events.fxt
usual='trace stream track thread process event slice async_slice arrow counter'

# A folder with a file for each table; the same again byte by byte.
for trace in "$events" "$fxt/hostile_names.fxt" "$heph/rt_scalars.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray"; do
    expect 0 convert "$trace" --to parquet -o first --force
    expect 0 convert "$trace" --to parquet -o second --force
    for table in $usual; do
        same "first/$table/data.parquet" "second/$table/data.parquet"
        check "magic of $table" test "$(head -c 4 "first/$table/data.parquet")" = PAR1
        check "end of $table" test "$(tail -c 4 "first/$table/data.parquet")" = PAR1
    done
    rm -rf second
done

# One file holds one table; the extension says what it is.
expect 0 convert "$events" -o some.parquet --columns ts,name,arg.arg
expect 2 convert "$events" -o more.parquet --tables event,slice
check "nothing is written" test ! -e more.parquet
expect 2 convert "$events" -o more.parquet --columns nothing
expect 2 convert "$events" -o more.parquet --tables nothing
expect 4 convert "$events" -o some.parquet
expect 2 convert "$events" --to parquet
expect 3 convert /nothing --to parquet -o folder
check "no folder is left" test ! -e folder

# A pipe is read once.
"$STELE" convert --to parquet --tables event -o piped --force - <"$events" >out 2>err ||
    complain "one table of a pipe" err
for more in "--to parquet -o more" "-o more.parquet --columns ts,arg.*" \
    "--to parquet -o more --tables event --sort track"; do
    status=0
    # shellcheck disable=SC2086
    "$STELE" convert - $more <"$events" >out 2>err || status=$?
    [ "$status" -eq 2 ] || complain "exit code $status of a pipe to be read twice" err
    says err 'give a file'
done

# Damage is said once, and what can be read is written.
expect 1 convert "$fxt_bad/cut_in_record.fxt" --to parquet -o cut
says err 'FXT'
check "each finding once" test "$(sort err | uniq -d | grep -c FXT)" -eq 0

# Blocks of ClickHouse: the shards have all rows together, each track in one of them.
expect 0 convert "$events" --to clickhouse-native -o - --columns ts,name,track
check "a block of three columns" test "$(head -c 1 out | od -An -tu1)" -eq 3
rows=$(head -c 2 out | tail -c 1 | od -An -tu1)
sum=0
for shard in 0 1 2; do
    expect 0 convert "$events" --to clickhouse-native -o - --columns ts,name,track --shard $shard \
        --shards 3
    [ -s out ] && sum=$((sum + $(head -c 2 out | tail -c 1 | od -An -tu1)))
done
check "as many rows in shards" test "$sum" -eq "$rows"
expect 2 convert "$events" --to clickhouse-native -o - --shard 3 --shards 3

if ! "$STELE" query "$events" 'select 1' >out 2>err; then
    echo "SKIP: what DuckDB reads: its library is missing ('./setup sql' installs it)"
    finish
fi
for trace in "$events" "$fxt/hostile_names.fxt" "$heph/rt_scalars.bin.log" "$heph/rt_arrays.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray"; do
    expect 0 convert "$trace" --to parquet -o folder --force
    for table in $usual; do
        echo "select count(*) from ((from $table except all from 'folder/$table/data.parquet')
            union all (from 'folder/$table/data.parquet' except all from $table));"
    done >compare.sql
    expect 0 query --allow-files --csv "$trace" -f compare.sql
    check "no row differs" test "$(grep -vc 'count' out)" -eq 10
    check "no row differs" test "$(grep -vc 'count\|^0$' out)" -eq 0
done

# Rows are found by the least and largest of their group.
expect 0 query --allow-files --csv "$events" \
    "select num_values, stats_min_value, stats_max_value, stats_null_count
     from parquet_metadata('folder/event/data.parquet') where path_in_schema = 'byte_offset'"
lines out 2

# The folder is queried as the trace is, whatever it is partitioned by, and nothing else can be read.
tables='trace stream track event slice instant arg flow counter lost'
for by in '' 'track' 'class' 'minute'; do
    rm -rf folder
    # shellcheck disable=SC2086
    expect 0 convert "$events" --to parquet -o folder ${by:+--partition $by} \
        --tables "$(echo $tables | tr ' ' ,)"
    for table in $tables; do
        columns=$("$STELE" query --csv "$events" "select string_agg(column_name, ',') from
            (describe $table)" | tail -n 1 | tr -d '"')
        expect 0 query --csv "$events" "select $columns from $table"
        sort out >wanted # as texts: a kind is a number there, and a text in Parquet
        expect 0 query --csv folder "select $columns from $table"
        sort out >got
        same wanted got
    done
done
expect 2 query folder 'from sched'
says err "convert --tables"
expect 2 query folder "copy (select 1) to 'some.csv'"
expect 2 query folder "from read_parquet('$PWD/some.parquet')"
expect 2 query folder "$events" 'from slice'
says err 'queried alone'
expect 0 query folder 'select count(*) from ancestors(1)'
finish
