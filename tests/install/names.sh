#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: names.sh BUILD
# No function of the command is called as one inside the library. In ordinary builds the library's
# inner names are hidden; in those with sanitizers both are linked as they are, and would clash.
set -eu
command -v nm >/dev/null || {
    echo "SKIP: no nm (package binutils)"
    exit 77
}
# names FOLDER: what the objects there define for others.
names() {
    find "$1" -name '*.o' -exec nm -A --defined-only --extern-only {} + |
        awk 'NF >= 3 { print $NF }' | sort -u
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names "$1/CMakeFiles/stele_objects.dir" >"$tmp/library"
names "$1/CMakeFiles/stele.dir" >"$tmp/command"
for side in library command; do
    [ -s "$tmp/$side" ] || {
        echo "SKIP: the objects of the $side are not where they are looked for"
        exit 77
    }
done
# Position-independent code for i386 has a copy of these in each object that needs them.
twice=$(comm -12 "$tmp/library" "$tmp/command" | grep -v '^__x86\.get_pc_thunk\.' || :)
if [ -n "$twice" ]; then
    echo "the command and the library both define:" $twice
    exit 1
fi
