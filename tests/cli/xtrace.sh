#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instruction traces: what is told of them, and what only their format knows.
. "$SOURCE/tests/cli/lib.sh"
xtrace=$SOURCE/src/formats/xtrace

# What is told of a dialect is what can be asked for.
expect 0 info "$xtrace/good/collection"
says out 'snapshot layout  *standard, no header'
says out 'dialect of thread 11796  .*,header=24,vl=512,'
dialect=$(sed -n 's/^ *dialect    *//p' out)
expect 0 info --dialect="$dialect" "$xtrace/good/collection/xtrace.1750000000.11787.hint9.xsnapshot.bin"
says out " $dialect\$"
says out ' 2  .*  snapshot'
expect 0 info --dialect=time=4 "$xtrace/good/every_token.xinsndata.bin"
says out 'dialect  *time=4,'
for wrong in time time= time=5 time=8, vl=100 what=1 header=-1; do
    expect 2 info --dialect="$wrong" "$xtrace/good/every_token.xinsndata.bin"
    says err 'STE009'
done
expect 2 info --dialect=time=8 "$fxt/events.fxt"
says err 'dialect, which fxt does not know'

# Tokens without a description can be stepped over once their size is known.
expect 1 check --in xtrace "$xtrace/bad/misc_04.xinsndata.bin"
expect 0 check --misc0-size=24 --in xtrace "$xtrace/bad/misc_04.xinsndata.bin"
expect 0 check --dialect=misc2=0 --misc2-size=8 --in xtrace "$xtrace/bad/misc_14.xinsndata.bin"

# Threads of one collection stand in the order of their accesses, however they were named.
threads=$xtrace/good/threads
expect 0 cat --csv -k load -k store "$threads"
cut -d , -f 1 out | sed 1d >times
sort -n times >sorted
same times sorted
check "18 accesses of both threads" [ "$(wc -l <times)" = 18 ]
mv out both
expect 0 cat --csv -k load -k store --collection "$threads/xtrace.7.12.hint9.xsnapshot.bin"
same out both
expect 0 info "$threads"
says out 'threads together  *in the order of their accesses'
expect 0 info "$xtrace/good/collection"
says out 'threads together  *by numbers of instructions'
mkdir two && cp "$threads"/* two && for file in two/xtrace.7.11.*; do cp "$file" "two/xtrace.8.${file#*.7.}"; done
expect 0 info two
says out 'threads together  *by numbers of instructions'
check "threads of two collections are told apart" [ "$(grep -c ' thread 11 in stream [78]$' out)" = 2 ]
expect 0 info --collection two/xtrace.7.11.hint9.xinsndata.bin
check "one collection has two threads" [ "$(grep -c ' thread 1[12]$' out)" = 2 ]

# Each file of a pair can be packed.
mkdir packed && cp "$threads"/* packed
gzip packed/*.11.*insn* packed/*.12.*snap*
! have zstd || zstd -q --rm packed/*.11.*snap*
expect 0 cat --csv -k load -k store packed
cut -d , -f 1-13 out >unpacked
cut -d , -f 1-13 both >wanted
same unpacked wanted
expect 0 check packed
expect 0 insn slice -o slice packed
check "a slice of packed files is the whole" diff -r slice "$threads"
expect 0 insn slice -o slice1 packed/xtrace.7.12.hint9.xinsndata.bin
check "beside a packed one, too" cmp slice1/xtrace.7.12.hint9.xsnapshot.bin "$threads/xtrace.7.12.hint9.xsnapshot.bin"

# Written from events, a pair is byte for byte what it was.
pair=$xtrace/good/collection/xtrace.1750000000.11796.hint9
expect 0 convert --sort=none -o new/ --to xtrace "$pair.xinsndata.bin"
check "the instructions are the same" cmp new/xtrace.0.11796.hint9.xinsndata.bin "$pair.xinsndata.bin"
check "the snapshots are the same" cmp new/xtrace.0.11796.hint9.xsnapshot.bin "$pair.xsnapshot.bin"
expect 4 convert --sort=none -o new --to xtrace "$pair.xinsndata.bin"
expect 0 convert --sort=none -o two.xinsndata.bin "$pair.xsnapshot.bin"
check "a file has its pair beside it" cmp two.xsnapshot.bin "$pair.xsnapshot.bin"
expect 1 convert --sort=none -o - --to xtrace "$pair.xinsndata.bin"
says err 'snapshot  *dropped: snapshot, which needs a second file'
check "only instructions on a pipe" cmp out "$pair.xinsndata.bin"
expect 1 convert --sort=none -o one.xinsndata.bin "$xtrace/good/collection"
says err 'of another thread than the first'

# Copied, a trace keeps its bytes, and what is cut passes a check.
expect 0 convert -o copy --to xtrace "$xtrace/good/collection"
check "a copy of all is the same" diff -r copy "$xtrace/good/collection"
expect 2 convert -o copy.xinsndata.bin "$xtrace/good/collection"
says err 'expected a directory as output, found 2 threads'
expect 0 convert -o cut --to xtrace --track 11796 -k insn -k snapshot -b @1100 -e @1500 "$xtrace/good/collection"
expect 0 check --strict cut
finish
