#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: assemble.sh FILE.hex > FILE
# Bytes written by hand: two hexadecimal digits each, 'text' as it is, # up to the end of the line.
set -eu
LC_ALL=C awk '
function byte(n) { printf "\\%03o", n }
BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
{
    for (at = 1; at <= length($0); at++) {
        c = substr($0, at, 1)
        if (c == "#") break
        if (c == " ") continue
        if (c == "\047") {
            for (at++; substr($0, at, 1) != "\047"; at++) byte(code[substr($0, at, 1)])
            continue
        }
        high = index("0123456789abcdef", c) - 1
        low = index("0123456789abcdef", substr($0, ++at, 1)) - 1
        if (high < 0 || low < 0) { print "not hexadecimal: " $0 > "/dev/stderr"; exit 1 }
        byte(high * 16 + low)
    }
    print ""
}' "$1" | while read -r line; do
    # shellcheck disable=SC2059
    printf "$line"
done
