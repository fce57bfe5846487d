#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele collect: of COUNT packets (20,000 unless the environment says so) that a bad network delivers,
# each is in the trace or reported missing; what arrived before the process was killed can be read.
. "$SOURCE/tests/cli/lib.sh"
count=${COUNT:-20000}
[ -x "${SENDER:-}" ] || {
    echo "SKIP: no sender, which is compiled with the tests"
    exit 77
}

start() {
    rm -rf got told
    : >said
    last="stele collect -o got $*"
    # No sender is given up because a busy machine lets it wait.
    "$STELE" collect -o got --json --window 256 --window-time 60s "$@" >told 2>said </dev/null &
    collector=$!
    tries=0
    while ! grep -q listening said && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    place=$(sed -n 's/^listening at [a-z-]* .*:\([0-9]*\)$/\1/p' said | head -n 1)
}

figure() { sed -n "s/^ *\"$1\": \([0-9]*\),*/\1/p" told | head -n 1; }
done_of() { sed "s/.*$1=\([0-9]*\).*/\1/" sent; }
is() {
    check "$1 is $2, not $3" test "$2" -eq "$3"
}

trace_of() {
    if [ "$1" = heph ]; then echo got/127.0.0.1.heph; else echo got/127.0.0.1; fi
}

events_of() {
    "$STELE" info -q --json "$1" | sed -n 's/^ *"event_count": \([0-9]*\),*/\1/p' | head -n 1
}

# A trace whose writer was killed is sound, but for one packet at its very end: the system may take a part
# of what is written to more than one page. That packet is cut, and so may be the last record in it. Of
# a packet of Heph that is cut within its magic number nobody can say that it is one.
cut='(HEP002|CTF40[45]|HEP001 .* and [123] bytes? to)'
sound() {
    last="stele check $1"
    "$STELE" check "$1" >out 2>err </dev/null || {
        check "one packet is cut, and one record" \
            test "$(grep -c ':[0-9]*: error ' out)" -le "$(grep -cE ": error ($cut|CTF450) " out)"
        check "there is one cut packet" test "$(grep -cE ": error $cut " out)" -eq 1
    }
}

for kind in heph ctf18 ctf2; do
    "$STELE" formats | grep -q "$(echo $kind | cut -c 1-3)" || continue
    for how in udp tcp; do
        if [ $how = tcp ]; then
            start tcp:0 --once
        else
            start udp:0 --socket-buffer 64M
        fi
        "$SENDER" $how "$place" $kind "$count" loss=10 reorder=50 twice=20 lie=1000 seed=7 >sent
        if [ $how = udp ]; then
            sleep 0.5
            kill -INT "$collector"
        fi
        status=0
        wait "$collector" || status=$?
        is "$kind over $how: exit code" "$status" 1
        packets=$(figure packets)
        missing=$(figure missing_packets)
        is "$kind over $how: packets and those that are missing" $((packets + missing)) "$count"
        is "$kind over $how: refused" "$(figure refused)" 0
        is "$kind over $how: bytes" "$(figure received_bytes)" \
            $(($(figure kept_bytes) + $(figure repeated_bytes) + $(figure skipped_bytes)))
        if [ $how = tcp ]; then # datagrams can be lost beside those that were left out
            is "$kind over $how: missing" "$missing" "$(done_of lost)"
            is "$kind over $how: twice" "$(figure duplicates)" "$(done_of twice)"
            is "$kind over $how: bytes of lies" "$(figure skipped_bytes)" "$(done_of lies)"
        else
            check "$kind over $how: $missing missing" test "$missing" -ge "$(done_of lost)"
        fi
        # The trace says the same, by itself.
        "$STELE" info --json -q "$(trace_of $kind)" >info 2>err
        says info "\"event_count\": $packets,*\$"
        says info "\"$(if [ $kind = heph ]; then echo lost_count; else echo missing_count; fi)\": $missing,"
    done

    # Killed as soon as there is a trace, it can be read.
    start tcp:0
    trace=$(trace_of $kind)
    "$SENDER" tcp "$place" $kind "$count" reorder=50 twice=20 seed=3 >sent 2>/dev/null &
    sender=$!
    tries=0
    while ! [ -e "$trace" ] && [ $tries -lt 3000000 ]; do
        tries=$((tries + 1))
    done
    kill -9 "$collector"
    wait "$collector" 2>/dev/null
    wait "$sender" 2>/dev/null
    check "$trace is there" test -e "$trace"
    sound "$trace"
    # Killed at any moment, what arrived is a trace in which nothing is missing.
    moment=$(od -An -N1 -tu1 /dev/urandom)
    start tcp:0
    "$SENDER" tcp "$place" $kind "$count" reorder=50 twice=20 seed=3 >sent 2>/dev/null &
    sender=$!
    sleep "$(printf '0.%03d' "$moment")"
    kill -9 "$collector"
    wait "$collector" 2>/dev/null
    wait "$sender" 2>/dev/null
    if [ -e "$(trace_of $kind)" ]; then
        sound "$(trace_of $kind)"
    fi
    # The same while it is certain that some have arrived.
    start tcp:0 --rate-max 2M
    "$SENDER" tcp "$place" $kind 200000 reorder=50 twice=20 seed=3 >sent 2>/dev/null &
    sender=$!
    tries=0
    while [ -z "$(find got -type f -size +200k)" ] && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -9 "$collector"
    wait "$collector" 2>/dev/null
    wait "$sender" 2>/dev/null
    sound "$(trace_of $kind)"
    found=$(events_of "$(trace_of $kind)")
    check "events before the end: $found" test "$found" -gt 1000
done

# Of FXT over TCP, too, what arrived before the collector was killed is a trace, of which the last record
# may be cut.
fxt_killed() {
    kill -9 "$collector"
    wait "$collector" 2>/dev/null
    wait "$sender" 2>/dev/null
    for trace in got/*.fxt; do
        [ -e "$trace" ] || continue
        # shellcheck disable=SC2034
        last="stele check $trace"
        "$STELE" check "$trace" >out 2>err </dev/null || {
            says out ': error FXT003 '
            check "one record is cut" test "$(grep -c ':[0-9]*: error ' out)" -eq 1
        }
    done
}
fxt_start() {
    start tcp:0 "$@"
    python3 "$SOURCE/tests/cli/collect_send.py" "tcp:$place" sent.fxt chunk=4000 >sent 2>/dev/null &
    sender=$!
}
if have python3 && "$STELE" convert -q "$(trace_of ctf2)" --to fxt -o sent.fxt --force 2>err; then
    fxt_start # killed as soon as there is a trace
    tries=0
    while [ -z "$(ls got 2>/dev/null)" ] && [ $tries -lt 3000 ]; do
        tries=$((tries + 1))
    done
    fxt_killed
    check "a trace of FXT is there" test -n "$(ls got)"
    fxt_start # at any moment
    sleep "$(printf '0.%03d' "$moment")"
    fxt_killed
    fxt_start --rate-max 1M # while it is certain that some have arrived
    tries=0
    while [ -z "$(find got -type f -size +100k)" ] && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    fxt_killed
    found=$(events_of got/*.fxt)
    check "events of FXT before the end: $found" test "$found" -gt 1000
fi
finish
