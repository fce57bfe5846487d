#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A reader of Parquet that shares nothing with DuckDB (hyparquet, in JavaScript) reads what Stele
# writes: as many rows, with the same values, as 'stele cat' shows. STELE is the command, SOURCE the
# repository.
. "$SOURCE/tests/cli/lib.sh"
have node || {
    echo "SKIP: node is not installed"
    exit 77
}
have npm || {
    echo "SKIP: npm is not installed"
    exit 77
}
printf '{"private": true}\n' >package.json
npm install --silent --no-audit --no-fund hyparquet@1.17.1 hyparquet-compressors@1.1.1 \
    >npm.log 2>&1 || {
    echo "SKIP: npm cannot install hyparquet"
    exit 77
}
cat >read.mjs <<'JS'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
const file = await asyncBufferFromFile(process.argv[2])
for (const row of await parquetReadObjects({ file, compressors }))
    console.log([row.kind, row.byte_offset, row.byte_size, row.cpu ?? '', row.name ?? ''].join('\t'))
JS
for trace in "$fxt/events.fxt" "$heph/rt_scalars.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray"; do
    expect 0 convert "$trace" -o event.parquet --force
    last="hyparquet of $trace"
    node read.mjs event.parquet >have 2>err || complain "it cannot be read" err
    "$STELE" cat --json --unsorted "$trace" 2>err |
        node -e 'const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean)
            for (const e of lines.map(JSON.parse))
                console.log([e.kind, e.offset, e.size, e.cpu ?? "", e.name ?? ""].join("\t"))' >wanted
    check "there are rows" test -s have
    same have wanted
done
finish
