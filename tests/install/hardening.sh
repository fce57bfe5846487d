#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: hardening.sh COMMAND LIBRARY CONFIG
# The command and the library have the protections of cmake/Hardening.cmake.
set -eu
command=$1 library=$2 config=$3
export LC_ALL=C
if ! command -v readelf >/dev/null; then
    echo "SKIP: no readelf (package binutils)"
    exit 77
fi
failures=0

# has FILE WHAT OPTION PATTERN: readelf's answer has a line that matches.
has() {
    if readelf "$3" -W "$1" 2>/dev/null | grep -Eq -e "$4"; then
        echo "ok: ${1##*/}: $2"
    else
        echo "${1##*/}: no $2 (readelf $3 has no line '$4')"
        failures=$((failures + 1))
    fi
}

for file in "$command" "$library"; do
    has "$file" "position-independent code" -h 'Type: *DYN'
    has "$file" "read-only relocations" -l 'GNU_RELRO'
    has "$file" "stack without code" -l 'GNU_STACK .* RW '
    has "$file" "binding of all symbols at the start" -d 'FLAGS.*NOW'
    has "$file" "stack protector" --dyn-syms '__stack_chk_fail'
    [ "$config" = Debug ] || has "$file" "checked functions" --dyn-syms '__[a-z]+_chk@'
done
has "$command" "random address" -d 'FLAGS_1.*PIE'
if readelf -h "$command" | grep -Eq "Machine:.*(X86-64|80386)" && command -v objdump >/dev/null; then
    for file in "$command" "$library"; do
        if [ "$(objdump -d "$file" | grep -Ec 'endbr(64|32)')" -lt 100 ]; then
            echo "${file##*/}: functions do not begin with endbr64 or endbr32"
            failures=$((failures + 1))
        fi
    done
fi
[ $failures -eq 0 ]
