#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: manual.sh ROOT MANUAL
# The manual pages made of headers and documents: each has a line that `man -k` finds, each public
# function leads to the page of its header, and the text formatter has nothing to say of them.
set -eu
root=$1 manual=$2
cd "$manual"

failed=0
fail() {
    echo "$*"
    failed=1
}

pages=$(find . -name '*.[357]' ! -name 'stele_*' | sort)
for page in $pages; do
    name=${page##*/}
    name=${name%.*}
    awk -v name="$name" '
        { gsub(/\\-/, "-") }
        /^\.SH NAME$/ || (/^NAME$/ && before == ".SH") { within = 1; next }
        { before = $0 }
        /^\.(SH|PP|LP)/ && within && found { exit }
        within && index($0, name " ") == 1 { found = 1 }
        END { exit !found }
    ' "$page" || fail "$page: expected '$name - what it is' under NAME"
done

for function in $(sed -n 's/^STELE_API[^(]*[ *]\(stele_[a-z0-9_]*\)(.*/\1/p' "$root"/include/stele/*.h); do
    [ -s "man3/$function.3" ] || fail "no manual page leads to $function()"
done

if command -v groff >/dev/null; then
    for page in $pages; do
        # That a table is too wide for a line is not a fault of the page.
        groff -man -t -k -Tutf8 -wmac -wsyntax -wnumber -z "$page" 2>&1 |
            grep -vE "(adjust|break) line|line (width|length)|around line|column separation" &&
            fail "$page: see above"
    done
    text() {
        groff -man -t -k -Tutf8 -P-cbou -rLL=200n "$1" 2>/dev/null
    }
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    for page in man5/*.5 man7/*.7; do
        [ -e "$page" ] || continue
        name=${page##*/stele-}
        name=${name%.*}
        document=$root/src/formats/$name/FORMAT.md
        [ -e "$document" ] || document=$root/docs/$name.md
        text "$page" >"$tmp/page"
        awk -f "$root/tests/docs/manual_blocks.awk" "$tmp/page" "$document" >"$tmp/faults"
        [ ! -s "$tmp/faults" ] || {
            head -5 "$tmp/faults"
            fail "$page: see above"
        }
    done
    # Rows of the table of kinds stand in lines of their own.
    text man3/libstele-event.3 >"$tmp/page"
    grep -q '^ *COMPLETE  *end, in ticks  *end, in ns' "$tmp/page" &&
        grep -q '^ *INSTANT  *0  *0$' "$tmp/page" || fail "the table of kinds is no table"
else
    echo "SKIP: no groff (package groff-base): the pages are not formatted"
fi
[ -n "$(find . -name 'stele-fxt.5')" ] ||
    echo "SKIP: no lowdown (package lowdown): pages of formats and subjects are not made"
exit $failed
