#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele convert --to ctf: all generations, packed packets, options that do not fit.
. "$SOURCE/tests/cli/lib.sh"
trace=$SOURCE/src/formats/fxt/good/events.fxt

# The RFC cannot say what kinds and fields were; of two fields of one name, one has another.
for version in 1.8 2 rfc; do
    case $version in
    rfc)
        expect 1 convert "$trace" -o "$version" --to ctf --to-version $version
        says err 'form: null as an empty structure'
        says err 'changed: second field of one name, renamed'
        ;;
    *) expect 0 convert "$trace" -o "$version" --to ctf --to-version $version ;;
    esac
    expect 0 check "$version"
    says out '0 errors, 0 warnings, 0 notes in 27 events'
    expect 0 cat --name name "$version"
    says out 'scope=2'
done
[ -f 1.8/index/threads_0.idx ] || complain "no index"
[ ! -d rfc/index ] || complain "an index of the RFC"
head -1 1.8/metadata >out
says out '^/\* CTF 1.8 \*/'

# What was written, written again, is the same but for the UUID and what follows from it.
expect 0 convert 1.8 -o again --to ctf
[ "$(wc -c <1.8/threads_0)" -eq "$(wc -c <again/threads_0)" ] || complain "another size"
expect 0 cat 1.8
cp out once
expect 0 cat again
same out once

# The same events are the same bytes, wherever they are written to.
expect 0 convert "$trace" -o elsewhere --to ctf
diff -r 1.8 elsewhere >differences || complain "another place, other bytes" differences

# Packets of the RFC: sums are verified, a key is needed.
printf '0123456789abcdef' >key
if "$STELE" convert "$trace" -o packed --to ctf --to-version rfc --compress gzip --checksum sha1 \
    --to-key-file key 2>err; [ -f packed/metadata ]; then
    expect 0 check --key-file key packed
    expect 1 check packed
    says out 'CTF312'
    printf '\377' | dd of=packed/threads_0 bs=1 seek=80 conv=notrunc 2>/dev/null
    expect 1 check --key-file key packed
    says out 'CTF310'
else
    says err 'a build with libbz2 and libcrypto'
fi
expect 1 convert "$trace" -o summed --to ctf --to-version rfc --compress gzip --checksum crc32
expect 0 check summed

expect 2 convert "$trace" -o new --to ctf --to-version 3
says err '1.8, 2 or rfc'
expect 2 convert "$trace" -o new --to ctf --compress gzip
says err 'the version rfc'
expect 2 convert "$trace" -o new.json --checksum md5
expect 2 convert "$trace" -o new.xray --to xray --checksum md5
expect 2 convert "$trace" -o new --to ctf --to-version rfc --to-key-file nowhere
says err 'a file of 16, 24 or 32 bytes'

# Events of very many fields: contexts, enumerations, names that CTF 1.8 writes alike.
# members COUNT TYPE NAME: declarations of a structure.
members() {
    awk -v count="$1" -v type="$2" -v name="$3" \
        'BEGIN { for (i = 0; i < count; i++) print type " " name i ";" }'
}
mkdir wide
{
    echo '/* CTF 1.8 */'
    echo 'trace { major = 1; minor = 8; byte_order = le; };'
    echo 'typealias integer { size = 8; } := u8;'
    echo 'stream { event.context := struct {'
    members 66000 u8 c
    echo '}; }; event { name = e; fields := struct {'
    members 2000 'enum : u8 { low, high }' f
    members 2000 u8 '\u4e00'
    members 2000 u8 '\u4e01'
    echo '}; };'
} >wide/metadata
head -c 72000 /dev/zero | tr '\0' '\1' >wide/s
expect 0 convert wide -o wide_2 --to ctf --to-version 2 --sort=full
says err 'form: class of events'
expect 1 convert wide_2 -o wide_18 --to ctf --to-version 1.8 --sort=full
for trace in wide_2 wide_18; do
    expect 0 check $trace
    expect 0 cat $trace
    says out 'f1999=1 (high) .* c65999=1'
done
says out '一1999=1 .*丁1999=1'
grep -q '__1999_[0-9]*;' wide_18/metadata || complain "names are no identifiers"

finish
