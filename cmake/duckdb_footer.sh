#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: duckdb_footer.sh LIBRARY EXTENSION PLATFORM VERSION
# What DuckDB looks for at the end of an extension: the version of the interface that it uses, its
# own version, and a signature, which here is empty.
set -eu
field() {
    printf '%s' "$1"
    head -c $((32 - ${#1})) /dev/zero
}
{
    cat "$1"
    printf '\000\223\004\020duckdb_signature\200\004'
    field ''
    field ''
    field ''
    field C_STRUCT
    field "$4"
    field v1.2.0
    field "$3"
    field 4
    head -c 256 /dev/zero
} >"$2.part"
mv "$2.part" "$2"
