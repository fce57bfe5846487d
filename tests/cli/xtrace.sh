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
