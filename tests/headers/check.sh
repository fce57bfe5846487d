#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh ROOT STANDARD [COMPILER]
# Each public header compiles alone, and twice in one file, without a warning. Each says on which
# threads it may be used, or where that is said.
set -eu
root=$1
standard=$2
compiler=${3:-}
if [ -z "$compiler" ] || [ "${compiler%NOTFOUND}" != "$compiler" ]; then
    echo "SKIP: no compiler for $standard (package g++): the public headers are not checked with it"
    exit 77
fi
case $standard in
c++*) language=c++ strict= ;;
*) language=c strict='-Wstrict-prototypes' ;;
esac

count=0
for header in "$root"/include/stele/*.h; do
    [ -e "$header" ] || continue
    name=stele/$(basename "$header")
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
        "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
            $strict -Werror -I "$root/include" -fsyntax-only -
    count=$((count + 1))
    grep -qE '[Oo]ne( \* )? ?thread|any thread|threads, |thread at a' "$header" || {
        echo "$name does not say on which threads it may be used"
        exit 1
    }
done
[ $count -gt 0 ] || { echo "no header found in $root/include/stele"; exit 1; }
echo "$count headers compile alone as $standard"
