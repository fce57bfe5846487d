#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele query: SQL over traces.
. "$SOURCE/tests/cli/lib.sh"
events=$fxt/events.fxt
xray=$SOURCE/src/formats/xray/good
lttng=$SOURCE/src/formats/ctf/good/lttng_216_2

# Without the library, the command says how to get it.
last="STELE_DUCKDB=/nothing stele query"
status=0
STELE_DUCKDB=/nothing "$STELE" query "$events" 'select 1' >out 2>err || status=$?
[ "$status" -eq 3 ] || complain "exit code $status, expected 3" err
says err "'./setup sql'"
expect 2 query
expect 3 query /nothing 'select 1'

if ! "$STELE" query "$events" 'select 1' >out 2>err; then
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    [ "$failures" -eq 0 ] && exit 77
    finish
fi

# The same figures as other commands have.
expect 0 cat --json "$events"
lines out "$(wc -l <out)"
events_count=$(wc -l <out)
expect 0 query --csv "$events" 'select count(*) as n from event'
check "as many events" test "$(tail -n 1 out)" = "$events_count"
expect 0 query --csv "$lttng" 'select kind, count(*) n from event group by kind'
says out '^kind,n$'
says out '^instant,46$'

# Calls and operations beyond the limits are reported by every table of spans.
for columns in 'name' 'name, parent'; do
    expect 0 query --max calls=2 "$xray/recur.14.basic3.xray" "select $columns from slice"
    says err 'STE006 .*beyond, not followed'
done
cp "$events" again.fxt
expect 0 query --max open=1 "$events" again.fxt 'select name from async_slice'
says err 'STE006 .*beyond, not followed'
expect 0 query "$xray/recur.14.basic3.xray" 'select name from slice'
says_not err STE006

# Each table can be read whole, and has the columns that it says.
for trace in "$events" "$lttng" "$heph/rt_scalars.bin.log"; do
    expect 0 query "$trace" --json 'from trace; from stream; from track; from thread; from process;
        from event; from instant; from counter; from arg; from flow; from log; from sample;
        from syscall; from lost; from finding; from slice; from async_slice; from arrow;
        from thread_state; from sched; from insn; from access'
    check "each row is an object" test "$(grep -vc '^{".*}$' out)" -eq 0
done

# Forms. What is null is never 0, nor an empty text.
expect 0 query "$events" --csv "select null as a, '' as b, 'x,y' as c, 1.5 as d"
says out '^a,b,c,d$'
says out '^,,"x,y",1.5$'
expect 0 query "$events" --json "select null as a, 'q\"' as \"k\"\"ey\", [1, 2] as list, 7 as n"
says out '^{"a":null,"k\\"ey":"q\\"","list":\[1,2\],"n":7}$'
expect 0 query "$events" --markdown "select 'a|b' as x, 10 as n"
says out '^| x   |   n |$'
says out '^| a\\|b |  10 |$'
expect 0 query "$events" "select 'a' as x, 10 as n union all select 'longer', null order by n"
says out '^longer  NULL$'
expect 2 query --csv --json "$events" 'select 1'
expect 0 query --csv "$events" 'select ts, dur from event where kind = $$instant$$ limit 1'
says out '^1000,$'
expect 0 query --csv "$events" 'select 1 where false'
lines out 1

# Several statements, from a file and from standard input; comments and quotes hold semicolons.
cat >script.sql <<'SQL'
-- a comment; with a semicolon
create temp table t as select ';' as x; /* another; */
select x || $a$;$a$ as "y;" from t;
SQL
expect 0 query --csv "$events" -f script.sql
says out '^y;$'
says out '^;;$'
expect_from 0 script.sql query --csv "$events"
says out '^;;$'

# Spans are those of the profile.
expect 0 profile --json "$SOURCE/src/formats/xray/good/events.fdr4.xray"
sed -n 's/.*"count": \([0-9]*\),*/\1/p' out | awk '{ sum += $1 } END { print sum }' >wanted
expect 0 query --csv "$SOURCE/src/formats/xray/good/events.fdr4.xray" \
    "select count(*) from slice where ending <> 'entry-lost'"
check "as many spans" test "$(tail -n 1 out)" = "$(cat wanted)"
expect 0 query --csv "$events" 'select sum(dur) - sum(self_dur) - (select sum(dur) from slice
    where depth = 1) from slice where depth = 0'
says out '^0$'
expect 2 query "$events" "from read_slice('', names := 'x')"
expect 0 query --csv "$events" "select min(ts), sum(dur) from read_slice('', begin := '210ns', until := '225ns')"
says out '^1210,25$'

# Instructions are those that the analyses count.
insns=$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin
expect 0 insn mix --csv "$insns"
expect 0 insn view --json "$insns"
check "instructions" test "$(wc -l <out)" -eq \
    "$("$STELE" query --csv "$insns" 'select count(*) from insn' | tail -n 1)"
expect 0 query --csv "$insns" \
    'select (select count(*) from access) = (select sum(access_count) from insn)'
says out '^true$'

# What a thread does has no gaps.
expect 0 query --csv "$fxt/scheduling.fxt" 'select count(*) from (
    select ts + dur <> lead(ts) over (partition by track order by ts) as gap from thread_state)
    where gap'
says out '^0$'

# Functions read what they are told to.
expect 0 query --csv "$events" "select count(*) from read_event('', kinds := 'counter,log')"
says out '^3$'
expect 0 query --csv "$events" "select count(*) from read_event('$events', filter := 'kind == \"log\"')"
says out '^2$'
expect 0 cat --csv --columns arg.n --name tick "$lttng"
sum=$(awk 'NR > 1 { sum += $1; count++ } END { print count "," sum }' out)
expect 0 query --csv "$lttng" \
    "select count(arg_n), sum(arg_n) from read_event('', names := 'tick', args := 'n int')"
