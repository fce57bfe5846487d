#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele view: the server, what it refuses, whether it says what the other commands say; the folder
# that --export writes.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
ctf=$SOURCE/src/formats/ctf/good
export PYTHONDONTWRITEBYTECODE=1

# What needs no server.
expect 0 view --export page "$fxt/events.fxt"
for file in index.html page.js style.css data/info.js data/tiles.js data/0-0.js data/flame.js; do
    check "page/$file" test -s "page/$file"
done
check "the page knows that it is a folder" grep -q 'content="still"' page/index.html
expect 4 view --export page "$fxt/events.fxt"
expect 0 view --export page --force "$fxt/events.fxt"
expect 3 view --export other nothing.fxt
check "nothing is left of it" test ! -e other
expect 2 view --no-open --where 'name ==' "$fxt/events.fxt"
says err 'STE009'

# The page asks nobody else for anything: no address of another machine stands in it.
grep -lE 'https?://' "$SOURCE"/src/view/page/*.js "$SOURCE"/src/view/page/*.html \
    "$SOURCE"/src/view/page/*.css >found && complain "the page names another machine" found

status=0
"$STELE" view --no-open --port 70000 "$fxt/events.fxt" >out 2>err || status=$?
check "a port that is none is refused" test $status -eq 2
status=0
"$STELE" view --no-open --listen nowhere "$fxt/events.fxt" >out 2>err || status=$?
if grep -q 'this build has no server' err; then
    check "it says what is missing" grep -q 'apt install libmicrohttpd-dev' err
    skip "this build has no server (libmicrohttpd-dev)"
    finish
fi
check "an address that is none is refused" test $status -eq 2

# Traces that cannot be on one axis are refused, and no empty page is served.
expect 2 view --no-open "$fxt/events.fxt" "$xray/tail.14.fdr5.tsc.xray"
says err 'STE008'
says err '--align-start'

# The server's library is loaded when it is needed: where it cannot be, the command says what to do.
mkdir -p broken
library=$(grep -ao 'libmicrohttpd\.so[.0-9]*' "$STELE" | head -n 1)
: >"broken/$library"
status=0
LD_LIBRARY_PATH=$PWD/broken "$STELE" view --no-open "$fxt/events.fxt" >out 2>err || status=$?
check "a missing library is a usage error" test $status -eq 2
says err "the server is $library, which this machine does not have .*apt install"
LD_LIBRARY_PATH=$PWD/broken "$STELE" version >out
says out '^  microhttpd  *no  '
LD_LIBRARY_PATH=$PWD/broken "$STELE" check "$fxt/events.fxt" >out
says out 'events'
have python3 || {
    skip "python3 is missing: the server was not asked"
    finish
}

last="tests/view/server.py"
WINDOWS=${WINDOWS:-3} python3 "$SOURCE/tests/view/server.py" "$STELE" "$fxt/events.fxt" \
    "$fxt/scheduling.fxt" "$fxt/hostile_names.fxt" "$xray/exc.14.fdr5.tsc.xray" \
    "$xray/tail.14.fdr5.tsc.xray" "$ctf/lttng_216_2" "$ctf/small_18" "$heph/heph_tracing_example.bin.log" \
    "$SOURCE/src/formats/xtrace/good/bare_time_front.xinsndata.bin" \
    >server.txt 2>&1 || complain "the server" server.txt
finish
