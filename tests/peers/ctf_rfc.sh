#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What others say to packets of the RFC that Stele packed: openssl deciphers them, gzip and bzip2 unpack
# them, md5sum, sha1sum and gzip sum them up.
. "$SOURCE/tests/cli/lib.sh"
for tool in openssl gzip bzip2 md5sum sha1sum od; do
    command -v "$tool" >/dev/null || {
        echo "SKIP: no $tool"
        exit 77
    }
done
trace=$fxt/events.fxt
printf 0123456789abcdef >key128
printf 0123456789abcdef01234567 >key192
printf 0123456789abcdef0123456789abcdef >key256

hex() {
    od -An -v -tx1 "$@" | tr -d ' \n'
}

# number FILE OFFSET: 32 bits, little-endian, as 8 digits
number() {
    set -- "$(hex -j "$2" -N 4 "$1")"
    echo "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/'
}

# The content of the only packet of a file.
content() {
    size=$((0x$(number "$1" 8)))
    [ "$size" -eq "$(wc -c <"$1")" ] || complain "$1: a content_size of $size"
    tail -c +49 "$1"
}

crc32() {
    gzip -c "$1" | tail -c 8 >trailer
    number trailer 0
}

"$STELE" convert --to ctf --to-version rfc -o plain "$trace" >/dev/null 2>&1
content plain/threads_0 >wanted
count=0
for compress in none gzip bzip2; do
    for bits in 0 128 192 256; do
        for checksum in md5 sha1 crc32; do
            rm -rf packed
            key=
            [ $bits = 0 ] || key="--to-key-file key$bits"
            # shellcheck disable=SC2086
            "$STELE" convert --to ctf --to-version rfc --compress $compress --checksum $checksum \
                $key -o packed "$trace" >/dev/null 2>err
            [ -f packed/threads_0 ] || {
                sed -n 's/.*a build with/SKIP: not a build with/p' err
                exit 77
            }
            file=packed/threads_0
            content $file >packed_content
            case $checksum in
            md5) sum=$(md5sum packed_content | cut -c 1-8) ;;
            sha1) sum=$(sha1sum packed_content | cut -c 1-8) ;;
            crc32) sum=$(crc32 packed_content) ;;
            esac
            [ "$(number $file 16)" = "$sum" ] || complain "$checksum: $(number $file 16), not $sum"
            if [ $bits != 0 ]; then
                head -c 16 packed_content >vector
                tail -c +17 packed_content | openssl enc -d -aes-$bits-cbc -K "$(hex key$bits)" \
                    -iv "$(hex vector)" >deciphered
                mv deciphered packed_content
            fi
            case $compress in
            none) cp packed_content got ;;
            *) $compress -dc <packed_content >got ;;
            esac
            same got wanted
            count=$((count + 1))
        done
    done
done
echo "$count ways of packing are what the others say"
finish
