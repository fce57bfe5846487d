#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele dump: the records of a trace as they stand.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/doc_example.bin.log

expect 0 dump "$trace"
golden dump_heph
expect 0 dump --hex "$trace"
golden dump_heph_hex
expect 0 dump --count 1 "$trace"
lines out 2
says out '^ *0 *23  Metadata'
expect 0 dump --at 1 "$trace"
lines out 2
says out '^ *23 *91  Event'
expect 0 dump --at 0x17 -n 1 "$trace"
says out '^ *23 *91  Event'
expect 0 dump --at 24 "$trace"
lines out 1
expect 0 dump --count 0 "$trace"
silent out

# Damage is told, and what can be read is shown.
expect 1 dump "$heph_bad/truncated.bin.log"
says err 'error HEP002'
says out 'Event packet'
expect 1 dump --blob nothing "$trace"
says err "no blob is named 'nothing'"
expect 1 dump --blob nothing -o blob "$trace"
check "no file for a blob that is not there" test ! -e blob

# An FXT trace with three blob records, two of them of one name: blob_record NAME (four letters),
# PAYLOAD (five).
blob_record() {
    printf '\065\000\004\200\005\000\001\000%s\000\000\000\000%s\000\000\000' "$1" "$2"
}
{
    printf '\020\000\004\106\170\124\026\000'
    blob_record data hello
    blob_record more other
    blob_record data world
} >blobs.fxt
expect 0 dump blobs.fxt
lines out 5
expect 0 dump --blob data blobs.fxt
printf helloworld >wanted
same out wanted
expect_from 0 blobs.fxt dump --blob data -
same out wanted
expect 0 dump --blob more -o blob blobs.fxt
printf other >wanted
same blob wanted
expect 4 dump --blob data -o blob blobs.fxt
same blob wanted
expect 0 dump --blob data -o blob --force blobs.fxt
printf helloworld >wanted
same blob wanted
expect 1 dump --blob 'dat*' blobs.fxt
silent out
finish
