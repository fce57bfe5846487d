#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sql.sh ROOT SCHEMA [--write]
# The tables of docs/sql.md are those that the library has, as the program SCHEMA prints them.
# --write puts them into the document.
set -eu
cd "$1"
document=docs/sql.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT
{
    sed '/^<!-- schema -->$/q' "$document"
    "$2"
    sed -n '/^<!-- end of schema -->$/,$p' "$document"
} >"$made"
if [ "${3:-}" = --write ]; then
    cat "$made" >"$document"
fi
diff -u "$document" "$made" || {
    echo "docs/sql.md does not have the tables of src/tables/tables.def: run this with --write"
    exit 1
}
echo "the tables of docs/sql.md are those of the library"
