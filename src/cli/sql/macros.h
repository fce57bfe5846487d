/* SPDX-License-Identifier: Apache-2.0 */
/* SQL macros that every database of the command has. docs/sql.md describes them. */
#ifndef CLI_SQL_MACROS_H
#define CLI_SQL_MACROS_H

static const char *const sql_macros[] = {
    /* The value of a field in `args`, as text. */
    "CREATE MACRO arg(args, key) AS json_extract_string(args, '$.\"' || key || '\"')",
    /* All fields in `args` as texts, by their names. */
    "CREATE MACRO arg_map(args) AS CAST(CAST(args AS JSON) AS MAP(VARCHAR, VARCHAR))",
    /* The begin of the interval with width `w` that contains a time. */
    "CREATE MACRO bucket(t, w) AS t - ((t % w) + w) % w",
    /* The power of two of a number: 0 for 0 and 1, 1 for 2 and 3, 2 for 4 to 7. */
    "CREATE MACRO log2_bin(d) AS CAST(floor(log2(greatest(d, 1))) AS INTEGER)",
    /* A duration as text for people. */
    "CREATE MACRO human(ns) AS CASE WHEN ns IS NULL THEN NULL"
    " WHEN abs(ns) < 1000 THEN CAST(CAST(ns AS BIGINT) AS VARCHAR) || ' ns'"
    " WHEN abs(ns) < 1000000 THEN format('{:.2f} µs', ns / 1e3)"
    " WHEN abs(ns) < 1000000000 THEN format('{:.2f} ms', ns / 1e6)"
    " ELSE format('{:.3f} s', ns / 1e9) END",
    /* The time that two spans have in common. */
    "CREATE MACRO overlap(ts_a, dur_a, ts_b, dur_b) AS"
    " greatest(0, least(ts_a + dur_a, ts_b + dur_b) - greatest(ts_a, ts_b))",
    /* The spans around a span, and those inside of it. The trace is read once. */
    "CREATE MACRO ancestors(span) AS TABLE WITH RECURSIVE"
    " spans AS MATERIALIZED (SELECT * EXCLUDE (args) FROM slice),"
    " up AS (SELECT *, 0 AS steps FROM spans WHERE id = span UNION ALL"
    " SELECT s.*, up.steps + 1 FROM spans s JOIN up ON s.id = up.parent)"
    " SELECT * EXCLUDE (steps) FROM up WHERE steps > 0 ORDER BY depth",
    "CREATE MACRO descendants(span) AS TABLE WITH RECURSIVE"
    " spans AS MATERIALIZED (SELECT * EXCLUDE (args) FROM slice),"
    " down AS (SELECT *, 0 AS steps FROM spans WHERE id = span UNION ALL"
    " SELECT s.*, down.steps + 1 FROM spans s JOIN down ON s.parent = down.id)"
    " SELECT * EXCLUDE (steps) FROM down WHERE steps > 0 ORDER BY id",
    /* Pairs of consecutive events on a track that have the two names. */
    "CREATE MACRO pair(first_name, second_name) AS TABLE"
    " SELECT track, ts, next_ts - ts AS dur FROM (SELECT track, ts, name,"
    " lead(ts) OVER w AS next_ts, lead(name) OVER w AS next_name FROM event"
    " WHERE name IN (first_name, second_name) WINDOW w AS (PARTITION BY track ORDER BY ts))"
    " WHERE name = first_name AND next_name = second_name",
    /* Times at which spans of two tables overlap on a track. */
    "CREATE MACRO span_join(first_table, second_table) AS TABLE"
    " SELECT a.track AS track, greatest(a.ts, b.ts) AS ts,"
    " overlap(a.ts, a.dur, b.ts, b.dur) AS dur, a, b"
    " FROM query_table(first_table) a JOIN query_table(second_table) b"
    " ON a.track = b.track AND a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur",
};

#endif
