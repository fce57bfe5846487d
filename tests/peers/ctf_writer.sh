#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# babeltrace2 reads what Stele writes: CTF 1.8, and CTF 2 where it is new enough (2.1).
. "$SOURCE/tests/cli/lib.sh"
command -v babeltrace2 >/dev/null || {
    echo "SKIP: no babeltrace2 (package babeltrace2)"
    exit 77
}
versions=1.8
case $(babeltrace2 --version | head -1) in
*\ 2.0.*) echo "this babeltrace2 knows no CTF 2: only 1.8 is compared" ;;
*) versions='1.8 2' ;;
esac
count=0
for version in $versions; do
    for trace in "$SOURCE"/src/formats/fxt/good/*.fxt "$SOURCE"/src/formats/heph/good/*.log \
        "$SOURCE"/src/formats/xray/good/*.xray; do
        "$STELE" convert "$trace" -o written --to ctf --to-version $version --force >/dev/null 2>&1
        want=$("$STELE" cat written 2>/dev/null | grep -vc '  lost  ')
        got=$(babeltrace2 written 2>err | wc -l)
        [ "$got" -eq "$want" ] || {
            head -3 err
            complain "$(basename "$trace") as CTF $version: $got events instead of $want"
        }
        count=$((count + 1))
        rm -rf written
    done
done
[ "$count" -gt 10 ] || complain "only $count traces"
echo "$count traces read"

finish
