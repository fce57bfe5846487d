#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reader of the npm package pprof-format finds in profiles of pprof the paths of 'stele flame'. STELE
# is the command, SOURCE the repository, PPROF_FORMAT the unpacked package (2.3.2 is known to work);
# node runs it.
. "$SOURCE/tests/cli/lib.sh"
if [ ! -e "${PPROF_FORMAT:-/nonexistent}/package.json" ] || ! have node; then
    echo "SKIP: PPROF_FORMAT does not name the package pprof-format, or node is missing"
    exit 77
fi

cat > read.cjs <<'END'
const fs = require('fs'), zlib = require('zlib');
const { Profile } = require(process.argv[2]);
const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[3])));
const texts = profile.stringTable.strings, names = new Map(), functions = new Map();
for (const f of profile.function) functions.set(Number(f.id), texts[Number(f.name)]);
for (const l of profile.location) names.set(Number(l.id), functions.get(Number(l.line[0].functionId)));
for (const s of profile.sample) {
    const path = s.locationId.map((id) => names.get(Number(id)).replaceAll(';', '_')).reverse();
    path.unshift(texts[Number(s.label[0].str)].replaceAll(';', '_'));
    if (Number(s.value[1]) !== 0) console.log(`${path.join(';')} ${s.value[1]}`);
}
END

for trace in "$SOURCE"/src/formats/xray/good/*.xray "$heph"/heph_tracing_example.bin.log \
    "$fxt"/events.fxt; do
    "$STELE" flame --by-thread "$trace" 2>err </dev/null | sort >own
    [ -s own ] || continue
    expect 0 flame --force -o x.pb.gz "$trace"
    last="pprof-format of $trace"
    node read.cjs "$PPROF_FORMAT" x.pb.gz >out 2>err || complain "it is refused" err
    sort out >theirs
    same theirs own
done
finish
