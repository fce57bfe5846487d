#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several traces as one: of one format or of several, as they are, shifted, or aligned by events that
# they have in common.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_ctf_made.sh"

# texts FILE...: time, kind and name of all events, in their order
texts() {
    "$STELE" cat --csv --columns time,kind,name --sort full "$@" 2>err | grep -v ',object,' | LC_ALL=C sort
}

# The format is that which all have, else what the output's name or --to says.
expect 0 merge "$fxt/events.fxt" "$fxt/four_word_initialization.fxt" --align-start -o both
expect 0 info both
says out 'Fuchsia'
texts "$fxt/events.fxt" "$fxt/four_word_initialization.fxt" --align-start >wanted
texts both >given
same given wanted
ctf_made a <<END
1000 0 0 sync 1
1500 0 0 work 7
END
expect 2 merge "$fxt/events.fxt" a --align-start -o x
says err "'x' does not tell the format"
expect 0 merge "$fxt/events.fxt" a --align-start -o both.fxt
texts "$fxt/events.fxt" a --align-start >wanted
texts both.fxt >given
same given wanted
expect 1 merge "$fxt/events.fxt" a --align-start --to ctf -o both.ctf
texts both.ctf >given
same given wanted
expect 2 merge "$fxt/events.fxt" "$fxt/four_word_initialization.fxt" -o x.fxt # their clocks have nothing in common
says err STE008
says err 'found times in .* from an unknown moment\|found times in .* with wall-clock'
says err 'stele: --align-start .*--offset TIME'
expect 0 merge "$fxt/events.fxt" "$fxt/four_word_initialization.fxt" --offset 1s -o later.fxt

# Traces of CTF keep their bytes, side by side.
cp -r a b
expect 0 merge a b --align-start -o side
check 'packets are copied' cmp a/stream_0 side/a/stream_0

# So they do beside traces of other formats, which are written anew in folders of their own.
ctf=$SOURCE/src/formats/ctf/good/lttng_216_18
heph_trace=$heph/heph_tracing_example.bin.log
"$STELE" merge "$ctf" "$heph_trace" --to ctf -o mixed >out 2>err
says err "heph_tracing_example.bin.log: written anew in 'heph_tracing_example'"
says_not err 'environment\|log level\|tracks of several'
check 'packets are copied' cmp "$ctf/all_0" mixed/lttng_216_18/all_0
texts "$ctf" "$heph_trace" >wanted
texts mixed >given
same given wanted
rm -rf mixed
# Shifted, they are all written anew: copies would count from another origin.
"$STELE" merge "$ctf" "$heph_trace" --align-start --to ctf -o mixed >out 2>err
says_not err 'written anew in'
texts "$ctf" "$heph_trace" --align-start | grep -v ',lost,' >wanted
texts mixed | grep -v ',lost,' >given
same given wanted

# Pieces are the whole again.
expect 0 split --count 3 "$fxt/events.fxt" -o pieces
expect 0 merge pieces/* -o whole.fxt
texts "$fxt/events.fxt" >wanted
texts whole.fxt >given
same given wanted

# aligned OFFSET DRIFT [AWK]: a trace with a clock that is off and drifts, some of whose events are
# missing or come late, against one that is right. Times of the merge are within 2 us of the truth.
made() {
    awk -v n="$1" -v offset="$2" -v drift="$3" -v skip="$4" -v seed="${SEED:-7}" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            at = 1000000000 + i * 5000000 + int(rand() * 4000000)
            is_late = rand() < 0.1
            late = int(rand() * 900000)
            is_gone = rand() < 0.1 || i < 3
            if (skip && is_gone) continue
            if (!skip || !is_late) late = 0
            printf "%.0f 0 0 sync %d\n", offset + at + drift * at + late, i
        }
    }'
}
made 400 0 0 '' | ctf_made right
for how in '0 0' '123456789 0' '5000000000 0.00002' '-900000000 -0.00005' '77000000000 0.0001'; do
    # shellcheck disable=SC2086
    set -- $how
    made 400 "$1" "$2" skip | ctf_made off
    for by in '' arg.id; do
        expect 0 merge right off --align sync ${by:+--align-by} ${by:+"$by"} --to fxt --force -o aligned.fxt
        says err 'offset .*, drift .* ppm; .* events fit, within'
        expect 0 cat --csv --columns time,id=arg.id aligned.fxt
        sed 1d out | awk -F , -v how="$how by $by" '
            { if ($2 in first) { d = ($1 - first[$2]) * 1e9; if (d < 0) d = -d; n++; if (d > 2000) far++ }
              else first[$2] = $1 }
            END { if (n < 250 || far > n * 0.15) { print how ": of " n " pairs " far + 0 " are far"; exit 1 } }' \
            >said || complain 'aligned' said
    done
    rm -rf off
done
# Exact where the events are.
made 50 1000 0 '' | ctf_made exact
expect 0 cat right exact --align sync --align-by arg.id
says err 'offset -1.000 µs, drift +0.000000 ppm; 50 of 50 events fit, within 0 ns'

expect 2 merge right "$fxt/events.fxt" --align sync -o x.fxt
says err "error STE008 .*400 called 'sync' there and 0 here"
expect 2 merge right --align sync -o x.fxt
expect 2 merge right exact --align-by arg.id -o x.fxt
expect 2 merge right right --align sync --align-start -o x.fxt
expect 2 merge right right --align sync --align-by 'arg.' -o x.fxt
check 'nothing was made' test ! -e x.fxt

# A merge without one of its traces would not be what was asked for.
expect 3 merge "$fxt/events.fxt" /does/not/exist --align-start -o y.fxt
check 'nothing was made' test ! -e y.fxt
finish
