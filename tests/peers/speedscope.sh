#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speedscope's importer reads Chrome's JSON of calls without a warning: each end closes the begin that
# it takes for its own. STELE is the command, SOURCE the repository, SPEEDSCOPE the unpacked npm
# package speedscope (1.25.0 is known to work); node runs it.
. "$SOURCE/tests/cli/lib.sh"
if ! bundle=$(ls "${SPEEDSCOPE:-/nonexistent}"/dist/release/speedscope-*.js 2>&1) || ! have node; then
    echo "SKIP: SPEEDSCOPE does not name the package speedscope, or node is missing"
    exit 77
fi

# The bundle is one function for browsers. Its importer is found by what its code says, and taken out
# before the page is built, which fails without a browser.
cat > import.mjs <<'END'
import fs from 'fs';
const [, , bundle, trace] = process.argv;
const source = fs.readFileSync(bundle, 'utf8');
const importer = source.match(
    /function (\w+)\(\w+,\w+="UNKNOWN"\)\{(?:(?!function ).)*Could not find events for key/);
const module = source.match(/[,\s](\w+)=\w+\(\(\)=>\{"use strict";[^}]*"allocatedCategory"/);
if (importer === null || module === null) process.exit(77);
const taken = `(()=>{globalThis.importer=()=>{${module[1]}();return ${importer[1]}};`;
try { (0, eval)(source.replace('(()=>{', taken)); } catch { /* no browser */ }
let warnings = 0;
console.warn = (...text) => { if (warnings++ < 3) process.stdout.write(text.join(' ') + '\n'); };
const group = globalThis.importer()(JSON.parse(fs.readFileSync(trace, 'utf8')).traceEvents);
console.log(`${group.profiles.length} profiles, ${warnings} warnings`);
END

for trace in "$SOURCE"/src/formats/xray/good/*.xray "$SOURCE"/src/formats/fxt/good/events.fxt; do
    "$STELE" convert --to chrome --force -o x.json "$trace" >out 2>err </dev/null
    grep -q '"ph":"[BX]"' x.json || continue
    last="stele convert --to chrome $trace"
    status=0
    node import.mjs "$bundle" x.json >out 2>err || status=$?
    [ "$status" -ne 77 ] || {
        echo "SKIP: the importer is not found in this version of speedscope"
        exit 77
    }
    check "it is imported without warnings: $(head -n 2 out)" grep -q '^[1-9][0-9]* profiles, 0 warnings$' out
done
finish
