#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command on every trace of the folder that STELE_SAMPLES names, with what holds for all:
# nothing crashes, the JSON is JSON, all ways of reading agree, copies are the same.
. "$SOURCE/tests/cli/lib.sh"
[ -n "${STELE_SAMPLES:-}" ] || {
    echo "SKIP: STELE_SAMPLES is not set: no samples outside of the repository"
    exit 77
}

# Exit code 0 or 1: it could be read, clean or not.
expect_read() {
    last="stele $*"
    status=0
    "$STELE" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -le 1 ] || complain "exit code $status, expected 0 or 1" err
}

expect 0 formats
mv out formats
count=0
for file in "$STELE_SAMPLES"/fxt/* "$STELE_SAMPLES"/heph/*; do
    [ -f "$file" ] || continue
    count=$((count + 1))
    expect_read info --json "$file"
    mv out info.json
    format=$(sed -n 's/^ *"format": "\(.*\)",*$/\1/p' info.json)
    events=$(sed -n 's/^      "event_count": \([0-9]*\),*$/\1/p' info.json)
    marks=$(sed -n 's/^ *"lost_event_count": \([0-9]*\),*$/\1/p' info.json)
    events=$((events + marks)) # marks of loss are not events of the trace, but have lines
    ! have jq || jq -e . info.json >jq.log || complain "no JSON" info.json

    expect_read cat --json "$file"
    mv out events
    lines events "$events"
    ! have jq || jq -c .v events >jq.log || complain "no JSON lines" events
    expect_read cat --json --unsorted "$file"
    lines out "$events"
    expect_read cat "$file"
    lines out "$events"
    expect_read check --json "$file"
    says out "\"event_count\": $events,"
    expect_read dump "$file"

    # Copied in its own format it has the same bytes, or says why not.
    case $file in
    *.gz | *.zst) ;;
    *)
        expect_read convert "$file" --to "$format" -o copy --force
        [ "$status" -ne 0 ] || ! grep -q "^  $format .*copy" formats || same copy "$file"
        ;;
    esac
    # Written anew it has the same events.
    last="stele convert - --to $format <$file"
    "$STELE" convert - --to "$format" -o written --force <"$file" >out 2>err
    [ $? -le 1 ] || complain "conversion from a pipe failed" err
    for to in fxt heph chrome json csv text; do
        expect_read convert "$file" --to $to -o "converted.$to" --force
        check "something was written" test -s "converted.$to"
    done
    for to in fxt heph; do
        [ $to != "$format" ] || continue # a copy has the same damage
        expect_read check "converted.$to"
        says_not out ': error [A-DF-Z]'
    done
    ! have jq || jq -e . converted.chrome >jq.log || complain "no JSON for Chrome" converted.chrome
done
[ $count -gt 0 ] || {
    echo "SKIP: no samples in $STELE_SAMPLES/fxt and $STELE_SAMPLES/heph"
    exit 77
}
echo "$count traces"
finish
