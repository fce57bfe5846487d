#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where traces come from: files, pipes, packed files, archives; and what is no trace.
. "$SOURCE/tests/cli/lib.sh"
name=heph_tracing_example.bin.log
trace=$heph/$name

expect 0 cat "$trace"
mv out wanted
check "the sample has events" test -s wanted

expect_from 0 "$trace" cat -
same out wanted
last="cat x | stele cat -"
cat "$trace" | "$STELE" cat - >out 2>err || complain "failed" err
same out wanted
expect_from 0 "$trace" info -
says out '^-$'
says out 'Size  *not known'
expect_from 0 "$trace" check -
expect_from 0 "$trace" dump -
expect 0 dump "$trace"
mv out dumped
expect_from 0 "$trace" dump -
same out dumped
# Named pipes and bytes that come one by one.
mkfifo pipe 2>/dev/null && {
    cat "$trace" >pipe &
    expect 0 cat pipe
    same out wanted
    wait
    rm pipe
}
(dd if="$trace" bs=7 2>/dev/null) | "$STELE" cat - >out 2>err || complain "failed by small pieces" err
same out wanted

# Packed, with names that say so and without.
gzip -c "$trace" >"$name.gz"
cp "$name.gz" packed
for file in "$name.gz" packed; do
    expect 0 cat "$file"
    same out wanted
    expect 0 info "$file"
    says out 'Size .*, gzip'
done
expect_from 0 packed cat -
same out wanted
if have zstd; then
    zstd -q -c "$trace" >"$name.zst"
    expect 0 cat "$name.zst"
    same out wanted
    expect 0 info "$name.zst"
    says out 'Size .*, zstd'
else
    skip "no zstd command"
fi
# A packed trace that was cut: what is there is shown, and the damage is told.
head -c 1500 "$name.gz" >cut.gz
expect 1 cat cut.gz
says err 'error STE003'
check "events before the cut are shown" test -s out

# What is no trace.
: >empty
printf 'hello, world\n' >text
mkdir -p folder
for file in nothing-here empty text folder; do
    for command in info cat check dump "convert -o result --to json"; do
        expect 3 $command "$file"
        [ "$command" = check ] || says err ' error STE00[12] '
    done
done
# Commands that show findings on their page say on standard error why there is none.
for file in nothing-here empty text folder; do
    for command in why "report -o result.html"; do
        # shellcheck disable=SC2086
        expect 3 $command "$file"
        says err ' error STE00[12] '
    done
done
check "nothing was written" test ! -e result -a ! -e result.html
expect 3 info nothing-here
says err '^nothing-here: error STE001 .*No such file or directory'
expect 3 info text
says err '^text:0: error STE002 .*found bytes 68 65 6c 6c 6f'
expect_from 3 /dev/null info -
if [ "$(id -u)" -ne 0 ]; then
    cp "$trace" locked
    chmod 000 locked
    expect 3 info locked
    says err 'Permission denied'
    rm -f locked
else
    skip "root may read everything: no test of missing permission"
fi

# Of several inputs the worst counts, and the others are shown.
expect 3 info nothing-here "$trace" text
says out "^$trace"
expect 3 cat nothing-here "$trace"
same out wanted
expect 3 check "$trace" nothing-here
says out "^$trace: 0 errors"

# A format that is named is believed.
expect 0 info --in heph "$trace"
says out 'recognised: named by the user'
expect 0 cat --in heph "$trace"
same out wanted

# A magic number in the other byte order than all that follows it is reported, and the rest read.
for order in events big_endian; do
    good=$SOURCE/src/formats/fxt/good/$order.fxt
    { head -c 8 "$good" | od -An -v -tx1 -w1 | tac | while read -r byte; do
        # shellcheck disable=SC2059
        printf "\\$(printf '%03o' "0x$byte")"
    done; tail -c +9 "$good"; } >swapped.fxt
    "$STELE" cat --csv --columns time,name,fields "$good" 2>/dev/null | tail -n +2 >wanted
    expect 1 check swapped.fxt
    says out '^swapped.fxt:0: error FXT002'
    "$STELE" cat --csv --columns time,name,fields swapped.fxt 2>/dev/null >given
    check "all events of $order are there" test "$(grep -cxFf wanted given)" -ge "$(wc -l <wanted)"
done
# What no format knows is refused before a copy of it is made, which for a device never ends.
[ -c /dev/zero ] && {
    expect 3 info /dev/zero
    expect 3 timeline /dev/zero
    "$STELE" view --help >/dev/null 2>&1 && expect 3 view --export page.html /dev/zero
}
# A time before the end has a meaning in packed files, too, which are read from front to back.
"$STELE" cat --begin=-1ms "$trace" >wanted
check 'there is something before the end' test -s wanted
gzip -c "$trace" >packed.gz
expect 0 cat --begin=-1ms packed.gz
same out wanted
# A file that is given twice counts twice, by whatever path, and that is said. Another with the same
# bytes may be another run.
mkdir -p folder && cp "$trace" folder/a.heph && ln -sf a.heph folder/b.heph && cp "$trace" folder/c.heph
expect 0 stats folder/a.heph folder/b.heph folder/c.heph
says err 'b.heph was given before: it is read, and counts, twice'
check 'only one of them was given before' test "$(grep -c 'given before' err)" -eq 1
expect 0 diff folder/a.heph folder/b.heph
check 'what compares says nothing of it' test "$(grep -c 'given before' err)" -eq 0
# The second file of a trace that a first one opened as a whole is not read again.
pair=$(find "$SOURCE/src/formats/xtrace/good" -name '*.xinsndata.bin' | head -n 1)
"$STELE" stats --by kind "$pair" >wanted
expect 0 stats --by kind "$pair" "${pair%.xinsndata.bin}.xsnapshot.bin"
same out wanted
says err 'xsnapshot.bin is of the same trace as '
# Also of a command whose traces are not its first arguments.
"$STELE" latency '*' '*' "$pair" 2>/dev/null >wanted
expect 0 latency '*' '*' "$pair" "${pair%.xinsndata.bin}.xsnapshot.bin"
same out wanted

# A folder of files of which each is a trace is no trace, and the formats know its files.
mkdir singles
cp "$SOURCE"/src/formats/xray/good/e*.xray singles
expect 3 info singles
says err "singles: error STE002 .*files of which each may be a trace, such as 'e.*': name them (DIR/.)"
says_not err 'no format knows'
expect 3 info --in heph singles
says err "expected one file, found [0-9]* files: name them"
finish
