#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert --to parquet with --partition, --sort track, --table-format delta and --resume.
. "$SOURCE/tests/cli/lib.sh"
events=$fxt/events.fxt
lttng=$SOURCE/src/formats/ctf/good/lttng_216_2
list() { (cd "$1" && find . -type f | LC_ALL=C sort); }

# The same again is the same, byte by byte.
for how in '--partition class' '--partition track --sort track' '--partition minute' '--sort track' \
    '--partition track --table-format delta'; do
    for folder in first second; do
        # shellcheck disable=SC2086
        expect 0 convert "$events" --to parquet -o $folder --tables event,slice,track $how
    done
    list first >have
    list second >wanted
    same have wanted
    while read -r file; do same "first/$file" "second/$file"; done <have
    check "the list of tracks stays whole" test -e first/track/part-00000.parquet
    rm -rf first second
done

# What cannot be is said before anything is written.
expect 2 convert "$events" --to parquet -o folder --tables event --columns ts --partition track
says err "table 'event' is to be put together by 'track', which --columns lacks"
check "no folder is left" test ! -e folder
expect 2 convert "$events" -o one.parquet --partition track
expect 2 convert "$events" --to parquet -o folder --partition nothing

# With --resume whole files are in place at once; what is missing is written, the rest is kept.
expect 0 convert "$events" --to parquet -o whole --partition track --resume
check "it is said to be whole" test -e whole/_SUCCESS
list whole >wanted
cp -r whole again
find again -name 'part-*' | LC_ALL=C sort | sed -n '1~2p' | while read -r file; do rm "$file"; done
rm again/_SUCCESS
kept=again/track/part-00000.parquet
[ -e "$kept" ] || kept=$(find again -name 'part-*' | head -n 1)
touch -d 2001-01-01 "$kept"
expect 0 convert "$events" --to parquet -o again --partition track --resume
says err '[1-9][0-9]* files\{0,1\} \(was\|were\) there from before, [1-9][0-9]* files\{0,1\} \(was\|were\) written$'
list again >have
same have wanted
while read -r file; do same "whole/$file" "again/$file"; done <wanted
check "what was there is not written again" test "$(date -r "$kept" +%Y)" = 2001
expect 2 convert "$events" --to parquet -o again --partition class --resume
says err 'it holds another conversion'
expect 2 convert "$lttng" --to parquet -o again --partition track --resume
mkdir other
: >other/file
expect 2 convert "$events" --to parquet -o other --partition track --resume
check "nothing is written there" test "$(list other)" = ./file

# Types of fields, and all fields with the types that hold them.
expect 0 convert "$lttng" --to parquet -o fields --tables event --columns '*,arg.*' --sort track
expect 0 convert "$lttng" --to parquet -o some --tables event --columns 'ts,track,arg.vtid:int,arg.vpid:text' \
    --sort track

if ! "$STELE" query "$events" 'select 1' >out 2>err; then
    echo "SKIP: what DuckDB reads: its library is missing ('./setup sql' installs it)"
    finish
fi
none() { # SQL...: no statement gives a row but its heading
    expect 0 query --allow-files --csv "$trace" "$1"
    check "no row differs" test "$(grep -vc 'count\|^0$' out)" -eq 0
}
for trace in "$fxt/hostile_names.fxt" "$heph/rt_scalars.bin.log" "$lttng"; do
    for how in '--partition class' '--partition track --sort track' '--partition minute'; do
        rm -rf folder
        # shellcheck disable=SC2086
        expect 0 convert "$trace" --to parquet -o folder --tables event $how
        files="read_parquet('folder/event/*/*.parquet', hive_partitioning = false)"
        none "select count(*) from ((from event except all from $files)
            union all (from $files except all from event))"
    done
    none "select count(*) from read_parquet('folder/event/*/*.parquet')
        where minute is distinct from ts // 60000000000 - (ts % 60000000000 < 0)::int"
    rm -rf folder
    expect 0 convert "$trace" --to parquet -o folder --tables event --partition class \
        --table-format delta
    # Delta's log: what stands in it is what there is.
    log=folder/event/_delta_log/00000000000000000000.json
    files="read_parquet('folder/event/*/*.parquet', filename = true, hive_partitioning = true,
        hive_types_autocast = false)"
    none "with added as (select unnest(add), cast(json_extract_string(add.stats, '\$.numRecords')
            as bigint) as n from read_json('$log', format = 'newline_delimited', columns =
            {add: 'struct(path varchar, size bigint, stats varchar)'}) where add is not null),
        have as (select split_part(filename, 'event/', 2) as file, count(*) as n
            from $files group by all)
        select count(*) from added a full join have h on url_decode(a.path) = h.file
        where a.n is distinct from h.n"
    none "with schema as (select json_extract_string(json_extract_string(line, '\$.metaData.schemaString'),
            '\$.fields[*].name') as names from (select json as line from read_json_objects('$log'))
            where (line->'metaData') is not null)
        select count(*) from (select unnest(names) as name from schema) a
        full join (select column_name as name from (describe from $files)
            where column_name <> 'filename') b using (name) where a.name is null or b.name is null"
    none "select count(*) from ((select * exclude (wall, ticks, value, id, byte_offset, tid, pid),
                ticks::decimal(20,0), value::decimal(20,0), id::decimal(20,0),
                byte_offset::decimal(20,0), tid::decimal(20,0), pid::decimal(20,0) from event)
            except all (select * exclude (wall, ticks, value, id, byte_offset, tid, pid, filename,
                class), ticks, value, id, byte_offset, tid, pid from $files))"
done

# Rows of a file by track, then by time.
expect 0 convert "$events" --to parquet -o sorted --tables event --sort track
trace=$events
none "select count(*) from (select track, ts, lag(track) over w as before, lag(ts) over w as t
    from read_parquet('sorted/event/part-00000.parquet', file_row_number = true)
    window w as (order by file_row_number))
    where track < before or (track = before and ts < t) or (before is null and track is null and t
        is not null)"
expect 0 query --allow-files --csv "$lttng" "select sum(\"arg.vtid\") from 'some/event/*.parquet';
    select sum(\"arg.vtid\") from 'fields/event/*.parquet';
    select sum(arg_vtid) from read_event('', args := 'vtid int')"
check "sums of a field" test "$(grep -v sum out | sort -u | wc -l)" -eq 1
finish
