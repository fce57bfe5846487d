#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of the RFC v1.1 of 2010: what was written by hand reads as it was meant; what the format leaves
# open; sections and their files; counters; damage; all that the writer can write.
. "$SOURCE/tests/cli/lib.sh"
ctf=$SOURCE/src/formats/ctf/good

# byte FILE OFFSET BYTE...: changes bytes, in hexadecimal digits
byte() {
    file=$1
    at=$2
    shift 2
    for value in "$@"; do
        # shellcheck disable=SC2059
        printf "\\$(printf %o "0x$value")" | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
        at=$((at + 1))
    done
}

# fresh SAMPLE: a copy in ./t
fresh() {
    rm -rf t && cp -r "$ctf/$1" t && chmod -R u+w t
}

if "$STELE" check "$ctf/rfc_packed" 2>&1 | grep -q CTF312; then
    echo "SKIP: built without libbz2"
    exit 77
fi

# ---- What was written by hand
for sample in rfc_le rfc_be rfc_packed rfc_natural32; do
    "$STELE" cat --ctf-pretty --clock-gmt "$ctf/$sample" >>all 2>/dev/null
done
cp all out
golden ctf_rfc

# ---- Alignment: the one by which packets end, unless the user says it
expect 0 info "$ctf/rfc_natural32"
says out 'alignment  *natural32'
expect 1 info "$ctf/rfc_packed"
says out 'alignment  *packed'
expect 0 cat --rfc-alignment natural32 "$ctf/rfc_natural32"
lines out 2
expect 1 cat --rfc-alignment natural64 "$ctf/rfc_natural32"
says err 'net:65: error CTF451'
expect 2 cat --rfc-alignment natural16 "$ctf/rfc_natural32"

# ---- The byte order is that of the packets: also where the metadata are plain text
fresh rfc_be
tail -c +49 "$ctf/rfc_be/metadata" | head -c 203 | tr -d '\000' >t/metadata
printf 'event { name = fault; id = 7; section = mem; fields = { { flags3, f }, { int5_t, g }, { port, p },
    { uint64_t, address } }; }\n' >>t/metadata
expect 1 cat t
lines out 4
says out 'fault .*f=5 g=-3 p=4660'
says_not err CTF402

printf '/* alone */ section { name = s; event { header_type = type1; } }\n' >alone
expect 0 info alone
says out 'version RFC v1.1'
says out 'recognised: metadata as plain text'

# A data stream without its metadata has the same magic number.
expect 3 info "$ctf/rfc_le/kernel_0"
says err 'CTF001 .* its directory'

# Text of the RFC is told by what CTF 1.8 has no words for, wherever it first stands.
kind() {
    printf '%s\n' "$1" >alone
    "$STELE" ctf metadata alone >out 2>err || :
    last="stele ctf metadata: $1"
}
sections='section { name = s; event { header_type = type1; } }'
for text in "event { name = e; id = 1; section = s; } $sections" \
    "trace { major = 1; minor = 1; } $sections" \
    "event { name = e; id = 1; fields = { { uint8_t, x } }; section = s; } $sections" \
    "event { name = e; id = 1; fields = { { type { parent = integer; size = 8; }, x } }; section = s; } $sections"; do
    kind "$text"
    says out 'header_type = type1;'
done
for text in 'trace { major = 1; minor = 8; byte_order = le; }; env { parent = "section = s;"; section = 3; };' \
    'typealias integer { size = 8; } := type; trace { major = 1; minor = 8; byte_order = le; };' \
    'event { name = e; fields := struct { integer { size = 8; } section; }; }; trace { major = 1; minor = 8; byte_order = le; };'; do
    kind "$text"
    says out 'CTF 1.8'
done

# ---- Sections: NAME, NAME_<cpu>, the longest name that fits; a single one takes all files
fresh rfc_packed
mv t/few_3 t/few
expect 1 info t
says out 'stream few '
mv t/few t/fewer
expect 1 cat t
says err 'fewer:0: error CTF457'
lines out 2
fresh rfc_natural32
mv t/net t/anything_else.bin
expect 0 cat t
lines out 2

# ---- The clock
expect 0 cat --clock-freq 1000 "$ctf/rfc_natural32"
says out '^402652\.189000000'

# ---- Counters: 4 significant bits of the sequence count, snapshots before the first event
fresh rfc_packed
expect 1 check t
says out 'few_3:100: warning CTF408 discarded events: 3 between 4.886718345 and 8.589934592 '
says_not out CTF409
byte t/few_3 120 02
expect 1 check t
says out 'few_3:100: warning CTF409 missing packets: 2 between the packet before and this one'
byte t/few_3 120 0e
expect 1 check t
says out 'few_3:100: warning CTF407 .* packet sequence number from 15 back to 14'
fresh rfc_packed
expect 1 cat --kind lost t
says out 'discarded events: 3 events lost'
expect 1 cat --json --kind lost t
says out '"time_ns":4886718345' || says out 4886718345

# ---- Damage
fresh rfc_le
byte t/kernel_0 4 ff
expect 1 check t
says out 'kernel_0:4: warning CTF402 .* session_id 0x00c0ffee of the metadata, found 0x00c0ffff'
fresh rfc_le
byte t/kernel_0 0 00
expect 1 cat t
says err 'kernel_0:0: error CTF401'
says out 'name=clock'
fresh rfc_le
byte t/kernel_0 14 01 # a packet_size far after the end of the file
expect 1 check t
says out 'kernel_0:12: error CTF314 .* a packet after 128'
expect 1 cat t
says out 'name=clock'
fresh rfc_le
head -c 199 "$ctf/rfc_le/kernel_0" >t/kernel_0 # only padding is missing
expect 1 cat t
says err 'kernel_0:128: error CTF405 .* found 71 of its 72 bytes'
says out 'name=clock'
fresh rfc_be
head -c 190 "$ctf/rfc_be/mem" >t/mem # inside of the gzip
expect 1 check t
says out 'mem:112: error CTF405'
says out 'mem:160: error CTF311'

