#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where results go: full disks, closed pipes, existing files, and no half files.
. "$SOURCE/tests/cli/lib.sh"
trace=trace.bin.log # a name without a space, for lists of words
cp "$heph/heph_tracing_example.bin.log" $trace

# A full disk gives 4, whatever is written.
if [ -e /dev/full ]; then
    for command in "info $trace" "cat $trace" "cat --json $trace" "cat --csv $trace" \
        "cat --tail 3 $trace" "dump $trace" "check $trace" "check --json $trace" \
        "explain --list" "formats" "formats --json" "help" "version" "--help" \
        "help --completion bash" "convert $trace --to json -o -" "convert $trace --to heph -o -"; do
        last="stele $command >/dev/full"
        status=0
        "$STELE" $command >/dev/full 2>err || status=$?
        [ $status -eq 4 ] || complain "exit code $status, expected 4" err
        says err 'error STE005 .*No space left on device'
    done
    expect 4 convert "$trace" --to json -o /dev/full --force
    says err 'error STE005'
else
    skip "no /dev/full"
fi

# So does a limit of file sizes, and nothing is left of what was begun.
limited() {
    last="ulimit -f 1; stele $*"
    status=0
    (ulimit -f 1 && "$STELE" "$@" 2>err) || status=$?
    [ $status -eq 4 ] || complain "exit code $status, expected 4" err
}
for format in chrome json fxt; do
    limited convert --to $format -o limited.out "$fxt/events.fxt" "$fxt/hostile_names.fxt" --offset 0s
    check "nothing is left of $format" test ! -e limited.out
    check "no leftovers of $format" sh -c '! ls -A | grep -q limited'
done
limited cat --json "$trace" >limited.out
rm -f limited.out

# Whoever reads the output may go away: quiet, and 0. (The status of the left side is in `left`.)
closed() {
    last="stele $* | head -n 1"
    { status=0; "$STELE" "$@" 2>err || status=$?; echo $status >left; } | head -n 1 >first
    [ "$(cat left)" -eq 0 ] || complain "exit code $(cat left), expected 0" err
    silent err
}
i=0
while [ $i -lt 300 ]; do
    cat "$heph/no_epoch.bin.log"
    i=$((i + 1))
done >many.heph
closed cat --unsorted many.heph
closed cat --json --unsorted many.heph
closed cat --csv --unsorted many.heph
closed dump many.heph
closed dump --hex many.heph
closed convert many.heph -o - --to json --unsorted
closed convert many.heph -o - --to heph

# Files that exist are replaced with --force only.
for to in json csv heph; do
    echo precious >result
    expect 4 convert "$trace" --to $to -o result
    says err 'result: error STE005 .*'
    check "the file is as it was" test "$(cat result)" = precious
    expect 0 convert "$trace" --to $to -o result --force
    check "the file is new" test "$(head -c 8 result)" != precious
    rm result
done
# A directory that is written to again holds the new trace alone, and what no trace put there is not
# deleted.
rfc=$SOURCE/src/formats/ctf/good/rfc_natural32
expect 0 convert "$rfc" --to ctf -o folder
expect 0 convert "$rfc" --to ctf -o folder --force
silent err 'STE012'
cp -r folder as_before
for name in notes.txt notes below/deep/notes index/notes; do
    mkdir -p "folder/$(dirname $name)" && echo precious >folder/$name
    expect 4 convert "$fxt/events.fxt" --to ctf -o folder --force
    says err "folder: error STE005 .* holds '$name'"
    says_not err 'force replaces'
    check "the other file is as it was" test "$(cat folder/$name)" = precious
    check "nothing unfinished is left" test -z "$(find . -name '.stele-*')"
    rm folder/$name && rm -rf folder/below && rmdir folder/index 2>/dev/null
    check "nothing has changed" diff -r folder as_before
