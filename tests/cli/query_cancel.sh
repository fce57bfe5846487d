#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A statement that is cancelled at any moment leaves no file where temporary ones go,
# no output under its name, no process; and the command ends at once.
. "$SOURCE/tests/cli/lib.sh"
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
mkdir temporary
export TMPDIR="$folder/temporary"

# Statements that sort and join more than their memory holds, so that they spill; each would run for
# minutes.
cat >sort.sql <<'END'
select count(*) from (select range as r, hash(range) as h, repeat('x', 40) as t
    from range(200000000) order by h, t);
END
cat >join.sql <<'END'
select count(*) from event a, event b, event c, event d, event e, range(1000) f
    where a.ts + b.ts + c.ts + d.ts + e.ts = f.range;
END
cat >rows.sql <<'END'
select a.name, b.ts, c.args from event a, event b, event c, event d, range(100);
END

# cancel SIGNAL SECONDS STATEMENTS OPTIONS...
cancel() {
    signal=$1
    after=$2
    from=$3
    shift 3
    last="stele query -f $from $*, and $signal after $after s"
    # Job control would keep an interrupt from what runs in the background.
    env --default-signal=INT "$STELE" query "$fxt/events.fxt" -f "$from" "$@" >out 2>err &
    child=$!
    sleep "$after"
    kill -s "$signal" "$child" 2>/dev/null
    status=0
    wait "$child" || status=$?
    [ "$signal" != KILL ] || return 0
    case "$signal $status" in
    "INT 130" | "TERM 143" | "INT 0" | "TERM 0") ;;
    *) complain "exit code $status after $signal" err ;;
    esac
    left=$(find "$TMPDIR" -mindepth 1 | head -n 3)
    check "nothing is left in TMPDIR: $left" test -z "$left"
}

for after in 0.05 0.2 0.5 1 1.6 2.3; do
    cancel INT $after sort.sql --memory 40MB
    cancel TERM $after join.sql -j 2
    cancel INT $after rows.sql --csv
done

# What a conversion of many parts is interrupted in is gone, too, unless --resume is to keep it.
"$STELE" convert "$fxt/events.fxt" --to parquet -o folder --partition track 2>err &
child=$!
kill -s TERM "$child" 2>/dev/null
wait "$child" 2>/dev/null
left=$(find . -maxdepth 1 -name '.*folder*' -o -maxdepth 1 -name 'folder*' ! -name folder | head -n 3)
check "no half of a folder is left: $left" test -z "$left"
finish
