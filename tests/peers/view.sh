#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of stele view: its types by TypeScript, and what it does in a browser. Both come from npm,
# the browser from Debian.
. "$SOURCE/tests/cli/lib.sh"

# Nothing, or nothing more, can be tested.
leave() {
    [ $failures -eq 0 ] || finish
    skip "$1"
    exit 77
}

have node || leave "no node"
have npm || leave "no npm"
mkdir npm && cd npm || exit 1
printf '{"private": true}\n' >package.json
npm install --no-audit --no-fund --ignore-scripts typescript@5 playwright-core@1 >npm.log 2>&1 ||
    leave "npm cannot install typescript and playwright-core"
cd .. || exit 1

last="tsc --checkJs"
cat >tsconfig.json <<END
{"compilerOptions": {"checkJs": true, "allowJs": true, "noEmit": true, "strict": true,
  "target": "es2022", "module": "es2022", "moduleResolution": "bundler",
  "lib": ["es2022", "dom", "dom.iterable"], "types": []},
 "files": ["$SOURCE/src/view/page/main.js"]}
END
npm/node_modules/.bin/tsc -p tsconfig.json >types 2>&1 || complain "types do not fit" types

have chromium || leave "no chromium"
last="tests/view/exported.mjs"
for trace in "$fxt/events.fxt" "$SOURCE/src/formats/xray/good/sleeper.14.fdr5.tsc.xray"; do
    last="tests/view/exported.mjs $trace"
    expect 0 view --export page --force "$trace"
    timeout 240 node "$SOURCE/tests/view/exported.mjs" "$PWD/page" "$PWD/npm" \
        "$(command -v chromium)" >page.txt 2>&1 || complain "the page as a folder" page.txt
done
"$STELE" view --no-open --listen nowhere "$fxt/events.fxt" >out 2>err
grep -q 'this build has no server' err && leave "this build has no server (libmicrohttpd-dev)"
for trace in "$fxt/events.fxt" "$fxt/hostile_names.fxt"; do
    last="tests/view/page.mjs $trace"
    timeout 240 node "$SOURCE/tests/view/page.mjs" "$STELE" "$trace" "$PWD/npm" \
        "$(command -v chromium)" >page.txt 2>&1 || complain "the page" page.txt
done
# What is drawn is what was drawn before: after a change that was meant, this writes the lists anew:
# cd src/formats && node ../../tests/view/drawn.mjs STELE NPM CHROMIUM ../../tests/view/drawn --write
last="tests/view/drawn.mjs"
(cd "$SOURCE/src/formats" && timeout 400 node "$SOURCE/tests/view/drawn.mjs" "$STELE" "$OLDPWD/npm" \
    "$(command -v chromium)" "$SOURCE/tests/view/drawn") >drawn.txt 2>&1 ||
    complain "pictures" drawn.txt
grep 'not compared' drawn.txt && skip "$(grep '^SKIP' drawn.txt | cut -c 7-)"
finish