# ---- Metadata: what is printed reads the same, with the packets of the trace, too
for sample in rfc_le rfc_be rfc_packed rfc_natural32; do
    case $sample in
    rfc_packed) how=packed ;;
    rfc_natural32) how=natural32 ;;
    *) how=natural64 ;;
    esac
    fresh $sample
    expect 0 ctf metadata --rfc-alignment $how t
    says out 'parent = gcc_bitfield;\|size = 3;'
    cp out t/metadata
    expect 0 ctf metadata --rfc-alignment $how t
    [ $sample = rfc_be ] || same out t/metadata # a text tells no byte order
    "$STELE" cat --ctf-pretty --clock-gmt t >>printed 2>/dev/null
done
same printed all
expect 1 ctf metadata --to 1.8 "$ctf/rfc_le"
says out '__values_length;'
says out 'values\[__values_length\];'
expect 1 ctf metadata --to 2 "$ctf/rfc_packed"
# Each section alone can be read as CTF 1.8, since packets do not say which one they are of.
for sample in rfc_le rfc_be rfc_packed rfc_natural32; do
    expect 1 ctf metadata --to 1.8 "$ctf/$sample"
    says_not err 'optional fields that\|nothing instead'
    mkdir -p translated && mv out translated/metadata
    expect 0 ctf metadata translated
done
mkdir sections
cat >sections/metadata <<'END'
section { name = a; event { header_type = type1; } }
section { name = b; event { header_type = type2; } }
event { name = "x*/y"; id = 1; section = b; fields = { { uint8_t, v } }; }
END
expect 1 ctf metadata --to 1.8 sections
says err 'not said: streams that the names of files tell apart'
says out 'x\*\\057y'
mv out translated/metadata
expect 0 ctf metadata translated
says out '"present" = 31,'
says_not out 'id = 1;' # the other section is a comment
expect 1 ctf metadata --to rfc "$ctf/small_18"
says out 'parent = sequence;'
mkdir again && cp out again/metadata
expect 0 ctf metadata again
same out again/metadata
printf 0123456789abcdef >key16
expect 2 ctf metadata --key-file out "$ctf/rfc_le"
expect 0 ctf metadata --key-file key16 "$ctf/rfc_le"

# ---- The writer: all ways of packing, read back as the same events
fxt_trace=$fxt/events.fxt
printf 0123456789abcdef01234567 >key24
printf 0123456789abcdef0123456789abcdef >key32
expect 1 convert --to ctf --to-version rfc -o plain "$fxt_trace"
expect 0 cat --json plain
mv out wanted
lines wanted 27
for header in type1 type2; do
    for how in natural64 natural32 packed; do
        rm -rf made
        expect 1 convert --to ctf --to-version rfc --event-header $header --header-alignment $how \
            -o made "$fxt_trace"
        expect 0 check made
        expect 0 info made
        [ $how = natural32 ] || says out "alignment  *$how" # nothing here differs from natural64
        expect 0 ctf metadata made
        says out "header_type = $header;"
        expect 0 cat --json made
        sed 's/"offset":[0-9]*,"size":[0-9]*//' out >got
        sed 's/"offset":[0-9]*,"size":[0-9]*//' wanted >want
        same got want
    done
done
expect 2 convert --to ctf --to-version 2 --event-header type1 -o two "$fxt_trace"
expect 1 convert --to ctf --to-version rfc -o named "$fxt/objects.fxt" # names that are no UTF-8
says err 'bytes that are no UTF-8 in names'
expect 0 check named
says out ' in 8 events'
rm -rf made
if "$STELE" convert --to ctf --to-version rfc --compress bzip2 --checksum md5 -o made "$fxt_trace" \
    >/dev/null 2>err; [ -d made ]; then
    key=
    for compress in none bzip2 gzip; do
        for checksum in none md5 sha1 crc32; do
            rm -rf made
            # shellcheck disable=SC2086
            expect 1 convert --to ctf --to-version rfc --compress $compress --checksum $checksum \
                ${key:+--to-key-file $key} -o made "$fxt_trace"
            # shellcheck disable=SC2086
            expect 0 check ${key:+--key-file $key} made
            # shellcheck disable=SC2086
            expect 0 cat --json ${key:+--key-file $key} made
            same out wanted
            case $key in key16) key=key24 ;; key24) key=key32 ;; key32) key= ;; *) key=key16 ;; esac
        done
    done
    expect 1 check made # the last key was key32
    says out 'CTF312 .* AES, and no key'
    expect 1 check --key-file key16 made
    says out 'CTF311'
    # The library is loaded when a packet needs it: where it cannot be, the finding says so.
    mkdir broken
    : >"broken/$(grep -ao 'libcrypto\.so[.0-9]*' "$STELE" | head -n 1)"
    LD_LIBRARY_PATH=$PWD/broken "$STELE" check --key-file key32 made >out 2>err
    says out 'CTF312 .* AES, and no libcrypto'
    head -c 15 key16 >key15
    expect 2 check --key-file key15 made
else
    says err 'a build with libbz2 and libcrypto'
fi
finish
