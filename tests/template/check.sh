#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# environment: SOURCE, CMAKE, GENERATOR, CC
# The template of a format works as a sixth format of a copy of this tree: it keeps the contract of
# all formats, and every command takes it, though it can neither be dumped nor written. So does the
# seventh, which the commands in CONTRIBUTING.md make of it under another name.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tree"
(cd "$SOURCE" && tar cf - CONTRIBUTING.md CMakeLists.txt LICENSE cmake include src tests) |
    (cd "$tmp/tree" && tar xf -)
cd "$tmp/tree"
cp -r tests/template/lines src/formats/lines
echo 'STELE_FORMAT(lines)' >>src/formats/formats.def
sed -n '/^cp -r tests\/template/,/^echo .STELE_FORMAT(mine)/p' CONTRIBUTING.md >recipe
grep -q 'STELE_FORMAT(mine)' recipe ||
    { echo "CONTRIBUTING.md does not say how a format begins"; exit 1; }
sh -e recipe
# Two formats cannot begin alike; the texts are equally long, so that offsets stay.
grep -rl 'events 1' src/formats/mine | xargs sed -i 's/# events 1/# mevent 1/'
"$CMAKE" -S . -B build -G "$GENERATOR" -DCMAKE_C_COMPILER="$CC" -DSTELE_WERROR=ON >log ||
    { cat log; exit 1; }
"$CMAKE" --build build --target stele contract >log || { cat log; exit 1; }
build/tests/contract lines
build/tests/contract mine

stele=build/stele
good=src/formats/lines/good/four.lines
expect() { # expect TEXT COMMAND...
    text=$1
    shift
    "$@" >out 2>&1 || [ $? -eq 1 ]
    grep -q -- "$text" out || { echo "no '$text' in the output of: $*"; cat out; exit 1; }
}
expect 'One event a line' "$stele" formats
expect 'Events  *4' "$stele" info "$good"
expect 'path=/etc/hosts len=4096' "$stele" cat "$good"
expect '0 errors' "$stele" check "$good"
expect 'LIN001' "$stele" check src/formats/lines/bad/no_time.lines
expect 'LIN001' "$stele" explain LIN001
expect '12  events are known to be lost' "$stele" why src/formats/lines/bad/lost.lines
expect 'thread 7' "$stele" cat src/formats/lines/bad/lost.lines

# A line that is too long is one finding, and no part of it an event, wherever windows end.
for length in 70000 3000000; do
    {
        echo '# events 1'
        echo '1 a'
        head -c $length /dev/zero | tr '\0' x
        head -c $length /dev/zero | tr '\0' ' '
        echo '2 phantom a=1'
        echo '3 b'
    } >long.lines
    expect 'LIN002' "$stele" check --max record=64K long.lines
    expect '1 error' "$stele" check --max record=64K long.lines
    [ "$("$stele" cat -q --max record=64K long.lines 2>/dev/null | wc -l)" -eq 2 ] || {
        echo 'events of a line that is too long'
        exit 1
    }
done
"$stele" convert "$good" -o made.fxt || [ $? -eq 1 ]
expect 'path=/etc/hosts' "$stele" cat made.fxt
code=0
"$stele" dump "$good" >out 2>&1 || code=$?
[ $code -eq 3 ] || { echo "dump: exit code $code"; cat out; exit 1; }
code=0
"$stele" convert made.fxt -o made.lines --to lines >out 2>&1 || code=$?
[ $code -eq 2 ] || { echo "convert to lines: exit code $code"; cat out; exit 1; }
echo "ok: a sixth format"
