#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert: other formats, the same format, several traces, losses.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/heph_tracing_example.bin.log

# Every good trace copied to its own format is the same, byte for byte.
for file in "$heph"/*.log; do
    expect 0 convert "$file" --to heph -o copy --force
    same copy "$file"
done
# From a pipe, records cannot be gone back to: events are written anew. The old layout of Heph has
# something that the new one has not.
for file in "$heph"/[!o]*.log; do
    expect_from 0 "$file" convert - --to heph -o written --force
done
says err '^stele: -: written anew'
expect_from 0 "$heph/old_nosubstream.bin.log" convert - --to heph -o written --force
says err '^What heph has in another form:'
says err '  2  complete  *form: no substream'
# Only the form is another one: the exit code is 0, and --strict has nothing to refuse.
expect 0 convert "$trace" --to fxt -o formed --force --strict
says err ' 1  metadata  *form: kind: written as an instant'
says_not err 'not written'
# Starts that are brought together: one of two wall-clock times is lost, and counted.
expect 1 convert "$trace" "$heph/rt_scalars.bin.log" --align-start --to ctf -o aligned --force
says err 'changed: wall-clock time that is not that of the first trace'
expect 0 convert "$trace" "$heph/rt_scalars.bin.log" --align-start --to json -o aligned.json --force

# Events survive the way there and back.
expect 0 cat --json --kind complete "$trace"
sed 's/,"trace".*//' out >wanted
expect_from 0 "$trace" convert - --to heph -o written --force
expect 0 cat --json --kind complete written
sed 's/,"trace".*//' out >have
same have wanted

# An end closes the call that it names, and with it those that an exception left.
thrown=$SOURCE/src/formats/xray/good/exc.14.fdr5.tsc.xray
figures() { cut -d, -f1-10 out; }
expect 0 profile --csv "$thrown"
figures >wanted
expect 1 convert "$thrown" --to heph -o written --force
says err ' 169  begin  *changed: begin without an end, closed with its caller'
says_not err 'closed with the trace'
expect 0 profile --csv written
figures >have
same have wanted

# The format follows from the name, where that is unambiguous.
expect 0 convert "$trace" -o result.jsonl
expect 0 cat --json "$trace"
same result.jsonl out
expect 0 convert "$trace" -o result.csv
expect 0 cat --csv "$trace"
same result.csv out
expect 0 convert "$trace" -o result.heph
same result.heph "$trace"
expect 0 convert "$trace" -o - --to heph
same out "$trace"
expect 2 convert "$trace" -o result.unknown
says err 'name it with --to'
expect 0 convert "$trace" -o result.heph --force --to json
expect 0 cat --json "$trace"
same result.heph out

# In place: the input is read to its end before the output takes its name.
cp "$trace" inplace.heph
expect 4 convert inplace.heph -o inplace.heph
same inplace.heph "$trace"
expect 0 convert inplace.heph -o inplace.heph --force
same inplace.heph "$trace"
expect 0 convert inplace.heph -o inplace.heph --force --kind complete --begin 50ms
check "the trace was cut" test "$(wc -c <inplace.heph)" -lt "$(wc -c <"$trace")"
expect 0 cat --kind complete --begin 50ms "$trace"
mv out wanted
expect 0 cat --kind complete inplace.heph
check "as many events" test "$(wc -l <out)" -eq "$(wc -l <wanted)"

# Several traces become one.
expect 0 convert "$trace" "$heph/rt_arrays.bin.log" --to json -o merged
expect 0 cat --json "$trace" "$heph/rt_arrays.bin.log"
same merged out

# Damage does not stop a conversion, but it is told.
expect 1 convert "$heph_bad/truncated.bin.log" --to json -o damaged
says err 'error HEP002'
expect 1 cat --json "$heph_bad/truncated.bin.log"
same damaged out

# Events that have an order, but no times, do not all stand at one moment.
expect 1 convert "$SOURCE/src/formats/ctf/good/bit_events" --to chrome -o -
says out '"ts":0.000,'
says out '"ts":0.001,'
says err 'order without times, drawn as nanoseconds'

# Losses: a table at the end, exit code 1; with --strict nothing is put in place.
expect 1 convert "$heph/rt_arrays.bin.log" --to chrome -o lossy
says err '^What chrome cannot carry:'
check "it is written" test -s lossy
expect 1 convert "$heph/rt_arrays.bin.log" --to chrome -o strict --strict
says err 'strict: not written'
check "it is not written" test ! -e strict
expect 0 convert "$trace" --to json -o strict --strict
check "without loss it is" test -s strict
echo precious >strict
expect 1 convert "$heph/rt_arrays.bin.log" --to chrome -o strict --strict --force
check "what was there stays" test "$(cat strict)" = precious

# What stele flame writes is not taken for another output, and its command is named.
for form in pprof speedscope folded callgrind firefox svg; do
    expect 2 convert "$fxt/events.fxt" --to $form -o p
    says err "cannot be '$form', which is written by: stele flame --format $form"
done
for name in t.speedscope.json t.firefox.json t.pb.gz t.svg t.folded callgrind.out; do
    expect 2 convert "$fxt/events.fxt" -o $name
    says err "'$name' names what another command writes .*: stele flame --format"
    check "nothing is written" test ! -e $name
done

# Traces that are folders are named after their format.
"$STELE" convert "$fxt/events.fxt" -o named.ctf 2>err
check "a folder of CTF" test -s named.ctf/metadata
says_not err 'does not tell'

# Bounds of a trace of instructions are told as what they count.
insns=$(ls -d "$SOURCE"/src/formats/xtrace/good/*.xinsndata.bin 2>/dev/null | head -n 1)
expect 0 cat --begin 9000 "$insns"
says err 'found one that is after it, by [0-9]* instructions (.*@N'
finish
