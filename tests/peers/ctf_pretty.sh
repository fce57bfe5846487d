#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The lines of --ctf-pretty are those of babeltrace2 2.1, byte for byte: STELE_SAMPLES names a folder
# with archives ctf/NAME.tar.gz and the lines ctf/NAME.pretty.gz that it wrote for them.
. "$SOURCE/tests/cli/lib.sh"
[ -d "${STELE_SAMPLES:-}/ctf" ] || {
    echo "SKIP: STELE_SAMPLES names no folder with ctf/*.pretty.gz"
    exit 77
}
count=0
for golden in "$STELE_SAMPLES"/ctf/*.pretty.gz; do
    name=$(basename "$golden" .pretty.gz)
    gzip -dc "$golden" >expected
    "$STELE" cat --ctf-pretty --clock-gmt --clock-date "$STELE_SAMPLES/ctf/$name.tar.gz" >got 2>err
    status=$?
    # Events that the tracer discarded are findings, and so may end with 1.
    [ "$status" -le 1 ] || complain "$name: exit code $status"
    cmp -s expected got || {
        diff expected got | head -4 | cut -c1-400
        complain "$name: other lines than those of babeltrace2"
    }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || complain "no ctf/*.pretty.gz in $STELE_SAMPLES"

finish
