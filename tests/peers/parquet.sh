#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Readers of Parquet that share nothing with DuckDB read what Stele writes: as many rows, with the
# same values, as 'stele cat' shows. They are hyparquet (in JavaScript), parquet-wasm (the one of
# Arrow, in Rust) and nodejs-polars (Polars' own, in Rust). STELE is the command, SOURCE the
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
readers=
for packages in "hyparquet@1.17.1 hyparquet-compressors@1.1.1" \
    "parquet-wasm@0.8.0 apache-arrow@21.2.0" \
    "nodejs-polars@0.26.1 nodejs-polars-linux-x64-gnu@0.26.1"; do
    # shellcheck disable=SC2086
    if npm install --silent --no-audit --no-fund $packages >npm.log 2>&1; then
        readers="$readers $(echo "${packages%%@*}" | tr -d -)"
    else
        echo "SKIP: npm cannot install ${packages%%@*}"
    fi
done
[ -n "$readers" ] || exit 77

cat >show.mjs <<'JS'
export const show = (row) =>
    console.log([row.kind, row.byte_offset, row.byte_size, row.cpu ?? '', row.name ?? '',
                 row.tid ?? '', row.ts ?? ''].join('\t'))
JS
cat >hyparquet.mjs <<'JS'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { show } from './show.mjs'
for (const path of process.argv.slice(2)) {
    const file = await asyncBufferFromFile(path)
    for (const row of await parquetReadObjects({ file, compressors })) show(row)
}
JS
cat >parquetwasm.mjs <<'JS'
import { readFileSync } from 'fs'
import { readParquet } from 'parquet-wasm'
import { tableFromIPC } from 'apache-arrow'
import { show } from './show.mjs'
const number = (value) => value !== null && typeof value === 'object' ? BigInt(value.toString()) : value
for (const path of process.argv.slice(2)) {
    const table = tableFromIPC(readParquet(new Uint8Array(readFileSync(path))).intoIPCStream())
    for (const row of table) show(Object.fromEntries(row.toArray().map(
        (value, i) => [table.schema.fields[i].name, number(value)])))
}
JS
cat >nodejspolars.mjs <<'JS'
import pl from 'nodejs-polars'
import { show } from './show.mjs'
for (const path of process.argv.slice(2)) {
    const columns = ['byte_offset', 'tid', 'ts', 'byte_size', 'cpu']
    const frame = pl.readParquet(path).withColumns(...columns.map((c) => pl.col(c).cast(pl.Utf8)))
    for (const row of frame.select('kind', 'name', ...columns).toRecords()) show(row)
}
JS
for trace in "$fxt/events.fxt" "$heph/rt_scalars.bin.log" \
    "$SOURCE/src/formats/ctf/good/lttng_216_2" "$SOURCE/src/formats/xray/good/events.fdr4.xray"; do
    expect 0 convert "$trace" -o event.parquet --force
    rm -rf parts
    expect 0 convert "$trace" --to parquet -o parts --tables event --table-format delta
    "$STELE" cat --json --unsorted "$trace" 2>err |
        node -e 'const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean)
            for (const e of lines.map(JSON.parse))
                console.log([e.kind, e.offset, e.size, e.cpu ?? "", e.name ?? ""].join("\t"))' >wanted
    for reader in $readers; do
        for file in event.parquet parts/event/part-00000.parquet; do
            last="$reader of $trace, $file"
            node "$reader.mjs" "$file" >have 2>err || complain "it cannot be read" err
            check "there are rows" test -s have
            cut -f 1-5 have >have.five
            same have.five wanted
            # hyparquet makes floating-point numbers of decimal ones.
            [ "$reader $file" != "hyparquet parts/event/part-00000.parquet" ] || continue
            [ ! -e first ] || same have first
            mv have first
        done
    done
    rm -f first
done
finish
