#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A reader of traces that does what it should not is refused: files that were not named, sockets, other
# programs. INTRUDER is a library that tries all of it at the first read (tests/sandbox/intruder.c).
. "$SOURCE/tests/cli/lib.sh"
[ -e "${INTRUDER:-}" ] || {
    echo "SKIP: no library to intrude with"
    exit 77
}
mkdir secret elsewhere temporary traces results
export TMPDIR="$PWD/temporary" # which is for the command
echo secret >secret/file
export INTRUDER_FILE="$PWD/secret/file" INTRUDER_FOLDER="$PWD/elsewhere"

# intruded COMMAND...: with what the intruder said in ./err.
intruded() {
    last="stele $*"
    LD_PRELOAD=$INTRUDER "$STELE" "$@" >out 2>err </dev/null || :
}

cp "$fxt/events.fxt" traces
intruded info -q traces/events.fxt --no-sandbox
grep -q 'intruder: read another file: done' err || {
    echo "SKIP: the library could not be loaded before others (a sanitizer, or another C library)"
    exit 77
}
[ -e secret/file ] && complain "the intruder did not even remove a file without the sandbox" err
echo secret >secret/file
rm -f elsewhere/made

# What this kernel can refuse. It may have one of the two, or neither.
intruded info -q traces/events.fxt
if grep -q 'intruder: read another file: done' err; then
    skip "the kernel has no Landlock: files are not refused here"
    has_landlock=no
else
    has_landlock=yes
fi
if grep -q 'intruder: make a socket: done' err; then
    skip "the kernel has no seccomp filters for this machine: sockets are not refused here"
    has_seccomp=no
else
    has_seccomp=yes
fi

refused() {
    if [ $has_landlock = yes ]; then
        for what in 'read another file' 'write another file' 'make a file' 'remove another file'; do
            says err "intruder: $what: Permission denied"
        done
        check "the secret is still there" test -e secret/file
        check "nothing was made" test ! -e elsewhere/made
    fi
    if [ $has_seccomp = yes ]; then
        says err 'intruder: make a socket: Operation not permitted'
        says err 'intruder: run a program: Operation not permitted'
    fi
    rm -f elsewhere/made
    [ -e secret/file ] || echo secret >secret/file
}

intruded info -q traces/events.fxt
says out 'Events '
refused
ctf=$SOURCE/src/formats/ctf/good
for command in cat check dump stats profile calls replay timeline why sched; do
    intruded $command -q traces/events.fxt
    refused
done
intruded cat -q "$ctf/lttng_216_2"
refused
intruded cat -q "$heph/rt_scalars.bin.log" traces/events.fxt --align-start
refused
intruded convert -q traces/events.fxt -o results/made.heph
refused
check "the output is there" test -s results/made.heph
intruded convert -q -f traces/events.fxt -o results/made.heph
refused
intruded convert -q "$ctf/small_2" -o results/folder --to ctf
refused
check "the folder is there" test -s results/folder/metadata
intruded index traces/events.fxt
refused
check "the index is there" test -s traces/events.fxt.stele-index
intruded flame traces/events.fxt -o results/picture.svg
refused
check "the picture is there" test -s results/picture.svg
intruded insn mix "$SOURCE/src/formats/xtrace/good/threads"
refused

# What was possible before still is: links, devices, pipes, pairs of files, sorting through a file.
mkdir links
ln -s "$ctf/small_2/metadata" links/metadata
ln -s "$ctf/small_2/stream" links/stream
expect 1 info links # as of the files themselves: events are discarded in it
ln -s "$fxt/events.fxt" link.fxt
expect 0 info link.fxt
expect 1 convert -q traces/events.fxt -o /dev/null --to heph
says_not err STE005
cat traces/events.fxt | "$STELE" info -q - >out 2>err || complain "a pipe" err
expect 0 cat -q --sort full --max sort=4K "$SOURCE/src/formats/ctf/good/lttng_216_2"
finish
