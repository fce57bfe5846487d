#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What commands show of a trace, report and end with is the same however many threads read it. Samples
# of tracers are tried as well where STELE_SAMPLES names them.
. "$SOURCE/tests/cli/lib.sh"

# shown THREADS COMMAND...: all that the command says
shown() {
    threads=$1
    shift
    status=0
    "$STELE" "$@" -j "$threads" >out 2>err || status=$?
    { cat out err; echo "exit code $status"; } >"shown.$threads"
}

for trace in "$SOURCE"/src/formats/*/good/* "$SOURCE"/src/formats/*/bad/* \
    "${STELE_SAMPLES:-/nowhere}"/fxt/* "${STELE_SAMPLES:-/nowhere}"/xray/* \
    "${STELE_SAMPLES:-/nowhere}"/ctf/*; do
    case $trace in
    */README.md | */EXPECT | *\*) continue ;;
    esac
    while read -r command; do
        # shellcheck disable=SC2086 # words of the command
        shown 1 $command "$trace"
        for threads in 2 3 7; do
            # shellcheck disable=SC2086
            shown $threads $command "$trace"
            cmp -s shown.$threads shown.1 || {
                last="$command -j $threads $trace"
                complain "differs from one thread" shown.$threads
            }
        done
    done <<EOF
info
info --json --names 0
stats --by name,track,kind --json
stats --by track --of dur
profile
profile --by-thread --json --rank name
stats --events --by name --of len(name),arg.len --figures count,sum,min,mean,p50,p99.9,max
EOF
done
finish
