#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele info: what traces hold.
. "$SOURCE/tests/cli/lib.sh"
# In the folder of the samples, so that paths are short and everywhere the same.
here=$PWD
in_samples() {
    cd "$heph" || exit 1
    wanted=$1
    shift
    last="stele $*"
    status=0
    "$STELE" "$@" >"$here/out" 2>"$here/err" </dev/null || status=$?
    cd "$here" || exit 1
    [ "$status" -eq "$wanted" ] || complain "exit code $status, expected $wanted" err
}

in_samples 0 info heph_tracing_example.bin.log
golden info_heph
silent err
in_samples 0 info --names 2 --tracks 1 heph_tracing_example.bin.log
says out 'Events by name (2 of 18)'
says out 'Events by track (1 of '
in_samples 0 info --names 0 heph_tracing_example.bin.log
check "all names are there" test "$(grep -c 'Events by name (' out)" -eq 0
in_samples 0 info epoch_only.bin.log no_epoch.bin.log
check "two traces, two reports" test "$(grep -c '^  Format ' out)" -eq 2
check "a clock without wall time says so" grep -q 'Start .* of its clock' out
# An epoch of 2021 and an event at the end of the scale: no wall clock of 64 bits shows their sum.
far=$heph/../bad/beyond_wall.heph
expect 0 info "$far"
says out '  Start  *at 9223372036.854775807 s of its clock'
expect 0 info --json "$far"
says out '"start": null'

# Figures that are known by other means: every event packet begins with the same four bytes.
packets=$(LC_ALL=C tr '\301' '\n' <"$heph/rt_scalars.bin.log" | LC_ALL=C grep -a -c "^$(printf '\374\037\267')")
in_samples 0 info rt_scalars.bin.log
says out " $packets  *[0-9.]* %  complete"

in_samples 0 info --json heph_tracing_example.bin.log
golden info_heph_json
grep -v '^ *"\(complete\|metadata\)": ' out >members # these are kinds
documented members
if have jq; then
    jq -e '.version == 1 and (.traces | length) == 1 and (.traces[0] | .format == "heph" and
        .size == 7706 and .event_count == ([.kinds[]] | add) and .time.duration_ns ==
        .time.end_ns - .time.begin_ns and (.names | length) == 10 and .name_count == 18)' out >jq.log ||
        complain "not the JSON that docs/json.md describes" out
else
    skip "no jq: the shape of the JSON is not checked"
fi
in_samples 0 info --json epoch_only.bin.log no_epoch.bin.log
check "the JSON has both" test "$(grep -c '"path"' out)" -eq 2

# Damage is counted here, and told on standard error.
in_samples 1 info ../bad/truncated.bin.log
says out 'Findings  *1 error HEP002'
says err '^../bad/truncated.bin.log:4735: error HEP002'
in_samples 3 info --json nothing-here epoch_only.bin.log
check "one trace is in the JSON" test "$(grep -c '"path"' out)" -eq 1
! have jq || jq -e . out >jq.log || complain "no JSON" out

# A name of 31,000 bytes, of an event, is shown in part, and in JSON as a whole.
word() { # word LOW HIGH: 8 bytes, little-endian, of two 32-bit numbers
    for number in "$1" "$2"; do
        printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((number & 255)) $((number >> 8 & 255)) \
            $((number >> 16 & 255)) $((number >> 24 & 255)))"
    done
}
{
    word $((0x46040010)) $((0x00165478))
    word $((2 | 3876 << 4 | 1 << 16)) 31000
    head -c 31000 /dev/zero | tr '\0' N
    word $((3 | 3 << 4 | 1 << 16)) 0
    word 1 0
    word 2 0
    word $((4 | 2 << 4 | 1 << 24)) $((1 | 1 << 16))
    word 1000 0
} >long.fxt
expect 0 info long.fxt
check "no line is long" test "$(wc -L <out)" -lt 200
says out 'NNNNN…'
expect 0 info --json long.fxt
check "the JSON has all of the name" test "$(wc -c <out)" -gt 31000
finish
