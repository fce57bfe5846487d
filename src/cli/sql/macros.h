/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that every database of the command has. docs/sql.md describes them. */
#ifndef CLI_SQL_MACROS_H
#define CLI_SQL_MACROS_H

static const char *const sql_macros[] = {
    /* A field out of `args`, as text. */
    "CREATE MACRO arg(args, key) AS json_extract_string(args, '$.\"' || key || '\"')",
    /* The begin of the interval of width `w` that a time is in. */
    "CREATE MACRO bucket(t, w) AS t - ((t % w) + w) % w",
    /* 0 for 0 and 1, 1 for 2 and 3, 2 for 4 to 7, ... */
    "CREATE MACRO log2_bin(d) AS CAST(floor(log2(greatest(d, 1))) AS INTEGER)",
    /* Nanoseconds since 1970 as a time of day, and back. */
    "CREATE MACRO wall_ns(w) AS epoch_ns(w)",
    /* A duration as people write it. */
    "CREATE MACRO human(ns) AS CASE WHEN ns IS NULL THEN NULL"
    " WHEN abs(ns) < 1000 THEN CAST(CAST(ns AS BIGINT) AS VARCHAR) || ' ns'"
    " WHEN abs(ns) < 1000000 THEN format('{:.2f} us', ns / 1e3)"
    " WHEN abs(ns) < 1000000000 THEN format('{:.2f} ms', ns / 1e6)"
    " ELSE format('{:.3f} s', ns / 1e9) END",
};

#endif
