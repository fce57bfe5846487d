#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele explain and stele formats.
. "$SOURCE/tests/cli/lib.sh"

expect 0 explain STE001
says out '^STE001: input cannot be read (error)'
says out '^Why it matters'
says out '^How to mend it'
mv out wanted
expect 0 explain ste001
same out wanted
expect 0 explain STE001 HEP001
says out '^HEP001: '

# Every code of the sources is listed and can be explained; there are no others.
sed -n 's/^STELE_CODE(\([A-Z]*[0-9]*\),.*/\1/p' "$SOURCE/src/core/codes.def" \
    "$SOURCE/src/analysis/codes.def" "$SOURCE/src/symbols/codes.def" \
    "$SOURCE"/src/formats/*/codes.def | sort >wanted
check "there are codes" test -s wanted
expect 0 explain --list
cut -d ' ' -f 1 out | sort >listed
expect 0 formats --json
for format in xray ctf fxt heph xtrace; do # folders that are not registered have no part in this
    grep -q "\"$format\"" out || {
        [ ! -e "$SOURCE/src/formats/$format/codes.def" ] ||
            sed -n 's/^STELE_CODE(\([A-Z]*[0-9]*\),.*/\1/p' "$SOURCE/src/formats/$format/codes.def"
    }
done | sort >absent
comm -23 wanted absent >present
same listed present
while read -r code; do
    expect 0 explain "$code"
    says out "^$code: "
done <present
check "every code is there once" test -z "$(uniq -d wanted)"

expect 0 formats
says out '^  heph  *read'
says out '^  json  *write'
says out '^  pprof  *write  *.pb.gz'
expect 0 formats --json
says out '"name": "heph"'
documented out
if have jq; then
    jq -e '.version == 1 and (.formats | length) > 0 and (.outputs | length) > 0' out >/dev/null ||
        complain "not the JSON that docs/json.md describes" out
    jq -r '.flame[] | .name' out | sort >forms
    "$STELE" help flame | sed -n '/--format/,/^ *-/p' >help
    check "there are forms of flame" test -s forms
    while read -r form; do
        check "the help of flame has $form" grep -qw "$form" help
    done <forms
else
    skip "no jq: the shape of the JSON is not checked"
fi
finish
