#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is one CTF trace: several directories of one UUID as several arguments, links, directories
# without metadata.
. "$SOURCE/tests/cli/lib.sh"
ctf=$SOURCE/src/formats/ctf/good

pretty() {
    "$STELE" cat --ctf-pretty --clock-gmt --pretty-fields all "$@" 2>err
}

# same_text TRACE...: the lines of ./wanted.
same_text() {
    last="stele cat $*"
    pretty "$@" >got
    same wanted got
}

pretty "$ctf/small_18" >wanted
[ -s wanted ] || complain "no lines"
mkdir -p a/one/deep b c
cp -r "$ctf/small_18/." a/one/deep
cp -r "$ctf/small_18/." b
chmod -R u+w a b
rm -r a/one/deep/ch_1 a/one/deep/index

# Parts of one trace as several arguments: joined, in any order, and what is in both comes once.
same_text a b
same_text b a
same_text a/ "$PWD/b" a/one
same_text a/one/deep b
mkdir other
cp -r "$ctf/small_2" other/z
pretty other b >wanted_other
last="three arguments, two of them one trace"
pretty a other b >got
same wanted_other got

# So are archives, packed or not, also beside directories.
tar czf a.tar.gz a
tar cf b.tar b
same_text a.tar.gz b.tar
same_text a b.tar
same_text b.tar b
same_text a.tar.gz a.tar.gz b
expect 1 info a.tar.gz b
says out '^a.tar.gz + b$'
says out 'traces  *1$'

# Each has a report; those that are one have one.
expect 1 info a b # 1: events were discarded
says out '^a + b$'
says out 'data stream files  *3'
says out 'traces  *1$'
expect 1 info --json a other b
[ "$(grep -o '"path"' out | wc -l)" -eq 2 ] || complain "a report for a and b, one for the other" out
expect 1 check b other a
says out '^b + a: 0 errors'
says out '^other: 0 errors'

# Not joined: what is compared, shifted or recognised each for itself.
expect 1 cat --csv --kind instant b
lines out 7
expect 1 cat --csv --kind instant a b
lines out 7
expect 1 cat --csv --kind instant a b --offset 0s
lines out 11

# A copy has the parts below what they have in common.
rm -r b/index
expect 1 convert a b -o copy --to ctf
diff -r a copy/a >differences || complain "a copy of two" differences
diff -r b copy/b >differences || complain "a copy of two" differences

# One that cannot be opened is told once, and the others are read.
mkdir broken
echo nonsense >broken/metadata
expect 3 info broken b
[ "$(grep -c 'broken' err)" -ge 1 ] || complain "what is wrong with one" err
says out '^b$'

# Links to files and directories are followed; a directory is read once, whatever leads to it.
ln -s ../b c/link
last="stele cat c"
pretty c | sed 's,box/linkbox,boxbox,' >got # where below the argument it lies
same wanted got
mkdir -p d/real
cp -r b d/real/b
ln -s real d/alias
ln -s .. d/real/up
ln -s ../../b d/real/outside
expect 1 info d
says out 'traces  *1$'
says out 'data stream files  *4$'
mkdir files
for file in metadata ch_0 ch_1; do
    ln -s "../b/$file" "files/$file"
done
same_text files

# Without metadata beside them files are told, and the rest is read.
mkdir b/stray
cp b/ch_0 b/stray/ch_0
same_text b
says err 'stray/ch_0:0: warning CTF400'

# Metadata that say the other byte order: the packets' magic number counts, and that is reported.
cp -r "$ctf/clock_events" order
last="stele cat order"
pretty order >wanted
chmod -R u+w order
sed 's/byte_order = le/byte_order = be/' "$ctf/clock_events/metadata" >order/metadata
last="stele cat order, with another byte order"
pretty order >got
same wanted got
expect 0 check order
says out 'metadata:0: warning CTF416'

# Damage in a packet costs the events in it; the search says from where on it found others, and no
# byte is in neither records, nor padding, nor what is skipped.
expect 1 check "$SOURCE/src/formats/ctf/bad/event_id"
says out 'ch_0:84: error CTF451 .*a search found events again'
says_not out STE013
finish
