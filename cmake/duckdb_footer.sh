#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: duckdb_footer.sh LIBRARY EXTENSION PLATFORM VERSION [STRIP]
# What DuckDB looks for at the end of an extension: the version of the interface that it uses, its
# own version, and a signature, which here is empty. Symbols go before: no tool can take them off later.
set -eu
library=$1
if [ -n "${5:-}" ]; then
    library=$2.stripped
    "$5" --strip-unneeded -o "$library" "$1"
fi
field() {
    printf '%s' "$1"
    head -c $((32 - ${#1})) /dev/zero
}
{
    cat "$library"
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
rm -f "$2.stripped"
