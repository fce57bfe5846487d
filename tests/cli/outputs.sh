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
# What lies in a directory that is written to again stays, and is told.
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
silent err 'STE012'
echo precious >folder/other
expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
says err "folder: warning STE012 files of an earlier trace: .* 1 more, such as 'other'"
check "the other file is as it was" test "$(cat folder/other)" = precious
# All files are replaced in one step: the folder is another one, with what it had beside.
if [ "$(stat -c %u .)" -eq "$(id -u)" ]; then
    mkdir -p folder/below/deep && echo precious >folder/below/deep/file && ln -s other folder/link
    before=$(ls -di folder)
    expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
    check "the folder is another one" test "$(ls -di folder)" != "$before"
    check "what lay below is there" test "$(cat folder/below/deep/file)" = precious
    check "a link is still a link" test -L folder/link
    check "nothing unfinished is left" test -z "$(find . -maxdepth 1 -name '.stele-*')"
    # Not at all, where a folder has the name of one of the files.
    rm folder/metadata && mkdir folder/metadata && echo precious >folder/metadata/file
    cp -r folder as_before
    expect 4 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
    check "nothing has changed" diff -r folder as_before
    check "nothing unfinished is left" test -z "$(find . -maxdepth 1 -name '.stele-*')"
    rm -r as_before folder/metadata folder/below folder/link
    expect 0 convert "$SOURCE/src/formats/ctf/good/rfc_natural32" --to ctf -o folder --force
fi
# What a run that was killed left in it is passed over, and said.
echo unfinished >folder/.stele-0123456789abcdef.part
expect 1 info folder
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
