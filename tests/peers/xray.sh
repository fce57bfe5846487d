#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# llvm-xray reads what Stele writes, and finds the same records; and in real traces both find the
# same records. STELE is the command, SOURCE the repository; STELE_SAMPLES may name a folder with more
# traces (xray/*.xray).
#
# Known faults of llvm-xray are kept out: it refuses typed events, big-endian files and buffers that
# are cut, and reads the stale bytes of version 1 buffers.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
peer=$(command -v llvm-xray-14 || command -v llvm-xray) || {
    echo "SKIP: llvm-xray is not installed (Debian: llvm-14)"
    exit 77
}

# The records of a log by kind, as each tool shows them.
own_counts() {
    "$STELE" dump "$1" | awk '
        /Function Enter/ { n["enter"]++; next }
        /Function Tail Exit/ { n["tail exit"]++; next }
        /Function Exit/ { n["exit"]++; next }
        /New Buffer/ { n["thread"]++ }
        /Wall Time/ { n["wall time"]++ }
        /New CPU ID/ { n["cpu"]++ }
        /TSC Wrap/ { n["wrap"]++ }
        /Custom Event/ { n["custom"]++ }
        /Call Argument/ { n["argument"]++ }
        /  PID  / { n["pid"]++ }
        END { for (kind in n) print kind, n[kind] }' | sort
}
peer_counts() {
    "$peer" fdr-dump "$1" 2>fdr-dump.err | awk '
        /^<End of Buffer/ { is_rest = 1; next } # which Stele makes one event
        is_rest && /^<Custom Event/ { is_rest = 0; next }
        /^<Function Enter/ { n["enter"]++; next }
        /^<Function Tail Exit/ { n["tail exit"]++; next }
        /^<Function Exit/ { n["exit"]++; next }
        /^<Thread ID/ { n["thread"]++ }
        /^<Wall Time/ { n["wall time"]++ }
        /^<CPU/ { n["cpu"]++ }
        /^<TSC Wrap/ { n["wrap"]++ }
        /^<Custom Event/ { n["custom"]++ }
        /^<Call Argument/ { n["argument"]++ }
        /^<PID/ { n["pid"]++ }
        END { for (kind in n) print kind, n[kind] }' | sort
}
same_counts() {
    last="fdr-dump $1"
    own_counts "$1" >own
    peer_counts "$1" >counts
    check "records were found in $1" test -s own
    same counts own
}

# Versions 1 and 2 have no process ids, which counts as a loss.
write_version() {
    expect $(($1 < 3)) convert --to-version "$1" --to xray --force -o written.xray "$2"
}

# Logs that Stele writes, and logs that it cuts.
verifies() {
    last="fdr-dump -verify $1 ($2)"
    "$peer" fdr-dump -verify "$1" >/dev/null 2>verify.err ||
        complain "llvm-xray does not verify it" verify.err
    same_counts "$1"
}
for name in events.14.fdr5.ns exc.14.fdr5.tsc sleeper.14.fdr5.tsc tail.14.fdr5.tsc \
    forker.14.fdr5.tsc wrap.14.fdr5.tiny4x512; do
    same_counts "$xray/$name.xray"
    expect 0 cat --json "$xray/$name.xray"
    grep -c '"kind":"begin"' out >begins
    for version in 1 2 3 4 5; do
        write_version $version "$xray/$name.xray"
        verifies written.xray "version $version of $name"
        check "as many entries as events" test "$(sed -n 's/^enter //p' own)" = "$(cat begins)"
    done
    expect 0 convert --where 'offset > 200' --to xray --force -o cut.xray "$xray/$name.xray"
    verifies cut.xray "$name, cut"
done

# Calls by function, of a log whose calls are all whole.
expect 0 cat --json "$xray/sleeper.14.fdr5.tsc.xray"
sed -n 's/.*"kind":"end".*"function":\([0-9]*\).*/\1/p' out | sort -n | uniq -c |
    awk '{ print $2, $1 }' >calls
check "calls were counted" test -s calls
for version in 1 2 3 4 5; do
    write_version $version "$xray/sleeper.14.fdr5.tsc.xray"
    last="account written.xray (version $version)"
    "$peer" account -keep-going -format=csv -sort=funcid written.xray 2>account.err |
        awk -F , '$1 ~ /^[1-9][0-9]*$/ { print $1, $2 }' >counts
    same counts calls
done

# Older versions, encoded from a real trace by another program.
for version in 2 3 4; do
    [ ! -e "$xray/events.fdr$version.xray" ] || same_counts "$xray/events.fdr$version.xray"
done

# Real traces.
if [ -z "${STELE_SAMPLES:-}" ] || [ ! -d "$STELE_SAMPLES/xray" ]; then
    skip "no STELE_SAMPLES: real traces are not compared"
    finish
fi
compared=0
for trace in "$STELE_SAMPLES"/xray/*.fdr*.xray; do
    "$STELE" check --json "$trace" >found 2>/dev/null
    case $trace in
        *.be.xray | *.fdr1.*) continue ;; # see above
    esac
    ! grep -q '"XRY004"' found || continue
    same_counts "$trace"
    compared=$((compared + 1))
done
check "real traces were compared" test "$compared" -gt 0
echo "compared $compared real traces"
finish
