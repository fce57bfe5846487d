#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events without a time are nowhere written or shown at time 0, nor before the first event that has
# a time, in any output; of a file, and of a pipe, of which nothing is known ahead.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    echo "SKIP: python3 is missing"
    exit 77
}
python3 "$SOURCE/tests/cli/timeless_made.py" trace.fxt
# So many events that the first of a pipe come without any that has a time.
python3 "$SOURCE/tests/cli/timeless_made.py" many.fxt 3000

# fits KIND FILE: all times of an output are those of events.
fits() {
    # shellcheck disable=SC2034
    last="times of $2"
    python3 "$SOURCE/tests/cli/timeless.py" "$@" >said 2>&1 || complain "a wrong time" said
}

# convert FORMAT OUT: of the file, and of pipes as pipe.OUT and many.OUT.
convert() {
    "$STELE" convert --quiet trace.fxt --to "$1" -o "$2" >said 2>&1
    [ -e "$2" ] || complain "no output" said
    "$STELE" convert --quiet - --to "$1" -o "pipe.$2" <trace.fxt >said 2>&1
    [ -e "pipe.$2" ] || complain "no output" said
    "$STELE" convert --quiet - --to "$1" -o "many.$2" <many.fxt >said 2>&1
    [ -e "many.$2" ] || complain "no output" said
}

for format in fxt heph ctf xray; do
    convert "$format" "out.$format"
    for out in "out.$format" "pipe.out.$format" "many.out.$format"; do
        "$STELE" cat --json --quiet "$out" >events.json
        fits events events.json
    done
done
for format in json chrome perfetto text csv ctf-pretty; do
    convert "$format" "out.$format"
done
for from in "" pipe. many.; do
    fits events "${from}out.json"
    fits chrome "${from}out.chrome"
    fits perfetto "${from}out.perfetto"
    # Each line begins with its time, or with none.
    ! grep -E '^0\.00000000[0-9]  .*(object|blob|metadata)' "${from}out.text" ||
        complain "an object with a time" "${from}out.text"
    ! grep -E '^[^,]+,.*,(object|blob|metadata),' "${from}out.csv" ||
        complain "an object with a time" "${from}out.csv"
    ! grep -F '[00:00:00' "${from}out.ctf-pretty" || complain "a time of 0" "${from}out.ctf-pretty"
done

# What other readers of CTF see: clocks of packets and events, without what marks events of Stele.
"$STELE" dump out.ctf >dumped
! grep -E '(timestamp|timestamp_begin|begin) *[=:]? *0( |,|$)' dumped || complain "a time of 0" dumped

# Ranges that are shown.
"$STELE" info --json trace.fxt >info.json
"$STELE" timeline --json trace.fxt >timeline.json
for file in info.json timeline.json; do
    ! grep -E '"(begin|start|first|time)_ns": ?0[,}]' "$file" || complain "a begin of 0" "$file"
done
# Pictures of calls: from the first call to the last.
"$STELE" flame --quiet --format evented trace.fxt -o evented
fits evented evented
"$STELE" flame --quiet --format speedscope trace.fxt -o sampled
fits sampled sampled
"$STELE" calls --quiet --otlp trace.fxt >otlp
fits otlp otlp

# Columns that can be without a value are: in SQL over traces and over Parquet.
if ! "$STELE" query trace.fxt 'select 1' >said 2>&1; then
    echo "not tried: SQL and Parquet; DuckDB's library is missing ('./setup sql' installs it)"
    finish
fi
"$STELE" convert --quiet trace.fxt --to parquet -o columns >said 2>&1
"$STELE" convert --quiet many.fxt --to parquet -o many.columns >said 2>&1
for from in trace.fxt many.fxt columns many.columns; do
    "$STELE" query --quiet --csv "$from" "select count(*) > 0, count(ts) + count(wall) + count(ticks)
        from event where kind in ('object', 'blob', 'metadata')" >answer 2>said
    [ "$(tail -n 1 answer)" = true,0 ] || complain "a time in SQL of $from" answer
    "$STELE" query --quiet --csv "$from" "select min(first), max(last) from
        (select begin_ts as first, end_ts as last from track union all
        select begin_ts, end_ts from stream union all select ts, ts from event)" >answer 2>said
    [ "$(tail -n 1 answer)" = 5000000000,5004000000 ] || complain "a range in SQL of $from" answer
done
finish
