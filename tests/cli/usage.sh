#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command line that cannot be used: exit code 2, nothing on standard output, and a way out.
. "$SOURCE/tests/cli/lib.sh"
trace=$heph/doc_example.bin.log

refused() {
    pattern=$1
    shift
    expect 2 "$@"
    silent out
    says err "$pattern"
}

refused 'no command given'
refused "did you mean 'info'" inof
refused "did you mean 'convert'" conv
refused "did you mean 'stele info $trace'" "$trace"
refused "unknown command 'xyzzy'" xyzzy
refused "did you mean '--limit'" cat --limti 3 "$trace"
refused "did you mean '--json'" info --js "$trace"
refused "unknown option '--nonsense'" info --nonsense=3 "$trace"
refused "unknown option '-x'" info -qx "$trace"
refused "belongs to 'cat'" info --limit=3 "$trace"
refused 'needs a value: N' cat --limit
refused "takes a whole number, not 'x'" cat --limit=x "$trace"
refused "takes a whole number, not '-1'" cat --limit=-1 "$trace"
refused "takes a whole number, not '99999999999999999999'" cat --limit=99999999999999999999 "$trace"
refused 'takes no value' cat --json=yes "$trace"
refused "cannot be 'windw'; did you mean 'window'" cat --sort=windw "$trace"
refused 'it is one of: auto, window, full, none' cat --sort=quickly "$trace"
refused "did you mean 'heph'" info --in=hep "$trace"
refused "did you mean 'json'" convert --to=jsn -o - "$trace"
refused "cannot be 'contre'; did you mean 'counter'" cat --kind=contre "$trace"
refused 'must not be empty' cat --name= "$trace"
refused 'TRACE... is missing' info
refused 'TRACE is missing' dump
refused "takes one TRACE" dump "$trace" "$trace"
refused "'formats' takes no arguments" formats "$trace"
refused 'no CODE given' explain
refused "did you mean 'STE001'" explain STE0001
refused "no command or topic 'inof'; did you mean 'info'" help inof
refused 'no manual page' help --scdoc nothing
refused '--output is missing' convert "$trace"
refused 'name it with --to' convert "$trace" -o result
refused '^stele.*: --json and --csv exclude each other' cat --csv --json "$trace"
refused '\-\-json, --csv and --ctf-pretty exclude each other' \
    cat --ctf-pretty --json --csv "$trace"
refused '\-\-json and --yaml exclude each other' symbols --yaml --json "$trace"
refused '\-\-csv and --markdown exclude each other' query --markdown --csv "$trace"
refused '\-\-tail and --limit exclude each other' cat --tail=1 --limit=1 "$trace"
refused '\-\-outliers and --sort exclude each other' calls --outliers --sort dur "$trace"
refused '\-\-outliers and --columns exclude each other' calls --outliers --columns dur "$trace"
refused '\-\-stream-intersection and --end exclude each other' \
    info --stream-intersection --end 1s "$trace"
refused '\-\-every and --show exclude each other' sched --every 1ms --show runs "$trace"
refused '\-\-spans and --events exclude each other' stats --spans --events "$trace"
refused '\-\-every and --hist exclude each other' stats --every 1ms --hist log2 "$trace"
refused 'columns is for text and CSV' cat --json --columns name "$trace"
refused 'time is for text and CSV' convert --to heph --time ticks "$trace" -o result
refused 'belong to --blob' dump -o x "$trace"
refused "--begin 'soon'" cat --begin=soon "$trace"
refused "--offset stands after" cat --offset=1s "$trace" "$trace"
refused "--offset takes a length of time" cat "$trace" --offset=@5
refused '--in is given 2 times for 1' cat --in=heph --in=heph "$trace"
refused "no limit 'nothing=3'" info --max=nothing=3 "$trace"
refused "cannot be '3X'" info --max=names=3X "$trace"
refused "cannot be '0'" info --max=names=0 "$trace"

# Ways to write it that must work.
expect 0 cat --limit 1 "$trace"
mv out first
for words in '--limit=1' '-n1' '-n 1' '-qn1'; do
    expect 0 cat $words "$trace"
    same out first
done
expect 0 cat -n1 -- "$trace"
same out first
expect 0 cat "$trace" -n1
same out first
cp "$trace" ./-dashed.bin.log
expect 0 cat -n1 -- -dashed.bin.log
same out first
expect 0 --help
says out '^Usage: stele COMMAND'
expect 0 --version
says out '^stele [0-9]*\.[0-9]*\.[0-9]*$'
says out '^  duckdb  *at need  '
sed 's/^\(  [a-z0-9]*  *\).*/\1/; s/ *$//' out >version
expect 0 version
sed 's/^\(  [a-z0-9]*  *\).*/\1/; s/ *$//' out >names
same names version
says out '^stele [0-9]*\.[0-9]*\.[0-9]*$'
says out '^  zlib  *[0-9.]*  *what is packed with gzip$'
says out '^  zstd  *[0-9.]*  *what is packed with zstd$'
for part in bzip2 openssl elfutils llvm microhttpd libedit duckdb; do
    says out "^  $part  *\([0-9.]*\|yes\|no\)  *['a-z]"
done
expect 0 version --json
documented out
expect 0 help exit-codes
says out '^  4  '
# Numbers have the ranges of the table, also where the library has 32 bits for them.
expect 2 cat -C 4294967296 "$heph/doc_example.bin.log"
says err "context takes 0 to 4294967295, not '4294967296'"
expect 2 flame --width 399 "$heph/doc_example.bin.log"
says err "width takes 400 to 100000, not '399'"
expect 2 info --max names=4095 "$heph/doc_example.bin.log"
says err "max names takes 4096 or more, not '4095'"
expect 0 help limits
says out '^  names  *bytes of all different names'
says out '^  groups-size  *bytes'
# A limit beyond 64 bits does not wrap to a small one.
expect 2 info --max sort=17179869185G "$heph/doc_example.bin.log"
says err "sort cannot be '17179869185G'"
expect 0 info --max sort=512M "$heph/doc_example.bin.log"
finish