done
# Nor through a link, nor where a folder has the name of one of the files.
ln -s "$SOURCE/README.md" folder/stream_9
expect 4 convert "$fxt/events.fxt" --to ctf -o folder --force
says err "holds 'stream_9'"
rm folder/stream_9
rm folder/metadata && mkdir folder/metadata && echo precious >folder/metadata/file
expect 4 convert "$fxt/events.fxt" --to ctf -o folder --force
says err "holds 'metadata/file'"
rm -r folder/metadata as_before && cp "$rfc/metadata" folder/metadata
# All files are replaced in one step: the folder is another one.
before=$(ls -di folder)
expect 0 convert "$fxt/events.fxt" --to ctf -o folder --force
[ "$(stat -c %u .)" -ne "$(id -u)" ] ||
    check "the folder is another one" test "$(ls -di folder)" != "$before"
expect 0 convert "$fxt/events.fxt" --to ctf -o new
check "no file of the earlier trace is left" diff -r folder new
check "nothing unfinished is left" test -z "$(find . -maxdepth 1 -name '.stele-*')"
expect 0 convert "$fxt/scheduling.fxt" --to ctf -o folder --force
expect 0 convert "$fxt/scheduling.fxt" --to ctf -o other
check "no file of the earlier trace is left" diff -r folder other
# The same where the files are replaced one by one, because somebody stands in the folder.
(cd folder && "$STELE" convert "$fxt/events.fxt" --to ctf -o . --force) >out 2>err
check "no file of the earlier trace is left" diff -r folder new
echo precious >folder/notes
(cd folder && "$STELE" convert "$fxt/scheduling.fxt" --to ctf -o . --force) >out 2>err
says err "holds 'notes'"
rm folder/notes
check "nothing has changed" diff -r folder new
# The traces of a merge lie in folders of their own, which go with files that are written again.
expect 0 merge new other --align-start --to ctf -o merged
rm -r other && cp -r new other
expect 0 merge new other --align-start --to ctf -o merged --force
check "no file of the earlier trace is left" diff -r merged/other merged/new
expect 4 convert "$fxt/events.fxt" --to ctf -o merged --force # it may be a folder of many traces
says err "holds '\(new\|other\)/"
rm -r new other merged
# Pieces, tables and pages.
expect 0 split --duration 100ns -o pieces "$fxt/events.fxt"
check "there are pieces" test "$(ls pieces | wc -l)" -gt 2
expect 0 split --duration 1s -o pieces "$fxt/events.fxt" --force
check "one piece is left" test "$(ls pieces)" = 000000.fxt
echo precious >pieces/mine.fxt
expect 4 split --duration 100ns -o pieces "$fxt/events.fxt" --force
says err "holds 'mine.fxt'"
expect 0 convert "$fxt/events.fxt" --to parquet -o tables
expect 0 convert "$fxt/events.fxt" --to parquet -o tables --tables event --force
check "one table is left" test "$(ls tables)" = event
echo precious >tables/event/readme
expect 4 convert "$fxt/events.fxt" --to parquet -o tables --force
says err "holds 'event/readme'"
expect 0 view "$fxt/events.fxt" --export page
expect 0 view "$fxt/scheduling.fxt" --export page --force
expect 0 view "$fxt/scheduling.fxt" --export page2
check "one page is left" diff -rq page page2
echo precious >page/data/mine.js
expect 4 view "$fxt/events.fxt" --export page --force
says err "holds 'data/mine.js'"
rm -r pieces tables page page2
expect 0 convert "$rfc" --to ctf -o folder --force
# What a run that was killed left in it is passed over, and said; it goes with the folder.
echo unfinished >folder/.stele-0123456789abcdef.part
expect 0 info folder
says err 'STE011 .*left unfinished'
rm -r folder
mkdir -m 700 folder # an empty one is replaced by a whole one, and keeps its mode
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder
check "the mode is kept" test "$(ls -ld folder | cut -c 1-10)" = drwx------
mkdir inside && (cd inside && "$STELE" convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf \
    -o .) >out 2>err # where somebody stands nothing is replaced
check "a trace can be written to where one stands" test -e inside/metadata
expect 2 convert "$trace" --to ctf -o -
says err 'standard output, which cannot take the files that ctf writes'
expect 4 convert "$trace" --to json -o missing-folder/result
says err 'error STE005 .*No such file or directory'

