#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele symbols, and functions named by --binary.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good

# A map as 'llvm-xray extract' writes it; functions 1 to 9 are those of the trace exc.
{
    echo ---
    for id in 1 2 3 4 5 6 7 8 9; do
        for kind in function-enter function-exit; do
            echo "- { id: $id, address: 0x${id}0, function: 0x${id}0, kind: $kind," \
                "always-instrument: false, function-name: 'work::f$id(long)', version: 2 }"
        done
    done
    echo ...
} >map.yaml
expect 0 symbols map.yaml
lines out 19
says out '^ *3  function-exit   0x0000000000000030  work::f3(long)$'
expect 0 symbols --yaml map.yaml
same out map.yaml
if have jq; then
    expect 0 symbols --json map.yaml
    jq -e '.version == 1 and (.sleds | length) == 18 and .sleds[5].name == "work::f3(long)" and
        .sleds[5].id == 3 and .sleds[5].kind == "function-exit" and .sleds[5].address == 48 and
        .sleds[5].source == null and .sleds[5].entry_version == 2' out >jq.log ||
        complain "not the JSON that docs/json.md describes" out
else
    skip "no jq: the shape of the JSON is not checked"
fi
expect 2 symbols --json --yaml map.yaml
expect 3 symbols missing.yaml
printf 'neither' >neither
expect 3 symbols neither
says err 'SYM00[12]'
printf -- '---\n- { id: 1, address: none }\n' >bad.yaml
expect 3 symbols bad.yaml
says err 'bad.yaml:[0-9]*: error SYM005'

# Names reach every command that reads events, and filters.
trace=$xray/exc.14.fdr5.tsc.xray
expect 0 cat --binary map.yaml --limit 1 "$trace"
says out 'begin  work::f8(long)$'
silent err
expect 0 cat --binary 0=map.yaml --name 'work::f9(*' --limit 1 "$trace"
says out 'work::f9(long)$'
expect 0 cat --limit 1 "$trace"
says out 'begin  @(8)$'
expect 0 info --binary map.yaml "$trace"
says out 'work::f9(long)'
says out 'Findings *none'
expect 0 convert --binary map.yaml --to json -o - "$trace"
says out '"name":"work::f9(long)"'
check "keeps the id" grep -q '"function":9' out

# A map of other functions is noticed: with entries only, with fewer functions, for every input.
grep -v 'function-exit' map.yaml >entries.yaml
expect 0 check --binary entries.yaml "$trace"
says out 'entries.yaml: warning SYM003 .*0 of 9 functions are not in .*, and [1-9] were'
expect 1 check --strict --binary entries.yaml "$trace"
grep -v 'id: [6-9]' map.yaml >fewer.yaml
expect 0 info --binary fewer.yaml "$trace" "$trace"
says err 'fewer.yaml: warning SYM003 .*4 of 9 functions .* up to 9, the map.s to 5'
check "told once for each input" test "$(grep -c SYM003 err)" -eq 2
says out '@(9)'

# What cannot be read leaves numbers.
expect 3 cat --binary missing --limit 1 "$trace"
says out 'begin  @(8)$'
says err 'missing: error STE001'
expect 2 cat --binary 256=map.yaml "$trace"
expect 2 cat --binary map.yaml --binary entries.yaml "$trace"
says err 'twice'

# The object of a function id: 24 bits below it are the function's number in its own map. The word
# of a function record is its number in 28 bits above the action; here 3 << 24 | 2, entry and exit.
number() {
    printf '%b' "$(printf '\\0%o\\0%o\\0%o\\0%o' $(($1 & 255)) $(($1 >> 8 & 255)) \
        $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}
zeros() {
    dd if=/dev/zero bs=1 count="$1" 2>/dev/null
}
{
    printf '\003\000\001\000\003\000\000\000' && number 1000000000 && zeros 4 && zeros 16
    printf '\017' && number 80 && zeros 11
    printf '\001' && number 7 && zeros 11
    printf '\011' && zeros 15
    printf '\023' && number 6 && zeros 11
    printf '\005' && zeros 2 && number 1000 && zeros 9
    number $((50331650 << 4)) && number 1
    number $((50331650 << 4 | 2)) && number 1
} >objects.xray
expect 0 cat --binary 3=map.yaml objects.xray
lines out 2
says out 'begin  work::f2(long)$'
says out 'end    work::f2(long)$'
silent err
expect 0 cat --binary map.yaml objects.xray
says out '@(50331650)'

# A binary of the compiler, where there is one.
if ! have clang-14; then
    skip "no clang-14: no instrumented binary"
    finish
fi
cat >program.c <<'CODE'
__attribute__((noinline)) int leaf(int i)
{
    return i * 7;
}

int main(int count, char **words)
{
    (void)words;
    return leaf(count) == 0;
}
CODE
clang-14 -O1 -g -fxray-instrument -fxray-instruction-threshold=1 program.c -o program 2>clang.log ||
    {
        skip "clang-14 makes no instrumented binary: $(head -n 1 clang.log)"
        finish
    }
"$STELE" symbols program >out 2>err
if grep -q SYM002 err; then
    skip "built without elfutils: no instrumented binary is read"
    finish
fi
says out '^ *1  function-enter  0x[0-9a-f]*  leaf  .*program\.c:[12]$'
says out '^ *2  function-exit   0x[0-9a-f]*  main  .*program\.c:[67]$'
if have llvm-xray-14; then
    llvm-xray-14 extract --symbolize program >wanted
    expect 0 symbols --yaml program
    same out wanted
else
    skip "no llvm-xray-14 to compare with"
fi
finish
