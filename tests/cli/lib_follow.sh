# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# For tests of traces that grow, after lib.sh.
# shellcheck disable=SC2034

# wait_for COMMAND...: until it succeeds; complains after a long time.
wait_for() {
    tries=0
    until "$@" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || {
            complain "waited in vain for: $*"
            return
        }
        sleep 0.1
    done
}

has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# begin ARGUMENTS...: stele in the background; what it writes is in ./shown, its complaints in ./told.
begin() {
    last="stele $*"
    rm -f shown told
    "$STELE" "$@" >shown 2>told &
    follower=$!
}

# Signals before they are caught would end it as any other command. The shell that it is made from may
# catch SIGINT, too, which would be lost there; SIGTERM it does not catch.
catches() { grep -q 'SigCgt:.*[4567cdef]..[2367abef]$' "/proc/$follower/status"; }
interrupt() {
    wait_for catches
    kill -INT "$follower"
}

# ended CODE: the command in the background ends with this code.
ended() {
    status=0
    wait "$follower" || status=$?
    [ "$status" -eq "$1" ] || complain "exit code $status, expected $1" told
}

# What comes after a pause may belong before it, and is marked as late then; streams are numbered as
# they come: the same events.
alike() {
    for file in "$@"; do
        sed -E 's/"stream":[0-9]+,//; s/"track":\{"kind":"stream","number":[0-9]+/"track":{/
            s/,"flags":\["late"\]//; s/"late",//; s/,"late"//' "$file" | sort >"$file.sorted"
    done
    same "$1.sorted" "$2.sorted"
}
