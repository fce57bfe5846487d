#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of src/cli/examples.def, as the help shows them: every command has some, the manual
# page has the same, and each runs on samples and shows or makes something.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_kernel_made.sh"
mv trace kernel.ctf
cp -R "$TRACES"/* .
cp run.xray before.xray
cp run.xray after.xray
: >old
{
    echo ---
    for id in 1 2 3; do
        for kind in function-enter function-exit; do
            echo "- { id: $id, address: 0x${id}0, function: 0x${id}0, kind: $kind," \
                "always-instrument: false, function-name: f$id, version: 2 }"
        done
    done
    echo ...
} >program
mkdir bin
ln -s "$STELE" bin/stele
PATH=$PWD/bin:$PATH
has_sql=
stele query run.fxt 'select 1' >out 2>&1 && has_sql=yes
has_view=
stele view --export probe run.heph >out 2>&1 && has_view=yes
rm -rf probe
has_server=yes # pages are written without one
stele version | grep -q '^  microhttpd  *no ' && has_server=

# until_interrupted LINE: an example that goes on until Ctrl-C; it is sent when it says that it is ready.
until_interrupted() {
    eval "exec $1 >out 2>err </dev/null" &
    running=$!
    tries=0
    while ! grep -qE 'http://|listening' out err && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -INT "$running"
    status=0
    wait "$running" || status=$?
}

run() {
    # shellcheck disable=SC2034
    line=$1 last=$1 wanted=0
    # Everything that is here gets an old time, so that what the example writes is newer however soon.
    find . -exec touch -h -d 2001-01-01 {} +
    case $line in
    'stele record '*) # what it needs is tested by record.sh
        sh -c "$line" >out 2>err </dev/null
        [ $? -ne 2 ] || complain "cannot be used" err
        return
        ;;
    'stele query '*) [ -n "$has_sql" ] || { skip "no DuckDB: $line"; return; } ;;
    'stele view run'*) [ -n "$has_server" ] || { skip "no server: $line"; return; } ;;
    'stele view '*) [ -n "$has_view" ] || { skip "no server: $line"; return; } ;;
    esac
    case $line in
    'stele view run'* | 'stele collect udp'*)
        case $line in
        'stele view '*)
            wanted=130
            until_interrupted "${line% run*} --no-open run${line##* run}"
            ;;
        *) until_interrupted "stele collect udp:0 ${line#*udp:* }" ;;
        esac
        ;;
    *)
        status=0
        sh -c "$line" >out 2>err || status=$?
        ;;
    esac
    [ "$status" -eq "$wanted" ] || complain "exit code $status, expected $wanted" err
    [ -s out ] || [ -s err ] || [ -n "$(find . -newer old ! -name . ! -name out ! -name err)" ] ||
        complain "shows and makes nothing"
}

expect 0 help --pages
mv out pages
count=0
while read -r page; do
    words=$(echo "$page" | sed 's/^stele-*//; s/^\([a-z]*\)-/\1 /')
    # shellcheck disable=SC2086
    expect 0 $words --help
    sed -n '/^Examples$/,/^$/s/^    \$ //p' out >examples
    [ -s examples ] || complain "no example of '$words'" out
    expect 0 help --scdoc "$page"
    grep '^\$ stele ' out | sed 's/^\$ //' >shown
    same examples shown
    while read -r line <&3; do
        rm -f core run.pftrace flame.svg
        rm -rf slice received page
        run "$line"
        count=$((count + 1))
    done 3<examples
done <pages
check "there are examples" test "$count" -gt 60
finish
