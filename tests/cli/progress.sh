#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The progress bar: on a terminal, after a second; never in pipes and never with --quiet.
. "$SOURCE/tests/cli/lib.sh"
have_terminal || {
    echo "SKIP: no terminal to be had: the progress bar is not tested"
    exit 77
}

# A pipe that takes its time: half of the trace comes after a pause.
i=0
while [ $i -lt 200 ]; do
    cat "$heph/no_epoch.bin.log"
    i=$((i + 1))
done >half
slowly="(cat half; sleep 1.3; cat half)"
on_terminal() { # on_terminal COMMAND: what stands on the screen goes to ./out
    last="$1"
    TERM=xterm script -qec "sh -c '$(printf %s "$1" | sed "s/'/'\\\\''/g")'" /dev/null \
        >out 2>&1 </dev/null
}

on_terminal "$slowly | '$STELE' info -"
says out ' MB/s'
on_terminal "$slowly | '$STELE' convert - --unsorted --to json -o /dev/null --force"
says out ' MB/s'
on_terminal "$slowly | '$STELE' info --quiet -"
says_not out ' MB/s'
on_terminal "cat half | '$STELE' info -"
says_not out ' MB/s'
# Where events are written to the terminal there is no place for a bar.
on_terminal "$slowly | '$STELE' cat --unsorted -"
says_not out ' MB/s'
on_terminal "$slowly | '$STELE' cat --unsorted - >/dev/null"
says out ' MB/s'

last="info - in a pipe"
sh -c "$slowly" | "$STELE" info - >out 2>err
says_not out ' MB/s'
silent err
finish