check "the sum of a field" test "$(tail -n 1 out)" = "$sum"
expect 1 query --csv "$lttng" "select count(arg_text) from read_event('', args := 'text double')"
says err '[0-9] values do not fit the type of the column'
expect 2 query "$events" "from read_event('', kinds := 'nonsense')"
says err 'no such kind'
expect 2 query "$events" "from read_event('', args := 'n')"
expect 2 query "$events" "from read_event('', begin := 'x')"
expect 2 query "$events" "from nothing"
says err 'nothing'

# A class has the fields of its events as columns, of types that hold all values.
expect 0 query --csv "$lttng" "select column_name, column_type from (describe class_kinds)"
says out '^i8,BIGINT$'
says out '^x64,UBIGINT$'
says out '^third,DOUBLE$'
says out '^text,VARCHAR$'
expect 0 query --csv "$lttng" 'select vtid, "$app.tour:state_tag" from class_nothing order by ts'
says out '^50,4$'
expect 0 query --csv "$lttng" 'select count(n), sum(n), count(*) from class_tick where n >= 0'
check "the sum of a class" test "$(tail -n 1 out)" = "$sum,10"
expect 0 query --csv "$lttng" 'select i8, text, s is null, "port" from class_kinds limit 1'
says out '^0,abc,false,0$'
expect 2 query "$lttng" 'from class_nobody'
says err 'no events of the name'

# Macros.
expect 0 query --csv "$events" "select bucket(-1, 10), bucket(25, 10), log2_bin(5), human(1500)"
says out '^-10,20,2,1.50 µs$'
expect 0 query --csv "$lttng" "select arg(args, 'n') from event where name = 'tick' limit 1"
says out '^0$'

expect 0 query --csv "$lttng" "select arg_map(args)['n'], ARG_map(args)['no such'] from event
    where name = 'tick' limit 1"
says out '^0,$'

# Views and macros are made when a statement may need them; what is undone is made again.
expect 0 query --csv "$events" "select count(*) > 20 from (show tables)"
says out '^true$'
expect 0 query --csv "$events" "select count(*) from duckdb_views() where view_name = 'thread_state'"
says out '^1$'
expect 0 query --csv "$events" "begin; select count(*) >= 0 as a from Event; rollback;
    select count(*) >= 0 as b from EVENT"
check "tables come back" test "$(tr -d '\r' <out | tr '\n' ' ')" = 'a true b true '
expect 0 query --csv "$events" "begin; select human(5); rollback; select human(1500)"
says out '^1.50 µs$'
expect 0 query --csv "$events" "create or replace view slice as select 7 as x; from slice"
says out '^7$'
expect 2 query "$events" "create view slice as select 1"
says err 'already exists'
expect 0 query --csv "$events" "select count(*) >= 0 from query_table('ev' || 'ent')"
says out '^true$'
expect 2 query "$events" "from nothing_of_this_name"
says err 'nothing_of_this_name'

# Two traces: their numbers tell them apart, and one can be read alone.
expect 0 query --csv "$events" "$fxt/objects.fxt" \
    'select count(distinct trace) from (select trace from track)'
expect 0 query --csv "$events" "$fxt/objects.fxt" "select path from trace order by trace"
lines out 3
expect 0 query --csv "$events" "$fxt/objects.fxt" "select count(*) from read_event('$events')"
check "one of them alone" test "$(tail -n 1 out)" = "$events_count"

# Files are out of reach unless that is allowed.
echo 1 >some.csv
expect 2 query "$events" "from read_csv('$PWD/some.csv')"
expect 2 query "$events" "copy (select 1) to '$PWD/written.csv'"
check "nothing is written" test ! -e written.csv
expect 2 query "$events" "set enable_external_access = true"
expect 2 query "$events" "from read_event('$fxt/objects.fxt')"
expect 0 query --allow-files --csv "$events" "from read_csv('$PWD/some.csv', header = false)"
says out '^1$'
expect 0 query --allow-files "$events" "select count(*) from read_event('$fxt/objects.fxt')"

# What is wrong in a trace is said once, however often it is read.
expect 1 query --csv "$fxt_bad/cut_in_record.fxt" \
    'select (select count(*) from event) + (select count(*) from track), code from finding'
says err 'FXT'
check "each finding once" test "$(sort err | uniq -d | grep -c FXT)" -eq 0

# A memory limit holds, with what goes beyond it in files that are gone afterwards.
mkdir tmp
last="stele query with little memory"
status=0
TMPDIR=$PWD/tmp "$STELE" query --csv --memory 40MB "$events" \
    'select sum(i) from (select i, md5(i::varchar) m from range(500000) t(i) order by m)' \
    >out 2>err || status=$?
[ "$status" -eq 0 ] || complain "exit code $status, expected 0" err
says out '^124999750000'
check "no file is left" test -z "$(ls -A tmp)"
# A table with lines around its cells.
expect 0 query --box "$fxt/events.fxt" "select 'a' as name, 1 as n union all select 'be', 20 order by n"
cat >wanted <<'END'
┌──────┬────┐
│ name │  n │
├──────┼────┤
│ a    │  1 │
│ be   │ 20 │
└──────┴────┘
END
same out wanted
expect 2 query --box --csv "$fxt/events.fxt" 'select 1'

# The same whatever the number of threads.
for j in 1 4; do
    expect 0 query --csv -j $j "$SOURCE/src/formats/ctf/good/lttng_216_2" \
        'select name, count(*), sum(ts), max(args) from event group by name order by name;
         select a.ts, b.name from event a join event b using (ts) order by all limit 50;
         from slice order by id; select key, value, count(*) from arg group by all order by all'
    mv out "threads.$j"
done
same threads.1 threads.4
finish
