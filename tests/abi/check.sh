#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh [--write]; environment: SOURCE, LIBRARY (libstele.so), CC
# The library still has every function and every struct of the baseline, as programs were compiled
# against them: docs/library.md, "Versions and the so-name". New functions are no difference; a struct
# that grew at its end is one, for somebody to look at before the baseline is made anew. For this
# a probe is linked with the library, a pointer to each function and type of the public headers, so
# that abidiff sees those types and no internal ones. --write makes the baseline anew, after a
# change that was meant.
set -eu
for tool in abidw abidiff; do
    command -v $tool >/dev/null || {
        echo "SKIP: no $tool (package abigail-tools)"
        exit 77
    }
done
[ "$(uname -m)" = x86_64 ] || {
    echo "SKIP: the baseline is of x86_64"
    exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

{
    (cd "$SOURCE/include" && printf '#include <%s>\n' stele/*.h)
    grep -hv '^#' "$SOURCE"/include/stele/*.h | tr '\n' ' ' | grep -oE 'STELE_API [^;]*;' |
        sed -E 's/^[^(]*(stele_[a-z0-9_]+)\(.*/__typeof__(\1) *abi_\1 = \1;/' | sort -u
    sed -nE 's/^\} (stele_[a-z0-9_]+);.*/\1 *abi_\1;/p' "$SOURCE"/include/stele/*.h | sort -u
} >"$tmp/probe.c"
"$CC" -std=c17 -g -ffile-prefix-map="$tmp"=. -fPIC -shared -Wl,--no-undefined -I "$SOURCE/include" -o "$tmp/probe.so" \
    "$tmp/probe.c" "$LIBRARY"

baseline=$SOURCE/tests/abi/baseline.abi
if [ "${1:-}" = --write ]; then
    abidw --no-elf-needed --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash \
        --out-file "$baseline" "$tmp/probe.so"
fi
status=0
abidiff --no-added-syms "$baseline" "$tmp/probe.so" || status=$?
if [ $status -ne 0 ]; then
    echo "programs that are linked with the library may break (abidiff: $status)"
    exit 1
fi
echo "ok: $(grep -c '<elf-symbol ' "$baseline") functions and types are as they were"