# Runs that fail leave no files.
mkdir results
head -c 4000 "$trace" | tail -c 3990 >damaged
for words in "nothing-here --to json" "$trace nothing-here --to json" "$trace --to json --where dur>" \
    "$trace --to json --columns nonsense"; do
    status=0
    last="stele convert $words -o results/result"
    "$STELE" convert $words -o results/result >out 2>err || status=$?
    [ $status -ne 0 ] || complain "should fail"
    check "no file is left" test -z "$(ls -A results)"
done

# Killed in the middle: no half file, and no temporary one where the signal can be caught. The input
# is a pipe that gives all it has and then keeps its reader waiting.
interrupted() { # interrupted SIGNAL NUMBER WORDS...
    signal=$1 number=$2
    shift 2
    last="stele $*, ended by $signal"
    (cat many.heph; exec sleep 60) >pipe &
    writer=$!
    "$STELE" "$@" >out 2>err &
    runner=$!
    sleep 1
    kill -"$signal" $runner 2>/dev/null
    status=0
    wait $runner || status=$?
    check "the signal ended it" test $status -eq $((128 + number))
    check "the one that waited was ended, not the one it waited for" kill -0 $writer
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
    check "no file is left" test -z "$(ls -A results)"
}
if mkfifo pipe 2>/dev/null; then
    ulimit -c 0
    for signal in 'INT 2' 'TERM 15' 'HUP 1' 'QUIT 3'; do
        # shellcheck disable=SC2086
        interrupted $signal convert --in heph --to json --unsorted -o results/result pipe
    done
    interrupted TERM 15 convert --in heph --to json -o results/result pipe
    interrupted TERM 15 convert --in heph --to ctf --unsorted -o results/result pipe
    interrupted HUP 1 convert --in heph --to ctf -o results/result pipe

    # What cannot be caught leaves no file under its name, and no folder, however much was written.
    for size in 1 3000 100000; do
        for to in json ctf; do
            (head -c $size many.heph; exec sleep 60) >pipe &
            writer=$!
            "$STELE" convert --in heph --to $to --unsorted -o results/result pipe >out 2>err &
            runner=$!
            sleep 1
            last="stele convert --to $to, killed after $size bytes"
            kill -KILL $runner
            wait $runner 2>/dev/null
            kill $writer 2>/dev/null
            wait $writer 2>/dev/null
            check "no half result stands under its name" test ! -e results/result
            rest=$(ls -A results | sed '/^\.stele-[0-9a-f]*\.part$/d')
            check "what is left has a name that tells what it is" test -z "$rest"
        done
    done
    rm -rf results && mkdir results
    interrupted TERM 15 cat --in heph pipe
    interrupted TERM 15 info pipe
    interrupted HUP 1 dump --in heph pipe
    interrupted QUIT 3 check --in heph pipe
fi

# A name that ends with .gz or .zst is written packed, in every format of one file.
for to in json csv heph fxt chrome; do
    case $to in
    json | csv | heph | fxt) expect 0 convert "$trace" --to $to -o plain.$to ;;
    *) expect 1 convert "$trace" --to $to -o plain.$to ;; # a loss, see docs/conversion.md
    esac
    for packing in gz zst; do
        "$STELE" convert "$trace" --to $to -o packed.$to.$packing >out 2>err
        case $packing in
        gz) gzip -dc packed.$to.gz >unpacked ;;
        zst) if have zstd; then zstd -qdc packed.$to.zst >unpacked; else cp plain.$to unpacked; fi ;;
        esac
        same unpacked plain.$to
    done
done
for name in x.json.gz x.csv.zst x.heph.gz; do # the format is known by what stands before it
    "$STELE" convert "$trace" -o $name >out 2>err
    says_not err 'does not tell the format'
    check "$name is packed" test "$(head -c 1 $name | od -An -tu1 | tr -d ' ')" -ne "$(head -c 1 plain.csv | od -An -tu1 | tr -d ' ')"
done

# What is no regular file is written straight.
expect 0 convert "$trace" --to json -o /dev/null --force
finish
