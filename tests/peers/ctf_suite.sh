#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The conformance suite of CTF 1.8 (github.com/efficios/ctf-testsuite): traces that a reader must
# take, and ones that it must refuse. STELE is the command, SOURCE the repository, and
# STELE_CTF_SUITE the folder of the suite, which is not part of the project; STELE_CTF_STRESS is the
# largest size of the generated traces (default: 524288, the smallest that most of them have).
#
# docs/ctf-conformance.md tells where Stele differs and why: those cases are named here.
. "$SOURCE/tests/cli/lib.sh"
suite=${STELE_CTF_SUITE:-}
if [ ! -d "$suite/tests/1.8/regression" ]; then
    echo "SKIP: no CTF test suite (STELE_CTF_SUITE is '$suite')"
    exit 77
fi
if ! "$STELE" formats | grep -q '^ *ctf '; then
    echo "SKIP: this build does not read CTF"
    exit 77
fi
stress=${STELE_CTF_STRESS:-524288}
differs=' '
good=0
count=0

# A case must have no errors (pass), or some (fail); nothing else than 0, 1 and 3 is ever right.
judge() {
    count=$((count + 1))
    status=0
    timeout 60 "$STELE" check "$2" >out 2>err || status=$?
    case $1:$status in
    pass:0 | fail:1 | fail:3) good=$((good + 1)) ;;
    *)
        case $differs in
        *" ${2#"$suite"/tests/1.8/} "*) echo "differs as documented: $2" ;;
        *) last="stele check $2" && complain "exit code $status, expected to $1" err ;;
        esac
        ;;
    esac
}

for expected in pass fail; do
    for case in "$suite"/tests/1.8/regression/*/$expected/*/; do
        judge "$expected" "${case%/}"
    done
done
echo "$good of $count static cases"

# Each generator makes ./trace-SIZE.
for generator in "$suite"/tests/1.8/stress/*/pass/*/test.py; do
    [ "$stress" -gt 0 ] && command -v python3 >/dev/null || break
    for size in $(cat "${generator%/*}/param-list.txt"); do
        [ "$size" -le "$stress" ] || break
        case $generator in
        */stress/metadata/*)
            PYTHONPATH=$suite/utils/python python3 "$generator" --size "$size" prepare >/dev/null
            ;;
        *) python3 "$generator" prepare "$size" >/dev/null ;;
        esac
        judge pass "trace-$size"
        [ "$status" -eq 0 ] || echo "    of ${generator#"$suite"/}"
        rm -rf "trace-$size"
    done
done
echo "$good of $count cases in all"
finish
