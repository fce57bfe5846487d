#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: words.sh SOURCE
# docs/words.md has each word once, and its phrases to be avoided stand nowhere in what users read:
# public headers, codes, options, documents; and in no comment of the code. Its names that have become
# others stand nowhere in the code, and no type is called by a word alone that means little alone.
set -eu
cd "$1"
page=docs/words.md
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

grep '^| \*\*' "$page" | cut -d'|' -f2 | grep -o '\*\*[^*]*\*\*' | sort >"$tmp/words"
[ "$(wc -l <"$tmp/words")" -gt 20 ] || {
    echo "$page has no words"
    failed=1
}
for word in $(uniq -d "$tmp/words"); do
    echo "$page explains $word twice"
    failed=1
done

sed -n '/^## Phrases/,$p' "$page" | sed -n 's/^| `\([^`]*\)` |.*/\1/p' >"$tmp/phrases"
[ -s "$tmp/phrases" ] || {
    echo "$page has no phrases"
    failed=1
}
{
    find include docs -name '*.h' -o -name '*.md'
    find src -name '*.def' -o -name '*.[ch]'
    echo README.md
    echo CONTRIBUTING.md
    echo CHANGELOG.md
} | grep -vx "$page" >"$tmp/files"
while read -r phrase; do
    # shellcheck disable=SC2046
    if grep -niFw -e "$phrase" $(cat "$tmp/files") >"$tmp/found"; then
        echo "\"$phrase\" (see $page):"
        head -n 20 "$tmp/found"
        failed=1
    fi
done <"$tmp/phrases"

sed -n '/^## Names/,/^## Phrases/p' "$page" | sed -n 's/^| `\([^`]*\)` |.*/\1/p' >"$tmp/names"
[ -s "$tmp/names" ] || {
    echo "$page has no names"
    failed=1
}
grep -E '^src/.*\.[ch]$|^include/' "$tmp/files" >"$tmp/code"
while read -r name; do
    # shellcheck disable=SC2046
    if grep -nw -e "$name" $(cat "$tmp/code") >"$tmp/found"; then
        echo "the name $name (see $page):"
        head -n 20 "$tmp/found"
        failed=1
    fi
done <"$tmp/names"
# shellcheck disable=SC2046
if grep -nE '^(\} |typedef .* )(run|part|place|unit|layout|walk)s?;' $(cat "$tmp/code") >"$tmp/found"; then
    echo "types whose names say too little:"
    cat "$tmp/found"
    failed=1
fi
[ $failed -ne 0 ] || echo "ok: $(wc -l <"$tmp/words") words, $(wc -l <"$tmp/phrases") phrases"
exit $failed
