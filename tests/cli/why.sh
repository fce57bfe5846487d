#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele why: what is wrong or unusual, with addresses that other commands know.
. "$SOURCE/tests/cli/lib.sh"

cp "$heph/heph_tracing_example.bin.log" .
expect 0 why heph_tracing_example.bin.log
golden why_heph
check "it fits 80 columns, but for commands" test "$(grep -v '^      stele' out | wc -L)" -le 80
check "it fits a screen" test "$(wc -l <out)" -le 24

# The figures are those of the commands that it names.
self=$("$STELE" profile --json heph_tracing_example.bin.log | awk '
    /"self_ns":/ && !all { gsub(/[^0-9]/, ""); all = $0; next }
    /"self_ns":/ { gsub(/[^0-9]/, ""); printf "%.1f", 100 * $0 / all; exit }')
check "the first share is that of the profile" grep -q "$self %" out

# Damage: its code, how often, and the byte that it begins at; exit code 1.
head -c 5000 heph_tracing_example.bin.log >cut.log
expect 1 why cut.log
code=$("$STELE" check cut.log 2>&1 | sed -n 's/.*: error \(HEP[0-9]*\) .*/\1/p' | head -n 1)
check "check finds an error" test -n "$code"
check "the finding is named" grep -q "$code error" out
check "its place is named" grep -q 'first at byte [0-9,]*' out
check "what to type next" grep -q 'stele check cut.log' out

# Spaces and quotes in a path are for the shell to keep.
cp heph_tracing_example.bin.log "it's here.log"
expect 0 why "it's here.log"
check "the path is quoted" grep -qF "stele profile 'it'\\''s here.log'" out

expect 0 why "$fxt/scheduling.fxt" heph_tracing_example.bin.log
check "a part for each trace" test "$(grep -c 'No record is lost' out)" -eq 2
expect_from 0 heph_tracing_example.bin.log why -
check "pipes are read, too" grep -q '^-: Heph trace' out

# What check finds in the nesting of events is not called sound: the trace has an end before its begin.
expect 1 check "$fxt/end_before_begin.fxt"
for command in why info; do
    expect 0 $command "$fxt/end_before_begin.fxt"
    says out '[Ww]hether spans nest'
    says out 'stele check'
done

# A finding is wrapped, not cut; rows that say nothing are left out.
xray=$SOURCE/src/formats/xray/good
expect 0 why "$xray/wrap.14.fdr5.tiny4x512.xray"
check "the finding has its end" grep -q '^             .*one before it$' out
check "it fits 80 columns" test "$(grep -v '^      stele\|^/' out | wc -L)" -le 80
says_not out ', 0 calls, p50 0 ns'

# A byte of a trace of several files is one of a file.
ctf_bad=$SOURCE/src/formats/ctf/bad/counter_back
"$STELE" why "$ctf_bad" >out 2>err
"$STELE" check "$ctf_bad" >checked 2>&1
file=$(sed -n "s|^$ctf_bad/\([^:]*\):[0-9]*: .*|\1|p" checked | head -n 1)
check "the file is named" grep -q "first at byte [0-9,]* of $file" out

# Pauses that make up most of a trace of few events are no measure of its usual distances.
expect 0 why "$xray/sleeper.14.fdr5.tsc.xray"
check "the longest pause is told" grep -q '^     5.00 s  from 0.213378906 s on' out

expect 3 why no-such-file
expect 2 why
# The hottest code of instructions, as the command that it names counts it.
insns=$SOURCE/src/formats/xtrace/good/bare_front.xinsndata.bin
expect 0 why "$insns"
says out '^Hottest code$'
first=$("$STELE" insn blocks --csv --top 1 "$insns" | tail -n 1)
check "its first row is that of insn blocks" grep -q "  $(echo "$first" | cut -d , -f 5) times* $(echo "$first" | cut -d , -f 4) instructions* at $(echo "$first" | cut -d , -f 1)" out
check "it fits 80 columns" test "$(grep -v '^      stele\|^/' out | wc -L)" -le 80

# What hangs when the trace ends is in no duration: it is reported with the time since it began.
# shellcheck source=tests/cli/lib_kernel_made.sh
. "$SOURCE/tests/cli/lib_kernel_made.sh"
{
    u32 0
    switch 1000 0 0 11 reader
    at 2 1100 && u32 3 # reads, to the end
    switch 1200 11 2 12 other
    at 2 1300 && u32 3
    at 3 1400 && u32 42
    switch 9000 12 64 0 swapper/0
} >trace/cpu0
expect 0 why trace
says out '^Not ended when the trace did$'
says out '^    7.90 µs  syscall_read at 0.000000100 s on reader (11), byte '
says out "stele calls --where 'ended == .open.' --sort time trace"
expect 0 calls --where 'ended == "open"' --sort time trace
lines out 2

finish
