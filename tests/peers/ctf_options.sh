#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The options of babeltrace2 2.1 and those of Stele that stand for them give the same lines, byte for
# byte: of the samples here, and of STELE_SAMPLES/ctf/*.tar.gz where there are some. BABELTRACE2 names
# the program, else it is looked for. It also reads what `stele ctf metadata --to` makes of them.
# Where babeltrace2 itself crashes there is nothing to compare.
. "$SOURCE/tests/cli/lib.sh"
peer=${BABELTRACE2:-babeltrace2}
version=$("$peer" --version 2>/dev/null | sed -n 's/.* \(2\.[0-9]*\)\..*/\1/p;q')
case $version in
'' | 2.0) echo "SKIP: babeltrace2 2.1 or later is not there (BABELTRACE2 may name it)" && exit 77 ;;
esac
export TZ=America/Toronto BABELTRACE_TERM_COLOR=AUTO

mkdir traces
cp -r "$SOURCE/src/formats/ctf/good/small_18" "$SOURCE/src/formats/ctf/good/small_2" \
    "$SOURCE/src/formats/ctf/good/lttng_216_18" "$SOURCE/src/formats/ctf/good/lttng_216_2" traces
for archive in "${STELE_SAMPLES:-/nowhere}"/ctf/*.tar.gz; do
    [ -f "$archive" ] && tar xzf "$archive" -C traces
done

count=0 lines=0
# compare TRACE "PEER'S OPTIONS" "OWN OPTIONS": words, an underscore for a space within one
compare() {
    (
        IFS=' '
        set -f
        set -- "$1" "$(echo "$2" | tr ' ' '\n' | tr _ ' ')" "$(echo "$3" | tr ' ' '\n' | tr _ ' ')"
        IFS='
'
        "$STELE" cat --ctf-pretty $3 "$1" >got 2>err
        "$peer" "$1" $2 >expected 2>peer_err
    ) || {
        case $2 in
        --debug-info* | --stream-intersection) echo "babeltrace2 $2 $1: crashed" ;;
        *) complain "babeltrace2 $2 $1 fails" peer_err ;;
        esac
        return
    }
    # After the last line it puts the colour back once more.
    [ "$2" != --color=always ] || { printf '\033[0m' >>got && [ -s expected ]; } || : >got
    cmp -s expected got || {
        diff expected got | head -4 | cut -c1-300
        complain "other lines than those of babeltrace2 $2: stele cat --ctf-pretty $3 $1"
    }
    count=$((count + 1))
    lines=$((lines + $(wc -l <expected)))
}

same() {
    compare "$1" "$2" "$2"
}

for trace in traces/*; do
    for clock in '' --clock-cycles --clock-seconds --clock-date --clock-gmt '--clock-date --clock-gmt' \
        '--clock-cycles --clock-seconds --clock-date' '--clock-seconds --no-delta' --no-delta \
        '--clock-offset=7' '--clock-offset=-3600 --clock-date' '--clock-offset-ns=-1000000001' \
        '--clock-offset=1 --clock-offset-ns=500000000 --clock-seconds'; do
        same "$trace" "$clock"
    done
    for list in all trace trace:hostname trace:domain trace:procname trace:vpid loglevel emf callsite \
        trace,loglevel trace:hostname,trace:vpid,emf; do
        compare "$trace" --fields=$list --pretty-fields=$list
    done
    for list in all none payload arg args context ctx scope header payload,scope ctx,header \
        scope,header; do
        compare "$trace" --names=$list --pretty-names=$list
    done
    compare "$trace" '--fields=all --names=all' '--pretty-fields=all --pretty-names=all'
    compare "$trace" '--fields=all --names=none --clock-cycles' \
        '--pretty-fields=all --pretty-names=none --clock-cycles'
    BABELTRACE_TERM_COLOR=ALWAYS
    same "$trace" --color=always
    BABELTRACE_TERM_COLOR=AUTO
    same "$trace" --stream-intersection
    same "$trace" --debug-info
    same "$trace" '--debug-info --debug-info-full-path'
    same "$trace" '--debug-info --debug-info-target-prefix=/nowhere --debug-info-dir=/nowhere'
    for generation in 1.8 2; do
        rm -rf translated && cp -r "$trace" translated && chmod -R u+w translated
        find translated -name metadata -size +0 >files
        while read -r file; do
            "$STELE" ctf metadata --to $generation "$file" >text 2>err
            [ $? -le 1 ] || complain "$file is not translated to $generation" err
            cp text "$file"
            grep 'nothing instead' err
        done <files >without # what CTF 1.8 has no type for
        [ -s without ] || same translated --clock-gmt
    done

    # Times as lines tell them, a third and two thirds into the trace. What ends at a time is in
    # for babeltrace2, and not in for Stele.
    "$peer" --clock-gmt --clock-date --no-delta "$trace" 2>err |
        sed -n 's/^\[\([0-9]*-[0-9]*-[0-9]* [0-9:.]*\)\].*/\1/p' | tr ' ' _ >dates
    third=$(($(wc -l <dates) / 3))
    [ "$third" -gt 0 ] || continue
    begin=$(sed -n "${third}p" dates) end=$(sed -n "$((third * 2))p" dates)
    ns=$((1${end##*.} + 1))
    [ "$ns" -lt 2000000000 ] || continue
    after=${end%.*}.${ns#1}Z
    compare "$trace" "--clock-gmt --begin=$begin" "--clock-gmt --begin=${begin}Z"
    compare "$trace" "--clock-gmt --end=$end" "--clock-gmt --end=$after"
    compare "$trace" "--clock-gmt --timerange=$begin,$end" \
        "--clock-gmt --begin=${begin}Z --end=$after"
done
echo "$count comparisons, $lines lines"
[ "$lines" -ge "$count" ] || complain "too few lines to compare"

finish
