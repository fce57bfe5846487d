#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: losses.sh ROOT
# docs/conversion.md states every text with which a writer counts a loss, and no other. In the
# sources those are the first strings of calls of lose() and the like, and what is assigned to
# `what` or stands in a table after a VALUE_... constant; in the document, what is in *italics*.
set -eu
cd "$1"

in_sources() {
    for file in src/cli/converting.c src/formats/format.h src/sinks/*.c src/formats/*/*.c src/formats/*/*/*.c; do
        tr '\n' ' ' < "$file" | sed 's/  */ /g; s/;/;\n/g; s/{VALUE_/\n{VALUE_/g'
        echo
    done | sed 's/#define/\n&/g' | sed -n \
        -e '/writer_lose(stele_writer \*/d' \
        -e 's/.*[( _]lose\(_layout\)\{0,1\}([^"]*"\([^"]*\)".*/\2/p' \
        -e 's/.*[( ]\(leave_out\|losses_add\)([^"]*"\([^"]*\)".*/\2/p' \
        -e 's/.*change(a, "\([^"]*\)".*/\1/p' \
        -e 's/.*what = "\([^"]*\)".*/\1/p' \
        -e 's/.*define COPIER_[A-Z_]* *"\([^"]*\)".*/\1/p' \
        -e 's/.*{VALUE_[A-Z_]*, "\([^"]*\)"}.*/\1/p' | sed 's/\\\\/\\/g' | sort -u
}

in_document() {
    tr '\n' ' ' < docs/conversion.md | sed 's/\*\*//g' | grep -o '[^*]\*[^*`]*\*' |
        sed 's/^.\*//; s/\*$//; s/  */ /g' | grep -v '^italics$' | sort -u
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
in_sources > "$dir/sources"
in_document > "$dir/document"
[ -s "$dir/sources" ] || { echo "found no losses in the sources"; exit 1; }
comm -23 "$dir/sources" "$dir/document" | sed 's/^/not in the document: /' > "$dir/bad"
comm -13 "$dir/sources" "$dir/document" | sed 's/^/in the document, but in no source: /' >> "$dir/bad"
cat "$dir/bad"
[ ! -s "$dir/bad" ] && echo "$(wc -l < "$dir/sources") texts of losses are documented"
