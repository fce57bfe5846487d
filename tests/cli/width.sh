#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What people read on a terminal of 80 columns fits it: the help of every command and topic.
# Characters are counted, not bytes.
. "$SOURCE/tests/cli/lib.sh"

# fits: no line of ./out is wider than 80 characters
fits() {
    awk 'length($0) > 80 { print length($0) ": " $0 }' out > wide
    [ ! -s wide ] || complain "lines of more than 80 characters" wide
}

COLUMNS=80
export COLUMNS
# words HEADING: the first words of the lines below it in ./out
words() {
    sed -n "/^$1/,/^$/s/^  \\([a-z][a-z-]*\\)  .*/\\1/p" out
}

expect 0 --help
fits
commands=$(words Commands)
topics=$(words Topics)
check "there are commands" test "$(echo "$commands" | wc -l)" -gt 10
check "there are topics" test "$(echo "$topics" | wc -l)" -gt 4
for command in $commands; do
    expect 0 "$command" --help
    fits
    for part in $(words Commands); do
        expect 0 "$command" "$part" --help
        fits
    done
done
for topic in $topics; do
    expect 0 help "$topic"
    fits
done
for code in $("$STELE" explain --list 2>err | sed -n 's/^ *\([A-Z][A-Z][A-Z][0-9][0-9][0-9]\).*/\1/p'); do
    expect 0 explain "$code"
    fits
done
finish
