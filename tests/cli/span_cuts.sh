#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cuts begin what is open: calls, operations, flows, pairs of the user's, in every format.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    echo "SKIP: python3 is missing"
    exit 77
}
formats=$SOURCE/src/formats

fits() {
    # shellcheck disable=SC2034
    last="span_cuts.py $*"
    python3 "$SOURCE/tests/cli/span_cuts.py" "$STELE" "$@" >said 2>&1 || complain "other sums" said
}
fits "$formats/heph/good/heph_tracing_example.bin.log"
fits "$formats/xray/good/events.fdr2.xray"
fits "$formats/xray/good/exc.14.fdr5.tsc.xray"
fits "$formats/fxt/good/events.fxt"
fits "$formats/xtrace/good/levels.xinsndata.bin"
fits "$formats/ctf/good/lttng_216_2" --pair tick:kinds --by order
fits "$formats/ctf/good/lttng_216_2" --pair tick:kinds
finish
