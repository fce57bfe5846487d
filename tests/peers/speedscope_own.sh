#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speedscope's importer finds in profiles of its own format, sampled and evented, the own time that
# 'stele flame' has for each function of each thread. STELE is the command, SOURCE the repository,
# SPEEDSCOPE the unpacked npm package speedscope (1.25.0 is known to work); node runs it.
. "$SOURCE/tests/cli/lib.sh"
if ! bundle=$(ls "${SPEEDSCOPE:-/nonexistent}"/dist/release/speedscope-*.js 2>&1) || ! have node; then
    echo "SKIP: SPEEDSCOPE does not name the package speedscope, or node is missing"
    exit 77
fi

# As in peers.speedscope, the importer is found by what its code says.
cat > import.mjs <<'END'
import fs from 'fs';
const [, , bundle, file] = process.argv;
const source = fs.readFileSync(bundle, 'utf8');
const importer = source.match(/function (\w+)\(\w\)\{return\{name:\w\.name\|\|\w\.profiles\[0\]\.name/);
if (importer === null) process.exit(77);
const module = source.slice(importer.index).match(/var (\w+)=\w+\(\(\)=>\{"use strict";(?:\w+\(\);?)+\}\)/);
if (module === null) process.exit(77);
const taken = `(()=>{globalThis.importer=()=>{${module[1]}();return ${importer[1]}};`;
try { (0, eval)(source.replace('(()=>{', taken)); } catch { /* no browser */ }
const group = globalThis.importer()(JSON.parse(fs.readFileSync(file, 'utf8')));
const plain = (text) => text.replace(/[\x00-\x1f\x7f;]/g, '_');
for (const profile of group.profiles)
    profile.forEachFrame((frame) => {
        const own = Math.round(frame.getSelfWeight());
        if (own !== 0) console.log(`${plain(profile.getName())};${plain(frame.name)} ${own}`);
    });
END

for trace in "$SOURCE"/src/formats/xray/good/*.fdr*.xray "$heph"/heph_tracing_example.bin.log \
    "$fxt"/events.fxt; do
    "$STELE" flame --by-thread "$trace" 2>err </dev/null |
        awk '{ value = $NF; sub(/ [0-9]*$/, ""); n = split($0, part, ";")
               if (n > 1) sum[part[1] ";" part[n]] += value }
             END { for (path in sum) printf "%s %.0f\n", path, sum[path] }' | sort >own
    [ -s own ] || continue
    for form in speedscope evented; do
        expect 0 flame --force --format $form -o x.json "$trace"
        last="speedscope of $trace, $form"
        status=0
        node import.mjs "$bundle" x.json >out 2>err || status=$?
        [ "$status" -ne 77 ] || {
            echo "SKIP: the importer is not found in this version of speedscope"
            exit 77
        }
        [ "$status" -eq 0 ] || complain "it is refused" err
        sort out >theirs
        same theirs own
    done
done
finish
